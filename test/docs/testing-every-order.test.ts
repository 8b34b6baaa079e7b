/** The guide's examples, word for word: a test below holds the two equal. */
import { readFileSync } from 'node:fs';
import { ExplorationFailure, explore, replaySchedule, type Scenario } from '@chancery/testing';
import { controller, isControlledBy } from 'chancery';
import { configMaps, secrets } from 'chancery/kubernetes';
import { expect, test } from 'vitest';

const tokens = () =>
  controller({
    name: 'tokens',
    for: configMaps,
    owns: [secrets],
    consistency: 'none',
    permissions: [{ resource: secrets, verbs: ['create'] }],
    async reconcile(object, { client, store }) {
      const { name, namespace = '', uid = '' } = object.metadata;
      const owner = { apiVersion: 'v1', kind: 'ConfigMap', name, uid, controller: true };
      const mine = store(secrets).list({ namespace });
      if (mine.some((secret) => isControlledBy(secret, object))) return;
      await client.create(secrets, {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: '', generateName: `${name}-`, namespace, ownerReferences: [owner] },
      });
    },
  });

const scenario: Scenario = {
  name: 'tokens',
  objects: '{ apiVersion: v1, kind: ConfigMap, metadata: { name: a } }',
  controllers: () => [tokens()],
  changes: [
    {
      name: 'a person labels ConfigMap a',
      apply: (cluster) => {
        cluster.patch('v1', 'ConfigMap', 'default', 'a', { metadata: { labels: { team: 'web' } } });
      },
    },
  ],
  atRest: [
    {
      name: 'one Secret for each ConfigMap',
      check: (cluster) => {
        const { length } = cluster.list('v1', 'Secret');
        if (length !== 1) return `there are ${length}`;
      },
    },
  ],
};

const again = async (failure: ExplorationFailure): Promise<void> => {
  await replaySchedule(scenario, failure.schedule);
};

const guide = readFileSync(
  new URL('../../docs/guides/test/every-order.md', import.meta.url),
  'utf8',
);

test('the operator in every-order.md fails with the steps that the guide shows', async () => {
  const failure = await explore(scenario).catch((error: ExplorationFailure) => error);

  if (!(failure instanceof ExplorationFailure)) throw new Error('nothing was found');
  const told = [...guide.matchAll(/^ {4}(\d+[.] .*)$/gm)].map(([, line = '']) => line);
  const withoutNames = (text: string): string => text.replaceAll(/a-[a-z0-9]{5}\b/g, 'a-NAME');
  expect(withoutNames(failure.story)).toBe(withoutNames(told.join('\n')));
  await expect(again(failure)).rejects.toThrow(failure.reason);
});

test('every-order.md has the same code as this file', () => {
  const here = readFileSync(new URL(import.meta.url), 'utf8');
  const blocks = [...guide.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = '']) => code);

  expect(blocks).toHaveLength(4);
  for (const block of blocks) expect(here).toContain(block.trim());
});
