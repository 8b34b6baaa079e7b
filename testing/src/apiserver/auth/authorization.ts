import type { Storage } from '../storage/storage.ts';
import type { Access } from './access.ts';
import { grantedRules } from './granted-rules.ts';
import { type PolicyRule, ruleAllows } from './policy-rule.ts';
import { type Caller, MASTERS } from './user.ts';

/**
 * The authorization mode, named as in kube-apiserver's `--authorization-mode`. `AlwaysAllow` allows every
 * request. `RBAC` allows what Roles and bindings grant. `Webhook,RBAC` does the same, but first asks a
 * webhook that has no opinion, as in managed clusters. A webhook cannot list its rules, so a
 * SelfSubjectRulesReview is marked as `incomplete`. `RBAC,AlwaysAllow` uses the roles, but also allows
 * requests that they do not grant.
 */
export type AuthorizationMode = 'AlwaysAllow' | 'RBAC' | 'Webhook,RBAC' | 'RBAC,AlwaysAllow';

export interface Decision {
  readonly allowed: boolean;
  /** The binding that allows the action, or a message about missing roles; often ''. */
  readonly reason: string;
}

/** The rules that apply to a user. */
export interface Rights {
  readonly rules: readonly PolicyRule[];
  /** Messages about roles that could not be resolved. */
  readonly errors: readonly string[];
  /** True when more rules may exist. */
  readonly incomplete: boolean;
}

/** Decides whether a request is allowed. It is asked before any object is looked up. */
export interface Authorization {
  decide(caller: Caller, access: Access): Decision;
  /** @param namespace - '' for no namespace: then only cluster-wide rules count. */
  rightsOf(caller: Caller, namespace: string): Rights;
}

const EVERYTHING: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];

export const ALWAYS_ALLOW: Authorization = {
  decide: () => ({ allowed: true, reason: '' }),
  rightsOf: () => ({ rules: EVERYTHING, errors: [], incomplete: false }),
};

/** Grants the rights in the stored Roles and bindings, as they are when a request is decided. */
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
      return { rules: rules.map(({ rule }) => rule), errors, incomplete: false };
    },
  };
}

/**
 * Asks another authorizer before `authorization`. The other authorizer has no opinion and cannot list its
 * rules.
 */
function behindWebhook(authorization: Authorization): Authorization {
  return {
    decide: (caller, access) => authorization.decide(caller, access),
    rightsOf(caller, namespace) {
      const { rules, errors } = authorization.rightsOf(caller, namespace);
      return { rules, errors: [NO_RULES_OF_WEBHOOK, ...errors], incomplete: true };
    },
  };
}

/** Asks an authorizer that allows everything whenever `authorization` has not allowed a request. */
function beforeAlwaysAllow(authorization: Authorization): Authorization {
  return {
    decide(caller, access) {
      const decision = authorization.decide(caller, access);
      return decision.allowed ? decision : ALWAYS_ALLOW.decide(caller, access);
    },
    rightsOf(caller, namespace) {
      const { rules, errors, incomplete } = authorization.rightsOf(caller, namespace);
      return { rules: [...rules, ...EVERYTHING], errors, incomplete };
    },
  };
}

const NO_RULES_OF_WEBHOOK = 'webhook authorizer does not support user rule resolution';

/** Whether roles are used. The server then creates the roles that every cluster has. */
export function countsRoles(mode: AuthorizationMode = 'AlwaysAllow'): boolean {
  return mode !== 'AlwaysAllow';
}

/** Whether every request is allowed. kube-apiserver then accepts no anonymous requests. */
export function allowsEverything(mode: AuthorizationMode = 'AlwaysAllow'): boolean {
  return mode.endsWith('AlwaysAllow');
}

/** The authorizer of `mode`. */
export function authorizationOf(
  mode: AuthorizationMode | undefined,
  storage: Storage,
): Authorization {
  if (!countsRoles(mode)) return ALWAYS_ALLOW;
  const rbac = rbacAuthorization(storage);
  if (mode === 'RBAC,AlwaysAllow') return beforeAlwaysAllow(rbac);
  return mode === 'Webhook,RBAC' ? behindWebhook(rbac) : rbac;
}

/** Several errors as one message, without duplicates. */
export function allOf(errors: readonly string[]): string {
  const distinct = [...new Set(errors)];
  return distinct.length === 1 ? (distinct[0] ?? '') : `[${distinct.join(', ')}]`;
}
