import { eventually } from '@chancery/testing';
import { expect, test } from 'vitest';
import type { KubernetesObject } from '../../../operator/index.ts';
import { INDEXED_JOB, INDEXED_JOBS, podTemplate } from './support/farm.ts';
import { type MetacontrollerPlace, PATIENT, startMetacontroller } from './support/place.ts';
import { MODES } from './support/subject.ts';

interface PodObject extends KubernetesObject {
  readonly status?: { readonly phase?: string };
}

const JOBS = ['ctl.enisoc.com/v1', 'IndexedJob'] as const;

const JOB = {
  apiVersion: 'ctl.enisoc.com/v1',
  kind: 'IndexedJob',
  metadata: { name: 'numbers' },
  spec: { completions: 10, parallelism: 2, template: podTemplate('numbers') },
} as KubernetesObject;

test.each(
  MODES,
)('[contract 55] [contract 62] [metacontroller 1] [metacontroller 26] an indexed job whose function is a %s has two active Pods until ten have succeeded', async (mode) => {
  const place = await startMetacontroller({
    subjects: [INDEXED_JOB],
    definitions: [INDEXED_JOBS],
    mode,
    workloads: false, // the test itself says what becomes of the Pods
  });
  await place.apply(JOB);
  await statusIs(place, { active: 2, succeeded: 0, failed: 0 });
  const first = await podNames(place);

  await succeed(place, 'numbers-0');
  await statusIs(place, { active: 2, succeeded: 1, failed: 0 });
  const second = await podNames(place);
  for (let index = 1; index < 10; index++) {
    await eventually(() => podOf(place, `numbers-${index}`), PATIENT);
    await succeed(place, `numbers-${index}`);
  }
  const conditions = [{ type: 'Complete', status: 'True' }];
  await statusIs(place, { active: 0, succeeded: 10, failed: 0, conditions });

  expect(first).toEqual(['numbers-0', 'numbers-1']);
  expect(second).toEqual(['numbers-0', 'numbers-1', 'numbers-2']);
  expect(await podNames(place)).toHaveLength(10);
  expect(mostActive(place)).toBe(2);
  expect(await envOf(place, 'numbers-9')).toEqual([{ name: 'JOB_INDEX', value: '9' }]);
  expect(place.writes().filter((write) => write === 'create pods')).toHaveLength(10);
});

async function statusIs(place: MetacontrollerPlace, status: object): Promise<void> {
  await eventually(async () => {
    const job = await place.env.get<KubernetesObject & { status?: object }>(
      ...JOBS,
      place.namespace,
      'numbers',
    );
    expect(job?.status).toMatchObject(status);
  }, PATIENT);
}

function podOf(place: MetacontrollerPlace, name: string): Promise<PodObject | undefined> {
  return place.env.get<PodObject>('v1', 'Pod', place.namespace, name);
}

async function envOf(place: MetacontrollerPlace, name: string): Promise<unknown> {
  const pod = (await podOf(place, name)) as
    | { readonly spec: { readonly containers: readonly { readonly env?: unknown }[] } }
    | undefined;
  return pod?.spec.containers[0]?.env;
}

async function podNames(place: MetacontrollerPlace): Promise<readonly string[]> {
  const pods = await place.env.list('v1', 'Pod', place.namespace);
  return pods.map(({ metadata }) => metadata.name).sort();
}

async function succeed(place: MetacontrollerPlace, name: string): Promise<void> {
  const status = { phase: 'Succeeded' };
  await place.env.patch('v1', 'Pod', place.namespace, name, { status }, 'status');
}

/** The largest number of Pods that had not succeeded at one time. */
function mostActive(place: MetacontrollerPlace): number {
  const active = new Set<string>();
  let most = 0;
  for (const { name, object } of place.env.events.of({ resource: 'pods' })) {
    if ((object as PodObject).status?.phase === 'Succeeded') active.delete(name);
    else active.add(name);
    most = Math.max(most, active.size);
  }
  return most;
}
