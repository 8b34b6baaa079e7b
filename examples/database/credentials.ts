/**
 * The Secret with which the data are opened: made once, and never written again. It has no owner, for
 * it lives as long as the volumes do: whoever keeps these has to keep it.
 */
import { randomBytes } from 'node:crypto';
import { AlreadyOwnedError, isAlreadyExists } from 'chancery';
import { type Secret, secrets } from 'chancery/kubernetes';
import { secretNameOf } from './jobs.ts';
import { COMPLETE, inProgress, type Progress } from './plan.ts';
import { isLabelled, labelsOf, type Scene, statefulSetOf } from './scene.ts';

const WAIT_MS = 30_000;

export async function ensureCredentials(scene: Scene): Promise<Progress> {
  // The data are under this password already: another one would not open them.
  if (statefulSetOf(scene) !== undefined) return COMPLETE;
  const { db, context, namespace } = scene;
  const name = secretNameOf(db.spec, scene.name);
  const known = await context.client.find(secrets, { namespace, name });
  if (db.spec.credentials !== undefined) {
    return known === undefined ? inProgress(`there is no Secret ${name} yet`, WAIT_MS) : COMPLETE;
  }
  if (known === undefined) return create(scene, name);
  if (!isLabelled(known, scene.name)) throw new AlreadyOwnedError(secrets, known);
  return COMPLETE;
}

async function create({ context, namespace, name: instance }: Scene, name: string) {
  const secret: Secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace, labels: labelsOf(instance) },
    stringData: { USERNAME: 'admin', PASSWORD: randomBytes(24).toString('base64url') },
  };
  try {
    await context.client.create(secrets, secret);
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    return inProgress(`Secret ${name} has just been made`, 0);
  }
  return COMPLETE;
}

/** After the volumes: only the one that was made here. */
export async function removeCredentials(scene: Scene): Promise<Progress> {
  const { db, context, namespace } = scene;
  if (db.spec.credentials !== undefined) return COMPLETE;
  const name = secretNameOf(db.spec, scene.name);
  const known = await context.client.find(secrets, { namespace, name });
  if (known === undefined || !isLabelled(known, scene.name)) return COMPLETE;
  const preconditions = { uid: known.metadata.uid }; // it is nobody's child, so `deleteOwned` leaves it
  await context.client.delete(secrets, { namespace, name }, { preconditions });
  return COMPLETE;
}
