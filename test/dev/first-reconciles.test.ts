/** The log of `chancery dev`: which reconciles it shows. */
import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { withFirstReconciles } from '../../operator/cli/dev/first-reconciles.ts';
import { createLogger, type Logger } from '../../operator/manager/observe/logger.ts';

/** What `log` writes at the level info, each line as controller, key and message. */
function written(log: (logger: Logger) => void): readonly string[] {
  const destination = new PassThrough({ encoding: 'utf8' });
  log(withFirstReconciles(createLogger('info', destination)));
  const lines = String(destination.read() ?? '')
    .split('\n')
    .filter((line) => line !== '');
  return lines.map((line) => {
    const { controller, key, msg } = JSON.parse(line) as Readonly<Record<string, string>>;
    return [controller, key, msg].filter((each) => each !== undefined).join(' ');
  });
}

const reconciled = (logger: Logger, controller: string, key: string): void =>
  logger.child({ controller }).child({ key }).debug({ durationMs: 1 }, 'reconciled');

test('the first reconcile of each object by each controller is printed', () => {
  const lines = written((logger) => {
    reconciled(logger, 'web', 'a/x');
    reconciled(logger, 'web', 'a/x');
    reconciled(logger, 'job', 'a/x');
    logger.child({ controller: 'web', key: 'a/y' }).debug({}, 'woken');
    logger.child({ controller: 'web', key: 'a/y' }).warn({}, 'reconcile failed');
    reconciled(logger, 'web', 'a/y');
  });

  expect(lines).toEqual([
    'web a/x reconciled for the first time',
    'job a/x reconciled for the first time',
    'web a/y reconcile failed',
    'web a/y reconciled for the first time',
  ]);
});

test('the first reconciles of at most twenty objects are printed', () => {
  const lines = written((logger) => {
    for (let at = 0; at < 100; at++) reconciled(logger, 'web', `a/${at}`);
  });

  expect(lines).toHaveLength(20);
});

test('setting the level of the wrapped logger works', () => {
  const lines = written((logger) => {
    logger.level = 'debug';
    reconciled(logger, 'web', 'a/x');
  });

  expect(lines).toEqual(['web a/x reconciled', 'web a/x reconciled for the first time']);
});
