import type { Storage } from '../storage/storage.ts';
import type { Access } from './access.ts';
import { grantedRules } from './granted-rules.ts';
import { type PolicyRule, ruleAllows } from './policy-rule.ts';
import { type Caller, MASTERS } from './user.ts';

/**
 * Who may do what, named as kube-apiserver's `--authorization-mode` does: `AlwaysAllow` everything
 * to everybody, or what Roles and bindings grant (`RBAC`). `Webhook,RBAC` is the same behind a webhook
 * without an opinion of its own, as managed clusters have one: it cannot list the rules that it goes by,
 * so that a SelfSubjectRulesReview says of its answer that it is `incomplete`. With `RBAC,AlwaysAllow`
 * the roles are there, and what they do not grant is allowed all the same.
 */
export type AuthorizationMode = 'AlwaysAllow' | 'RBAC' | 'Webhook,RBAC' | 'RBAC,AlwaysAllow';

export interface Decision {
  readonly allowed: boolean;
  /** By which binding, or which roles are missing; often ''. */
  readonly reason: string;
}

/** The rules that a user has. */
export interface Rights {
  readonly rules: readonly PolicyRule[];
  /** Messages about roles that could not be resolved. */
  readonly errors: readonly string[];
  /** True when there may be more of them. */
  readonly incomplete: boolean;
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
  rightsOf: () => ({ rules: EVERYTHING, errors: [], incomplete: false }),
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
      return { rules: rules.map(({ rule }) => rule), errors, incomplete: false };
    },
  };
}

/** `authorization` behind an authorizer that cannot list its rules. */
function behindWebhook(authorization: Authorization): Authorization {
  return {
    decide: (caller, access) => authorization.decide(caller, access),
    rightsOf(caller, namespace) {
      const { rules, errors } = authorization.rightsOf(caller, namespace);
      return { rules, errors: [NO_RULES_OF_WEBHOOK, ...errors], incomplete: true };
    },
  };
}

/** `authorization`, and after it one that allows everything. */
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

/** Whether roles count: then the server makes those that every cluster has. */
export function countsRoles(mode: AuthorizationMode = 'AlwaysAllow'): boolean {
  return mode !== 'AlwaysAllow';
}

/** Whether everything is allowed to everybody: then kube-apiserver takes no anonymous requests. */
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

/** Several errors as one text, each said once. */
export function allOf(errors: readonly string[]): string {
  const distinct = [...new Set(errors)];
  return distinct.length === 1 ? (distinct[0] ?? '') : `[${distinct.join(', ')}]`;
}
