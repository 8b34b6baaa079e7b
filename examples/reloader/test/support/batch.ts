/** CronJobs and Jobs that reload, and what became of them. */
import { eventually } from '@chancery/testing';
import type { KubernetesObject } from 'chancery';
import { type batchV1, type CronJob, cronJobs, type Job, jobs } from 'chancery/kubernetes';
import { BASELINE } from '../../record/baseline.ts';
import { APP, AUTO, type Data, type Reloading } from './start.ts';

/** A Pod that runs until it is told to stop, with all keys of a ConfigMap in its environment. */
export function runsWith(config: string) {
  const containers = [{ ...APP, envFrom: [{ configMapRef: { name: config } }] }];
  return { spec: { restartPolicy: 'Never', containers } };
}

export interface CronJobGiven {
  readonly annotations?: Data;
  readonly suspend?: boolean;
  readonly jobMetadata?: KubernetesObject['metadata'] | object;
  readonly template?: object;
  readonly jobSpec?: Partial<batchV1.JobSpec>;
}

/** Its schedule does not come due while a test runs. */
export function cronJob(name: string, given: CronJobGiven = {}): KubernetesObject {
  const { annotations = AUTO, suspend = false, jobMetadata = {}, jobSpec } = given;
  const template = { ...runsWith('app'), ...given.template };
  return {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata: { name, annotations },
    spec: {
      schedule: '0 0 29 2 *',
      suspend,
      jobTemplate: { metadata: jobMetadata, spec: { ...jobSpec, template } },
    },
  } as KubernetesObject;
}

export function job(name: string, spec: object = {}, metadata: object = {}): KubernetesObject {
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name, annotations: AUTO, ...metadata },
    spec: { template: runsWith('app'), ...spec },
  } as KubernetesObject;
}

export async function jobsOf({ env, namespace }: Reloading): Promise<readonly Job[]> {
  return env.list(jobs, namespace);
}

export async function liveJob({ env, namespace }: Reloading, name: string): Promise<Job> {
  const found = await env.get(jobs, namespace, name);
  if (found === undefined) throw new Error(`no Job ${name}`);
  return found;
}

export async function liveCronJob({ env, namespace }: Reloading, name: string): Promise<CronJob> {
  const found = await env.get(cronJobs, namespace, name);
  if (found === undefined) throw new Error(`no CronJob ${name}`);
  return found;
}

/** The hash that the baseline of a Job or CronJob has for the ConfigMap `app`, once it is not `before`. */
export function appHash(
  { env, namespace }: Pick<Reloading, 'env' | 'namespace'>,
  kind: 'Job' | 'CronJob',
  name: string,
  before?: string,
): Promise<string> {
  return eventually(
    async () => {
      const text = (await env.get('batch/v1', kind, namespace, name))?.metadata.annotations?.[
        BASELINE
      ];
      const hash = text === undefined ? undefined : (JSON.parse(text) as Data)['configmap/app'];
      return hash !== undefined && hash !== before && hash;
    },
    { timeoutMs: 30_000 },
  );
}

/** Variables of the first container of a Job. */
export function variablesOf({ spec }: Pick<Job, 'spec'>): Data {
  const env = spec.template.spec.containers[0]?.env ?? [];
  return Object.fromEntries(env.map(({ name, value = '' }) => [name, value]));
}
