import { ConfigurationError } from '../core/errors.ts';
import { settingsFrom } from '../manager/settings/settings.ts';

/** Limits the log: a timer that throws can do so a thousand times a second. */
export const CRASH_LOG_LINES = 10;

/** Used when CHANCERY_SHUTDOWN_TIMEOUT sets no limit, or when the settings are unusable. */
const DEFAULT_MS = 25_000;

/** How long the orderly stop may take, in milliseconds, after an uncaught error. */
export function crashLimitMs(environment: Readonly<Record<string, string | undefined>>): number {
  try {
    const { shutdownTimeoutMs } = settingsFrom(environment);
    return Number.isFinite(shutdownTimeoutMs) ? shutdownTimeoutMs : DEFAULT_MS;
  } catch (error) {
    if (error instanceof ConfigurationError) return DEFAULT_MS; // the command reports bad settings
    throw error;
  }
}
