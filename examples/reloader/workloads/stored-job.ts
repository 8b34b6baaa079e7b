import { isDeepStrictEqual } from 'node:util';
import {
  type Client,
  enqueueMapped,
  isAlreadyExists,
  isNotFound,
  type Mapping,
  type ObjectKey,
  type ReconcileContext,
  type Source,
  source,
  type Target,
} from 'chancery';
import { type ControllerRevision, controllerRevisions, type Job, jobs } from 'chancery/kubernetes';
import type { RestartPlan } from '../record/plan-types.ts';
import type { PodTemplate } from './kind.ts';
import { changedAnnotations, changedTemplate } from './template-changes.ts';

/**
 * The Job that takes the place of another one, kept in a ControllerRevision from before the delete until after the
 * create: a crash in between loses nothing. It is owned by nothing, because its Job is about to go.
 */
export interface StoredJob {
  readonly revision: ControllerRevision;
  /** Of the Job that is replaced. */
  readonly uid: string;
  readonly job: Job;
}

const LABEL = 'reloader.chancery.dev/stored';
const BY_JOB = 'job';

/** The stored Jobs of all namespaces of the operator; there are some only while Jobs are replaced. */
const storedJobs: Source<ControllerRevision> = source(controllerRevisions, {
  labelSelector: `${LABEL}=job`,
  indexes: { [BY_JOB]: keysOfStored },
});

/** A stored Job enqueues the Job of its name: at the start, the one that a crash has left out. */
export const storedJobChanges: Mapping = enqueueMapped(storedJobs, keysOfStored);

/** The stored replacements of the Job of a key, the newest first. Reads the cache only. */
export function storedFor(
  key: ObjectKey,
  { store }: Pick<ReconcileContext, 'store'>,
): readonly StoredJob[] {
  return store(storedJobs)
    .byIndex(BY_JOB, key)
    .toSorted((a, b) => storedAtMs(b) - storedAtMs(a))
    .flatMap((revision) => readStored(revision) ?? []);
}

/** Milliseconds since 1970. */
export function storedAtMs({ metadata }: ControllerRevision): number {
  return Date.parse(metadata.creationTimestamp ?? '') || 0;
}

/** What is stored for the Job of a key at the API server; undefined when it is gone. */
export async function findStored(
  client: Client,
  { metadata: { namespace, name } }: ControllerRevision,
): Promise<StoredJob | undefined> {
  const found = await client.find(controllerRevisions, { namespace, name });
  return found && readStored(found);
}

/** Stores the replacement of `job`. One that an earlier attempt has stored for other changes gives way. */
export async function storeReplacement(
  client: Client,
  job: Job,
  plan: RestartPlan,
): Promise<StoredJob> {
  const { namespace, name, uid = '' } = job.metadata;
  const wanted: ControllerRevision = {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: {
      name: `${name}.${uid}`,
      ...(namespace !== undefined && { namespace }),
      labels: { [LABEL]: 'job' },
    },
    // No apiVersion or kind in it: an API server may decode an object that says its kind.
    data: { uid, job: replacementOf(job, plan) },
    revision: 1,
  };
  const created = await createUnlessThere(client, wanted);
  if (created !== undefined) return requireStored(created);
  const there = await client.find(controllerRevisions, wanted.metadata);
  if (there !== undefined) {
    if (isDeepStrictEqual(there.data, JSON.parse(JSON.stringify(wanted.data)))) {
      return requireStored(there);
    }
    await removeStored(client, there); // `data` of a ControllerRevision cannot be changed
  }
  return requireStored(await client.create(controllerRevisions, wanted));
}

async function createUnlessThere(
  client: Client,
  wanted: ControllerRevision,
): Promise<ControllerRevision | undefined> {
  try {
    return await client.create(controllerRevisions, wanted);
  } catch (error) {
    if (isAlreadyExists(error)) return undefined;
    throw error;
  }
}

/** Resolves also when it is gone already. */
export async function removeStored(
  client: Client,
  { metadata }: ControllerRevision,
): Promise<void> {
  const { namespace, name, uid } = metadata;
  try {
    const preconditions = uid === undefined ? undefined : { uid };
    await client.delete(controllerRevisions, { namespace, name }, { preconditions });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

/**
 * Creates the stored Job.
 *
 * @returns false while the Job that it replaces still has the name.
 */
export async function createStored(client: Client, { job, uid }: StoredJob): Promise<boolean> {
  try {
    await client.create(jobs, job);
    return true;
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    const { namespace, name } = job.metadata;
    const found = await client.find(jobs, { namespace, name });
    return found !== undefined && found.metadata.uid !== uid;
  }
}

/** The stored Job as an object to create. Undefined: somebody else has written the ControllerRevision. */
function readStored(revision: ControllerRevision): StoredJob | undefined {
  const { uid, job } = (revision.data ?? {}) as {
    readonly uid?: unknown;
    readonly job?: Pick<Job, 'metadata' | 'spec'>;
  };
  if (typeof uid !== 'string' || typeof job?.metadata?.name !== 'string' || !job.spec) return;
  const { namespace } = revision.metadata;
  const metadata = { ...job.metadata, ...(namespace !== undefined && { namespace }) };
  return {
    revision,
    uid,
    job: { apiVersion: 'batch/v1', kind: 'Job', metadata, spec: job.spec },
  };
}

function requireStored(revision: ControllerRevision): StoredJob {
  const stored = readStored(revision);
  if (stored === undefined) throw new TypeError('a stored Job is not what was written');
  return stored;
}

/** The name of the stored Job; none for an object that somebody else has written. */
function keysOfStored(revision: ControllerRevision): readonly Target[] {
  const { namespace } = revision.metadata;
  const name = readStored(revision)?.job.metadata.name;
  return name === undefined ? [] : [{ namespace, name }];
}

/** Set by the API server and the Job controller, for one Job and its Pods. */
const LABELS_OF_ONE_JOB = [
  'controller-uid',
  'job-name',
  'batch.kubernetes.io/controller-uid',
  'batch.kubernetes.io/job-name',
];

/** Finalizers that a delete adds. */
const FINALIZERS_OF_DELETION = new Set(['foregroundDeletion', 'orphan']);

/** What a person has written of `job`, with the changes of `plan`. */
function replacementOf({ metadata, spec }: Job, plan: RestartPlan): Pick<Job, 'metadata' | 'spec'> {
  const { name, labels, ownerReferences, finalizers = [] } = metadata;
  const annotations = changedAnnotations(metadata.annotations, plan.annotations);
  const kept = finalizers.filter((each) => !FINALIZERS_OF_DELETION.has(each));
  const { selector, template, ...rest } = spec;
  const changed = changedTemplate(template, plan);
  // A selector of the API server's own selects the Pods of the old Job; one by hand goes with its labels.
  const isByHand = spec.manualSelector === true;
  return {
    metadata: {
      name,
      ...(labels !== undefined && { labels }),
      ...(annotations !== undefined && { annotations }),
      ...(ownerReferences !== undefined && { ownerReferences }),
      ...(kept.length > 0 && { finalizers: kept }),
    },
    spec: isByHand
      ? { ...rest, selector, template: changed }
      : { ...rest, template: withoutLabelsOfOneJob(changed) },
  } as Pick<Job, 'metadata' | 'spec'>;
}

function withoutLabelsOfOneJob(template: PodTemplate): PodTemplate {
  const labels = Object.fromEntries(
    Object.entries(template.metadata?.labels ?? {}).filter(
      ([label]) => !LABELS_OF_ONE_JOB.includes(label),
    ),
  );
  return { ...template, metadata: { ...template.metadata, labels } } as PodTemplate;
}
