/** The CatSet of this example, with a stand-in in Node for the Python server. */
import { eventually } from '@chancery/testing';
import type { KubernetesObject } from 'chancery';
import { expect, test } from 'vitest';
import { CAT_SET, EXAMPLE_CRDS } from '../../../packages/metacontroller/test/support/farm.ts';
import {
  type MetacontrollerPlace,
  PATIENT,
  startMetacontroller,
} from '../../../packages/metacontroller/test/support/place.ts';

interface CatSet extends KubernetesObject {
  readonly status?: {
    readonly replicas?: number;
    readonly readyReplicas?: number;
    readonly conditions?: readonly Condition[];
  };
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
}

const SAMPLE = new URL('../sample/cat-set.yaml', import.meta.url);

test('[contract 68] [contract 72] [metacontroller 5] a CatSet starts its Pods one after another, and replaces them one after another', async () => {
  const place = await startCats();
  await ready(place, 3);
  const started = changes(place).filter(({ type }) => type === 'came');

  const containers = [{ name: 'web', image: 'nginx:1.27' }];
  const template = { spec: { containers } };
  await place.env.patch(...CATS, place.namespace, 'cats', { spec: { template } });
  await eventually(async () => {
    const pods = await place.env.list<PodObject>('v1', 'Pod', place.namespace);
    return pods.length === 3 && pods.every((pod) => imageOf(pod) === 'nginx:1.27' && isReady(pod));
  }, PATIENT);
  await eventually(async () => (await updated(place))?.reason === 'OnLatestRevision', PATIENT);
  const replaced = changes(place).filter(({ type }) => type === 'left');

  expect(started.map(({ name }) => name)).toEqual(['cats-0', 'cats-1', 'cats-2']);
  expect(started.map(({ unready }) => unready)).toEqual([[], [], []]);
  expect(replaced.map(({ name }) => name)).toEqual(['cats-2', 'cats-1', 'cats-0']);
  expect(replaced.map(({ unready }) => unready)).toEqual([[], [], []]);
  expect(updates(place)).toEqual([
    'True OnLatestRevision',
    ...['False RolloutProgressing', 'False RolloutWaiting'],
    ...['False RolloutProgressing', 'False RolloutWaiting'],
    'False RolloutProgressing',
    'True OnLatestRevision',
  ]);
});

test('a CatSet keeps the claims of deleted Pods until the CatSet itself is deleted', async () => {
  const place = await startCats();
  await ready(place, 3);
  await place.env.patch(...CATS, place.namespace, 'cats', { spec: { replicas: 1 } });
  await ready(place, 1);
  await eventually(async () => (await podsOf(place)).length === 1, PATIENT);
  const claims = await place.env.list('v1', 'PersistentVolumeClaim', place.namespace);

  await place.env.delete(...CATS, place.namespace, 'cats');
  await eventually(
    async () => (await place.env.get(...CATS, place.namespace, 'cats')) === undefined,
    PATIENT,
  );

  expect(claims.map(({ metadata }) => metadata.name)).toEqual([
    'www-cats-0',
    'www-cats-1',
    'www-cats-2',
  ]);
  expect(await podsOf(place)).toEqual([]);
});

const CATS = ['ctl.enisoc.com/v1', 'CatSet'] as const;

interface PodObject extends KubernetesObject {
  readonly spec: { readonly containers: readonly { readonly image: string }[] };
  readonly status?: { readonly conditions?: readonly { type: string; status: string }[] };
}

async function startCats(): Promise<MetacontrollerPlace> {
  const place = await startMetacontroller({ subjects: [CAT_SET], manifests: [EXAMPLE_CRDS] });
  await place.apply(SAMPLE);
  return place;
}

async function ready(place: MetacontrollerPlace, readyReplicas: number): Promise<void> {
  await eventually(async () => {
    const cats = await place.env.get<CatSet>(...CATS, place.namespace, 'cats');
    return cats?.status?.readyReplicas === readyReplicas;
  }, PATIENT);
}

function podsOf(place: MetacontrollerPlace): Promise<readonly PodObject[]> {
  return place.env.list<PodObject>('v1', 'Pod', place.namespace);
}

const imageOf = ({ spec }: PodObject): string | undefined => spec.containers[0]?.image;

const isReady = ({ metadata, status }: PodObject): boolean =>
  metadata.deletionTimestamp === undefined &&
  (status?.conditions ?? []).some((each) => each.type === 'Ready' && each.status === 'True');

/** Pods that came, and Pods that were told to leave, each with those that were not ready at that time. */
function changes(place: MetacontrollerPlace) {
  const pods = new Map<string, PodObject>();
  const found: { type: 'came' | 'left'; name: string; unready: readonly string[] }[] = [];
  for (const { type, name, object } of place.env.events.of({ resource: 'pods' })) {
    const others = [...pods].filter(([each]) => each !== name);
    const unready = others.filter(([, pod]) => !isReady(pod)).map(([each]) => each);
    const before = pods.get(name);
    const leaves = object.metadata.deletionTimestamp !== undefined;
    if (before === undefined) found.push({ type: 'came', name, unready });
    else if (leaves && before.metadata.deletionTimestamp === undefined) {
      found.push({ type: 'left', name, unready });
    }
    if (type === 'DELETED') pods.delete(name);
    else pods.set(name, object as PodObject);
  }
  return found;
}

async function updated(place: MetacontrollerPlace): Promise<Condition | undefined> {
  const cats = await place.env.get<CatSet>(...CATS, place.namespace, 'cats');
  return cats?.status?.conditions?.find(({ type }) => type === 'Updated');
}

/** The states that the condition `Updated` has had since the template changed, each once. */
function updates(place: MetacontrollerPlace): readonly string[] {
  const states = place.env.events
    .history('catsets.ctl.enisoc.com', place.namespace, 'cats')
    .flatMap((each) => (each as CatSet).status?.conditions ?? [])
    .filter(({ type }) => type === 'Updated')
    .map(({ status, reason }) => `${status} ${reason}`);
  return states.filter((each, at) => each !== states[at - 1]);
}
