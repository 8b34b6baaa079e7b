/** The operators of the guides for writing them, run as they stand there. */

import {
  configMap,
  consistently,
  deployment,
  eventually,
  secret,
  startOperator,
  startTestEnv,
  type TestEnv,
} from '@chancery/testing';
import {
  type Controller,
  controller,
  controllerOf,
  defineResource,
  type KubernetesObject,
  type Permission,
  source,
} from 'chancery';
import {
  type ConfigMap,
  configMaps,
  type Deployment,
  type Job,
  type Pod,
} from 'chancery/kubernetes';
import { type CustomResource, type CustomResourceOptions, crdYaml } from 'chancery/schema';
import { expect, onTestFinished, test } from 'vitest';
import { accessOf, permissionsForCrds } from '../../operator/access/required-access.ts';
import type { Channel } from '../../operator/controller/trigger.ts';
import { parseYaml } from '../../operator/core/yaml.ts';
import { exampleOf, guide, rowsOf } from './guide.ts';

async function cluster(): Promise<{ readonly env: TestEnv; readonly namespace: string }> {
  const workloads = { podReadyMs: 20, podStopMs: 10, jobRunMs: 20 };
  const env = await startTestEnv({ environment: {}, embedded: { workloads } });
  onTestFinished(() => env.stop());
  return { env, namespace: await env.namespace() };
}

function run(env: TestEnv, namespace: string, controllers: readonly Controller[]) {
  const operator = startOperator({ url: env.url, namespace, controllers });
  onTestFinished(() => operator.stop());
  return operator;
}

interface Example {
  readonly default: Controller;
}

test('prices: changes of a labelled ConfigMap or Secret, and calls of a hook, cause reconciles', async () => {
  const { env, namespace } = await cluster();
  await env.create(configMap('prices', { namespace, labels: { app: 'shop' } }));
  const example = await exampleOf<Example & { readonly hook: Channel }>(
    'guides/write/operators.md',
    'prices.ts',
  );
  const operator = run(env, namespace, [example.default]);
  const reconciles = (): number => {
    const series = 'controller_runtime_reconcile_total{controller="prices",result="requeue_after"}';
    return Number(operator.meter.snapshot()[series] ?? 0);
  };
  await eventually(() => reconciles() === 1);

  await env.create({
    ...secret('key', { namespace }),
    metadata: { name: 'key', namespace, labels: { app: 'shop' } },
  });
  await eventually(() => reconciles() === 2);
  example.hook.send([`${namespace}/prices` as never]);
  await eventually(() => reconciles() === 3);
});

test('readers: if a Deployment refers to a ConfigMap, a change of the ConfigMap causes a reconcile', async () => {
  const { env, namespace } = await cluster();
  await env.create({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'only' } });
  await env.create(deployment('web', { namespace, annotations: { reads: 'colors' } }));
  const { default: readers } = await exampleOf<Example>('guides/write/operators.md', 'readers.ts');
  run(env, namespace, [readers]);
  const told = async (note: string): Promise<boolean> => {
    const events = await env.list<KubernetesObject & { note: string }>('events.k8s.io/v1', 'Event');
    return events.some((event) => event.note === note);
  };

  await env.create(configMap('colors', { namespace, data: { color: 'red' } }));
  await eventually(() => told('red on 1 nodes'));
  await env.patch('v1', 'ConfigMap', namespace, 'colors', { data: { color: 'blue' } });
  await eventually(() => told('blue on 1 nodes'));
});

test('counter: the controller adds its field, and does not change the existing count', async () => {
  const { env, namespace } = await cluster();
  await env.create(configMap('a', { namespace, data: { count: '1' } }));
  const { default: counter } = await exampleOf<Example>('guides/write/operators.md', 'counter.ts');
  run(env, namespace, [counter]);

  await eventually(async () => {
    const live = await env.get<ConfigMap>('v1', 'ConfigMap', namespace, 'a');
    return live?.data?.seen === 'yes';
  });

  const live = await env.get<ConfigMap>('v1', 'ConfigMap', namespace, 'a');
  expect(live?.data).toEqual({ count: '1', seen: 'yes' });
});

test('labelled: the copy has the data of the original, and the label that the interceptor adds', async () => {
  const { env, namespace } = await cluster();
  await env.create(
    configMap('a', { namespace, labels: { copied: 'yes' }, data: { colour: 'red' } }),
  );
  const { default: labelled } = await exampleOf<Example>(
    'guides/write/operators.md',
    'labelled.ts',
  );
  run(env, namespace, [labelled]);
  const copy = () => env.get<ConfigMap>('v1', 'ConfigMap', namespace, 'a-copy');

  await eventually(async () => (await copy()) !== undefined);

  expect(await copy()).toMatchObject({
    metadata: { labels: { team: 'shop' } },
    data: { colour: 'red' },
  });
});

test('shards: the controller creates three ConfigMaps, and never a fourth', async () => {
  const { env, namespace } = await cluster();
  const parent = await env.create(deployment('web', { namespace, replicas: 0 }));
  const { default: shards } = await exampleOf<Example>('guides/write/operators.md', 'shards.ts');
  run(env, namespace, [shards]);
  const count = async (): Promise<number> => {
    const all = await env.list('v1', 'ConfigMap', namespace);
    return all.filter((each) => controllerOf(each)?.uid === parent.metadata.uid).length;
  };

  await eventually(async () => (await count()) === 3);
  await env.patch('apps/v1', 'Deployment', namespace, 'web', { spec: { minReadySeconds: 1 } });

  await consistently(async () => (await count()) === 3);
});

interface Shop extends KubernetesObject {
  readonly status?: { readonly readyReplicas: number };
}

test('shop: for a new image a Job is created, and then the Deployment is updated', async () => {
  const { env, namespace } = await cluster();
  type Shops = { readonly shops: CustomResource } & Example;
  const { default: shop, shops } = await exampleOf<Shops>('guides/write/composites.md', 'shop.ts');
  await env.apply(crdYaml(shops));
  run(env, namespace, [shop]);
  const metadata = { name: 'a', namespace };
  const image = 'shop:1';
  await env.create({
    apiVersion: 'example.dev/v1',
    kind: 'Shop',
    metadata,
    spec: { image },
  } as Shop);
  const web = () => env.get<Deployment>('apps/v1', 'Deployment', namespace, 'a');
  const job = () => env.get<Job>('batch/v1', 'Job', namespace, 'a-migrate');
  const ready = (image: string) =>
    eventually(async () => {
      const site = await env.get<Shop>('example.dev/v1', 'Shop', namespace, 'a');
      const served = (await web())?.spec.template.spec?.containers[0]?.image;
      return site?.status?.readyReplicas === 1 && served === image;
    });
  await ready('shop:1');
  const first = await job();

  await env.patch('example.dev/v1', 'Shop', namespace, 'a', { spec: { image: 'shop:2' } });
  await ready('shop:2');

  const second = await job();
  expect([first?.status?.succeeded, second?.status?.succeeded]).toEqual([1, 1]);
  expect(second?.metadata.uid).not.toBe(first?.metadata.uid);
  expect(second?.metadata.annotations).toMatchObject({ 'example.dev/image': 'shop:2' });
  expect(await env.get('v1', 'Service', namespace, 'a')).toBeDefined();
});

interface Rack extends KubernetesObject {
  readonly status?: { readonly conditions?: readonly { type: string; reason: string }[] };
}

test('racks: a new image replaces the Pods one by one, in the order of the servers', async () => {
  const { env, namespace } = await cluster();
  type Racks = { readonly racks: CustomResource } & Example;
  const { default: rack, racks } = await exampleOf<Racks>('guides/write/composites.md', 'racks.ts');
  await env.apply(crdYaml(racks));
  run(env, namespace, [rack]);
  const metadata = { name: 'a', namespace };
  const spec = { image: 'server:1', servers: ['one', 'two', 'three'] };
  await env.create({ apiVersion: 'example.dev/v1', kind: 'Rack', metadata, spec } as Rack);
  const podsOf = async (image: string): Promise<readonly Pod[]> => {
    const all = await env.list<Pod>('v1', 'Pod', namespace);
    return all.filter((pod) => pod.spec.containers[0]?.image === image && isReady(pod));
  };
  await eventually(async () => (await podsOf('server:1')).length === 3);

  await env.patch('example.dev/v1', 'Rack', namespace, 'a', { spec: { image: 'server:2' } });

  await eventually(async () => (await podsOf('server:2')).length === 3);
  await eventually(async () => {
    const { status } = (await env.get<Rack>('example.dev/v1', 'Rack', namespace, 'a')) ?? {};
    return status?.conditions?.some(({ reason }) => reason === 'OnLatestRevision') === true;
  });
  const changes = env.events.of({ resource: 'pods' });
  const deleted = changes.filter(({ type }) => type === 'DELETED').map(({ name }) => name);
  expect(deleted).toEqual(['one', 'two', 'three']);
});

function isReady({ status }: Pod): boolean {
  return (
    status?.conditions?.some((each) => each.type === 'Ready' && each.status === 'True') === true
  );
}

test('the API server serves the resource of custom-resources.md with its defaults, and enforces its rule', async () => {
  const { env, namespace } = await cluster();
  type Websites = { readonly websites: CustomResource; manifest: string; problems: unknown[] };
  const example = await exampleOf<Websites>('guides/write/custom-resources.md', 'website.ts');
  const metadata = { name: 'a', namespace };
  const site = {
    apiVersion: 'example.dev/v1',
    kind: 'Website',
    metadata,
    spec: { image: 'web:1' },
  };

  await env.apply(example.manifest);
  const created = await env.create(site);
  const refused = env.patch('example.dev/v1', 'Website', namespace, 'a', { spec: { replicas: 4 } });

  expect(created).toMatchObject({ spec: { image: 'web:1', replicas: 1, tier: 'free' } });
  await expect(refused).rejects.toThrow('the free tier has three replicas');
  expect(example.problems).toMatchObject([{ path: 'metadata' }, { path: 'spec' }]);
});

test('custom-resources.md lists exactly the permissions that are needed for definitions', async () => {
  const { websites } = await exampleOf<{ readonly websites: CustomResource }>(
    'guides/write/custom-resources.md',
    'website.ts',
  );
  const [, block = ''] =
    /^```yaml\n(.*?)^```$/ms.exec(guide('guides/write/custom-resources.md')) ?? [];

  const declared = controller({ name: 'x', for: websites, reconcile: async () => {} });
  const needed = permissionsForCrds([declared]);

  const shown = parseYaml(block) as { verbs: string[]; resourceNames?: string[] }[];
  const inRoles = (permission: Permission): object => ({
    apiGroups: [permission.resource.group],
    resources: [permission.resource.plural],
    ...(permission.resourceNames && { resourceNames: permission.resourceNames }),
    verbs: permission.verbs,
  });
  expect(shown).toEqual(needed.map(inRoles));
});

const OPTIONS: Readonly<Record<keyof CustomResourceOptions<never>, true>> = {
  group: true,
  version: true,
  kind: true,
  spec: true,
  status: true,
  plural: true,
  singular: true,
  listKind: true,
  scope: true,
  shortNames: true,
  categories: true,
  description: true,
  printerColumns: true,
  selectableFields: true,
  scale: true,
  rules: true,
  otherVersions: true,
  convert: true,
  revision: true,
  apiApproved: true,
};

test('the table in custom-resources.md has exactly the options of a resource', () => {
  const named = rowsOf(guide('guides/write/custom-resources.md')).flatMap(([names = '']) =>
    [...names.matchAll(/`(\w+)`/g)].map(([, name]) => name),
  );

  expect(named.toSorted()).toEqual(Object.keys(OPTIONS).toSorted());
});

const widgets = defineResource({
  ...{ group: 'example.dev', version: 'v1', plural: 'widgets', kind: 'Widget', namespaced: true },
});

test('the table in operators.md has exactly the permissions that are generated from the declarations', async () => {
  const { default: shop, shops } = await exampleOf<
    Example & { readonly shops: CustomResource<KubernetesObject> }
  >('guides/write/composites.md', 'shop.ts');
  const declared = controller({
    name: 'all',
    for: shops,
    owns: [configMaps],
    finalizer: { name: 'example.dev/all', finalize: async () => {} },
    reconcile: async () => {},
  });
  const clearing = controller({
    name: 'clearing',
    for: source(widgets, { onUnserved: 'clear' }),
    reconcile: async () => {},
  });
  const election = { namespaces: ['n'], leaderElection: { namespace: 'leases' } };
  const place = { ...election, installCrds: true };

  const granted = accessOf([declared], place).map(
    ({ resource: { plural }, subresource, verbs, resourceNames = [] }) =>
      [[plural, subresource].filter(Boolean).join('/'), ...verbs.toSorted(), ...resourceNames].join(
        ' ',
      ),
  );
  const ofClearing = accessOf([clearing], { namespaces: ['n'] }).filter(
    ({ resource }) => resource.plural === 'customresourcedefinitions',
  );
  const ofComposite = accessOf([shop], place).find(({ resource }) => resource.plural === 'jobs');

  expect(granted.toSorted()).toEqual([
    'configmaps create get list patch watch',
    'customresourcedefinitions create get patch shops.example.dev',
    'events create',
    'events create patch',
    'leases create',
    'leases get update all-leader',
    'shops get list patch watch',
    'shops/finalizers update',
    'shops/status patch',
  ]);
  expect(ofClearing).toMatchObject([{ verbs: ['get'], resourceNames: ['widgets.example.dev'] }]);
  expect(ofComposite?.verbs.toSorted()).toEqual([
    ...['create', 'delete', 'get', 'list', 'patch', 'watch'],
  ]);
  const rights = rowsOf(
    guide('guides/write/operators.md').split('## Rights')[1]?.split('## Status')[0] ?? '',
  );
  const shown = rights.map(([, cell = '']) =>
    [...cell.matchAll(/`([\w.]+)`/g)].map(([, word]) => word),
  );
  expect(shown).toEqual([
    [],
    ['get', 'list', 'watch'],
    ['create', 'patch', 'update', 'finalizers'],
    ['patch'],
    ['patch', 'status'],
    ['delete'],
    ['create', 'patch', 'events', 'events.k8s.io'],
    ['get', 'update', 'create', 'leases', 'coordination.k8s.io', 'create', 'events'],
    ['get', 'create', 'patch'],
    ['get'],
  ]);
});

test('rights: the API server accepts the manifest of roles in operators.md', async () => {
  const { env } = await cluster();
  await env.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
  type Rights = { readonly manifest: string; readonly flags: readonly string[] };
  const { manifest, flags } = await exampleOf<Rights>('guides/write/operators.md', 'rights.ts');

  const applied = await env.apply(manifest);

  expect(applied.map(({ kind, metadata }) => `${kind} ${metadata.namespace}`)).toEqual([
    'Role shop',
    'RoleBinding shop',
  ]);
  expect(flags.join()).toContain('--accept-paths=');
});
