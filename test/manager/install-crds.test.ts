import type { TestEnv } from '@chancery/testing';
import {
  advanceUntil,
  eventually,
  FakeClock,
  freePort,
  startOperator,
  startTestEnv,
} from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import { type Controller, controller } from '../../operator/controller/controller.ts';
import type { ReconcileContext } from '../../operator/controller/reconciler.ts';
import { sleep } from '../../operator/core/clock.ts';
import { ensureCrd } from '../../operator/manager/crds/ensure-crds.ts';
import { configMaps, customResourceDefinitions } from '../../operator/model/builtin.ts';
import { type Condition, isConditionTrue } from '../../operator/model/condition.ts';
import { customResource, Type } from '../../operator/schema.ts';

const CRDS = 'customresourcedefinitions.apiextensions.k8s.io';

const gadgets = customResource({
  group: 'example.dev',
  version: 'v1',
  kind: 'Gadget',
  spec: Type.Object({ size: Type.Integer({ default: 1 }) }),
});

function gadgetController(seen: number[]): Controller {
  return controller({
    name: 'gadget',
    for: gadgets,
    async reconcile(gadget) {
      if (gadget !== undefined) seen.push(gadget.spec.size);
    },
  });
}

test('with CHANCERY_INSTALL_CRDS the definitions are installed before the sources list them', async () => {
  const env = await startTestEnv({ environment: {}, embedded: { workloads: false } });
  onTestFinished(() => env.stop());
  const namespace = await env.namespace();
  const seen: number[] = [];
  const operator = startOperator({
    url: env.url,
    namespace,
    controllers: [gadgetController(seen)],
    environment: { CHANCERY_INSTALL_CRDS: 'true' },
  });
  onTestFinished(() => operator.stop());
  await operator.untilReady();

  await env.create({
    apiVersion: 'example.dev/v1',
    kind: 'Gadget',
    metadata: { name: 'g', namespace },
    spec: {},
  } as never);

  await eventually(() => seen.length > 0);
  expect(seen).toEqual([1]); // the default of the schema
  expect(operator.log.filter(({ message }) => message.includes('not served'))).toEqual([]);
});

test('without CHANCERY_INSTALL_CRDS nothing is installed, and the controller waits for the definition', async () => {
  const env = await startTestEnv({ environment: {}, embedded: { workloads: false } });
  onTestFinished(() => env.stop());
  const operator = startOperator({ url: env.url, controllers: [gadgetController([])] });
  onTestFinished(() => operator.stop());

  await eventually(() => operator.log.some(({ message }) => message.includes('not served')));

  expect(operator.ready).toBe(false);
  expect(env.events.of({ resource: CRDS })).toEqual([]);
});

const DEFINITIONS = {
  apiGroups: ['apiextensions.k8s.io'],
  resources: ['customresourcedefinitions'],
};
const GADGETS = { apiGroups: ['example.dev'], resources: ['gadgets'] };

/** One more right of the user `operator`. */
function grant(env: TestEnv, name: string, rule: object): void {
  const roleRef = { apiGroup: RBAC, kind: 'ClusterRole', name };
  const subjects = [{ apiGroup: RBAC, kind: 'User', name: 'operator' }];
  const metadata = { name };
  const apiVersion = `${RBAC}/v1`;
  env.server.create({ apiVersion, kind: 'ClusterRole', metadata, rules: [rule] } as never);
  const binding = { apiVersion, kind: 'ClusterRoleBinding', metadata, roleRef, subjects };
  env.server.create(binding as never);
}

const RBAC = 'rbac.authorization.k8s.io';

test('[M-1] an operator that may not install definitions logs once what is missing, and is ready once it may', async () => {
  const embedded = { authorization: 'RBAC', workloads: false } as const;
  const env = await startTestEnv({ backend: 'embedded', embedded });
  onTestFinished(() => env.stop());
  grant(env, 'gadgets', { ...GADGETS, verbs: ['get', 'list', 'watch'] });
  const clock = new FakeClock(Date.now());
  const port = await freePort();
  const operator = startOperator({
    url: await env.server.urlFor('operator'),
    controllers: [gadgetController([])],
    clock,
    environment: { CHANCERY_INSTALL_CRDS: 'true', CHANCERY_HEALTH_PORT: `${port}` },
  });
  onTestFinished(() => operator.stop());
  const refusals = () => operator.log.filter(({ level }) => level === 'error');
  const probe = async (path: string) => (await fetch(`http://127.0.0.1:${port}${path}`)).status;
  const asked = () => env.requests.of({ resource: CRDS }).length;

  await eventually(() => refusals().length > 0);
  const first = asked();
  await advanceUntil(clock, () => asked() >= first + 5);
  const waiting = [await probe('/healthz'), await probe('/readyz')];
  const told = refusals().map(({ message, fields }) => [message, `${fields.err}`]);
  grant(env, 'definitions', { ...DEFINITIONS, verbs: ['get', 'create', 'patch'] });
  await advanceUntil(clock, () => operator.ready);

  expect(waiting).toEqual([200, 500]);
  expect(told).toEqual([
    [
      'definition cannot be installed, the operator waits for that',
      expect.stringContaining(`no right to get ${CRDS} gadgets.example.dev: add to a ClusterRole`),
    ],
  ]);
  expect(await probe('/readyz')).toBe(200);
  expect(refusals()).toHaveLength(1);
});

test('[M-1] a definition that the operator may not read is used unchanged once another client has installed it', async () => {
  const embedded = { authorization: 'RBAC', workloads: false } as const;
  const env = await startTestEnv({ backend: 'embedded', embedded });
  onTestFinished(() => env.stop());
  grant(env, 'gadgets', { ...GADGETS, verbs: ['get', 'list', 'watch'] });
  const clock = new FakeClock(Date.now());
  const operator = startOperator({
    url: await env.server.urlFor('operator'),
    controllers: [gadgetController([])],
    clock,
    environment: { CHANCERY_INSTALL_CRDS: 'true' },
  });
  onTestFinished(() => operator.stop());
  const told = () => operator.log.map(({ message }) => message);

  await eventually(() => operator.log.some(({ level }) => level === 'error'));
  const before = told();
  await env.apply([gadgets.definition as never]);
  await advanceUntil(clock, () => operator.ready);

  const taken = 'definition may not be read, and is taken as it is served';
  expect(before).not.toContain(taken);
  expect(told().filter((message) => message === taken)).toHaveLength(1);
});

test.each<[string, (context: ReconcileContext) => Promise<unknown>]>([
  ['ensures a definition', ({ client, ...rest }) => ensureCrd(client, gadgets, rest)],
  ['applies a definition and reads it until it is established', applyGadgets],
])('[W-40] a reconciler that %s makes the sources of its manager poll faster', async (_how, install) => {
  const env = await startTestEnv({ environment: {}, embedded: { workloads: false } });
  onTestFinished(() => env.stop());
  const clock = new FakeClock(Date.now());
  const installer = controller({
    name: 'installer',
    for: configMaps,
    async reconcile(_wish, context) {
      await install(context);
    },
  });
  const controllers = [gadgetController([]), installer];
  const namespace = await env.namespace();
  const operator = startOperator({ url: env.url, namespace, controllers, clock });
  onTestFinished(() => operator.stop());
  await eventually(() => operator.log.some(({ message }) => message.includes('not served')));
  const startedAt = clock.monotonic();

  await env.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'wish', namespace } });
  await advanceUntil(clock, () => operator.ready);

  expect(clock.monotonic() - startedAt).toBeLessThan(4_000);
});

/** Installs the definition without `ensureCrd`. */
async function applyGadgets({ client, clock, signal }: ReconcileContext): Promise<void> {
  const { definition } = gadgets;
  let live = await client.apply(customResourceDefinitions, definition);
  while (!isConditionTrue(live.status?.conditions as readonly Condition[], 'Established')) {
    await sleep(clock, 100, signal);
    live = await client.get(customResourceDefinitions, definition.metadata);
  }
}

/** `definition` as client-side `kubectl apply` has put it there. */
async function putByKubectl(env: TestEnv, definition: object): Promise<void> {
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  const query = '?fieldManager=kubectl-client-side-apply';
  const answer = await fetch(env.url + path + query, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(definition),
  });
  expect(answer.status).toBe(201);
}

interface Installed {
  readonly managers: readonly unknown[];
  readonly versions: readonly string[];
  readonly fields: readonly string[];
}

async function installed(env: TestEnv): Promise<Installed> {
  const { name } = gadgets.definition.metadata;
  const live = await env.get(
    'apiextensions.k8s.io/v1',
    'CustomResourceDefinition',
    undefined,
    name,
  );
  const { metadata, spec } = live as unknown as typeof gadgets.definition;
  const { managedFields = [] } = metadata as { managedFields?: readonly Record<string, unknown>[] };
  const schema = spec.versions[0]?.schema as {
    openAPIV3Schema: { properties: { spec: { properties: object } } };
  };
  return {
    managers: managedFields.map(({ manager, operation }) => `${manager} ${operation}`),
    versions: spec.versions.map((version) => version.name),
    fields: Object.keys(schema.openAPIV3Schema.properties.spec.properties),
  };
}

/** The definition of an earlier release: other fields, in `version`. */
function earlier(version: string): object {
  return customResource({
    group: 'example.dev',
    version,
    kind: 'Gadget',
    spec: Type.Object({ weight: Type.Optional(Type.Integer()) }),
  }).definition;
}

test('[real R-2] a definition that was installed by `kubectl apply` is kept, and upgraded only with the option force', async () => {
  const env = await startTestEnv({ environment: {}, embedded: { workloads: false } });
  onTestFinished(() => env.stop());
  await putByKubectl(env, earlier('v1'));
  const start = (how: string) => {
    const environment = { CHANCERY_INSTALL_CRDS: how };
    const operator = startOperator({
      url: env.url,
      controllers: [gadgetController([])],
      environment,
    });
    onTestFinished(() => operator.stop());
    return operator;
  };

  const careful = start('true');
  await eventually(() => careful.log.some(({ level }) => level === 'error'));
  const kept = await installed(env);
  await careful.stop();
  const forced = start('force');
  await forced.untilReady();

  expect(String(careful.log.find(({ level }) => level === 'error')?.fields.err)).toContain(
    'CHANCERY_INSTALL_CRDS=force',
  );
  expect(kept.managers).toContain('kubectl-client-side-apply Update');
  expect(kept.fields).toEqual(['weight']);
  expect(await installed(env)).toMatchObject({ versions: ['v1'], fields: ['size'] });
});

test('[real R-2] the option force does not drop a version in which objects may be stored', async () => {
  const env = await startTestEnv({ environment: {}, embedded: { workloads: false } });
  onTestFinished(() => env.stop());
  await putByKubectl(env, earlier('v1alpha1'));

  const operator = startOperator({
    url: env.url,
    controllers: [gadgetController([])],
    environment: { CHANCERY_INSTALL_CRDS: 'force' },
  });
  onTestFinished(() => operator.stop());
  await eventually(() => operator.log.some(({ level }) => level === 'error'));

  const told = operator.log.find(({ level }) => level === 'error');
  expect(String(told?.fields.err)).toContain('a version that the definition drops');
  expect(await installed(env)).toMatchObject({ versions: ['v1alpha1'], fields: ['weight'] });
});
