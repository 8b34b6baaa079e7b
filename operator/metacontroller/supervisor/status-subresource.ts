import type { RunnableContext } from '../../manager/runnable.ts';
import { builtInHasStatus } from '../../model/built-in-status.ts';
import type { Resource } from '../../model/resource.ts';

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
  return builtInHasStatus(resource) ?? context.hasSubresource(resource, 'status', signal);
}
