import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { AmbassadorError, ConfigurationError } from '../../operator/core/errors.ts';
import { createLogger, type LoggerOptions } from '../../operator/manager/observe/logger.ts';
import { showsColours } from '../../operator/manager/observe/pretty-log.ts';
import type { LogLevel } from '../../operator/manager/settings/settings.ts';

type Use = (log: ReturnType<typeof createLogger>) => void;

/** The text that `use` writes; the time of a line is TIME. */
function written(use: Use, options: LoggerOptions = {}, level: LogLevel = 'info', isTTY = false) {
  const stream = Object.assign(new PassThrough(), { isTTY });
  use(createLogger(level, stream, { format: 'pretty', ...options }));
  return String(stream.read() ?? '').replace(/\d\d:\d\d:\d\d\.\d{3}/g, 'TIME');
}

/** An error of the toolkit that came through no user code. */
function bare(message: string): ConfigurationError {
  const error = new ConfigurationError(message);
  error.stack = message;
  return error;
}

const failed = (failures: number, retryInMs: number, err: Error) => ({
  ...{ controller: 'web', key: 'demo/a', reconcileId: 'id', err, failures, retryInMs },
});

test('[N-5] a log event is one line: time, level, controller and key, message, fields', () => {
  const text = written((log) =>
    log
      .child({ controller: 'web', key: 'demo/a', reconcileId: 'id' })
      .info({ replicas: 2, name: 'a b', deep: { x: 1 } }, 'scaled'),
  );

  expect(text).toBe('TIME info  web demo/a scaled replicas=2 name="a b" deep={"x":1}\n');
});

test('[N-5] the remedy is at the end of the line', () => {
  const text = written((log) =>
    log.info({ apiUrl: 'http://127.0.0.1:8001', remedy: 'start it' }, 'waiting'),
  );

  expect(text).toBe('TIME info  waiting apiUrl=http://127.0.0.1:8001 → start it\n');
});

test('[N-6] repeated failures of a key are logged one by one only once its next attempt is at least a second away', () => {
  const error = bare('add pods to reads');

  const text = written((log) => {
    for (let failures = 1; failures <= 10; failures++) {
      log.warn(failed(failures, 5 * 2 ** (failures - 1), error), 'reconcile failed');
    }
  });

  expect(text).toBe(
    'TIME warn  web demo/a reconcile failed, next in 5 ms: CONFIG: add pods to reads\n' +
      'TIME warn  web demo/a reconcile failed 9 times, next in 1.3 s: CONFIG: add pods to reads\n' +
      'TIME warn  web demo/a reconcile failed 10 times, next in 2.6 s: CONFIG: add pods to reads\n',
  );
});

test('if the next retry is far in the future, the log line says that a change would cause an earlier attempt', () => {
  const text = written((log) => {
    log.warn(failed(1, 9_999, bare('one')), 'reconcile failed');
    log.warn(failed(2, 10_000, bare('two')), 'reconcile failed');
    log.warn(failed(3, 3_420_000, bare('three')), 'reconcile failed');
  });

  expect(text).toBe(
    'TIME warn  web demo/a reconcile failed, next in 10.0 s: CONFIG: one\n' +
      'TIME warn  web demo/a reconcile failed 2 times, next in 10.0 s or at the next change: CONFIG: two\n' +
      'TIME warn  web demo/a reconcile failed 3 times, next in 57 min or at the next change: CONFIG: three\n',
  );
});

test('[N-6] a different error of the key, or the first failure of another key, has its own log line', () => {
  const text = written((log) => {
    log.warn(failed(1, 5, bare('one')), 'reconcile failed');
    log.warn(failed(2, 10, bare('two')), 'reconcile failed');
    const other = { ...failed(1, 5, bare('two')), key: 'demo/b' };
    log.warn(other, 'reconcile failed');
  });

  expect(text.split('\n').map((line) => line.slice(15))).toEqual([
    'demo/a reconcile failed, next in 5 ms: CONFIG: one',
    'demo/a reconcile failed 2 times, next in 10 ms: CONFIG: two',
    'demo/b reconcile failed, next in 5 ms: CONFIG: two',
    '',
  ]);
});

test('[N-6] at the level debug each failure has its own log line', () => {
  const text = written(
    (log) => {
      for (const failures of [1, 2, 3]) {
        log.warn(failed(failures, 5, bare('one')), 'reconcile failed');
      }
    },
    {},
    'debug',
  );

  expect(text.match(/reconcile failed/g)).toHaveLength(3);
});

test('[N-7] stack frames of user code come first; frames of the toolkit and of Node are printed only at the level debug', () => {
  const toolkit = fileURLToPath(new URL('../../operator/', import.meta.url));
  const error = new TypeError('no such field');
  error.stack = [
    'TypeError: no such field',
    `    at run (${toolkit}controller/run/runner.ts:1:1)`,
    '    at reconcile (file:///shop/operator.ts:7:3)',
    '    at process.processTicksAndRejections (node:internal/process/task_queues:95:5)',
    '    at async help (/shop/help.ts:2:1)',
  ].join('\n');
  const use: Use = (log) => log.error({ err: error }, 'reconcile failed because of a bug');

  expect(written(use).split('\n')).toEqual([
    'TIME error reconcile failed because of a bug: TypeError: no such field',
    '    at reconcile (file:///shop/operator.ts:7:3)',
    '    at async help (/shop/help.ts:2:1)',
    '',
  ]);
  expect(written(use, {}, 'debug').split('\n').slice(1, 6)).toEqual([
    '    at reconcile (file:///shop/operator.ts:7:3)',
    '    at async help (/shop/help.ts:2:1)',
    expect.stringContaining('runner.ts'),
    expect.stringContaining('node:internal'),
    '',
  ]);
});

test('[N-7] if an error has no frame of user code, the log says how to print its other frames', () => {
  const error = new Error('lost');
  error.stack = 'Error: lost\n    at listOnTimeout (node:internal/timers:1:1)';

  expect(written((log) => log.error({ err: error }, 'm')).split('\n')[1]).toBe(
    '    (1 frames of chancery and Node: CHANCERY_LOG_LEVEL=debug shows them)',
  );
});

test('[N-7] for an error of the toolkit, only the user code frames of its stack are printed', () => {
  const error = bare('add pods to reads');
  error.stack =
    'x\n    at store (node:internal/a:1:1)\n    at reconcile (file:///shop/operator.ts:7:3)';

  expect(written((log) => log.warn({ err: error }, 'm'))).toBe(
    'TIME warn  m: CONFIG: add pods to reads\n    at reconcile (file:///shop/operator.ts:7:3)\n',
  );
});

test('[N-5] a field of user code with the name of a toolkit field keeps its value', () => {
  const text = written((log) =>
    log.info({ object: { a: 1 }, by: 2, changes: 'x', key: 3, retryInMs: 'y' }, 'm'),
  );

  expect(text).toBe('TIME info  m object={"a":1} by=2 changes=x key=3 retryInMs=y\n');
});

test('an error of the toolkit is logged with its code, its cause, and the facts that its message lacks', () => {
  const error = new AmbassadorError('cannot be reached', {
    code: 'AMBASSADOR_UNREACHABLE',
    fate: 'not-sent',
    context: { path: '/api' },
    cause: new Error('connect ECONNREFUSED'),
  });
  error.stack = 'x';

  expect(written((log) => log.warn({ err: error }, 'source is failing'))).toBe(
    'TIME warn  source is failing: AMBASSADOR_UNREACHABLE: cannot be reached (path /api); cause: connect ECONNREFUSED\n',
  );
});

test('[N-5] text from the cluster can neither start a line nor control the terminal', () => {
  const text = written((log) => log.info({ a: 'x\u001b[31m\n12:00 forged' }, 'one\ntwo\u009b2J'));

  expect(text.split('\n')).toHaveLength(2);
  expect(['\u001b', '\u009b'].filter((each) => text.includes(each))).toEqual([]);
});

test('[N-5] secrets are redacted as in the JSON log', () => {
  const text = written((log) => log.info({ data: { pw: 'hunter2' }, password: 'hunter2' }, 'read'));

  expect(text).toBe('TIME info  read data=[redacted] password=[redacted]\n');
});

test.each<[LoggerOptions, boolean, boolean]>([
  [{ format: 'auto' }, true, true],
  [{ format: 'auto' }, false, false],
  [{ format: 'json' }, true, false],
  [{ format: 'pretty' }, false, true],
])('[N-5] with the options %j, on a terminal: %s, the log is in the pretty format: %s', (options, isTTY, isPretty) => {
  const text = written((log) => log.info({}, 'm'), options, 'info', isTTY);

  expect(text.startsWith('{')).toBe(!isPretty);
});

test.each<[Record<string, string>, boolean, boolean]>([
  [{}, true, true],
  [{}, false, false],
  [{ NO_COLOR: '1' }, true, false],
  [{ NO_COLOR: '' }, true, true],
  [{ FORCE_COLOR: '1' }, false, true],
  [{ FORCE_COLOR: '0' }, true, false],
  [{ FORCE_COLOR: '1', NO_COLOR: '1' }, true, true],
])('with the environment %j, on a terminal: %s, the log has colours: %s', (environment, isTTY, expected) => {
  expect(showsColours(environment, isTTY)).toBe(expected);
  const text = written((log) => log.info({}, 'm'), { environment }, 'info', isTTY);
  expect(text.includes('\u001b[')).toBe(expected);
});
