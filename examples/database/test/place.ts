/** A SampleDB in a cluster whose Jobs end when the test says so. */

import { eventually, FakeClock, type WorkloadOptions } from '@chancery/testing';
import type { KubernetesObject } from 'chancery';
import type { Job } from 'chancery/kubernetes';
import { type Place, type Setup, startExample } from '../../testing/place.ts';
import operator from '../operator.ts';
import type { SampleDb } from '../resources/sample-db.ts';

/** Pods come and go at once; what is to end runs for longer than any test. */
export const ENDLESS_JOBS: WorkloadOptions = { podReadyMs: 5, podStopMs: 5, podRunMs: 3_600_000 };

export interface DbPlace extends Place {
  db(name?: string): Promise<SampleDb | undefined>;
  jobs(role?: string): Promise<readonly Job[]>;
  /** Waits until `probe` holds. */
  soon<T>(probe: () => Promise<T>): Promise<Exclude<T, false | undefined>>;
  /** Waits for the one Job with such a name. */
  job(pattern: RegExp): Promise<Job>;
  /** Ends a Job, as its controller would. */
  end(job: Job, how: 'Complete' | 'Failed'): Promise<void>;
  /** Waits until the status is about the latest spec, and `probe` holds. */
  until(probe: (db: SampleDb) => boolean, name?: string): Promise<SampleDb>;
  get<T extends KubernetesObject>(
    apiVersion: string,
    kind: string,
    name: string,
  ): Promise<T | undefined>;
}

export async function startDb(setup: Partial<Setup> = {}): Promise<DbPlace> {
  const place = await startExample({
    name: 'database',
    controllers: operator,
    manifests: [new URL('../crds/', import.meta.url)],
    workloads: ENDLESS_JOBS,
    ...setup,
  });
  const { env, namespace } = place;
  const db = (name = 'orders') => env.get<SampleDb>('example.dev/v1', 'SampleDB', namespace, name);
  /** A clock that stands still keeps a retry waiting: it goes on while a test waits. */
  const soon = <T>(probe: () => Promise<T>) =>
    eventually(() => {
      if (setup.clock instanceof FakeClock) setup.clock.advance(10);
      return probe();
    });
  const jobs = async (role?: string) =>
    (await env.list<Job>('batch/v1', 'Job', namespace)).filter(
      ({ metadata }) => role === undefined || metadata.labels?.['example.dev/job'] === role,
    );
  return Object.assign(place, {
    db,
    jobs,
    soon,
    job: (pattern: RegExp) =>
      soon(async () => (await jobs()).find(({ metadata }) => pattern.test(metadata.name))),
    end: async ({ metadata: { name } }: Job, how: 'Complete' | 'Failed') => {
      const startedAt = await soon(
        async () => (await env.get<Job>('batch/v1', 'Job', namespace, name))?.status?.startTime,
      );
      const status = ended(how, startedAt);
      await env.patch('batch/v1', 'Job', namespace, name, { status }, 'status');
    },
    until: (probe: (live: SampleDb) => boolean, name?: string) =>
      soon(async () => {
        const live = await db(name);
        if (live?.status?.observedGeneration !== live?.metadata.generation) return undefined;
        return live !== undefined && probe(live) ? live : undefined;
      }),
    get: <T extends KubernetesObject>(apiVersion: string, kind: string, name: string) =>
      env.get<T>(apiVersion, kind, namespace, name),
  });
}

/** The status of a Job that has ended, as the API server takes it: it keeps its start, and has no Pods any more. */
function ended(how: 'Complete' | 'Failed', startedAt: string): object {
  const today = new Date().toISOString().replace(/[.]\d+/, '');
  const now = startedAt > today ? startedAt : today;
  const reason = how === 'Complete' ? 'CompletionsReached' : 'BackoffLimitExceeded';
  const first = how === 'Complete' ? 'SuccessCriteriaMet' : 'FailureTarget';
  const conditions = [first, how].map((type) => ({
    type,
    status: 'True',
    reason,
    message: reason,
    lastProbeTime: now,
    lastTransitionTime: now,
  }));
  return {
    ...{ startTime: startedAt, conditions, active: null, ready: null, terminating: null },
    ...(how === 'Complete' && { completionTime: now }),
  };
}

/** How a plan stands. */
export const planOf = (live: SampleDb, name: 'deploy' | 'backup' | 'upgrade' | 'cleanup') =>
  live.status?.plans[name]?.status;

export const isReady = (live: SampleDb): boolean => conditionOf(live, 'Ready')?.status === 'True';

export const conditionOf = (live: SampleDb, type: string) =>
  live.status?.conditions?.find((condition) => condition.type === type);
