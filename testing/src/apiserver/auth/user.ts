/** The sender of a request, with the data that `kubectl auth whoami` prints. */
export interface User {
  /** The user name, such as `jane` or `system:serviceaccount:NAMESPACE:NAME`. */
  readonly name: string;
  readonly uid?: string;
  /**
   * Groups in addition to those that the name implies. Every user except `system:anonymous` is in
   * `system:authenticated`. A ServiceAccount is also in the group of all ServiceAccounts and in the group of
   * its namespace's ServiceAccounts.
   */
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** A user with all of the user's groups, including those that the name implies. */
export interface Caller extends User {
  readonly groups: readonly string[];
}

export const ANONYMOUS = 'system:anonymous';
export const AUTHENTICATED = 'system:authenticated';
export const UNAUTHENTICATED = 'system:unauthenticated';
/** The group whose members have all rights without any role. */
export const MASTERS = 'system:masters';

const SERVICE_ACCOUNT = 'system:serviceaccount:';
const ALL_SERVICE_ACCOUNTS = 'system:serviceaccounts';

/** The sender of requests without credentials, by default. */
export const ADMINISTRATOR: User = { name: 'kubernetes-admin', groups: [MASTERS] };

/**
 * Returns `user` with the groups that the name implies.
 * @param user - the user, or a string for a user with this name and no other fields.
 */
export function callerOf(user: string | User): Caller {
  const sender = typeof user === 'string' ? { name: user } : user;
  const implied =
    sender.name === ANONYMOUS
      ? [UNAUTHENTICATED]
      : [...serviceAccountGroups(sender.name), AUTHENTICATED];
  const groups = [...(sender.groups ?? []), ...implied];
  return { ...sender, groups: [...new Set(groups)] };
}

/** The user name of a ServiceAccount in RBAC. */
export function serviceAccountUser(namespace: string, name: string): string {
  return `${SERVICE_ACCOUNT}${namespace}:${name}`;
}

/** @returns undefined for the name of a user that is not a ServiceAccount. */
export function parseServiceAccount(
  user: string,
): { readonly namespace: string; readonly name: string } | undefined {
  if (!user.startsWith(SERVICE_ACCOUNT)) return undefined;
  const [namespace, name, ...more] = user.slice(SERVICE_ACCOUNT.length).split(':');
  if (!namespace || !name || more.length > 0) return undefined;
  return { namespace, name };
}

/** The groups that the name of a ServiceAccount implies; empty for the name of any other user. */
export function serviceAccountGroups(user: string): readonly string[] {
  const account = parseServiceAccount(user);
  if (account === undefined) return [];
  return [ALL_SERVICE_ACCOUNTS, `${ALL_SERVICE_ACCOUNTS}:${account.namespace}`];
}

/** A user as the API represents it (`authentication.k8s.io/v1` UserInfo). */
export function userInfo({ name, uid, groups, extra }: User): object {
  return {
    username: name,
    ...(uid ? { uid } : {}),
    ...(groups === undefined || groups.length === 0 ? {} : { groups }),
    ...(extra === undefined || Object.keys(extra).length === 0 ? {} : { extra }),
  };
}
