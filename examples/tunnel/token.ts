import { randomBytes } from 'node:crypto';
import { AlreadyOwnedError, isControlledBy, type ReconcileContext } from 'chancery';
import { secrets } from 'chancery/kubernetes';
import { NotYet } from './outcome.ts';
import type { Tunnel } from './tunnel.ts';

const KEY = 'token';

/** 64 characters, as the original's. */
const newToken = (): string => randomBytes(48).toString('base64url');

/** Of the Secret that holds what host and client know each other by. */
export const tokenSecretFor = ({ metadata, spec }: Tunnel): string =>
  spec.authTokenRef?.name ?? metadata.name;

/**
 * The token of a Tunnel: the one in the Secret that it names, or in one of its own, which is made before
 * there is a host. A host knows the token that it was made with, so that a Secret that is lost later is
 * not replaced: the client would be turned away for ever.
 *
 * @throws NotYet while there is none.
 * @throws AlreadyOwnedError when a Secret of the Tunnel's name is somebody else's.
 */
export async function tokenOf(
  tunnel: Tunnel,
  hasHost: boolean,
  { applyOwned, client }: ReconcileContext<Tunnel>,
  requeueAfterMs: number,
): Promise<string> {
  const name = tokenSecretFor(tunnel);
  const { namespace } = tunnel.metadata;
  const isNamed = tunnel.spec.authTokenRef?.name !== undefined;
  const found = await client.find(secrets, { name, namespace });
  if (found === undefined && !isNamed && !hasHost) {
    const made = newToken();
    const data = { [KEY]: Buffer.from(made).toString('base64') };
    await applyOwned(secrets, { metadata: { name }, type: 'Opaque', data });
    return made;
  }
  if (found !== undefined && !isNamed && !isControlledBy(found, tunnel)) {
    throw new AlreadyOwnedError(secrets, found);
  }
  const token = Buffer.from(found?.data?.[KEY] ?? '', 'base64').toString();
  if (token !== '') return token;
  const message =
    hasHost && !isNamed
      ? `Secret ${name} with the token of its host is lost: delete the Tunnel to get another host`
      : `Secret ${name} has no key ${KEY}, or does not exist`;
  throw new NotYet({ reason: 'TokenMissing', message, warning: true, requeueAfterMs });
}
