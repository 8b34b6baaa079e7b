import { eventually } from '@chancery/testing';
import { expect, test } from 'vitest';
import {
  composite,
  oneConfigMap,
  parent,
  parentDefinition,
  startHook,
  startWorld,
} from './world.ts';

test('a CompositeController with a webhook makes the children of its parents, and says that it works', async () => {
  const hook = await startHook((call) => oneConfigMap(call, { trees: '2' }));
  const { configMap, readyWith } = await startWorld([
    parentDefinition('Orchard'),
    composite('orchards', 'orchards', hook.urlOf('sync')),
    parent('Orchard', 'north'),
  ]);

  const made = await eventually(() => configMap('north-plan'));
  const condition = await readyWith('orchards', 'Started');

  expect(made).toMatchObject({ data: { trees: '2' } });
  expect(condition).toMatchObject({ status: 'True' });
});
