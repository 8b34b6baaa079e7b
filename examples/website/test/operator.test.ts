/** The operator as in its Pod: behind an ambassador with its own filter, with its own rights and no more. */
import { readFileSync } from 'node:fs';
import { eventually, roundTrip } from '@chancery/testing';
import type { KubernetesObject } from 'chancery';
import type { Deployment } from 'chancery/kubernetes';
import { crdYaml, type ObjectOf } from 'chancery/schema';
import { expect, test } from 'vitest';
import { type Place, startExample } from '../../testing/place.ts';
import { websites } from '../definition.ts';
import { website } from '../operator.ts';
import { budget } from '../webhook.ts';

type Website = ObjectOf<typeof websites>;

/** With the Website `hello`. */
async function start(): Promise<Place> {
  const place = await startExample({
    name: 'website',
    controllers: [website],
    webhooks: [budget],
    manifests: [new URL('../crd.yaml', import.meta.url)],
  });
  await place.apply(new URL('../sample/', import.meta.url));
  return place;
}

const siteOf = ({ env, namespace }: Place): Promise<Website | undefined> =>
  env.get<Website>('example.dev/v1', 'Website', namespace, 'hello');

const deploymentOf = ({ env, namespace }: Place): Promise<Deployment | undefined> =>
  env.get<Deployment>('apps/v1', 'Deployment', namespace, 'hello');

const edit = ({ env, namespace }: Place, change: object) =>
  env.patch('example.dev/v1', 'Website', namespace, 'hello', change);

/** Resolves when the status speaks of the latest spec, and is Ready with so many replicas. */
function ready(place: Place, replicas: number): Promise<Website> {
  return eventually(async () => {
    const live = await siteOf(place);
    const isCurrent = live?.status?.observedGeneration === live?.metadata.generation;
    return isCurrent && live?.status?.readyReplicas === replicas ? live : undefined;
  });
}

/** The notes of its Events with this reason, once there are some. */
const told = (place: Place, reason: string): Promise<readonly string[]> =>
  eventually(async () => {
    const found = await place.events(reason);
    return found.length > 0 && found.map(({ note }) => note);
  });

/** Its reconciles that have ended well. */
function reconciles({ operator }: Place): number {
  const series = 'controller_runtime_reconcile_total{controller="website",result="success"}';
  return Number(operator.meter.snapshot()[series] ?? 0);
}

test('the operator makes a Deployment, a status with a condition and one Event for a Website', async () => {
  const place = await start();

  const site = await ready(place, 2);
  const notes = await told(place, 'Ready');

  expect(await deploymentOf(place)).toMatchObject({
    metadata: {
      ownerReferences: [
        { kind: 'Website', name: 'hello', uid: site.metadata.uid, controller: true },
      ],
    },
    spec: { replicas: 2, template: { spec: { containers: [{ image: 'nginx:1.29' }] } } },
  });
  expect(site.metadata.finalizers).toEqual(['example.dev/farewell']);
  expect(site.status).toMatchObject({
    observedGeneration: 1,
    conditions: [{ type: 'Ready', status: 'True', reason: 'ReplicasReady', observedGeneration: 1 }],
  });
  expect(notes).toEqual(['2 of 2 replicas are ready']);
  expect(place.operator.log.filter(({ level }) => level === 'warn' || level === 'error')).toEqual(
    [],
  );
});

test('a change of the spec changes the Deployment, and then the status', async () => {
  const place = await start();
  await ready(place, 2);

  const spec = { image: 'nginx:1.30', replicas: 3 };
  await edit(place, { spec });
  const site = await ready(place, 3);

  expect(site.status?.observedGeneration).toBe(2);
  expect(await deploymentOf(place)).toMatchObject({
    spec: { replicas: 3, template: { spec: { containers: [{ image: 'nginx:1.30' }] } } },
  });
});

test('a Deployment that is deleted or edited is restored', async () => {
  const place = await start();
  const { uid } = (await ready(place, 2)).metadata;
  const { env, namespace } = place;

  await env.patch('apps/v1', 'Deployment', namespace, 'hello', { spec: { replicas: 5 } });
  await eventually(async () => (await deploymentOf(place))?.spec?.replicas === 2);
  const before = await deploymentOf(place);
  await env.delete('apps/v1', 'Deployment', namespace, 'hello');
  const after = await eventually(async () => {
    const found = await deploymentOf(place);
    return found !== undefined && found.metadata.uid !== before?.metadata.uid && found;
  });

  expect(after.metadata.ownerReferences).toMatchObject([{ uid, controller: true }]);
  await ready(place, 2);
});

test('a deleted Website is finalized, and its Deployment is deleted with it', async () => {
  const place = await start();
  await ready(place, 2);

  await place.env.delete('example.dev/v1', 'Website', place.namespace, 'hello');
  await eventually(async () => (await siteOf(place)) === undefined);
  await eventually(async () => (await deploymentOf(place)) === undefined);

  const notes = await told(place, 'Finalized');
  expect(notes).toEqual(['nothing is left behind']);
  expect(place.operator.log.map(({ message }) => message)).toContain(
    'what Kubernetes does not know of would be removed here',
  );
});

test('an unchanged Website causes no write', async () => {
  const place = await start();
  await ready(place, 2);
  const touched = async (value: string): Promise<void> => {
    const before = reconciles(place);
    await edit(place, { metadata: { annotations: { touched: value } } });
    await eventually(() => reconciles(place) > before);
  };
  await touched('once'); // whatever the last change of a Pod has led to comes before it
  const before = place.writes();

  await touched('twice');
  await touched('again');

  expect(place.writes()).toEqual(before);
});

test('the shipped definition is generated from the schema', async () => {
  const gate = { service: { name: 'website-gate', namespace: 'website' } };
  await expect(crdYaml(websites, gate)).toMatchFileSnapshot('../crd.yaml');
});

test('Websites convert between both versions without a loss, and only v1 has the exact replicas', () => {
  expect(roundTrip(websites).kept).toEqual(['v1 → v1alpha1: .spec.replicas']);
});

test('a client of v1alpha1 gets a size, and the exact replicas stay until the client sets another size', () => {
  const site = { apiVersion: 'example.dev/v1', kind: 'Website', metadata: { name: 'hello' } };
  const two = { ...site, spec: { image: 'nginx:1.29', replicas: 2 } };
  const convert = (object: KubernetesObject, version: string) =>
    websites.convert?.(object, version) ?? object;

  const medium = convert(two, 'v1alpha1');
  const large = { ...medium, spec: { image: 'nginx:1.30', size: 'large' } };

  expect(medium).toMatchObject({ spec: { image: 'nginx:1.29', size: 'medium' } });
  expect(convert(medium, 'v1')).toEqual(two);
  expect(convert(large, 'v1')).toEqual({ ...site, spec: { image: 'nginx:1.30', replicas: 10 } });
});

test('the code of the operator has at most sixty lines', () => {
  const source = readFileSync(new URL('../operator.ts', import.meta.url), 'utf8');

  expect(source.trimEnd().split('\n').length).toBeLessThanOrEqual(60);
});
