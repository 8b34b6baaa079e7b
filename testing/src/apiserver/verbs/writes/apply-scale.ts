import { apiVersionOf, rfc3339 } from 'chancery/internal-objects';
import type { Cluster } from '../../cluster/cluster.ts';
import type { Steps } from '../../cluster/steps.ts';
import { internalError } from '../../failures/failure.ts';
import { jsonEquals } from '../../objects/json-value.ts';
import { type Json, withMetadata } from '../../objects/metadata.ts';
import type { StoredObject } from '../../objects/stored-object.ts';
import { serverSideApply } from '../../patch/apply/server-side-apply.ts';
import { parentEntries, scaleEntries } from '../../patch/managers/scale-owners.ts';
import type { PatchOptions } from '../../request/options.ts';
import { scaleOf, withScale } from '../subresources/scale.ts';
import type { Target } from '../target.ts';
import { identityOf, readApplied, reportDuplicates } from './applied-configuration.ts';
import { checkPlace, requireManager } from './apply.ts';
import { type Change, updateObject } from './update.ts';

const SCALE = { group: 'autoscaling', version: 'v1', kind: 'Scale' };

/**
 * Server-side apply of an object's Scale. A manager that owns the replicas in the object also owns the
 * replicas in the Scale. The result of the apply is written back to the object.
 *
 * @returns the object, not its Scale.
 */
export function* applyScale(
  cluster: Cluster,
  target: Target,
  text: string,
  options: PatchOptions,
): Steps<StoredObject> {
  requireManager(options);
  const change = (live: StoredObject): Change => scaledObject(cluster, target, live, text, options);
  return yield* updateObject(cluster, target, change, options);
}

function scaledObject(
  { clock }: Cluster,
  target: Target,
  live: StoredObject,
  text: string,
  options: PatchOptions,
): Change {
  const { served } = target;
  const replicas = served.scale?.replicas ?? ['spec', 'replicas'];
  const applied = readApplied(text, SCALE);
  const before = scaleOf(live, served);
  const managed = scaleEntries(live.metadata.managedFields, replicas);
  const { object, managedFields } = serverSideApply({
    live: withMetadata(before, { managedFields: managed }) as Json,
    applied,
    manager: options.fieldManager,
    force: options.force,
    apiVersion: apiVersionOf(SCALE),
    subresource: 'scale',
    time: rfc3339(clock.now()),
  });
  // The real server cannot convert a changed Scale back into a custom object.
  if (served.custom && !jsonEquals(object.spec, (before as Json).spec)) {
    const { namespace, name } = identityOf(applied);
    throw internalError(
      `failed to convert new object (${namespace}/${name}; autoscaling/v1, Kind=Scale) to proper version: request to convert CR to an invalid group/version: autoscaling/v1`,
    );
  }
  reportDuplicates(text, options);
  checkPlace(identityOf(applied), target);
  const scale = object as unknown as StoredObject;
  return {
    object: withScale(live, scale, served),
    managedFields: parentEntries(live.metadata.managedFields, managedFields, {
      replicas,
      apiVersion: apiVersionOf(served),
    }),
  };
}
