import type { IncomingMessage } from 'node:http';
import { badRequest } from '../failures/failure.ts';
import { type Access, accessDenied, type ResourceAccess } from './access.ts';
import type { Authorization } from './authorization.ts';
import {
  ANONYMOUS,
  AUTHENTICATED,
  type Caller,
  MASTERS,
  parseServiceAccount,
  serviceAccountGroups,
  UNAUTHENTICATED,
  type User,
} from './user.ts';

const AUTHENTICATION = 'authentication.k8s.io';
const EXTRA = 'impersonate-extra-';

/**
 * The user that a request impersonates (`kubectl --as`), or the caller itself without
 * impersonation.
 *
 * Since v1.36 there are two ways to allow impersonation. The older way is the verb `impersonate` on the user,
 * the user's groups and all other fields in the headers of the request. The newer way is a verb for one kind
 * of user (`impersonate:serviceaccount`), together with a verb for the action
 * (`impersonate-on:serviceaccount:list`).
 *
 * @throws ApiError 403 when neither way is allowed; it reports the permission that is missing for the newer
 * way. 400 for groups without a user.
 */
export function impersonated(
  request: Pick<IncomingMessage, 'rawHeaders'>,
  caller: Caller,
  access: Access,
  authorization: Authorization,
): Caller {
  const wanted = wantedUser(request);
  if (wanted === undefined) return caller;
  const requireAll = (accesses: readonly Access[]): void => {
    for (const one of accesses) {
      const { allowed, reason } = authorization.decide(caller, one);
      if (!allowed) throw accessDenied(caller, one, reason);
    }
  };
  const asAnybody = (): Caller => {
    requireAll(accessesTo(wanted, 'impersonate', ''));
    return asCaller(wanted, serviceAccountGroups(wanted.name));
  };
  const mode = modeFor(wanted);
  if (mode === undefined) return asAnybody();
  try {
    const accesses = accessesTo(wanted, `impersonate:${mode}`, AUTHENTICATION);
    requireAll([{ ...access, verb: `impersonate-on:${mode}:${access.verb}` }, ...accesses]);
    refuseMasters(wanted, accesses, caller);
    const isNode = mode === 'arbitrary-node';
    return asCaller(wanted, isNode ? ['system:nodes'] : serviceAccountGroups(wanted.name));
  } catch (error) {
    try {
      return asAnybody();
    } catch {
      throw error;
    }
  }
}

/** The user in the impersonation headers of a request. Undefined if the request has no such headers. */
function wantedUser({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>): User | undefined {
  const headers = impersonationHeaders(rawHeaders);
  const name = headers.get('impersonate-user')?.[0] ?? '';
  const uid = headers.get('impersonate-uid')?.[0] ?? '';
  const groups = headers.get('impersonate-group') ?? [];
  const extra = [...headers]
    .filter(([header]) => header.startsWith(EXTRA))
    .map(([header, values]) => [unescaped(header.slice(EXTRA.length)), values] as const);
  if (name === '') {
    if (uid === '' && groups.length === 0 && extra.length === 0) return undefined;
    throw badRequest('requested groups, a uid or extra without impersonating a user name');
  }
  return {
    name,
    ...(uid === '' ? {} : { uid }),
    ...(groups.length === 0 ? {} : { groups }),
    ...(extra.length === 0 ? {} : { extra: Object.fromEntries(extra) }),
  };
}

/**
 * All values of each impersonation header. They are read from the raw headers, because an HTTP/2 request has
 * no `headersDistinct`.
 */
function impersonationHeaders(raw: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const name = raw[at]?.toLowerCase() ?? '';
    if (!name.startsWith('impersonate-')) continue;
    found.set(name, [...(found.get(name) ?? []), raw[at + 1] ?? '']);
  }
  return found;
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

type Mode = 'arbitrary-node' | 'serviceaccount' | 'user-info';

/**
 * The kind of user in the newer verbs, such as `impersonate:serviceaccount`. Undefined for a node or
 * ServiceAccount with additional fields, such as groups, because the newer verbs do not allow them.
 */
function modeFor(wanted: User): Mode | undefined {
  const { name } = wanted;
  const isNode = nodeName(name) !== undefined;
  if (!isNode && parseServiceAccount(name) === undefined) return 'user-info';
  if (Object.keys(wanted).length > 1) return undefined;
  return isNode ? 'arbitrary-node' : 'serviceaccount';
}

function nodeName(user: string): string | undefined {
  return /^system:node:([a-z0-9]([-a-z0-9.]*[a-z0-9])?)$/.exec(user)?.[1];
}

/** Refuses the group `system:masters`, which the verbs `impersonate:…` never allow. */
function refuseMasters(wanted: User, accesses: readonly ResourceAccess[], caller: Caller): void {
  if (!wanted.groups?.includes(MASTERS)) return;
  const group = accesses.find(({ resource, name }) => resource === 'groups' && name === MASTERS);
  const why = 'impersonating the system:masters group is not allowed';
  if (group !== undefined) throw accessDenied(caller, group, why);
}

/** All rights that a caller needs to impersonate a user, in the order in which they are checked. */
function accessesTo(wanted: User, verb: string, group: string): readonly ResourceAccess[] {
  const plain = { verb, group, subresource: '', namespace: '' };
  const account = parseServiceAccount(wanted.name);
  const node = group === AUTHENTICATION ? nodeName(wanted.name) : undefined;
  const user: ResourceAccess =
    account !== undefined
      ? { ...plain, resource: 'serviceaccounts', ...account }
      : node !== undefined
        ? { ...plain, resource: 'nodes', name: node }
        : { ...plain, resource: 'users', name: wanted.name };
  const detail = { ...plain, group: AUTHENTICATION };
  return [
    user,
    ...(wanted.uid === undefined ? [] : [{ ...detail, resource: 'uids', name: wanted.uid }]),
    ...(wanted.groups ?? []).map((name) => ({ ...plain, resource: 'groups', name })),
    ...Object.entries(wanted.extra ?? {}).flatMap(([key, values]) =>
      values.map((name) => ({ ...detail, resource: 'userextras', subresource: key, name })),
    ),
  ];
}

/**
 * @param fixed - the groups that the user has because of the user's name. They are used if the request
 * contains no groups.
 */
function asCaller(wanted: User, fixed: readonly string[]): Caller {
  const groups = [...(wanted.groups ?? fixed)];
  const last = wanted.name === ANONYMOUS ? UNAUTHENTICATED : AUTHENTICATED;
  const decided = groups.includes(last) || groups.includes(UNAUTHENTICATED);
  return { ...wanted, groups: decided ? groups : [...groups, last] };
}
