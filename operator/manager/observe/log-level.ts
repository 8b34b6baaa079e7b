import process from 'node:process';
import type { Cancel } from '../../core/clock.ts';
import type { LogLevel } from '../settings/settings.ts';
import type { Logger } from './logger.ts';

/** Who tells of signals. */
export interface SignalSource {
  on(name: 'SIGUSR2', listener: () => void): unknown;
  off(name: 'SIGUSR2', listener: () => void): unknown;
}

/**
 * From now on SIGUSR2 turns debug lines on, and at the next one off again; a process that was started
 * with them turns to `info` and back. Every logger that was made of `logger` follows. Each change is a
 * line of its own. Node keeps SIGUSR1 for its debugger.
 *
 * @returns what takes the listener away.
 */
export function toggleDebugOnSignal(logger: Logger, signals: SignalSource = process): Cancel {
  const configured = logger.level;
  const other: LogLevel = configured === 'debug' ? 'info' : 'debug';
  const toggle = (): void => {
    const from = logger.level;
    const to = from === configured ? other : configured;
    const tell = (): void => logger.info({ from, to }, 'log level changed by SIGUSR2');
    // At warn or error the line would not show; one of the two levels is always debug or info.
    if (to === 'debug') logger.level = to;
    tell();
    logger.level = to;
  };
  signals.on('SIGUSR2', toggle);
  return () => void signals.off('SIGUSR2', toggle);
}
