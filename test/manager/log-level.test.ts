import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  type SignalSource,
  toggleDebugOnSignal,
} from '../../operator/manager/observe/log-level.ts';
import { createLogger, type Logger } from '../../operator/manager/observe/logger.ts';
import type { LogLevel } from '../../operator/manager/settings/settings.ts';
import { folderWith, start } from '../cli/child.ts';

interface World {
  readonly logger: Logger;
  readonly signals: EventEmitter;
  /** Every line since the last call: level and message. */
  readonly lines: () => readonly string[];
  readonly cancel: () => void;
}

function world(level: LogLevel): World {
  const stream = new PassThrough();
  const logger = createLogger(level, stream);
  const signals = new EventEmitter();
  const cancel = toggleDebugOnSignal(logger, signals as SignalSource);
  const lines = (): readonly string[] => {
    const text = String(stream.read() ?? '');
    const records = text.split('\n').filter((line) => line !== '');
    return records.map((line) => {
      const { level: of, msg, from, to } = JSON.parse(line) as Record<string, unknown>;
      return [of, msg, from, to].filter((part) => part !== undefined).join(' ');
    });
  };
  return { logger, signals, lines, cancel };
}

const CHANGED = 'info log level changed by SIGUSR2';

describe('toggleDebugOnSignal', () => {
  test.each<[LogLevel, LogLevel]>([
    ['info', 'debug'],
    ['warn', 'debug'],
    ['error', 'debug'],
    ['debug', 'info'],
  ])('a signal changes the level %s to %s, the next signal changes it back, and each change is one log line', (from, to) => {
    const { logger, signals, lines } = world(from);

    signals.emit('SIGUSR2');
    const during = [logger.level, ...lines()];
    signals.emit('SIGUSR2');
    const after = [logger.level, ...lines()];

    expect(during).toEqual([to, `${CHANGED} ${from} ${to}`]);
    expect(after).toEqual([from, `${CHANGED} ${to} ${from}`]);
  });

  test('existing loggers and their children follow a change of the level', () => {
    const { logger, signals, lines } = world('info');
    const child = logger.child({ controller: 'web' });
    const grandchild = child.child({ key: 'a/b' });
    child.info({}, 'has written');
    lines();

    child.debug({}, 'before');
    signals.emit('SIGUSR2');
    grandchild.debug({}, 'during');
    signals.emit('SIGUSR2');
    grandchild.debug({}, 'after');

    expect(lines()).toEqual([`${CHANGED} info debug`, 'debug during', `${CHANGED} debug info`]);
  });

  test('after toggleDebugOnSignal was cancelled, a signal no longer changes the level', () => {
    const { logger, signals, cancel } = world('info');

    cancel();
    signals.emit('SIGUSR2');

    expect(logger.level).toBe('info');
    expect(signals.listenerCount('SIGUSR2')).toBe(0);
  });
});

test('a real signal makes a running process log its debug lines', async () => {
  const operator = fileURLToPath(new URL('../../operator/manager/observe/', import.meta.url));
  const folder = folderWith({
    'main.ts': `
      import { toggleDebugOnSignal } from '${operator}log-level.ts';
      import { createLogger } from '${operator}logger.ts';
      const log = createLogger('info', process.stderr);
      const child = log.child({ controller: 'web' });
      toggleDebugOnSignal(log);
      process.on('SIGUSR2', () => child.debug({}, 'detail'));
      process.once('SIGTERM', () => process.exit(0));
      setInterval(() => {}, 60_000);
      child.info({}, 'began');`,
  });
  const child = start(process.execPath, [`${folder}/main.ts`]);
  onTestFinished(() => child.kill('SIGTERM'));
  await child.stderr.until(() => child.stderr.lines.length === 1);

  child.kill('SIGUSR2');
  await child.stderr.until(() => child.stderr.lines.length === 3);
  child.kill('SIGUSR2');
  await child.stderr.until(() => child.stderr.lines.length === 4);
  child.kill('SIGTERM');

  const messages = child.stderr.lines.map((line) => (JSON.parse(line) as { msg: string }).msg);
  expect(messages).toEqual([
    'began',
    'log level changed by SIGUSR2',
    'detail',
    'log level changed by SIGUSR2',
  ]);
  expect(await child.exit).toBe(0);
});
