import { isIP } from 'node:net';
import type { KubernetesObject } from '../../../model/object.ts';
import {
  type LabelSelector,
  matchesSelector,
  selectorFromObject,
} from '../../../model/selector.ts';
import type { Problem, Rule } from '../diagnostic.ts';
import type { Installation } from '../installation.ts';
import { variable } from '../installation.ts';
import { ambassadorKubeconfig } from '../kubeconfig.ts';

export const filledNetworkPolicy: Rule = {
  id: 'network-policy-filled',
  check: ({ objects }) =>
    objects
      .filter(
        ({ kind, apiVersion }) =>
          kind === 'NetworkPolicy' && apiVersion.startsWith('networking.k8s.io/'),
      )
      .flatMap((policy) =>
        cidrsOf(policy).flatMap(({ path, cidr }): readonly Problem[] => {
          const where = { object: `NetworkPolicy/${policy.metadata.name}`, path };
          if (isCidr(cidr)) {
            if (!/\/0$/.test(cidr) || !path.startsWith('spec.egress')) return [];
            const why = 'the operator could send to everywhere what it reads';
            const todo = 'name the addresses of the API server';
            return [{ ...where, level: 'warning', wrong: `is ${cidr}`, why, todo }];
          }
          return [
            {
              ...where,
              wrong: `is ${JSON.stringify(cidr)}, which is no CIDR`,
              why: 'the API server refuses it, so that no namespace uses a policy of another',
              todo: 'write your addresses: `kubectl get endpointslices -n default kubernetes`',
            },
          ];
        }),
      ),
};

interface Rules {
  readonly from?: readonly Peer[] | null;
  readonly to?: readonly Peer[] | null;
}
interface Peer {
  readonly ipBlock?: { readonly cidr?: string } | null;
}

function cidrsOf(policy: KubernetesObject) {
  const { spec } = policy as { spec?: { ingress?: readonly Rules[]; egress?: readonly Rules[] } };
  return (['ingress', 'egress'] as const).flatMap((direction) =>
    (spec?.[direction] ?? []).flatMap((rule, at) => {
      const field = direction === 'ingress' ? 'from' : 'to';
      return (rule[field] ?? []).flatMap(({ ipBlock }, peer) =>
        ipBlock == null
          ? []
          : [
              {
                path: `spec.${direction}[${at}].${field}[${peer}].ipBlock.cidr`,
                cidr: String(ipBlock.cidr ?? ''),
              },
            ],
      );
    }),
  );
}

function isCidr(text: string): boolean {
  const [address = '', prefix = '', ...more] = text.split('/');
  const bits = { 4: 32, 6: 128 }[isIP(address)];
  return (
    bits !== undefined && more.length === 0 && /^[0-9]{1,3}$/.test(prefix) && Number(prefix) <= bits
  );
}

interface DisruptionBudget {
  readonly minAvailable?: number | string;
  readonly maxUnavailable?: number | string;
  /** Selects the Pods of the disruption budget. If omitted, the budget applies to no Pod. */
  readonly selector?: LabelSelector | null;
}

export const disruptionBudget: Rule = {
  id: 'disruption-budget',
  check: ({ objects, labels, replicas, namespace }) => {
    if (replicas === undefined) return [];
    return objects
      .filter(
        ({ kind, metadata }) =>
          kind === 'PodDisruptionBudget' && (metadata.namespace ?? namespace) === namespace,
      )
      .flatMap((budget): readonly Problem[] => {
        const { minAvailable, maxUnavailable, selector } =
          (budget as { spec?: DisruptionBudget }).spec ?? {};
        if (selector == null || !matchesSelector(selectorFromObject(selector), labels)) return [];
        const kept = minAvailable === undefined ? 0 : share(minAvailable, replicas);
        const isStuck =
          kept >= replicas ||
          (maxUnavailable !== undefined && share(maxUnavailable, replicas) <= 0);
        if (!isStuck) return [];
        return [
          {
            object: `PodDisruptionBudget/${budget.metadata.name}`,
            path: minAvailable === undefined ? 'spec.maxUnavailable' : 'spec.minAvailable',
            wrong: `never lets one of ${replicas} Pods go`,
            why: 'a node with it can never be drained',
            todo: 'set maxUnavailable: 1, and two replicas',
          },
        ];
      });
  },
};

/**
 * The number of Pods for the value of `minAvailable` or `maxUnavailable`. Kubernetes rounds
 * percentages up in both fields.
 */
function share(value: number | string, replicas: number): number {
  const text = String(value);
  return text.endsWith('%')
    ? Math.ceil((Number(text.slice(0, -1)) / 100) * replicas)
    : Number(text);
}

/**
 * A manager of controller-runtime has no environment variable for leader election. Managers that
 * kubebuilder generates have a flag for it.
 */
function ofGoManager({ operator, kind, replicas }: Installation): readonly Problem[] {
  if (operator === undefined || (kind !== 'DaemonSet' && (replicas ?? 1) < 2)) return [];
  const { args, command } = operator.container;
  const words = [...(command ?? []), ...(args ?? [])];
  if (words.some((word) => /^--?leader-elect(?:=(?:1|t|T|true|True|TRUE))?$/.test(word))) return [];
  const many = kind === 'DaemonSet' ? 'a Pod on each node' : `${replicas} replicas`;
  return [
    {
      level: 'warning',
      path: `${operator.path}.args`,
      wrong: `has no --leader-elect, with ${many}`,
      why: 'each may do the same work',
      todo: 'add --leader-elect, unless the manager elects its leader in another way',
    },
  ];
}

export const leaderElection: Rule = {
  id: 'leader-election',
  check: (installation: Installation): readonly Problem[] => {
    const { operator, kind, replicas, strategy } = installation;
    const election = variable(operator?.container, 'CHANCERY_LEADER_ELECTION')?.value;
    if (operator === undefined) return [];
    // Replicas that share the work need no leader. Another rule checks them.
    if (variable(operator.container, 'CHANCERY_SHARDS') !== undefined) return [];
    if (election === 'true' || election === 'false') return [];
    if (ambassadorKubeconfig(installation) !== undefined) return ofGoManager(installation);
    const todo =
      'set CHANCERY_LEADER_ELECTION to "true", or to "false" if every replica may work at once';
    const path = `${operator.path}.env[CHANCERY_LEADER_ELECTION]`;
    const many = kind === 'DaemonSet' ? 'a Pod on each node' : `${replicas} replicas`;
    if (kind === 'DaemonSet' || (replicas ?? 1) > 1) {
      return [
        { path, wrong: `is not set, with ${many}`, why: 'each would do the same work', todo },
      ];
    }
    if (strategy !== 'RollingUpdate') return [];
    const wrong = 'is not set, with the strategy RollingUpdate';
    const why = 'during a roll-out two Pods do the same work';
    return [{ level: 'warning', path, wrong, why, todo: `${todo}; or use the strategy Recreate` }];
  },
};
