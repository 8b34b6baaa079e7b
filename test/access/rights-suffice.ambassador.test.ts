/**
 * An operator as in its Pod: with the generated roles, behind a real ambassador with the generated
 * filter. Everything in its declaration that has names is done, and nothing of it is refused.
 */

import { eventually, startTestEnv, TestOperator } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import { proxyFilter } from '../../operator/access/filter/proxy-filter.ts';
import { rbac } from '../../operator/access/rbac.ts';
import { controller } from '../../operator/controller/controller.ts';
import { source } from '../../operator/controller/source.ts';
import { type ConfigMap, configMaps, type Lease } from '../../operator/model/builtin.ts';
import type { KubernetesObject } from '../../operator/model/object.ts';
import { customResource } from '../../operator/schema/custom-resource.ts';
import { Type } from '../../operator/schema/type.ts';
import { startProxy } from '../support/cluster.ts';

const gadgets = customResource({
  group: 'example.dev',
  version: 'v1',
  kind: 'Gadget',
  spec: Type.Object({ text: Type.String() }),
  status: Type.Object({ seen: Type.String() }),
});

function configMap(namespace: string, name: string, text: string): ConfigMap {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace, name }, data: { text } };
}

/** Children, a status and a finalizer, in each namespace; its definition is installed. */
const maker = controller({
  name: 'maker',
  for: gadgets,
  owns: [configMaps],
  finalizer: { name: 'example.dev/farewell', finalize: async () => {} },
  async reconcile(gadget, { applyOwned, setStatus }) {
    const { name } = gadget.metadata;
    await applyOwned(configMaps, { metadata: { name }, data: { text: gadget.spec.text } });
    await setStatus({ seen: gadget.spec.text });
  },
});

/** One object by its name, and another that is applied by its name: it is created so, too. */
const copier = controller({
  name: 'copier',
  for: source(configMaps, { namespace: { name: 'b' }, fieldSelector: 'metadata.name=chosen' }),
  permissions: [
    { resource: configMaps, resourceNames: ['copy.1'], verbs: ['get', 'create', 'patch'] },
  ],
  async reconcile(chosen, { client }) {
    await client.apply(configMaps, configMap('b', 'copy.1', chosen.data?.text ?? ''));
    await client.find(configMaps, { namespace: 'b', name: 'copy.1' });
  },
});

const PLACEMENT = {
  namespaces: ['a', 'c'],
  leaderElection: { namespace: 'home' },
  installCrds: true,
};

test('an operator with resource names in its declarations can do everything that it declares', async () => {
  const controllers = [maker, copier];
  const env = await startTestEnv({ environment: {}, embedded: { authorization: 'RBAC' } });
  onTestFinished(() => env.stop());
  for (const name of ['home', 'a', 'b', 'c']) {
    await env.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  }
  const serviceAccount = { name: 'operator', namespace: 'home' };
  const granted = rbac(controllers, { ...PLACEMENT, name: 'operator', serviceAccount });
  await env.apply(granted as unknown as readonly KubernetesObject[]);
  const { url } = await startProxy(
    await env.server.urlFor('system:serviceaccount:home:operator'),
    proxyFilter(controllers, PLACEMENT),
  );
  const operator = new TestOperator({
    url,
    controllers,
    leaderElection: PLACEMENT.leaderElection,
    environment: {
      WATCH_NAMESPACE: 'a,c',
      POD_NAMESPACE: 'home',
      CHANCERY_INSTALL_CRDS: 'true',
    },
  });
  onTestFinished(() => operator.stop());
  const textOf = async (namespace: string, name: string): Promise<string | undefined> =>
    (await env.get<ConfigMap>('v1', 'ConfigMap', namespace, name))?.data?.text;

  operator.start();
  await operator.untilReady();
  await env.apply([configMap('b', 'chosen', 'x'), configMap('b', 'other', 'y')]);
  for (const namespace of ['a', 'c']) {
    const metadata = { namespace, name: 'first' };
    await env.apply({
      apiVersion: 'example.dev/v1',
      kind: 'Gadget',
      metadata,
      spec: { text: namespace },
    } as KubernetesObject);
  }
  await eventually(async () => (await textOf('b', 'copy.1')) === 'x');
  await eventually(async () => (await textOf('a', 'first')) === 'a');
  await eventually(async () => (await textOf('c', 'first')) === 'c');
  await env.delete('example.dev/v1', 'Gadget', 'c', 'first');
  await eventually(async () => !(await env.get('example.dev/v1', 'Gadget', 'c', 'first')));
  const led = operator.leads;
  await operator.stop();

  const lease = await env.get<Lease>('coordination.k8s.io/v1', 'Lease', 'home', 'maker-leader');
  expect(led).toBe(true);
  expect(lease?.spec).toMatchObject({ holderIdentity: '' }); // given back, by an update
  expect(operator.log.filter(({ level }) => level === 'warn' || level === 'error')).toEqual([]);
});

test('if a source selects one name, the roles grant no access to other objects', async () => {
  const env = await startTestEnv({ environment: {}, embedded: { authorization: 'RBAC' } });
  onTestFinished(() => env.stop());
  await env.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'b' } });
  await env.apply([configMap('b', 'chosen', 'x'), configMap('b', 'other', 'y')]);
  const serviceAccount = { name: 'operator', namespace: 'home' };
  const granted = rbac([copier], { namespaces: ['b'], name: 'operator', serviceAccount });
  await env.apply(granted as unknown as readonly KubernetesObject[]);
  const url = await env.server.urlFor('system:serviceaccount:home:operator');
  const collection = `${url}/api/v1/namespaces/b/configmaps`;
  const status = async (path: string, init: RequestInit = {}): Promise<number> => {
    const response = await fetch(`${collection}${path}`, init);
    await response.body?.cancel();
    return response.status;
  };
  const apply = (name: string): Promise<number> =>
    status(`/${name}?fieldManager=x`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/apply-patch+yaml' },
      body: JSON.stringify(configMap('b', name, 'z')),
    });

  const allowed = [
    await status('?fieldSelector=metadata.name%3Dchosen'),
    await status('?watch=true&timeoutSeconds=1&fieldSelector=metadata.name%3D%3Dchosen'),
    await status('/chosen'),
    await apply('copy.1'),
  ];
  const refused = [
    await status(''),
    await status('?watch=true'),
    await status('?fieldSelector=metadata.name%3Dother'),
    await status('?fieldSelector=metadata.name!%3Dother'),
    await status('/other'),
    await apply('copy-1'),
    await apply('chosen'),
    await status('', { method: 'POST', body: JSON.stringify(configMap('b', 'copy.1', 'z')) }),
  ];

  expect(allowed).toEqual([200, 200, 200, 201]);
  expect(refused).toEqual(refused.map(() => 403));
});

test.each<[string, readonly string[] | undefined]>([
  ['in one namespace', ['a']],
  ['in all namespaces', undefined],
])('[K-26] [child 9] %s, the declared permissions are enough to finalize an object that left the selector', async (_, namespaces) => {
  const env = await startTestEnv({ environment: {}, embedded: { authorization: 'RBAC' } });
  onTestFinished(() => env.stop());
  for (const name of ['home', 'a']) {
    await env.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  }
  const keeper = controller({
    name: 'keeper',
    for: source(configMaps, { labelSelector: 'kept=yes' }),
    finalizer: { name: 'example.dev/farewell', finalize: () => {} },
    reconcile: () => {},
  });
  const serviceAccount = { name: 'operator', namespace: 'home' };
  const placement = { namespaces };
  const granted = rbac([keeper], { ...placement, name: 'operator', serviceAccount });
  await env.apply(granted as unknown as readonly KubernetesObject[]);
  const { url } = await startProxy(
    await env.server.urlFor('system:serviceaccount:home:operator'),
    proxyFilter([keeper], placement),
  );
  const environment = { WATCH_NAMESPACE: namespaces?.join(',') ?? '*', POD_NAMESPACE: 'home' };
  const operator = new TestOperator({ url, controllers: [keeper], environment });
  onTestFinished(() => operator.stop());
  const kept = configMap('a', 'one', 'x');
  await env.create({ ...kept, metadata: { ...kept.metadata, labels: { kept: 'yes' } } });
  const live = () => env.get<ConfigMap>('v1', 'ConfigMap', 'a', 'one');
  operator.start();
  await eventually(async () => (await live())?.metadata.finalizers?.length === 1);

  await env.patch('v1', 'ConfigMap', 'a', 'one', { metadata: { labels: { kept: 'no' } } });
  await eventually(() => operator.log.some(({ message }) => message.includes('left the selector')));
  await env.delete('v1', 'ConfigMap', 'a', 'one');
  await eventually(async () => (await live()) === undefined);
  await operator.stop();

  const troubles = operator.log.filter(({ level }) => level === 'warn' || level === 'error');
  expect(troubles.map(({ message }) => message)).toEqual([
    'an object with the finalizer has left the selector',
  ]);
});
