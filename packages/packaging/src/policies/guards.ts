import { resourceName } from 'chancery';
import type { Guard } from 'chancery/internal';
import {
  anyOf,
  controllersIn,
  has,
  kindName,
  listOf,
  literal,
  metadataOr,
  RESOURCE,
  rulesFor,
  type State,
} from './expressions.ts';
import type { Policy } from './policy.ts';
import type { Written } from './written.ts';

/** The annotation that protects an object from deletion. */
const PROTECT = 'chancery.dev/protect';

/**
 * Controllers of Kubernetes that write objects which they have not created: the controllers of
 * kube-controller-manager, and the controller of a cloud, which adds a finalizer to Services.
 */
const CLUSTER_CONTROLLERS = [
  'attachdetach-controller',
  'certificate-controller',
  'cloud-controller-manager',
  'clusterrole-aggregation-controller',
  'cronjob-controller',
  'daemon-set-controller',
  'deployment-controller',
  'device-taint-eviction-controller',
  'disruption-controller',
  'endpoint-controller',
  'endpointslice-controller',
  'endpointslicemirroring-controller',
  'expand-controller',
  'generic-garbage-collector',
  'job-controller',
  'legacy-service-account-token-cleaner',
  'namespace-controller',
  'node-controller',
  'persistent-volume-binder',
  'pod-garbage-collector',
  'pv-protection-controller',
  'pvc-protection-controller',
  'replicaset-controller',
  'replication-controller',
  'resource-claim-controller',
  'service-account-controller',
  'service-controller',
  'statefulset-controller',
  'storage-version-migrator-controller',
  'taint-eviction-controller',
  'ttl-after-finished-controller',
].map((name) => `system:serviceaccount:kube-system:${name}`);

/** The policies for `--guard`, which apply to other writers. */
export function guardPolicies(written: Written, guards: readonly Guard[]): readonly Policy[] {
  const made = { children: guardChildren, names: guardNames, deletion: guardDeletion };
  return (Object.keys(made) as Guard[])
    .filter((guard) => guards.includes(guard))
    .flatMap((guard) => made[guard](written) ?? []);
}

/**
 * Refuses writes of other clients to objects that the operator controls. Statuses are excluded,
 * because nodes and controllers write them. The subresource `scale` is excluded, because an
 * autoscaler writes it, and a Scale object has no owner references.
 */
function guardChildren({ user, children }: Written): Policy | undefined {
  if (children.length === 0) return undefined;
  const byResource = Map.groupBy(children, ({ resource }) => resourceName(resource));
  return {
    rule: 'guard-children',
    about:
      'Nobody but the operator and the controllers of Kubernetes writes the children of its parents.',
    resourceRules: rulesFor(children, ['UPDATE', 'DELETE']),
    matches: [
      {
        name: 'by-others',
        expression: `!(request.userInfo.username in ${listOf([user, ...CLUSTER_CONTROLLERS, 'system:kube-controller-manager', 'system:kube-scheduler'])})`,
      },
      {
        name: 'not-by-a-node',
        expression: `!(has(request.userInfo.groups) && 'system:nodes' in request.userInfo.groups)`,
      },
    ],
    variables: [RESOURCE, ...controllersIn('oldObject', 'old')],
    validations: [...byResource]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, alternatives]) => {
        const parents = alternatives.flatMap((each) => each.parents);
        const kinds = [...new Set(parents.map(({ kind }) => kind))].sort().join(' or ');
        return {
          expression: anyOf([
            `variables.resource != ${literal(name)}`,
            `!variables.oldKinds.exists(c, c in ${listOf(parents.map(kindName))})`,
          ]),
          message: `this object belongs to ${kinds}: change that, and its operator changes this one`,
        };
      }),
  };
}

/**
 * Refuses changes of other clients to names that are reserved for the operator: its finalizers, and
 * the labels and annotations that mark its children.
 */
function guardNames({ user, parents, children }: Written): Policy | undefined {
  const finalizers = parents.filter((each) => each.finalizers.length > 0);
  const marked = children.filter(({ labels, annotations }) => labels ?? annotations);
  if (finalizers.length === 0 && marked.length === 0) return undefined;
  return {
    rule: 'guard-names',
    about: 'Finalizers and marks of the operator are set and removed by the operator.',
    resourceRules: rulesFor([...finalizers, ...marked], ['CREATE', 'UPDATE']),
    matches: [
      {
        name: 'by-others',
        expression: `request.userInfo.username != ${literal(user)}`,
      },
    ],
    variables: [RESOURCE],
    validations: [
      ...finalizers.flatMap(({ resource, finalizers: names }) =>
        names.map((name) => ({
          expression: anyOf([
            `variables.resource != ${literal(resourceName(resource))}`,
            `${holds('object', name)} == (request.operation == 'UPDATE' && ${holds('oldObject', name)})`,
          ]),
          message: `the finalizer ${name} is set and removed by its operator: without it nothing would be cleaned up`,
        })),
      ),
      ...marked.flatMap(({ resource, labels = {}, annotations = {} }) => [
        ...Object.entries(labels).map(([key, value]) => mark(resource, 'labels', key, value)),
        ...Object.entries(annotations).map(([key, value]) =>
          mark(resource, 'annotations', key, value),
        ),
      ]),
    ],
  };
}

function holds(state: State, finalizer: string): string {
  return `(${literal(finalizer)} in ${metadataOr(state, 'finalizers', '[]')})`;
}

function mark(
  resource: Written['children'][number]['resource'],
  member: 'labels' | 'annotations',
  key: string,
  value: string,
): Policy['validations'][number] {
  const marks = (state: State): string => `(${has(state, member, key, value)})`;
  return {
    expression: anyOf([
      `variables.resource != ${literal(resourceName(resource))}`,
      `${marks('object')} == (request.operation == 'UPDATE' && ${marks('oldObject')})`,
    ]),
    message: `${key}: ${value} is set and removed by the operator that makes such objects`,
  };
}

/**
 * Refuses to delete objects that an annotation protects. This also applies to the operator and the
 * garbage collector.
 */
function guardDeletion({ parents, children }: Written): Policy | undefined {
  const all = [...parents, ...children];
  if (all.length === 0) return undefined;
  return {
    rule: 'guard-deletion',
    about: `Objects with the annotation ${PROTECT}: "true" cannot be deleted by anyone.`,
    resourceRules: rulesFor(all, ['DELETE']),
    matches: [],
    variables: [],
    validations: [
      {
        expression: `!(${has('oldObject', 'annotations', PROTECT, 'true')})`,
        message: `this object is protected: remove its annotation ${PROTECT} before you delete it`,
      },
    ],
  };
}
