/** A Database is another name for a SampleDB: one of the same name, which it owns and reports on. */
import {
  AlreadyOwnedError,
  ApiError,
  AWAIT_CHANGE,
  type Controller,
  controller,
  generationChanged,
  READY,
  type ReconcileContext,
  type Result,
} from 'chancery';
import type { CustomResource, ObjectOf } from 'chancery/schema';
import { databases, sampleDbs } from './resources.ts';

export type Database = ObjectOf<typeof databases.co>;

/** Somebody else's SampleDB tells us nothing when it goes: it is looked for. */
const LOOK_AGAIN_MS = 60_000;

const frontEnd = (name: string, resource: CustomResource<Database>): Controller<Database> =>
  controller({
    name,
    for: resource,
    predicate: generationChanged,
    owns: [sampleDbs],
    async reconcile(_key, database, context) {
      return database === undefined ? AWAIT_CHANGE : reconcile(database, context);
    },
  });

export const frontEnds: readonly Controller<Database>[] = [
  frontEnd('database-co', databases.co),
  frontEnd('database-com', databases.com),
];

async function reconcile(
  { metadata, spec, status }: Database,
  { applyOwned, setStatus, event, log }: ReconcileContext<Database>,
): Promise<Result> {
  const { name } = metadata;
  try {
    const db = await applyOwned(sampleDbs, { metadata: { name }, spec: specOf(spec) });
    const { phase = 'Deploying', readyReplicas = 0, conditions = [] } = db.status ?? {};
    const ready = conditions.find(({ type }) => type === READY);
    const { status: truth = 'Unknown', reason = 'Deploying', message = '' } = ready ?? {};
    log.debug({ phase }, 'reconciled');
    await setStatus({
      phase,
      readyReplicas,
      conditions: [{ type: READY, status: truth, reason, message }],
    });
    return AWAIT_CHANGE;
  } catch (error) {
    const reason = reasonOf(error);
    if (reason === undefined || !(error instanceof Error)) throw error;
    const { message } = error;
    const before = status?.conditions?.find(({ type }) => type === READY);
    if (before?.reason !== reason) event('Warning', reason, message);
    const condition = { type: READY, status: 'False', reason, message } as const;
    await setStatus({ phase: 'Refused', readyReplicas: 0, conditions: [condition] });
    return reason === 'NotOwned' ? { requeueAfterMs: LOOK_AGAIN_MS } : AWAIT_CHANGE;
  }
}

/** What a change of the spec, or of the cluster, may mend, and no retry. */
function reasonOf(error: unknown): 'NotOwned' | 'Invalid' | undefined {
  if (error instanceof AlreadyOwnedError) return 'NotOwned';
  return error instanceof ApiError && error.status === 422 ? 'Invalid' : undefined;
}

/** The version is that in the tag of the image, if there is one: `postgres:17.1-alpine` is 17.1. */
function specOf({ image, port, replicas, name, 'storage-size': size }: Database['spec']) {
  const version = /:([0-9]+(?:[.][0-9]+)*)[^/]*$/.exec(image)?.[1];
  return {
    image,
    port,
    replicas,
    storage: { size, mountPath: '/var/lib/database', retain: 'Retain' as const },
    snapshotOnDelete: 'None' as const,
    ...(name !== undefined && { database: name }),
    ...(version !== undefined && version.length <= 10 && { version }),
  };
}
