import { invalid } from '../../failures/invalid.ts';
import { conflict } from '../../failures/object-failures.ts';
import { type Json, withMetadata } from '../../objects/metadata.ts';
import type { StoredObject } from '../../objects/stored-object.ts';
import { invalidValue } from '../../validation/fields/problem.ts';
import type { Target } from '../target.ts';
import { checkIdentity } from './update.ts';

/** The kind of every Scale. */
export const SCALE = { group: 'autoscaling', version: 'v1', kind: 'Scale' };

/**
 * Checks a Scale before the object is read. For a custom object's Scale, the server only checks
 * name, namespace and version.
 *
 * @throws ApiError 400 for another name or namespace, 409 for another uid, 422 for a negative
 * number of replicas.
 */
export function requireScale(scale: StoredObject, live: StoredObject, target: Target): void {
  const { name, served } = target;
  const { uid } = scale.metadata;
  checkIdentity(withMetadata(scale, { uid: undefined }), live, target);
  if (served.custom) return;
  const { replicas } = (scale.spec ?? {}) as Json;
  if (typeof replicas === 'number' && replicas < 0) {
    const why = 'must be greater than or equal to 0';
    throw invalid(SCALE, name, [invalidValue('spec.replicas', replicas, why)]);
  }
  if (!uid || uid === live.metadata.uid) return;
  const why = `Precondition failed: UID in precondition: ${uid}, UID in object meta: ${live.metadata.uid}`;
  throw conflict({ ...served, plural: `${served.plural}/scale` }, name, why);
}
