/**
 * The whole way: kubectl, an API server with what is generated for it, a real gate with its generated configuration, and an
 * operator.
 *
 * @module-tag nginx
 * @module-tag kubectl
 */
import { freePort, startOperator, type TestOperator } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import { controller } from '../../operator/controller/controller.ts';
import { gateConfigurations } from '../../operator/generate/webhook/configurations.ts';
import { gateNames } from '../../operator/generate/webhook/gate-names.ts';
import { convertedDefinition } from '../../operator/generate/webhook/webhook-model.ts';
import {
  servedPaths,
  type WebhooksOptions,
} from '../../operator/generate/webhook/webhooks-options.ts';
import { configMaps, secrets, services } from '../../operator/kubernetes.ts';
import type { KubernetesObject } from '../../operator/model/object.ts';
import { customResource } from '../../operator/schema.ts';
import { allow, deny } from '../../operator/webhook/decision.ts';
import { mutatingWebhook, validatingWebhook } from '../../operator/webhook/webhook.ts';
import { alphaToBeta, betaToV1, boat, v1, v1alpha1, v1beta1 } from '../schema/conversion/boats.ts';
import { Session } from '../tools/kubectl-session.ts';
import { GateProcess } from './support/gate-process.ts';

const PLACE = { name: 'shop', namespace: 'shop' };

/** Closed: without an answer no ConfigMap is written. */
const colours = validatingWebhook({
  name: 'colours.configmaps.example.com',
  resource: configMaps,
  failurePolicy: 'Fail',
  validate({ object }) {
    if (object.data?.colour === 'red') return deny('red is taken');
    if (object.data?.colour === 'rde') return deny('is no colour', { field: 'data.colour' });
    return allow({ warnings: object.data?.colour === 'grey' ? ['grey goes away in May'] : [] });
  },
});

/** Closed, and never answers: it has 4 s, and the API server waits for a second more. */
const hanging = validatingWebhook({
  name: 'hanging.services.example.com',
  resource: services,
  failurePolicy: 'Fail',
  timeoutSeconds: 5,
  validate: () => new Promise(() => {}),
});

/** Open: without an answer a Secret is stored as it is. */
const creators = mutatingWebhook({
  name: 'creators.secrets.example.com',
  resource: secrets,
  operations: ['CREATE'],
  mutate: ({ object, user }) => ({
    ...object,
    metadata: { ...object.metadata, annotations: { 'example.com/by': user.username } },
  }),
});

interface Lost {
  readonly spec: { readonly papers?: { readonly lost?: string } };
}

/** Boats, of which no lost one can be read in an older version. */
const boats = customResource({
  group: 'harbour.example',
  kind: 'Boat',
  ...v1,
  otherVersions: [v1alpha1, v1beta1],
  convert: [
    alphaToBeta,
    {
      ...betaToV1,
      down(object: Lost) {
        if (object.spec.papers?.lost === undefined) return betaToV1.down(object as never);
        throw new Error(`it is lost: ${object.spec.papers.lost}`);
      },
    },
  ],
});

const OPTIONS: WebhooksOptions = {
  certificates: 'pod',
  image: 'chancery-gate:1',
  signer: 'example.com/serving',
  webhooks: [colours, creators, hanging],
  conversions: [boats.definition.metadata.name],
};

interface WholeWay {
  readonly kubectl: Session;
  readonly gate: GateProcess;
  readonly operator: TestOperator;
}

async function start(): Promise<WholeWay> {
  const listen = `127.0.0.1:${await freePort()}`;
  const names = gateNames(PLACE).dnsNames;
  const gate = await GateProcess.start({ paths: servedPaths(OPTIONS), operator: listen, names });
  onTestFinished(() => gate.stop());
  const kubectl = await Session.start({
    webhookServices: { 'shop/shop-gate': `127.0.0.1:${gate.port}` },
  });
  const { server } = kubectl;
  const options = { ...OPTIONS, caBundle: gate.authority.certificate };
  server.create(convertedDefinition(boats.definition, options, PLACE));
  const operator = startOperator({
    url: server.url,
    controllers: [controller({ name: 'harbour', for: boats, reconcile: () => {} })],
    webhooks: OPTIONS.webhooks,
    environment: { CHANCERY_WEBHOOK_LISTEN: listen },
  });
  onTestFinished(() => operator.stop());
  await operator.untilReady();
  for (const each of gateConfigurations(options, PLACE, {})) server.create(each);
  return { kubectl, gate, operator };
}

/** What `kubectl create` says to a ConfigMap of this colour. */
function create({ kubectl }: WholeWay, name: string, colour: string, ...flags: readonly string[]) {
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { colour } };
  return kubectl.try(['create', '-f', '-', ...flags], { input: JSON.stringify(object) });
}

function createSecret({ kubectl }: WholeWay, name: string, ...flags: readonly string[]) {
  return kubectl.run(['create', 'secret', 'generic', name, '--from-literal=a=b', ...flags]);
}

const stored = ({ kubectl }: WholeWay, kind: string, name: string): KubernetesObject | undefined =>
  kubectl.server.get('v1', kind, 'default', name);

const DENIED =
  'Error from server (Forbidden): error when creating "STDIN": ' +
  'admission webhook "colours.configmaps.example.com" denied the request: red is taken\n';

test('[admission 9] kubectl can create allowed objects, and prints denials and warnings', async () => {
  const way = await start();

  const allowed = await create(way, 'a', 'blue');
  const denied = await create(way, 'b', 'red');
  const wrong = await create(way, 'b', 'rde');
  const warned = await create(way, 'c', 'grey');

  expect(allowed).toEqual({ code: 0, stdout: 'configmap/a created\n', stderr: '' });
  expect(denied).toEqual({ code: 1, stdout: '', stderr: DENIED });
  expect(wrong.stderr).toBe('The ConfigMap "b" is invalid: data.colour: is no colour\n');
  expect(warned).toMatchObject({ code: 0, stderr: 'Warning: grey goes away in May\n' });
  expect(stored(way, 'ConfigMap', 'b')).toBeUndefined();
});

test("[admission 9] a webhook's patch is applied, and a dry run is reviewed without storing an object", async () => {
  const way = await start();
  const annotations = ['-o', 'jsonpath={.metadata.annotations}'];
  const patched = { 'example.com/by': 'kubernetes-admin' };

  await createSecret(way, 'a');
  const shown = await createSecret(way, 'b', '--dry-run=server', ...annotations);
  const denied = await create(way, 'c', 'red', '--dry-run=server');
  await create(way, 'd', 'blue', '--dry-run=server');

  expect(stored(way, 'Secret', 'a')?.metadata.annotations).toEqual(patched);
  expect(JSON.parse(shown)).toEqual(patched);
  expect(denied.stderr).toBe(DENIED);
  expect([stored(way, 'Secret', 'b'), stored(way, 'ConfigMap', 'd')]).toEqual([
    undefined,
    undefined,
  ]);
});

test('[admission 10] while the gate is down, writes fail with failurePolicy Fail, and pass with Ignore', async () => {
  const way = await start();

  await way.gate.kill();
  const refused = await create(way, 'a', 'blue');
  await createSecret(way, 'passed');
  await way.gate.again();
  const created = await create(way, 'a', 'blue');
  await createSecret(way, 'asked');

  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain('failed calling webhook "colours.configmaps.example.com"');
  expect(created.code).toBe(0);
  expect(stored(way, 'Secret', 'passed')?.metadata.annotations).toBeUndefined();
  expect(stored(way, 'Secret', 'asked')?.metadata.annotations).toBeDefined();
});

test("[A-11] [admission 10] if the operator is down, the user's error contains the operator's address", async () => {
  const way = await start();
  await way.operator.stop();

  const { code, stderr } = await create(way, 'a', 'blue');

  expect(code).toBe(1);
  expect(stderr).toContain('failed calling webhook "colours.configmaps.example.com"');
  expect(stderr).toMatch(/the operator does not answer at 127\.0\.0\.1:\d+: see whether/);
});

test('[A-6] [admission 14] if a webhook function hangs, the user sees a time-out, and a metric counts it', async () => {
  const way = await start();

  const { code, stderr } = await way.kubectl.try([
    'create',
    'service',
    'clusterip',
    'a',
    '--tcp=80',
  ]);

  expect(code).toBe(1);
  expect(stderr).toContain('failed calling webhook "hanging.services.example.com"');
  expect(stderr).toContain('unable to return a response in the time allotted');
  const timeouts = { webhook: hanging.path, outcome: 'timeout' };
  expect(way.operator.meter.value('chancery_webhook_reviews_total', timeouts)).toBe(1);
});

test('[admission 17] listing 500 objects in another version causes one conversion review', async () => {
  const way = await start();
  const { server } = way.kubectl;
  for (let at = 0; at < 500; at++) {
    const { uid: _uid, ...metadata } = boat('v1', {}).metadata;
    const spec = { hull: { meters: at } };
    const name = `boat-${String(at).padStart(3, '0')}`;
    server.create(boat('v1', { spec }, { ...metadata, namespace: 'default', name }));
  }
  const reviews = (): number =>
    way.operator.meter.value('controller_runtime_webhook_requests_total', { webhook: '/convert' });
  const before = reviews();

  const lengths = await way.kubectl.run([
    ...['get', 'boats.v1alpha1.harbour.example'],
    ...['-o', 'jsonpath={.items[*].spec.length}'],
  ]);

  expect(lengths.split(' ')).toEqual(Array.from({ length: 500 }, (_none, at) => `${at}m`));
  expect(reviews() - before).toBe(1);
});

test('[admission 18] the user gets the message of a failed conversion, and can read other versions', async () => {
  const way = await start();
  const { kubectl } = way;
  const spec = { hull: { meters: 5 }, papers: { lost: 'the-secret-of-ann' } };
  kubectl.server.create(boat('v1', { spec }, { namespace: 'default' }));

  const old = await kubectl.try(['get', 'boats.v1alpha1.harbour.example', 'ann']);
  const list = await kubectl.try(['get', 'boats.v1alpha1.harbour.example']);
  const own = await kubectl.try(['get', 'boats.v1.harbour.example', 'ann', '-o', 'name']);
  await kubectl.run(['delete', 'boats.v1.harbour.example', 'ann']);
  const after = await kubectl.try(['get', 'boats.v1alpha1.harbour.example']);

  const message =
    'conversion webhook for harbour.example/v1, Kind=Boat failed: v1 → v1beta1 of boats.harbour.example ' +
    "default/ann: the function threw Error: the operator's log has the cause\n";
  expect(old).toEqual({ code: 1, stdout: '', stderr: `Error from server: ${message}` });
  expect(list.stderr).toBe(old.stderr);
  expect(own.stdout).toBe('boat.harbour.example/ann\n');
  expect(after.code).toBe(0);
});
