import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { sleep } from 'chancery/internal-objects';
import type { Writer } from '../../cluster/admission-request.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import { runSteps } from '../../cluster/steps.ts';
import type { StoredObject } from '../../objects/stored-object.ts';
import type { ServedResource } from '../../registry/served-resource.ts';
import type { DeletionOptions } from '../../request/delete-options.ts';
import { keyOfTarget } from '../target.ts';
import { deleteObject } from './delete.ts';

/** The number of deletions after which the server answers waiting requests before it continues. */
const SLICE = 50;

/**
 * Deletes objects one after the other, with the same options. Objects that no longer exist are skipped. Other
 * requests are answered between the deletions.
 */
export async function deleteAll(
  cluster: Cluster,
  served: ServedResource,
  objects: readonly StoredObject[],
  options: DeletionOptions,
  writer: Omit<Writer, 'dryRun'>,
  signal: AbortSignal,
): Promise<void> {
  const { storage, clock, behaviour } = cluster;
  for (const [index, { metadata }] of objects.entries()) {
    if (index > 0 && behaviour.collectionDeleteMs > 0) {
      await sleep(clock, behaviour.collectionDeleteMs, signal);
    } else if (index % SLICE === SLICE - 1) await yieldToEventLoop();
    const target = { served, namespace: metadata.namespace, name: metadata.name };
    if (storage.get(served.storedAs, keyOfTarget(target)) === undefined) continue;
    await runSteps(deleteObject(cluster, target, options, writer, ''));
  }
}
