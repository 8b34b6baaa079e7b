import { NEVER_ABORTED } from '../core/abort.ts';
import type { Clock } from '../core/clock.ts';
import type { Transport } from '../transport/transport.ts';
import { readAnswer } from './answer.ts';
import type { CallOptions } from './client.ts';

/** What an API server says of itself. A hint for people: forks and proxies say what they like. */
export interface ServerVersion {
  /** `v1.33.1`, or empty. */
  readonly gitVersion: string;
  /** Undefined where the server does not give a number. */
  readonly major: number | undefined;
  /** `33`, for `33+` too. */
  readonly minor: number | undefined;
}

/**
 * The version of the API server, by `GET /version`. For logs and for errors that explain; nothing in
 * the toolkit behaves differently by it: what a server can do is learned from its answers.
 *
 * @throws as `Reader` does. The ambassador's filter may well refuse the path.
 */
export async function serverVersion(
  transport: Transport,
  { clock, signal = NEVER_ABORTED }: CallOptions & { readonly clock: Clock },
): Promise<ServerVersion> {
  const headers = { accept: 'application/json' };
  const request = { method: 'GET', path: '/version', headers, purpose: 'call', signal } as const;
  const { gitVersion, major, minor } = await readAnswer(await transport.send(request), clock, {
    asked: request,
  });
  return {
    gitVersion: typeof gitVersion === 'string' ? gitVersion : '',
    major: numberOf(major),
    minor: numberOf(minor),
  };
}

/** Servers between two releases say `33+`. */
function numberOf(value: unknown): number | undefined {
  const digits = typeof value === 'string' ? /^\d{1,4}/.exec(value)?.[0] : undefined;
  return digits === undefined ? undefined : Number(digits);
}
