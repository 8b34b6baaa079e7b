import { ConfigurationError, type KubernetesObject, OperatorError } from 'chancery';
import {
  grantsOf,
  homeOf,
  type PlacedRule,
  POD_NAMESPACE,
  type PolicyRule,
  REFUSALS,
  roleFilter,
  type Subject,
} from 'chancery/internal';
import type { ProxyFilter } from 'chancery/low-level';
import type { KustomizeTree, PlacedObject } from './kustomize-tree.ts';
import type { Manager } from './manager.ts';

/**
 * A rule of a role that is bound to the manager. `where` describes the place of the rule in
 * messages.
 */
interface BoundRule extends PlacedRule {
  readonly where: string;
}

/**
 * The filter that follows from all roles bound to the manager's ServiceAccount.
 *
 * @throws ConfigurationError `CONFIG` for a permission that cannot become a filter. The message
 * contains the file, the role and the rule.
 */
export function managerFilter(tree: KustomizeTree, manager: Manager): ProxyFilter {
  const rules = boundRules(tree, manager);
  for (const each of rules) requireUsable(each);
  return roleFilter(rules);
}

function boundRules(tree: KustomizeTree, manager: Manager): readonly BoundRule[] {
  const { namespace, pod } = manager;
  requireOwnSubjects(tree, manager);
  const placed = tree.objects.map((each) => inPlace(each, manager));
  const fileOf = (kind: string, name: string): string =>
    tree.objects.find(({ object }) => object.kind === kind && object.metadata.name === name)
      ?.path ?? 'config/rbac';
  return grantsOf({ namespace, pod, objects: placed }).flatMap((grant) => {
    const [kind = '', name = ''] = grant.role.split('/');
    const [bindingKind = '', bindingName = ''] = grant.binding.split('/');
    const file = fileOf(kind, name);
    if (grant.rules === undefined || hasAggregation(placed, kind, name)) {
      throw unknownRules(grant.role, grant.binding, fileOf(bindingKind, bindingName));
    }
    return grant.rules.map((rule, at) => ({
      rule,
      namespace: grant.namespace === homeOf(manager) ? POD_NAMESPACE : grant.namespace,
      where: `${file}: rules[${at}] of ${grant.role}`,
    }));
  });
}

/** The object, in the namespace that kustomize sets. Subjects are changed like their ServiceAccount. */
function inPlace({ object, namespace }: PlacedObject, manager: Manager): KubernetesObject {
  const metadata = {
    ...object.metadata,
    ...(namespace !== undefined && !object.kind.startsWith('Cluster') && { namespace }),
  };
  const { subjects } = object as { readonly subjects?: readonly Subject[] | null };
  if (subjects == null) return { ...object, metadata };
  const written = [
    manager.deployment.metadata.namespace,
    manager.accountObject?.object.metadata.namespace,
  ];
  const moved = subjects.map((subject) => {
    if (subject.kind !== 'ServiceAccount') return subject;
    if (isFinal(subject, manager)) return { ...subject, name: manager.account };
    return written.includes(subject.namespace)
      ? { ...subject, namespace: homeOf(manager) }
      : subject;
  });
  return { ...object, metadata, subjects: moved } as KubernetesObject;
}

/**
 * True when a subject has the final name and namespace of the ServiceAccount, as kustomize renders
 * them.
 */
function isFinal({ name, namespace }: Subject, { accountObject, ...manager }: Manager): boolean {
  return name === accountObject?.finalName && namespace === homeOf(manager);
}

/**
 * Refuses subjects that give the manager rights indirectly: groups of accounts, or the account as a
 * user. It is not possible to tell which of these rights are meant for the manager, and which for
 * other accounts.
 */
function requireOwnSubjects({ objects }: KustomizeTree, manager: Manager): void {
  const home = homeOf(manager);
  const name = manager.accountObject?.finalName ?? manager.account;
  const ours = [
    'system:authenticated',
    'system:serviceaccounts',
    `system:serviceaccounts:${home}`,
    `system:serviceaccount:${home}:${name}`,
  ];
  for (const { object, path } of objects) {
    const { subjects } = object as { readonly subjects?: readonly Subject[] | null };
    const found = (subjects ?? []).find(
      (subject) => subject.kind !== 'ServiceAccount' && ours.includes(subject.name),
    );
    if (found === undefined) continue;
    throw new ConfigurationError(
      `${path}: ${object.kind}/${object.metadata.name} binds ${found.kind} ${found.name}, and the ServiceAccount of the ` +
        'manager is among them: bind each ServiceAccount by its name, or move the binding out of config/default',
    );
  }
}

function hasAggregation(objects: readonly KubernetesObject[], kind: string, name: string): boolean {
  const role = objects.find((each) => each.kind === kind && each.metadata.name === name);
  return (role as { readonly aggregationRule?: unknown } | undefined)?.aggregationRule != null;
}

function unknownRules(role: string, binding: string, file: string): ConfigurationError {
  return new ConfigurationError(
    `${file}: ${binding} gives the manager ${role}, whose rules are not in config/rbac, so that no filter can follow from ` +
      'them: write the rules that the manager needs into a role in config/rbac, and bind that one',
  );
}

/**
 * The remedies for refused permissions, keyed by the lint rule that also refuses the permission in
 * rendered manifests.
 */
const ADVICE: Readonly<Record<string, string>> = {
  'rbac-no-wildcards':
    'write out what the manager uses, in its +kubebuilder:rbac markers as well, and run make manifests',
  'rbac-no-escalation': 'leave it out, and give the manager the rights themselves that it hands on',
  'rbac-no-tunnels':
    'leave it out, and run what needs it in a Pod of its own, without an ambassador',
};

function requireUsable(bound: BoundRule): void {
  const { rule, where } = bound;
  for (const { id, level, why, found } of REFUSALS) {
    const [word] = level === 'warning' ? [] : found(rule);
    if (word === undefined) continue;
    const what = Object.hasOwn(rule, word) ? `a wildcard in ${word}` : word;
    throw new ConfigurationError(
      `${where} grants ${what}: ${why}; ${ADVICE[id] ?? 'leave it out'}`,
    );
  }
  requireFilter(rule, bound);
}

/** Builds the filter of one rule, so that the error message can contain the rule. */
function requireFilter(rule: PolicyRule, { where, namespace }: BoundRule): void {
  try {
    roleFilter([{ rule, namespace }]);
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    throw new ConfigurationError(`${where}: ${error.message}: change the rule, or leave it out`, {
      cause: error,
      context: error.context,
    });
  }
}
