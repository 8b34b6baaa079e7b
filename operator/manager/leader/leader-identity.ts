import { hostname } from 'node:os';
import { nodeCrypto } from '../../core/builtin-modules.ts';

/**
 * What a process calls itself in a Lease: `<hostname>_<uuid>`. The uuid is new in every call, so call
 * it once per process: a restarted one must not take what its predecessor held for its own.
 */
export function leaderIdentity(host: string = hostname()): string {
  return `${host}_${nodeCrypto().randomUUID()}`;
}
