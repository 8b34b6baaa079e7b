import type { Storage } from '../storage/storage.ts';
import type { Access } from './access.ts';
import { grantedRules } from './granted-rules.ts';
import { type PolicyRule, ruleAllows } from './policy-rule.ts';
import { type Caller, MASTERS } from './user.ts';

/**
 * Who may do what, named as kube-apiserver's `--authorization-mode` does: `AlwaysAllow` everything
 * to everybody, or what Roles and bindings grant (`RBAC`).
 */
export type AuthorizationMode = 'AlwaysAllow' | 'RBAC';

export interface Decision {
  readonly allowed: boolean;
  /** By which binding, or which roles are missing; often ''. */
  readonly reason: string;
}

/** The rules that somebody has. */
export interface Rights {
  readonly rules: readonly PolicyRule[];
  /** Texts of what could not be found out. */
  readonly errors: readonly string[];
}

/** Decides about every request before anything is looked up. */
export interface Authorization {
  decide(caller: Caller, access: Access): Decision;
  /** @param namespace - '' for none: only what holds in the whole cluster. */
  rightsOf(caller: Caller, namespace: string): Rights;
}

const EVERYTHING: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];

export const ALWAYS_ALLOW: Authorization = {
  decide: () => ({ allowed: true, reason: '' }),
  rightsOf: () => ({ rules: EVERYTHING, errors: [] }),
};

/** What the stored Roles and bindings grant, at the moment of each question. */
export function rbacAuthorization(storage: Storage): Authorization {
  return {
    decide(caller, access) {
      if (caller.groups.includes(MASTERS)) return { allowed: true, reason: '' };
      const namespace = 'resource' in access ? access.namespace : '';
      const { rules, errors } = grantedRules(storage, caller, namespace);
      const granted = rules.find(({ rule }) => ruleAllows(rule, access));
      if (granted !== undefined) {
        return { allowed: true, reason: `RBAC: allowed by ${granted.source}` };
      }
      return { allowed: false, reason: errors.length === 0 ? '' : `RBAC: ${allOf(errors)}` };
    },

    rightsOf(caller, namespace) {
      const { rules, errors } = grantedRules(storage, caller, namespace);
      return { rules: rules.map(({ rule }) => rule), errors };
    },
  };
}

/** Several errors as one text, each said once. */
export function allOf(errors: readonly string[]): string {
  const distinct = [...new Set(errors)];
  return distinct.length === 1 ? (distinct[0] ?? '') : `[${distinct.join(', ')}]`;
}
