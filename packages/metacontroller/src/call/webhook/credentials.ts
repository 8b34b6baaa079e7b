import { createSecureContext } from 'node:tls';
import { messageOf } from 'chancery';
import { HookError } from '../../hook-error.ts';
import type { ConnectionSpec, KeyReference } from '../../spec.ts';
import type { KeyReader } from '../key-reader.ts';
import type { TlsMaterial } from './guarded-connector.ts';

/** The credentials and trusted certificates for one call of a webhook. */
export interface Credentials {
  readonly tls: TlsMaterial;
  /** The header `Authorization`. */
  readonly authorization: string | undefined;
}

/**
 * Reads the current credentials for the connection of a hook.
 *
 * @throws HookError `MissingCredentials` when a credential or certificate does not exist or cannot
 * be used. The message contains the names of the object and the key, and never a value.
 */
export async function readCredentials(
  connection: ConnectionSpec,
  keys: KeyReader,
  signal: AbortSignal,
): Promise<Credentials> {
  const text = async (reference: KeyReference): Promise<string> =>
    Buffer.from(await keys.read(reference, signal)).toString();
  const { caBundle, clientTls } = connection;
  const tls: TlsMaterial = {
    ...(caBundle !== undefined && { ca: await authoritiesOf(caBundle, text) }),
    ...(clientTls !== undefined && {
      cert: await text(clientTls.certificate),
      key: await text(clientTls.privateKey),
    }),
  };
  return { tls, authorization: await authorizationOf(connection, text) };
}

async function authoritiesOf(
  caBundle: NonNullable<ConnectionSpec['caBundle']>,
  text: (reference: KeyReference) => Promise<string>,
): Promise<string> {
  const isInline = 'inline' in caBundle;
  const pem = isInline ? caBundle.inline : await text(caBundle);
  if (pem.includes('-----BEGIN CERTIFICATE-----')) return pem;
  throw unusable(isInline ? 'caBundle.inline' : placeOf(caBundle), 'it has no certificate in PEM');
}

async function authorizationOf(
  { authorization, basicAuth }: ConnectionSpec,
  text: (reference: KeyReference) => Promise<string>,
): Promise<string | undefined> {
  if (authorization !== undefined) {
    const { scheme, credentials } = authorization;
    const value = `${scheme} ${(await text(credentials)).trim()}`;
    if (/^[ -~]+$/.test(value)) return value;
    throw unusable(placeOf(credentials), 'a header has visible ASCII on one line');
  }
  if (basicAuth === undefined) return undefined;
  const username = (await text(basicAuth.username)).trim();
  const password = (await text(basicAuth.password)).trim();
  if (!username.includes(':')) return basicAuthorization(username, password);
  throw unusable(placeOf(basicAuth.username), 'a user name has no ":"');
}

/** The value of the header `Authorization` for a name and a password. */
export function basicAuthorization(username: string, password: string): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

/**
 * Checks the certificates and keys before a connection is opened.
 *
 * @throws HookError `MissingCredentials` when a certificate or key cannot be used.
 */
export function requireUsable(tls: TlsMaterial, { clientTls, caBundle }: ConnectionSpec): void {
  if (Object.keys(tls).length === 0) return;
  try {
    createSecureContext(tls);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const place =
      clientTls === undefined
        ? caBundle !== undefined && 'key' in caBundle
          ? placeOf(caBundle)
          : 'caBundle.inline'
        : `${placeOf(clientTls.certificate)} and ${placeOf(clientTls.privateKey)}`;
    throw unusable(place, `not usable for TLS (${code ?? messageOf(error)})`);
  }
}

/** Describes a key without its value, such as `Secret farm/hook, key token`. */
function placeOf({ kind, namespace, name, key }: KeyReference): string {
  return `${kind} ${namespace}/${name}, key ${key}`;
}

function unusable(place: string, problem: string): HookError {
  return new HookError(`${place}: ${problem}`, { reason: 'MissingCredentials' });
}
