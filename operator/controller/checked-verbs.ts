import { ConfigurationError } from '../core/errors.ts';
import { type Resource, resourceName } from '../model/resource.ts';
import { requireWord } from './known-options.ts';

/**
 * A verb that no request uses. The API server checks it while it handles the write of another object.
 *
 * - `bind` on a Role or ClusterRole, for a binding to it.
 * - `approve`, `sign` and `attest` on a signer, for the approval of a request for a certificate, for the
 *   certificate, and for a trust bundle.
 * - `use` on an object such as a SecurityContextConstraints, for a Pod.
 */
export type CheckedVerb = 'bind' | 'approve' | 'sign' | 'attest' | 'use';

const SIGNERS = 'signers.certificates.k8s.io';
const ROLES = 'roles.rbac.authorization.k8s.io';

/** The resources on which each of these verbs is checked. Undefined: on any resource. */
const CHECKED_OF: Readonly<Record<string, readonly string[] | undefined>> = {
  bind: [ROLES, `cluster${ROLES}`],
  approve: [SIGNERS],
  sign: [SIGNERS],
  attest: [SIGNERS],
  use: undefined,
};

/**
 * True for a verb that no request has. The API server checks it while it handles the write of another object.
 */
export function isCheckedVerb(verb: string): boolean {
  return Object.hasOwn(CHECKED_OF, verb);
}

/**
 * @throws ConfigurationError `CONFIG` for a checked verb without `resourceNames`, or on a resource for which
 *   the verb is not checked.
 */
export function requireCheckedVerbs(
  of: string,
  permission: {
    readonly resource: Pick<Resource, 'group' | 'plural'>;
    readonly resourceNames?: readonly string[];
    readonly verbs: readonly string[];
  },
): void {
  const name = resourceName(permission.resource);
  for (const verb of permission.verbs.filter(isCheckedVerb)) {
    const known = CHECKED_OF[verb];
    if (known !== undefined && !known.includes(name)) {
      throw new ConfigurationError(
        `${of}: ${verb} is checked of ${known.join(' and ')}, not of ${name}`,
      );
    }
    if ((permission.resourceNames ?? []).length === 0) {
      throw new ConfigurationError(
        `${of}: ${verb} of ${name} needs resourceNames, because without them it holds for every object`,
      );
    }
  }
}

/**
 * @throws ConfigurationError `CONFIG` for a verb that is not in `known`, and in the same cases as
 *   `requireCheckedVerbs`.
 */
export function requireVerbs(
  of: string,
  permission: Parameters<typeof requireCheckedVerbs>[1],
  known: Readonly<Record<string, true>>,
): void {
  for (const verb of permission.verbs) requireWord(of, 'verb', verb, known);
  requireCheckedVerbs(of, permission);
}
