/** A process whose resources have conversions answers them, without any webhook of its own. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import {
  ApiServer,
  eventually,
  freePort,
  startOperator,
  type TestOperator,
  type TestOperatorOptions,
} from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import { controller } from '../../../operator/controller/controller.ts';
import { crdYaml, customResource } from '../../../operator/schema.ts';
import { boat, boats, v1alpha1 } from '../../schema/conversion/boats.ts';
import { post } from './post.ts';

async function startBoats(): Promise<string> {
  const server = await ApiServer.start();
  onTestFinished(() => server.close());
  server.applyManifest(crdYaml(boats, { service: { name: 'boats', namespace: 'quay' } }));
  const controllers = [controller({ name: 'boats', for: boats, reconcile: () => {} })];
  const operator = startOperator({ url: server.url, controllers });
  onTestFinished(() => operator.stop());
  await operator.untilReady();
  expect(operator.webhookAddress).toMatch(/^http:/);
  return operator.webhookAddress ?? '';
}

const review = (objects: readonly object[]): string =>
  JSON.stringify({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'ConversionReview',
    request: { uid: 'a-uid', desiredAPIVersion: 'harbour.example/v1', objects },
  });

test('[admission 17] 500 objects of one review are converted at /convert', async () => {
  const address = await startBoats();
  const objects = Array.from({ length: 500 }, (_none, at) =>
    boat('v1alpha1', { spec: { length: `${at}m` } }, { name: `boat-${at}` }),
  );

  const { status, text } = await post(address, review(objects), { path: '/convert' });

  const { response } = JSON.parse(text);
  expect(status).toBe(200);
  expect(response).toMatchObject({ uid: 'a-uid', result: { status: 'Success' } });
  expect(
    response.convertedObjects.map(
      (each: { spec: { hull: { meters: number } } }) => each.spec.hull.meters,
    ),
  ).toEqual(objects.map((_object, at) => at));
});

test('[A-9] [admission 18] a failed conversion is sent as a response, and the next review is answered', async () => {
  const address = await startBoats();

  const bad = await post(address, review([boat('v7', {})]), { path: '/convert' });
  const good = await post(address, review([boat('v1beta1', { spec: { meters: 2 } })]), {
    path: '/convert',
  });

  expect(bad.status).toBe(200);
  expect(JSON.parse(bad.text).response).toEqual({
    uid: 'a-uid',
    convertedObjects: [],
    result: {
      status: 'Failure',
      message: 'harbour.example/v7 Boat is no version and kind of boats.harbour.example',
    },
  });
  expect(JSON.parse(good.text).response.convertedObjects).toHaveLength(1);
});

test('[A-9] [admission 18] a watch of another version continues when its conversions work again', async () => {
  const listen = `127.0.0.1:${await freePort()}`;
  const server = await ApiServer.start({ webhookServices: { 'quay/boats': `http://${listen}` } });
  onTestFinished(() => server.close());
  server.applyManifest(crdYaml(boats, { service: { name: 'boats', namespace: 'quay' } }));
  const run = async (options: Omit<TestOperatorOptions, 'url'>): Promise<TestOperator> => {
    const operator = startOperator({ url: server.url, ...options });
    onTestFinished(() => operator.stop());
    await operator.untilReady();
    return operator;
  };
  const convert = (): Promise<TestOperator> =>
    run({
      controllers: [controller({ name: 'boats', for: boats, reconcile: () => {} })],
      environment: { CHANCERY_WEBHOOK_LISTEN: listen },
    });
  const before = await convert();
  const lengths = new Map<string, string>();
  const old = controller({
    name: 'old-boats',
    for: customResource({ group: 'harbour.example', kind: 'Boat', ...v1alpha1 }),
    reconcile: ({ metadata: { name }, spec }) => void lengths.set(name, spec.length),
  });
  const reader = await run({ controllers: [old] });
  const store = (name: string, meters: number): unknown =>
    server.create({
      ...{ apiVersion: 'harbour.example/v1', kind: 'Boat' },
      ...{ metadata: { name, namespace: 'default' }, spec: { hull: { meters } } },
    });

  store('ann', 5);
  await eventually(() => lengths.get('ann') === '5m');
  await before.stop();
  store('bea', 7);
  await eventually(() => reader.log.some(({ level }) => level === 'warn'));
  await convert();
  store('cleo', 9);

  await eventually(() => lengths.get('cleo') === '9m');
  expect(Object.fromEntries(lengths)).toEqual({ ann: '5m', bea: '7m', cleo: '9m' });
});

/** Where an API server finds the operator: it passes reviews on while `/readyz` holds, as a Service does. */
async function startService(readyz: string, operator: () => TestOperator): Promise<string> {
  const service = createServer(async (request, response) => {
    const body = await text(request);
    const isReady = await fetch(readyz).then(
      ({ status }) => status === 200,
      () => false,
    );
    if (!isReady) {
      response.destroy();
      return;
    }
    const answer = await post(operator().webhookAddress ?? '', body, { path: '/convert' });
    response.setHeader('content-type', 'application/json');
    response.end(answer.text);
  });
  await once(service.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void service.close());
  return `http://127.0.0.1:${(service.address() as AddressInfo).port}/convert`;
}

test('a single operator can list objects that it must convert itself, although conversion reviews reach only ready Pods', async () => {
  const server = await ApiServer.start();
  onTestFinished(() => server.close());
  const health = await freePort();
  const url = await startService(`http://127.0.0.1:${health}/readyz`, () => operator);
  const stored = crdYaml(boats, { url });
  server.applyManifest(
    stored
      .replaceAll(/storage: (true|false)/g, 'storage: false')
      .replace(/(name: v1alpha1\n\s+served: true\n\s+)storage: false/, '$1storage: true'),
  );
  server.create(boat('v1alpha1', { spec: { length: '7m' } }, { namespace: 'default' }));
  server.applyManifest(stored);
  const seen: unknown[] = [];
  const reconcile = ({ spec }: { readonly spec: unknown }): void => void seen.push(spec);
  const operator: TestOperator = startOperator({
    url: server.url,
    controllers: [controller({ name: 'boats', for: boats, reconcile })],
    environment: { CHANCERY_HEALTH_HOST: '127.0.0.1', CHANCERY_HEALTH_PORT: `${health}` },
  });
  onTestFinished(() => operator.stop());

  await eventually(() => seen.length > 0);

  expect(seen).toEqual([{ hull: { meters: 7 } }]);
});

test('a body that is not a ConversionReview is refused with 400', async () => {
  const address = await startBoats();

  expect((await post(address, '{}', { path: '/convert' })).status).toBe(400);
});
