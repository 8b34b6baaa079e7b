import type { Clock } from '../core/clock.ts';
import { parseApiUrl } from './api-url.ts';
import { connector } from './connector.ts';

/** On a loopback a connection is there in 0.1 ms, or refused as fast. */
const TIMEOUT_MS = 1_000;

/**
 * Whether somebody accepts connections where the ambassador should listen. Opens one, sends nothing
 * and closes it: what a filter or an API server would answer is nobody's business here.
 *
 * @throws ConfigurationError `CONFIG` for a URL that is not the ambassador's.
 */
export function isListening(apiUrl: string, clock: Clock): Promise<boolean> {
  const { origin, socketPath } = parseApiUrl(apiUrl);
  const connect = connector({ socketPath, timeoutMs: TIMEOUT_MS, clock });
  return new Promise((resolve) => {
    connect(new URL(origin), (_error, socket) => {
      socket?.destroy();
      resolve(socket !== null);
    });
  });
}
