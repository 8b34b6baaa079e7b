import { badRequest } from '../../failures/failure.ts';
import { isObject } from '../../objects/metadata.ts';

/** The position at which the next page begins. */
export interface ContinueToken {
  /** The revision whose state the pages contain; -1 for the current state. */
  readonly revision: number;
  /** The smallest path that belongs to the page, relative to the collection. */
  readonly start: string;
  /** The last path on the previous page. */
  readonly last: string;
}

/** Makes a continue token like the server: base64 of JSON, without padding. */
export function encodeContinue(revision: number, last: string): string {
  // As on a real server, a token with revision -1 has no leading slash.
  const start = `${revision < 0 ? '' : '/'}${last}\u0000`;
  const json = JSON.stringify({ v: 'meta.k8s.io/v1', rv: revision, start });
  return Buffer.from(json).toString('base64url');
}

/** @throws ApiError 400 for an invalid token. */
export function decodeContinue(token: string): ContinueToken {
  const value = parsed(token);
  if (value.v !== 'meta.k8s.io/v1') {
    const version = typeof value.v === 'string' ? value.v : '';
    throw invalidToken(`server does not recognize this encoded version ${version}`);
  }
  const revision = typeof value.rv === 'number' ? value.rv : 0;
  if (revision === 0) {
    throw invalidToken('incorrect encoded start resourceVersion (version meta.k8s.io/v1)');
  }
  const key = typeof value.start === 'string' ? value.start : '';
  if (key === '') throw invalidToken('encoded start key empty (version meta.k8s.io/v1)');
  const start = key.replace(/^\//, '');
  // With an empty segment, `.` or `..`, the path could point to objects outside of the collection.
  if (start.split('/').some((part) => part === '' || part === '.' || part === '..')) {
    throw invalidToken(key);
  }
  return { revision, start, last: start.endsWith('\u0000') ? start.slice(0, -1) : start };
}

function parsed(token: string): Record<string, unknown> {
  const illegal = /[^A-Za-z0-9_-]/.exec(token);
  if (illegal !== null) throw invalidToken(`illegal base64 data at input byte ${illegal.index}`);
  const json = Buffer.from(token, 'base64url').toString('utf8');
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    const first = [...json][0] ?? '';
    if (first === '{' || first === '') throw invalidToken('unexpected end of JSON input');
    const shown = first === '\ufffd' ? `\\u00${byteOf(token)}` : first;
    throw invalidToken(`invalid character '${shown}' looking for beginning of value`);
  }
  if (isObject(value)) return value;
  throw invalidToken(
    'json: cannot unmarshal the token into Go value of type storage.continueToken',
  );
}

function byteOf(token: string): string {
  return (Buffer.from(token, 'base64url')[0] ?? 0).toString(16).padStart(2, '0');
}

function invalidToken(problem: string): Error {
  return badRequest(`invalid continue token: continue key is not valid: ${problem}`);
}
