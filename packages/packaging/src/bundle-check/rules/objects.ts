import type { BundleObject } from '../bundle.ts';
import type { BundleProblem, BundleRule } from '../bundle-finding.ts';
import { valueAt } from '../fields.ts';
import { rulesIn } from '../install.ts';

const DEFAULT_SCCS = [
  'privileged',
  'restricted',
  'anyuid',
  'hostaccess',
  'hostmount-anyuid',
  'hostnetwork',
  'node-exporter',
  'nonroot',
];

/** Reports objects of the bundle that would disturb other workloads in the cluster. */
export const harmfulObjects: BundleRule = {
  id: 'harmful-object',
  check({ objects }) {
    return objects.flatMap((object) => CHECKS.get(object.kind)?.(object) ?? []);
  },
};

const CHECKS: ReadonlyMap<string, (object: BundleObject) => readonly BundleProblem[]> = new Map([
  ['PodDisruptionBudget', budgetProblems],
  ['PriorityClass', priorityProblems],
  ['Role', roleProblems],
  ['ClusterRole', roleProblems],
]);

function budgetProblems({ file, fields }: BundleObject): readonly BundleProblem[] {
  const blocking = [
    ['maxUnavailable', [0, '0', '0%']],
    ['minAvailable', ['100%']],
  ] as const;
  return blocking.flatMap(([field, values]) => {
    const value = valueAt(fields, ['spec', field]);
    if (!(values as readonly unknown[]).includes(value)) return [];
    const wrong = `is ${value}, so that no node with such a Pod can be drained`;
    return [{ file, path: `spec.${field}`, wrong, todo: 'let at least one Pod be evicted' }];
  });
}

function priorityProblems({ file, fields }: BundleObject): readonly BundleProblem[] {
  if (valueAt(fields, ['globalDefault']) !== true) return [];
  const wrong = 'is true, so that it changes the priority of all Pods in the cluster';
  return [{ file, path: 'globalDefault', wrong, todo: 'leave it out' }];
}

function roleProblems({ file, fields }: BundleObject): readonly BundleProblem[] {
  return rulesIn(fields, 'rules').flatMap(
    ({ path, apiGroups, resources, resourceNames, verbs }) => {
      const may = (group: string, resource: string, wanted: readonly string[]): boolean =>
        apiGroups.includes(group) &&
        resources.includes(resource) &&
        ['*', ...wanted].some((verb) => verbs.includes(verb));
      const problems: BundleProblem[] = [];
      if (may('policy', 'poddisruptionbudgets', ['create', 'update', 'patch'])) {
        const wrong = 'may write PodDisruptionBudgets, which can keep nodes from being drained';
        problems.push({ level: 'warning', file, path, wrong, todo: 'leave it out if you can' });
      }
      const isDefault = resourceNames.some((name) => DEFAULT_SCCS.includes(name));
      const writes = ['delete', 'update', 'patch'];
      if (isDefault && may('security.openshift.io', 'securitycontextconstraints', writes)) {
        const wrong = 'may change default SecurityContextConstraints, which other Pods depend on';
        problems.push({ file, path, wrong, todo: 'write one of your own' });
      }
      return problems;
    },
  );
}
