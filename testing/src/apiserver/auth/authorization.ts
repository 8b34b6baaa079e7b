import type { Storage } from '../storage/storage.ts';
import type { Access } from './access.ts';
import { grantedRules } from './granted-rules.ts';
import { type PolicyRule, ruleAllows } from './policy-rule.ts';
import { type Caller, MASTERS } from './user.ts';

/**
 * The authorization mode, named as in kube-apiserver's `--authorization-mode`. `AlwaysAllow` allows every
 * request. `RBAC` allows what Roles and bindings grant. `Webhook,RBAC` does the same, but behaves as if a
 * webhook without an opinion came first, as in managed clusters. A webhook cannot list its rules, so a
 * SelfSubjectRulesReview is marked as `incomplete`. `RBAC,AlwaysAllow` uses the roles, but also allows
 * requests that they do not grant.
 */
export type AuthorizationMode = 'AlwaysAllow' | 'RBAC' | 'Webhook,RBAC' | 'RBAC,AlwaysAllow';

export interface Decision {
  readonly allowed: boolean;
  /**
   * Why the action is allowed or refused: the binding that allows it, or the roles that are missing. May be
   * ''.
   */
  readonly reason: string;
}

/** The rules that apply to a user. */
export interface Rights {
  readonly rules: readonly PolicyRule[];
  /** Messages about roles that could not be resolved. */
  readonly errors: readonly string[];
  /** True if the list of rules may be incomplete. */
  readonly incomplete: boolean;
}

/** Decides whether a request is allowed. This happens before any object is looked up. */
export interface Authorization {
  decide(caller: Caller, access: Access): Decision;
  /**
   * @param namespace - the namespace of the request; if it is '', only cluster-wide rules count.
   */
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

/**
 * Grants the rights in Roles and bindings. They are read from the storage for each request, so changes take
 * effect at once.
 */
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
 * Behaves like `authorization` with a webhook in front of it. The webhook has no opinion about any request,
 * and cannot list its rules.
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

/**
 * Allows every request. If `authorization` also allows the request, the result is the decision of
 * `authorization`, which contains the reason.
 */
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

/**
 * Whether roles have an effect in this mode. If they do, the server creates the roles that every cluster has.
 */
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
