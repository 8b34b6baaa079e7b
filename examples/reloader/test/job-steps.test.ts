/** The steps of a replaced Job, one at a time: what each finds when another one went before or failed. */

import type { Target } from 'chancery';
import {
  ApiError,
  type Client,
  isConflict,
  type KubernetesObject,
  type ObjectKey,
  type Resource,
} from 'chancery';
import type { ControllerRevision, Job } from 'chancery/kubernetes';
import { expect, test } from 'vitest';
import type { RestartPlan } from '../record/plan-types.ts';
import { jobKind } from '../workloads/job.ts';
import type { RestartContext } from '../workloads/kind.ts';

const KEY = 'demo/import' as ObjectKey;
const NOW_MS = Date.parse('2026-03-01T10:00:00Z');
const TIMES = { conditions: [{ type: 'Complete', status: 'True' }] };

const plan: RestartPlan = {
  changes: [],
  variables: [{ container: 'app', name: 'V', value: 'new' }],
  templateAnnotations: {},
  annotations: { note: 'recorded' },
};

function importJob(uid: string, fields: object = {}): Job {
  const metadata = { name: 'import', namespace: 'demo', uid, resourceVersion: '1', generation: 1 };
  const template = { spec: { containers: [{ name: 'app', image: 'busybox' }] } };
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata,
    spec: { template },
    ...fields,
  } as unknown as Job;
}

/** What is stored for the Job with this uid, for so many milliseconds. */
function storedFor(uid: string, forMs = 0): ControllerRevision {
  const creationTimestamp = new Date(NOW_MS - forMs).toISOString();
  const name = `import.${uid}`;
  const { metadata, spec } = importJob(uid);
  return {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: { name, namespace: 'demo', uid: `${uid}-stored`, creationTimestamp },
    data: { uid, job: { metadata: { name: metadata.name }, spec } },
    revision: 1,
  } as ControllerRevision;
}

/** Objects by plural and name. Preconditions of a delete count; a create gives the uid `next`. */
class FakeServer {
  readonly objects = new Map<string, KubernetesObject>();
  readonly calls: string[] = [];
  /** Called before each delete. */
  beforeDelete: () => void = () => {};

  put(plural: string, ...objects: readonly KubernetesObject[]): this {
    for (const object of objects) this.objects.set(`${plural}/${object.metadata.name}`, object);
    return this;
  }

  readonly client = {
    find: async (resource: Resource, { name }: Target) =>
      this.objects.get(`${resource.plural}/${name}`),
    create: async (resource: Resource, object: KubernetesObject) => {
      const key = `${resource.plural}/${object.metadata.name}`;
      this.calls.push(`create ${key}`);
      if (this.objects.has(key)) throw failure(409, 'AlreadyExists');
      const created = { ...object, metadata: { ...object.metadata, uid: 'next' } };
      this.objects.set(key, created);
      return created;
    },
    delete: async (resource: Resource, { name }: Target, options: DeleteOptions = {}) => {
      this.beforeDelete();
      const key = `${resource.plural}/${name}`;
      this.calls.push(`delete ${key}`);
      const found = this.objects.get(key);
      if (found === undefined) throw failure(404, 'NotFound', { name });
      const { uid, resourceVersion } = options.preconditions ?? {};
      const differs = resourceVersion !== undefined && resourceVersion !== versionOf(found);
      if ((uid !== undefined && uid !== found.metadata.uid) || differs)
        throw failure(409, 'Conflict');
      this.objects.delete(key);
    },
  } as unknown as Client;
}

type DeleteOptions = Parameters<Client['delete']>[2] & object;

const versionOf = ({ metadata }: KubernetesObject): string | undefined => metadata.resourceVersion;

function failure(code: number, reason: string, details: object = {}): ApiError {
  return new ApiError({ status: 'Failure', code, reason, message: reason, details });
}

/** @param cached - the stored Jobs that the cache shows. */
function contextOf(server: FakeServer, ...cached: readonly ControllerRevision[]) {
  const reconcile = {
    client: server.client,
    dryRun: false,
    log: { info: () => {} },
    store: () => ({ byIndex: (_: string, key: string) => (key === KEY ? cached : []) }),
  };
  return { reconcile, nowMs: NOW_MS } as unknown as RestartContext<Job>;
}

const finished = { status: TIMES };

test('a Job is still replaced if its status changes before its deletion', async () => {
  const server = new FakeServer().put('jobs', importJob('old'));
  const changed = importJob('old', { status: { active: 1 } });
  server.beforeDelete = () => {
    server.beforeDelete = () => {};
    server.put('jobs', { ...changed, metadata: { ...changed.metadata, resourceVersion: '2' } });
  };

  const { outcome } = await jobKind.restart(importJob('old'), plan, contextOf(server));

  expect(outcome).toBe('restarted');
  expect([...server.objects.keys()]).toEqual(['jobs/import']);
  expect(server.objects.get('jobs/import')?.metadata).toMatchObject({
    uid: 'next',
    annotations: { note: 'recorded' },
  });
});

test('[reloader R12] a Job that finishes before its deletion stays, and the stored copy is never started', async () => {
  const server = new FakeServer().put('jobs', importJob('old'));
  const over = importJob('old', finished);
  server.beforeDelete = () => {
    server.beforeDelete = () => {};
    server.put('jobs', { ...over, metadata: { ...over.metadata, resourceVersion: '2' } });
  };

  const restarting = jobKind.restart(importJob('old'), plan, contextOf(server));

  await expect(restarting).rejects.toSatisfy(isConflict);
  expect([...server.objects.values()]).toMatchObject([finished]);
});

test('a new Job that another client created under the same name is not deleted', async () => {
  const server = new FakeServer().put('jobs', importJob('other'));

  const restarting = jobKind.restart(importJob('old'), plan, contextOf(server));

  await expect(restarting).rejects.toSatisfy(isConflict);
  expect([...server.objects.values()]).toMatchObject([{ metadata: { uid: 'other' } }]);
});

test('a stored copy from an earlier attempt for other changes is replaced', async () => {
  const server = new FakeServer().put('jobs', importJob('old'));
  server.put('controllerrevisions', storedFor('old'));

  await jobKind.restart(importJob('old'), plan, contextOf(server));

  const [made] = [...server.objects.values()] as Job[];
  expect(made?.spec.template.spec.containers).toMatchObject([
    { env: [{ name: 'V', value: 'new' }] },
  ]);
});

test('the stored Job is created once the old Job is gone, unless another process created it', async () => {
  const stored = storedFor('old');
  const server = new FakeServer().put('controllerrevisions', stored);

  await jobKind.absent?.(KEY, contextOf(server, stored).reconcile);
  expect([...server.objects.keys()]).toEqual(['jobs/import']);

  server.objects.clear();
  await jobKind.absent?.(KEY, contextOf(server, stored).reconcile);
  expect([...server.objects.keys()]).toEqual([]);
});

test('the stored Job waits while the old Job still exists', async () => {
  const stored = storedFor('old');
  const server = new FakeServer().put('jobs', importJob('old')).put('controllerrevisions', stored);

  const { waitMs } = (await jobKind.absent?.(KEY, contextOf(server, stored).reconcile)) ?? {};

  expect(waitMs).toBe(5_000);
  expect([...server.objects.keys()]).toEqual(['jobs/import', 'controllerrevisions/import.old']);
});

test.each([
  ['the Job was created again', 'old', 'new', 0, undefined, []],
  ['the old Job exists and may be about to be deleted', 'old', 'old', 60_000, 60_000, ['old']],
  ['the old Job exists and nothing is in progress', 'old', 'old', 120_000, undefined, []],
])('when %s, only the stored copies that are still needed stay', async (_, uid, live, forMs, waitMs, left) => {
  const stored = storedFor(uid, forMs);
  const server = new FakeServer().put('jobs', importJob(live)).put('controllerrevisions', stored);

  const outcome = await jobKind.upkeep?.(importJob(live), contextOf(server, stored));

  expect(outcome?.waitMs).toBe(waitMs);
  const names = [...server.objects.keys()].filter((key) => key.startsWith('controllerrevisions'));
  expect(names).toEqual(left.map((each) => `controllerrevisions/import.${each}`));
});

test('the stored copy stays while the cache still contains a Job that is already deleted', async () => {
  const stored = storedFor('old', 500_000);
  const server = new FakeServer().put('controllerrevisions', stored);

  await jobKind.upkeep?.(importJob('old'), contextOf(server, stored));

  expect(server.calls).toEqual([]);
});

test('in a dry run, the copy is stored and the Job deleted only as dry runs, and no Job is created', async () => {
  const server = new FakeServer().put('jobs', importJob('old'));
  const { reconcile, nowMs } = contextOf(server);
  const context = { reconcile: { ...reconcile, dryRun: true }, nowMs } as RestartContext<Job>;

  expect(await jobKind.restart(importJob('old'), plan, context)).toEqual({ outcome: 'restarted' });
  expect(server.calls).toEqual(['create controllerrevisions/import.old', 'delete jobs/import']);
});
