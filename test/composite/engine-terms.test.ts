/** A controller that runs again in one process, as with the next term of a leader. */

import { FakeClock, startOperator, startTestEnv } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import { childTypes } from '../../operator/composite/child-types.ts';
import { engine } from '../../operator/composite/engine.ts';
import { source } from '../../operator/controller/source.ts';
import { configMaps } from '../../operator/model/kubernetes/resources.ts';
import type { Resource } from '../../operator/model/resource.ts';
import { dynamicApplyWriter } from '../../packages/metacontroller/src/children/dynamic-apply-writer.ts';
import { definitionOf, maps, orchards } from './engine-place.ts';

test('if a reconcile fails before leadership is lost, the parent is reconciled again in the next term', async () => {
  const clock = new FakeClock();
  const env = await startTestEnv({ embedded: { clock }, environment: {} });
  onTestFinished(() => env.stop());
  await env.apply([definitionOf(orchards as unknown as Resource) as never]);
  const namespace = await env.namespace();
  await env.create({
    apiVersion: 'fruit.example/v1',
    kind: 'Orchard',
    metadata: { name: 'north', namespace },
  });
  let calls = 0;
  let isBroken = true;
  const declared = engine({
    name: 'orchards',
    parent: source(orchards as unknown as Resource),
    children: childTypes([configMaps as Resource]),
    generateSelector: true,
    writer: dynamicApplyWriter(),
    status: 'replace',
    controller: {},
    async sync() {
      calls++;
      if (isBroken) throw new Error('not in this term');
      return { children: maps({ plan: 'a' }) };
    },
  });
  const term = async (): Promise<void> => {
    const operator = startOperator({ url: env.url, controllers: [declared], clock });
    onTestFinished(() => operator.stop());
    await env.settled();
    await operator.stop();
  };

  await term();
  expect(calls).toBeGreaterThan(0);
  isBroken = false;
  await term();

  expect(await env.get(configMaps as Resource, namespace, 'plan')).toMatchObject({
    data: { text: 'a' },
  });
});
