/** Who sends a request, as `kubectl auth whoami` shows it. */
export interface User {
  /** `jane`, or `system:serviceaccount:NAMESPACE:NAME`. */
  readonly name: string;
  readonly uid?: string;
  /**
   * Groups beside those that come with the name: `system:authenticated` for everybody but
   * `system:anonymous`, and those of all ServiceAccounts and of its namespace for a ServiceAccount.
   */
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

/** A user with every group. */
export interface Caller extends User {
  readonly groups: readonly string[];
}

export const ANONYMOUS = 'system:anonymous';
export const AUTHENTICATED = 'system:authenticated';
export const UNAUTHENTICATED = 'system:unauthenticated';
/** The group that may do everything, whatever roles say. */
export const MASTERS = 'system:masters';

const SERVICE_ACCOUNT = 'system:serviceaccount:';
const ALL_SERVICE_ACCOUNTS = 'system:serviceaccounts';

/** The sender of a request without credentials, by default. */
export const ADMINISTRATOR: User = { name: 'kubernetes-admin', groups: [MASTERS] };

/** `user` with the groups that come with the name. @param user - a name is a user without more. */
export function callerOf(user: string | User): Caller {
  const sender = typeof user === 'string' ? { name: user } : user;
  const implied =
    sender.name === ANONYMOUS
      ? [UNAUTHENTICATED]
      : [...serviceAccountGroups(sender.name), AUTHENTICATED];
  const groups = [...(sender.groups ?? []), ...implied];
  return { ...sender, groups: [...new Set(groups)] };
}

/** The name by which RBAC knows a ServiceAccount. */
export function serviceAccountUser(namespace: string, name: string): string {
  return `${SERVICE_ACCOUNT}${namespace}:${name}`;
}

/** @returns undefined for a name of any other form. */
export function parseServiceAccount(
  user: string,
): { readonly namespace: string; readonly name: string } | undefined {
  if (!user.startsWith(SERVICE_ACCOUNT)) return undefined;
  const [namespace, name, ...more] = user.slice(SERVICE_ACCOUNT.length).split(':');
  if (!namespace || !name || more.length > 0) return undefined;
  return { namespace, name };
}

/** The groups that the name of a ServiceAccount implies; none for any other name. */
export function serviceAccountGroups(user: string): readonly string[] {
  const account = parseServiceAccount(user);
  if (account === undefined) return [];
  return [ALL_SERVICE_ACCOUNTS, `${ALL_SERVICE_ACCOUNTS}:${account.namespace}`];
}

/** As the API shows a user (`authentication.k8s.io/v1` UserInfo). */
export function userInfo({ name, uid, groups, extra }: User): object {
  return {
    username: name,
    ...(uid ? { uid } : {}),
    ...(groups === undefined || groups.length === 0 ? {} : { groups }),
    ...(extra === undefined || Object.keys(extra).length === 0 ? {} : { extra }),
  };
}
