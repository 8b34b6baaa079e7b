import process from 'node:process';
import type { Cancel } from '../../core/clock.ts';
import type { LogLevel } from '../settings/settings.ts';
import type { Logger } from './logger.ts';

/** The object that reports signals to the process. It is usually `process`. */
export interface SignalSource {
  on(name: 'SIGUSR2', listener: () => void): unknown;
  off(name: 'SIGUSR2', listener: () => void): unknown;
}

/**
 * Toggles debug lines on each SIGUSR2. A process that was started with debug lines toggles between `info` and
 * `debug`. The level also applies to all loggers derived from `logger`. Each change is logged. SIGUSR1 is not
 * used, because Node reserves it for its debugger.
 *
 * @returns a function that removes the listener.
 */
export function toggleDebugOnSignal(logger: Logger, signals: SignalSource = process): Cancel {
  const configured = logger.level;
  const other: LogLevel = configured === 'debug' ? 'info' : 'debug';
  const toggle = (): void => {
    const from = logger.level;
    const to = from === configured ? other : configured;
    const tell = (): void => logger.info({ from, to }, 'log level changed by SIGUSR2');
    // The logger would drop this line at the level warn or error. One of the two levels is always debug or
    // info, so the line is written at that level.
    if (to === 'debug') logger.level = to;
    tell();
    logger.level = to;
  };
  signals.on('SIGUSR2', toggle);
  return () => void signals.off('SIGUSR2', toggle);
}
