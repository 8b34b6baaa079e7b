import type { RunnableContext } from '../../manager/runnable.ts';
import { isBuiltInGroup, type Resource } from '../../model/resource.ts';

/** Resources of Kubernetes with a status subresource, by plural. No two groups use one plural differently. */
const BUILT_IN: ReadonlySet<string> = new Set([
  'apiservices',
  'certificatesigningrequests',
  'cronjobs',
  'customresourcedefinitions',
  'daemonsets',
  'deployments',
  'flowschemas',
  'horizontalpodautoscalers',
  'ingresses',
  'jobs',
  'namespaces',
  'nodes',
  'persistentvolumeclaims',
  'persistentvolumes',
  'poddisruptionbudgets',
  'pods',
  'prioritylevelconfigurations',
  'replicasets',
  'replicationcontrollers',
  'resourceclaims',
  'resourcequotas',
  'servicecidrs',
  'services',
  'statefulsets',
  'validatingadmissionpolicies',
  'volumeattachments',
]);

/**
 * Whether a resource has a status subresource. Discovery is asked for custom resources only: a generated filter opens
 * no discovery of the groups of Kubernetes.
 *
 * @throws errors of discovery.
 */
export async function hasStatusSubresource(
  resource: Resource,
  context: Pick<RunnableContext, 'hasSubresource'>,
  signal: AbortSignal,
): Promise<boolean> {
  if (isBuiltInGroup(resource)) return BUILT_IN.has(resource.plural);
  return context.hasSubresource(resource, 'status', signal);
}
