/** The labels and annotations of jenkins-x/exposecontroller, against an API server. */
import { type ConfigMap, type Deployment, formatYaml, type Ingress, type Service } from 'chancery';
import { configMap, deployment, eventually, service } from 'chancery/testing';
import { expect, test } from 'vitest';
import { type Place, startExample } from '../../testing/place.ts';
import controllers from '../operator.ts';

const NETWORKING = 'networking.k8s.io/v1';
const URL_KEY = 'fabric8.io/exposeUrl';

async function start(config?: Record<string, unknown>): Promise<Place> {
  const place = await startExample({ name: 'expose', controllers });
  if (config !== undefined) await configure(place, config);
  return place;
}

async function configure({ env, namespace }: Place, config: Record<string, unknown>) {
  const data = { 'config.yml': formatYaml(config) };
  await env.apply(configMap('exposecontroller', { namespace, data }));
}

async function createService(
  { env, namespace }: Place,
  name: string,
  annotations: Record<string, string> = {},
): Promise<void> {
  const ports = [{ name: 'http', port: 80 }];
  const labels = { expose: 'true' };
  await env.create(service(name, { namespace, labels, annotations, spec: { ports } }));
}

async function createIngress({ env, namespace }: Place, name: string): Promise<Ingress> {
  const backend = { service: { name: 'mine', port: { number: 1 } } };
  return env.create<Ingress>({
    apiVersion: NETWORKING,
    kind: 'Ingress',
    metadata: { name, namespace },
    spec: { defaultBackend: backend },
  });
}

const ingress = ({ env, namespace }: Place, name: string) =>
  env.get<Ingress>(NETWORKING, 'Ingress', namespace, name);

const live = ({ env, namespace }: Place, name: string) =>
  env.get<Service>('v1', 'Service', namespace, name);

async function dataOf({ env, namespace }: Place, name: string): Promise<ConfigMap['data']> {
  return (await env.get<ConfigMap>('v1', 'ConfigMap', namespace, name))?.data;
}

async function pathsOf(place: Place, name: string): Promise<readonly (string | undefined)[]> {
  const rules = (await ingress(place, name))?.spec?.rules ?? [];
  return rules.flatMap(({ http }) => http?.paths ?? []).map(({ path }) => path);
}

const urlOf = async (place: Place, name: string): Promise<string | undefined> =>
  (await live(place, name))?.metadata.annotations?.[URL_KEY];

const problemOf = (place: Place, name: string): Promise<string> =>
  eventually(async () => {
    const { annotations } = (await live(place, name))?.metadata ?? {};
    return annotations?.['expose.chancery.dev/problem'];
  });

async function annotate(place: Place, name: string, annotations: Record<string, string | null>) {
  await place.env.patch('v1', 'Service', place.namespace, name, { metadata: { annotations } });
}

test('acceptance C2: host, URL, ConfigMaps, Deployments and a changed port', async () => {
  const place = await start({ exposer: 'Ingress', domain: 'example.org' });
  const { env, namespace } = place;
  const host = `svc.${namespace}.example.org`;
  const key = 'service-key.config.fabric8.io/svc';
  await env.create(
    configMap('svc', {
      namespace,
      annotations: { 'expose.config.fabric8.io/url-key': 'service.url' },
    }),
  );
  await env.create(
    configMap('two', { namespace, annotations: { [`expose-no-protocol.${key}`]: 'k' } }),
  );
  await env.create(configMap('zoo', { namespace, annotations: { [`expose.${key}`]: 'k' } }));
  await env.create(
    deployment('reader', {
      namespace,
      annotations: { 'configmap.fabric8.io/update-on-change': 'other,svc' },
    }),
  );
  const fixed = { namespace, annotations: { [`expose-full.${key}`]: 'k' } };
  await env.create({ ...configMap('fixed', fixed), immutable: true });
  await createService(place, 'svc');

  await eventually(async () => (await urlOf(place, 'svc')) === `http://${host}`);
  const made = await ingress(place, 'svc');
  expect(made?.spec?.rules?.map((rule) => rule.host)).toEqual([host]);
  expect(made?.metadata).toMatchObject({
    labels: { provider: 'fabric8' },
    annotations: { 'fabric8.io/generated-by': 'exposecontroller' },
    ownerReferences: [{ kind: 'Service', name: 'svc' }],
  });
  await eventually(async () => (await dataOf(place, 'zoo'))?.k === `http://${host}`);
  expect(await dataOf(place, 'two')).toEqual({ k: host });
  expect(await dataOf(place, 'svc')).toEqual({ 'service.url': `http://${host}` });
  const env0 = await eventually(async () => {
    const rolled = await env.get<Deployment>('apps/v1', 'Deployment', namespace, 'reader');
    return rolled?.spec?.template.spec?.containers[0]?.env?.[0];
  });
  expect(env0).toMatchObject({ name: 'FABRIC8_SVC_CONFIGMAP' });
  expect(env0.value, 'C2-9: a digest, not the text').toMatch(/^[0-9a-f]{64}$/);

  const ports = [80, 9090].map((port) => ({ name: `p${port}`, port }));
  await env.patch('v1', 'Service', namespace, 'svc', { spec: { ports } });
  await annotate(place, 'svc', { 'fabric8.io/exposePort': '9090' });
  await eventually(async () => {
    const [path] = (await ingress(place, 'svc'))?.spec?.rules?.[0]?.http?.paths ?? [];
    return path?.backend.service?.port?.number === 9090;
  });
  expect((await ingress(place, 'svc'))?.metadata.uid, 'C2-4').toBe(made?.metadata.uid);
  await eventually(async () => (await place.events('InjectionRejected')).length > 0);

  await place.operator.stop();
  const before = ownWrites(place);
  const again = place.startOperator();
  await eventually(() => SUCCESSES.every((series) => Number(again.meter.snapshot()[series]) > 0));
  expect(ownWrites(place), 'nothing is written that does not differ').toEqual(before);
});

/** But for the ConfigMap that refuses each. */
const ownWrites = (place: Place): readonly string[] =>
  place.writes().filter((write) => write !== 'patch configmaps');

const SUCCESSES = ['exposecontroller', 'exposecontroller-ingress'].map(
  (name) => `controller_runtime_reconcile_total{controller="${name}",result="success"}`,
);

test('acceptance C2: cleanup removes only what was generated', async () => {
  const place = await start({ domain: 'example.org' });
  await createIngress(place, 'mine');
  await createService(place, 'svc');
  await createService(place, 'kept');
  await eventually(() => urlOf(place, 'svc'));
  await eventually(() => urlOf(place, 'kept'));

  await configure(place, { domain: 'example.org', cleanup: true, filter: 'sv' });
  await eventually(async () => (await ingress(place, 'svc')) === undefined);
  await eventually(async () => (await urlOf(place, 'svc')) === undefined);

  expect(await ingress(place, 'mine')).toBeDefined();
  expect(await ingress(place, 'kept')).toBeDefined();
});

test('C2-1, C2-2, C2-3: Services that share an Ingress come, move and go one by one', async () => {
  const place = await start({ domain: 'example.org' });
  const shared = { 'fabric8.io/ingress.name': 'shop' };
  await createService(place, 'a', { ...shared, 'fabric8.io/ingress.path': '/a' });
  await createService(place, 'b', { ...shared, 'fabric8.io/ingress.path': '/b' });
  await eventually(async () => (await pathsOf(place, 'shop')).join() === '/a,/b');
  const { uid } = (await ingress(place, 'shop'))?.metadata ?? {};

  await annotate(place, 'a', { 'fabric8.io/ingress.path': '/new' });
  await eventually(async () => (await pathsOf(place, 'shop')).join() === '/new,/b');
  await place.env.delete('v1', 'Service', place.namespace, 'a');
  await eventually(async () => (await pathsOf(place, 'shop')).join() === '/b');
  expect((await ingress(place, 'shop'))?.metadata.uid).toBe(uid);

  await place.operator.stop();
  await annotate(place, 'b', { 'fabric8.io/ingress.name': 'other' });
  place.startOperator();
  await eventually(async () => (await ingress(place, 'shop')) === undefined);
  await eventually(async () => (await pathsOf(place, 'other')).join() === '/b');
});

test("C2-5: somebody else's Ingress is left alone and told of, until it goes", async () => {
  const place = await start({ domain: 'example.org' });
  const foreign = await createIngress(place, 'web');
  await createService(place, 'web');

  expect(await problemOf(place, 'web')).toMatch(/^ErrResourceExists/);
  expect(await ingress(place, 'web')).toEqual(foreign);
  expect(await urlOf(place, 'web')).toBeUndefined();
  await eventually(async () => (await place.events('ErrResourceExists')).length === 1);

  await place.env.delete(NETWORKING, 'Ingress', place.namespace, 'web');
  await eventually(() => urlOf(place, 'web'));

  await createService(place, 'odd', { 'fabric8.io/ingress.annotations': 'a/b/c: d' });
  await eventually(async () => (await place.events('IngressRejected')).length === 1);
});

test('C2-10: by NodePort and by LoadBalancer a Service gets its type, and gives it back', async () => {
  const place = await start({ exposer: 'NodePort' });
  await createService(place, 'web', { 'fabric8.io/exposeHostNameAs': 'host' });
  expect(await problemOf(place, 'web')).toMatch(/^NoNodeAddress/);
  expect((await live(place, 'web'))?.spec?.type).toBe('ClusterIP');
  await place.env.create({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'only' } });
  const addresses = [{ type: 'InternalIP', address: '192.0.2.7' }];
  await place.env.patch('v1', 'Node', undefined, 'only', { status: { addresses } }, 'status');
  await configure(place, { exposer: 'NodePort', apiserver: 'any change' });

  const url = await eventually(() => urlOf(place, 'web'));
  const opened = await live(place, 'web');
  expect(url).toBe(`http://192.0.2.7:${opened?.spec?.ports?.[0]?.nodePort}`);
  expect(opened?.metadata.annotations?.host).toBe(new URL(url).host);

  await configure(place, { exposer: 'LoadBalancer' });
  await eventually(async () => (await live(place, 'web'))?.spec?.type === 'LoadBalancer');
  const status = { loadBalancer: { ingress: [{ hostname: 'lb.example.org' }] } };
  await place.env.patch('v1', 'Service', place.namespace, 'web', { status }, 'status');
  await eventually(async () => (await urlOf(place, 'web')) === 'http://lb.example.org');

  const labels = { expose: null };
  await place.env.patch('v1', 'Service', place.namespace, 'web', { metadata: { labels } });
  await eventually(async () => (await live(place, 'web'))?.spec?.type === 'ClusterIP');
  const after = await live(place, 'web');
  expect(after?.spec?.ports?.[0]?.nodePort).toBeUndefined();
  expect(Object.keys(after?.metadata.annotations ?? {})).toEqual(['fabric8.io/exposeHostNameAs']);
});

test('a configuration may come later; one that cannot be read is told of, and changes nothing', async () => {
  const place = await start();
  await createService(place, 'web', { expose: '/shop', 'fabric8.io/ingress.name': 'jx' });
  await eventually(() => ingress(place, 'web')); // that of the other form: both side by side

  await configure(place, { domain: 'example.org' });
  await eventually(() => urlOf(place, 'web'));
  await configure(place, { exposer: 'Route' });
  await eventually(async () => (await place.events('InvalidConfig')).length === 1);

  expect(await pathsOf(place, 'jx')).toEqual(['/']);
  expect(await pathsOf(place, 'web')).toEqual(['/shop']);
});
