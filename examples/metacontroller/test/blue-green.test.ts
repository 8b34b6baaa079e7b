/** The BlueGreenDeployment of this example, as module, program and webhook, with the generated rights. */
import { eventually } from '@chancery/testing';
import type { KubernetesObject } from 'chancery';
import { expect, test } from 'vitest';
import { BLUE_GREEN, EXAMPLE_CRDS } from '../../../packages/metacontroller/test/support/farm.ts';
import {
  type MetacontrollerPlace,
  PATIENT,
  startMetacontroller,
} from '../../../packages/metacontroller/test/support/place.ts';
import { MODES } from '../../../packages/metacontroller/test/support/subject.ts';
import { sync } from '../functions/blue-green.ts';
import type { ReplicaSet, Service } from '../functions/blue-green-types.ts';

const SAMPLE = new URL('../sample/blue-green.yaml', import.meta.url);

test.each(
  MODES,
)('[metacontroller 2] as a %s: the Service changes to the new colour once all Pods of that colour are available', async (mode) => {
  const place = await startMetacontroller({
    subjects: [BLUE_GREEN],
    manifests: [EXAMPLE_CRDS],
    workloads: { podReadyMs: 250, podStopMs: 5 }, // long enough to see a Service that does not wait
    mode,
  });
  await place.apply(SAMPLE);
  await eventually(
    async () => (await setOf(place, 'blue'))?.status?.availableReplicas === 3,
    PATIENT,
  );

  await setImage(place, 'nginx:1.27');
  await eventually(async () => (await colourOf(place)) === 'green', PATIENT);
  await eventually(async () => (await setOf(place, 'blue'))?.status?.replicas === 0, PATIENT);

  expect(atTheSwap(place)).toMatchObject({
    green: { spec: { replicas: 3 }, status: { availableReplicas: 3 } },
    blue: { spec: { replicas: 3 }, status: { availableReplicas: 3 } },
  });
  expect(imageOf(await setOf(place, 'green'))).toBe('nginx:1.27');
  expect(imageOf(await setOf(place, 'blue'))).toBe('nginx:1.26');
});

test('if a rollout is replaced by another rollout, the idle colour is scaled down first', async () => {
  const place = await startMetacontroller({
    subjects: [BLUE_GREEN],
    manifests: [EXAMPLE_CRDS],
    workloads: { podReadyMs: 5, podStopMs: 5, only: [] },
  });
  await place.apply(SAMPLE);
  await eventually(() => setOf(place, 'green'), PATIENT);
  await setImage(place, 'nginx:bad');
  await eventually(async () => imageOf(await setOf(place, 'green')) === 'nginx:bad', PATIENT);
  await setImage(place, 'nginx:1.27');
  await eventually(async () => imageOf(await setOf(place, 'green')) === 'nginx:1.27', PATIENT);

  const scales = place.env.events
    .history('replicasets.apps', place.namespace, 'shop-green')
    .map((each) => `${imageOf(each as ReplicaSet)} ${(each as ReplicaSet).spec.replicas}`);
  expect(scales.filter((each, at) => each !== scales[at - 1])).toEqual([
    'nginx:1.26 0',
    'nginx:bad 3',
    'nginx:bad 0',
    'nginx:1.27 3',
  ]);
  expect(await colourOf(place)).toBe('blue');
});

test('FN1: a changed number of replicas scales the active ReplicaSet', async () => {
  const place = await startMetacontroller({ subjects: [BLUE_GREEN], manifests: [EXAMPLE_CRDS] });
  await place.apply(SAMPLE);
  await eventually(() => setOf(place, 'green'), PATIENT);

  await place.env.patch(...SHOPS, place.namespace, 'shop', { spec: { replicas: 5 } });
  await eventually(
    async () => (await setOf(place, 'blue'))?.status?.availableReplicas === 5,
    PATIENT,
  );

  expect((await setOf(place, 'green'))?.spec.replicas).toBe(0);
});

test('FN2: a deleted idle ReplicaSet is created again with its Pods', () => {
  const template = { metadata: { labels: { app: 'shop' } }, spec: { containers: [] } };
  const live = {
    metadata: {
      name: 'shop-blue',
      annotations: { [TEMPLATE]: JSON.stringify({ ...template, spec: { containers: [1] } }) },
    },
    spec: { replicas: 3 },
  };
  const spec = {
    replicas: 3,
    selector: { matchLabels: { app: 'shop' } },
    template,
    service: { metadata: { name: 'shop' }, spec: {} },
  };

  const { children } = sync({
    parent: { metadata: { name: 'shop' }, spec },
    children: { 'ReplicaSet.apps/v1': { 'shop-blue': live }, 'Service.v1': {} },
  } as unknown as Parameters<typeof sync>[0]);

  expect(children).toMatchObject([
    { kind: 'Service', spec: { selector: { color: 'blue' } } },
    { metadata: { name: 'shop-blue' }, spec: { replicas: 3 } },
    { metadata: { name: 'shop-green' }, spec: { replicas: 3 } },
  ]);
});

const SHOPS = ['ctl.enisoc.com/v1', 'BlueGreenDeployment'] as const;
const TEMPLATE = 'bluegreendeployments.ctl.enisoc.com/pod-template-json';

/** The ReplicaSets as they were when the Service was changed. */
function atTheSwap(place: MetacontrollerPlace): object {
  const last: Record<string, KubernetesObject> = {};
  for (const { resource, name, object } of place.env.events.of({ namespace: place.namespace })) {
    if (resource === 'replicasets.apps') last[name.replace('shop-', '')] = object;
    if (resource === 'services' && (object as Service).spec.selector?.color === 'green')
      return last;
  }
  throw new Error('the Service was not changed');
}

function setOf(place: MetacontrollerPlace, colour: string): Promise<ReplicaSet | undefined> {
  return place.env.get<ReplicaSet>('apps/v1', 'ReplicaSet', place.namespace, `shop-${colour}`);
}

async function colourOf(place: MetacontrollerPlace): Promise<string | undefined> {
  const service = await place.env.get<Service>('v1', 'Service', place.namespace, 'shop');
  return service?.spec.selector?.color;
}

function imageOf(set: ReplicaSet | undefined): string | undefined {
  const { template } = (set?.spec ?? {}) as {
    readonly template?: { readonly spec: { readonly containers: readonly { image: string }[] } };
  };
  return template?.spec.containers[0]?.image;
}

async function setImage(place: MetacontrollerPlace, image: string): Promise<void> {
  const containers = [{ name: 'web', image, ports: [{ containerPort: 80 }] }];
  await place.env.patch(...SHOPS, place.namespace, 'shop', {
    spec: { template: { spec: { containers } } },
  });
}
