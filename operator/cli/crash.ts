import { ConfigurationError } from '../core/errors.ts';
import { settingsFrom } from '../manager/settings/settings.ts';

/** A timer that throws can do so a thousand times a second. */
export const CRASH_LOG_LINES = 10;

/** For a stop that may take for ever, or for no time at all, when the process is in order. */
const DEFAULT_MS = 25_000;

/** What the orderly stop of a process may take after something that nobody caught. */
export function crashLimitMs(environment: Readonly<Record<string, string | undefined>>): number {
  try {
    const { shutdownTimeoutMs } = settingsFrom(environment);
    return Number.isFinite(shutdownTimeoutMs) ? shutdownTimeoutMs : DEFAULT_MS;
  } catch (error) {
    if (error instanceof ConfigurationError) return DEFAULT_MS; // the command says so, if it cares
    throw error;
  }
}
