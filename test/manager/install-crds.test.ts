import { expect, onTestFinished, test } from 'vitest';
import { type Controller, controller } from '../../operator/controller/controller.ts';
import { AWAIT_CHANGE } from '../../operator/controller/reconciler.ts';
import { customResource, Type } from '../../operator/schema.ts';
import { startTestEnv } from '../../operator/testing/env/start-test-env.ts';
import { eventually } from '../../operator/testing/eventually.ts';
import { startOperator } from '../../operator/testing/operator/test-operator.ts';

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
    async reconcile(_key, gadget) {
      if (gadget !== undefined) seen.push(gadget.spec.size);
      return AWAIT_CHANGE;
    },
  });
}

test('with CHANCERY_INSTALL_CRDS the definitions are there before the sources look for them', async () => {
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

test('without it nothing is installed, and the controller waits for who does it', async () => {
  const env = await startTestEnv({ environment: {}, embedded: { workloads: false } });
  onTestFinished(() => env.stop());
  const operator = startOperator({ url: env.url, controllers: [gadgetController([])] });
  onTestFinished(() => operator.stop());

  await eventually(() => operator.log.some(({ message }) => message.includes('not served')));

  expect(operator.ready).toBe(false);
  expect(env.events.of({ resource: 'customresourcedefinitions.apiextensions.k8s.io' })).toEqual([]);
});
