import { eventually } from '@chancery/testing';
import { expect, test } from 'vitest';
import { METACONTROLLER_METRICS } from '../../src/supervisor/metric-names.ts';
import {
  composite,
  oneConfigMap,
  parent,
  parentDefinition,
  startHook,
  startWorld,
} from './world.ts';

const META = 'metacontroller.k8s.io/v1alpha1';

test('a CompositeController with a webhook makes the children of its parents, and reports that it has started', async () => {
  const hook = await startHook((call) => oneConfigMap(call, { trees: '2' }));
  const { configMap, operator, readyWith } = await startWorld([
    parentDefinition('Orchard'),
    composite('orchards', 'orchards', hook.urlOf('sync')),
    parent('Orchard', 'north'),
  ]);

  const made = await eventually(() => configMap('north-plan'));
  const condition = await readyWith('orchards', 'Started');

  expect(made).toMatchObject({ data: { trees: '2' } });
  expect(condition).toMatchObject({ status: 'True' });
  expect(operator.status.runnables).toMatchObject([
    {
      name: 'metacontroller',
      state: { controllers: [{ kind: 'CompositeController', name: 'orchards', state: 'running' }] },
    },
  ]);
  const labels = { controller: 'composite-orchards', hook: 'sync', result: 'ok' };
  expect(operator.meter.value(METACONTROLLER_METRICS.hookCalls, labels)).toBeGreaterThan(0);
  expect(operator.meter.value(METACONTROLLER_METRICS.controllers, { state: 'running' })).toBe(1);
});

test('a controller is started again when its spec changes, and not when its metadata changes', async () => {
  const hook = await startHook((call) => oneConfigMap(call, { by: call.path }));
  const { configMap, readyWith, reasons, server } = await startWorld([
    parentDefinition('Orchard'),
    composite('orchards', 'orchards', hook.urlOf('first')),
    parent('Orchard', 'north'),
  ]);
  await readyWith('orchards', 'Started');
  await eventually(() => configMap('north-plan')?.data?.by === '/first');
  const change = (patch: object) =>
    server.patch(META, 'CompositeController', undefined, 'orchards', patch);

  change({ metadata: { annotations: { 'fruit.example/note': 'another' } } });
  server.create(parent('Orchard', 'south'));
  await eventually(() => configMap('south-plan')?.data?.by === '/first');
  const before = reasons('orchards');
  change({ spec: { hooks: { sync: { webhook: { url: hook.urlOf('second') } } } } });
  await eventually(() => configMap('south-plan')?.data?.by === '/second');
  await eventually(() => reasons('orchards').includes('Stopped'));

  expect(before).not.toContain('Stopping');
});

test('other controllers still work while a hook hangs, or if an object is invalid', async () => {
  const hanging = await startHook(() => new Promise(() => {}));
  const hook = await startHook((call) => oneConfigMap(call));
  const { configMap, readyWith, server } = await startWorld([
    ...['Orchard', 'Garden', 'Meadow'].map((kind) => parentDefinition(kind)),
    composite('a-hanging', 'gardens', hanging.urlOf('sync')),
    composite('b-wrong', 'meadows', 'ftp://127.0.0.1/sync'),
    parent('Garden', 'south'),
    parent('Orchard', 'north'),
  ]);
  await eventually(() => hanging.calls.length > 0);
  const wrong = await readyWith('b-wrong', 'InvalidSpec');

  server.create(composite('c-good', 'orchards', hook.urlOf('sync')));
  await eventually(() => configMap('north-plan'));
  server.delete(META, 'CompositeController', undefined, 'a-hanging');
  server.create(parent('Orchard', 'east'));
  await eventually(() => configMap('east-plan'));

  expect(wrong.message).toContain('spec.hooks.sync.webhook');
});

test('a failed call is counted by its reason, and the parent counts as failing until a call succeeds', async () => {
  let broken = 'north';
  const hook = await startHook((call) =>
    call.body.parent.metadata.name === broken ? 'no object' : oneConfigMap(call),
  );
  const { configMap, operator, server } = await startWorld([
    parentDefinition('Orchard'),
    composite('orchards', 'orchards', hook.urlOf('sync')),
    parent('Orchard', 'north'),
  ]);
  const labels = { controller: 'composite-orchards' };
  const failing = () => operator.meter.value(METACONTROLLER_METRICS.failingParents, labels);

  await eventually(() => failing() === 1);
  broken = 'none';
  await eventually(() => configMap('north-plan'));
  await eventually(() => failing() === 0);

  broken = 'south';
  server.create(parent('Orchard', 'south'));
  await eventually(() => failing() === 1);
  server.delete(META, 'CompositeController', undefined, 'orchards');
  await eventually(() => failing() === 0);

  const reason = 'InvalidAnswer';
  const failures = operator.meter.value(METACONTROLLER_METRICS.failures, { ...labels, reason });
  expect(failures).toBeGreaterThan(0);
});
