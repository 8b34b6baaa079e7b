/** The operator as in its Pod: behind an ambassador with its own filter, with its own rights and no more. */
import { readFileSync } from 'node:fs';
import { type Deployment, type KubernetesObject, proxyFilter, rbac } from 'chancery';
import { crdYaml } from 'chancery/schema';
import {
  eventually,
  StandInAmbassador,
  startOperator,
  startTestEnv,
  type TestEnv,
  type TestOperator,
} from 'chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import website, { websites } from '../operator.ts';

type Website = NonNullable<Parameters<typeof website.reconcile>[1]>;

interface Place {
  readonly env: TestEnv;
  readonly namespace: string;
  readonly operator: TestOperator;
  /** The Website `hello`. */
  site(): Promise<Website | undefined>;
  deployment(): Promise<Deployment | undefined>;
  /** Notes of the Events with this reason. */
  events(reason: string): Promise<readonly string[]>;
  /** Resolves when the status speaks of the latest spec, and is Ready with so many replicas. */
  ready(replicas: number): Promise<Website>;
}

/** A cluster in which Roles count, and the operator as the ServiceAccount that they are for. */
async function start(): Promise<Place> {
  const env = await startTestEnv({
    environment: {},
    embedded: { authorization: 'RBAC', workloads: { podReadyMs: 20, podStopMs: 10 } },
  });
  onTestFinished(() => env.stop());
  await env.apply(new URL('../crd.yaml', import.meta.url));
  const namespace = await env.namespace();
  const serviceAccount = { name: 'website', namespace };
  const granted = rbac([website], { namespaces: [namespace], name: 'website', serviceAccount });
  await env.apply(granted as unknown as readonly KubernetesObject[], { namespace });
  const ambassador = new StandInAmbassador({
    server: await env.server.urlFor(`system:serviceaccount:${namespace}:website`),
    filter: proxyFilter([website], { namespaces: [namespace] }),
  });
  await ambassador.start();
  onTestFinished(() => ambassador.kill());
  const operator = startOperator({ url: ambassador.url, namespace, controllers: [website] });
  onTestFinished(() => operator.stop());
  await env.apply(new URL('../sample/', import.meta.url), { namespace });
  const site = () => env.get<Website>('example.dev/v1', 'Website', namespace, 'hello');
  return {
    env,
    namespace,
    operator,
    site,
    deployment: () => env.get<Deployment>('apps/v1', 'Deployment', namespace, 'hello'),
    events: async (reason) => {
      const all = await env.list<KubernetesObject & { readonly reason: string; note: string }>(
        'events.k8s.io/v1',
        'Event',
        namespace,
      );
      const about = all.filter((event) => event.reason === reason);
      return about.map(({ note }) => note);
    },
    ready: (replicas) =>
      eventually(async () => {
        const live = await site();
        const isCurrent = live?.status?.observedGeneration === live?.metadata.generation;
        return isCurrent && live?.status?.readyReplicas === replicas ? live : undefined;
      }),
  };
}

/** Of the operator, on its own objects; an Event is what it tells, not what it does. */
const writes = ({ env }: Place): readonly string[] =>
  env.requests
    .of()
    .filter(
      ({ verb, resource }) =>
        ['create', 'update', 'patch', 'delete'].includes(verb) &&
        resource !== 'events.events.k8s.io',
    )
    .map(({ verb, resource, subresource = '' }) => `${verb} ${resource} ${subresource}`.trim());

/** Its reconciles that have ended well. */
function reconciles({ operator }: Place): number {
  const series = 'controller_runtime_reconcile_total{controller="website",result="success"}';
  return Number(operator.meter.snapshot()[series] ?? 0);
}

test('a Website becomes a Deployment that it owns, a status with a condition, and one Event', async () => {
  const place = await start();

  const site = await place.ready(2);
  const notes = await eventually(async () => {
    const found = await place.events('Ready');
    return found.length > 0 && found;
  });

  expect(await place.deployment()).toMatchObject({
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

test('a change of the spec reaches the Deployment, and the status follows', async () => {
  const place = await start();
  await place.ready(2);

  const spec = { image: 'nginx:1.30', replicas: 3 };
  await place.env.patch('example.dev/v1', 'Website', place.namespace, 'hello', { spec });
  const site = await place.ready(3);

  expect(site.status?.observedGeneration).toBe(2);
  expect(await place.deployment()).toMatchObject({
    spec: { replicas: 3, template: { spec: { containers: [{ image: 'nginx:1.30' }] } } },
  });
});

test('a Deployment that somebody deletes or bends comes back as it should be', async () => {
  const place = await start();
  const { uid } = (await place.ready(2)).metadata;
  const { env, namespace } = place;

  await env.patch('apps/v1', 'Deployment', namespace, 'hello', { spec: { replicas: 5 } });
  await eventually(async () => (await place.deployment())?.spec?.replicas === 2);
  const before = await place.deployment();
  await env.delete('apps/v1', 'Deployment', namespace, 'hello');
  const after = await eventually(async () => {
    const found = await place.deployment();
    return found !== undefined && found.metadata.uid !== before?.metadata.uid && found;
  });

  expect(after.metadata.ownerReferences).toMatchObject([{ uid, controller: true }]);
  await place.ready(2);
});

test('a Website that is deleted is finalized, and goes with its Deployment', async () => {
  const place = await start();
  await place.ready(2);

  await place.env.delete('example.dev/v1', 'Website', place.namespace, 'hello');
  await eventually(async () => (await place.site()) === undefined);
  await eventually(async () => (await place.deployment()) === undefined);

  const notes = await eventually(async () => {
    const found = await place.events('Finalized');
    return found.length > 0 && found;
  });
  expect(notes).toEqual(['nothing is left behind']);
  expect(place.operator.log.map(({ message }) => message)).toContain(
    'what Kubernetes does not know of would be removed here',
  );
});

test('what is as it should be costs no write', async () => {
  const place = await start();
  await place.ready(2);
  const touched = async (value: string): Promise<void> => {
    const before = reconciles(place);
    await place.env.patch('example.dev/v1', 'Website', place.namespace, 'hello', {
      metadata: { annotations: { touched: value } },
    });
    await eventually(() => reconciles(place) > before);
  };
  await touched('once'); // whatever the last change of a Pod has led to comes before it
  const before = writes(place);

  await touched('twice');
  await touched('again');

  expect(writes(place)).toEqual(before);
});

test('the definition that is shipped is the one of the schema', async () => {
  await expect(crdYaml(websites)).toMatchFileSnapshot('../crd.yaml');
});

test('the operator has at most sixty lines', () => {
  const source = readFileSync(new URL('../operator.ts', import.meta.url), 'utf8');

  expect(source.trimEnd().split('\n').length).toBeLessThanOrEqual(60);
});
