/** A Database is another name for a SampleDB: one of the same name, which it owns and reports on. */
import {
  AlreadyOwnedError,
  AWAIT_CHANGE,
  type Controller,
  controller,
  generationChanged,
  isInvalid,
  messageOf,
  READY,
  type ReconcileContext,
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
    async reconcile(_key, database, context) {
      if (database !== undefined) await reconcile(database, context);
      return AWAIT_CHANGE;
    },
  });

export const frontEnds: readonly Controller<Database>[] = [
  frontEnd('database-co', databases.co),
  frontEnd('database-com', databases.com),
];

async function reconcile(
  { metadata: { name }, spec }: Database,
  { applyOwned, setStatus, event }: ReconcileContext<Database>,
): Promise<void> {
  const refuse = async (reason: string, message: string): Promise<void> => {
    const condition = { type: READY, status: 'False', reason, message } as const;
    const status = { phase: 'Refused', readyReplicas: 0, conditions: [condition] };
    if (await setStatus(status)) event('Warning', reason, message);
  };
  const { image } = spec;
  if (image === undefined) return refuse('Invalid', 'spec.image must be specified');
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
    const reason = reasonOf(error);
    if (reason === undefined) throw error;
    await refuse(reason, shortened(messageOf(error)));
  }
}

/** What only a change mends, of the spec or of what is in the way: no retry. */
function reasonOf(error: unknown): 'NotOwned' | 'Invalid' | undefined {
  if (error instanceof AlreadyOwnedError) return 'NotOwned';
  return isInvalid(error) ? 'Invalid' : undefined;
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
