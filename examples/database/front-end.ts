/** A Database is another name for a SampleDB: one of the same name, which it owns and reports on. */
import {
  AlreadyOwnedError,
  type Controller,
  controller,
  generationChanged,
  isInvalid,
  messageOf,
  type Outcome,
  READY,
  type ReconcileContext,
  retryRefused,
} from 'chancery';
import type { CustomResource } from 'chancery/schema';
import { shortened } from './plan.ts';
import { type Database, databases } from './resources/database.ts';
import { sampleDbs } from './resources/sample-db.ts';
import { versionOfImage } from './version.ts';

const frontEnd = (name: string, resource: CustomResource<Database>): Controller<Database> =>
  controller({
    name,
    for: resource,
    predicate: generationChanged,
    owns: [sampleDbs],
    reconcile,
  });

export const frontEnds: readonly Controller<Database>[] = [
  frontEnd('database-co', databases.co),
  frontEnd('database-com', databases.com),
];

async function reconcile(
  { metadata: { name }, spec }: Database,
  { applyOwned, setStatus, event }: ReconcileContext<Database>,
): Promise<Outcome> {
  const refuse = async (reason: string, message: string): Promise<void> => {
    const condition = { type: READY, status: 'False', reason, message } as const;
    const status = { phase: 'Refused', readyReplicas: 0, conditions: [condition] };
    if (await setStatus(status)) event('Warning', reason, message);
  };
  const { image } = spec;
  if (image === undefined) {
    await refuse('Invalid', 'spec.image must be specified');
    return;
  }
  try {
    const db = await applyOwned(sampleDbs, { metadata: { name }, spec: specOf(spec, image) });
    const { phase = 'Deploying', readyReplicas = 0, conditions = [] } = db.status ?? {};
    const ready = conditions.find(({ type }) => type === READY);
    const { status = 'Unknown', reason = 'Deploying', message = '' } = ready ?? {};
    await setStatus({
      phase,
      readyReplicas,
      conditions: [{ type: READY, status, reason, message }],
    });
  } catch (error) {
    const isTaken = error instanceof AlreadyOwnedError; // its name is told of when it is free
    const next = isTaken ? undefined : retryRefused(error);
    const refusal = isInvalid(error) ? 'Invalid' : 'Refused';
    await refuse(isTaken ? 'NotOwned' : refusal, shortened(messageOf(error)));
    return next;
  }
}

function specOf({ port, replicas, name, 'storage-size': size }: Database['spec'], image: string) {
  const version = versionOfImage(image);
  return {
    image,
    port,
    replicas,
    storage: { size, mountPath: '/var/lib/database', retain: 'Retain' as const },
    snapshotOnDelete: 'None' as const,
    ...(name !== undefined && { database: name }),
    ...(version !== undefined && { version }),
  };
}
