/** Answers that the server stores in another form, and answers that alternate. */

import { describe, expect, test } from 'vitest';
import type { ChildUpdate } from '../../operator/composite/engine-options.ts';
import { configMaps, deployments, pods } from '../../operator/model/kubernetes/resources.ts';
import type { KubernetesObject } from '../../operator/model/object.ts';
import type { Resource } from '../../operator/model/resource.ts';
import { type EngineSetup, enginePlace, maps } from './engine-place.ts';

const POD = {
  metadata: { name: 'press' },
  spec: {
    containers: [
      {
        name: 'press',
        image: 'registry.example/press:1',
        args: [],
        resources: { requests: { cpu: '1000m', memory: '1024Ki' } },
        env: [{ name: 'NODE', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } }],
        ports: [{ containerPort: 8080 }],
      },
    ],
    nodeSelector: {},
  },
};

const DEPLOYMENT = {
  metadata: { name: 'press' },
  spec: {
    selector: { matchLabels: { app: 'press' } },
    template: { metadata: { labels: { app: 'press' } }, spec: POD.spec },
  },
};

const REWRITTEN: readonly [string, ChildUpdate, Resource, object][] = [
  ['a Pod', 'recreate', pods as Resource, POD],
  ['a Pod', 'keep', pods as Resource, POD],
  ['a Deployment', 'apply', deployments as Resource, DEPLOYMENT],
  ['a Deployment', 'recreate', deployments as Resource, DEPLOYMENT],
];

test.each(
  REWRITTEN,
)('[contract 79] [metacontroller 13] [metacontroller M3] %s (%s) is written once if the server normalises its fields', async (_what, update, resource, object) => {
  const at = await enginePlace({
    childResources: [[resource, update]],
    decide: () => ({ children: [{ resource, object: object as never }] }),
    arrange: ({ createParent }) => createParent({}),
  });
  const child = () => at.env.get(resource, at.namespace, 'press');
  const written = () => at.writes().filter((write) => write.includes(resource.plural));
  expect(written()).toHaveLength(1);
  const before = await child();

  const label = { metadata: { labels: { foreign: 'x' } } };
  await at.env.patch(before?.apiVersion ?? '', resource.kind, at.namespace, 'press', label);
  await at.env.settled();
  await at.env.advance(60 * 60_000);

  expect(written()).toHaveLength(1);
  await at.restart();
  const after = await child();
  expect(after?.metadata.uid).toBe(before?.metadata.uid);
  expect((await at.parent())?.status?.conditions ?? []).toEqual([]);
});

describe('[metacontroller 13] hot loops of alternating answers', () => {
  function oscillating(): EngineSetup {
    let call = 0;
    return {
      decide: () => {
        call += 1;
        return { children: maps({ plan: call % 2 === 0 ? 'even' : 'odd', calm: 'same' }) };
      },
      arrange: ({ createParent }) => createParent({}),
    };
  }

  test.each([
    'apply',
    'recreate',
  ] as const)('[contract 79] alternating answers cause the failure `HotLoop` after five writes at most, with %s', async (update) => {
    const at = await enginePlace({
      ...oscillating(),
      childResources: [[configMaps as Resource, update]],
    });
    // A recreated child goes and comes, and each time the function is asked.
    await at.env.advance(60_000);

    const parent = await at.parent();
    const condition = parent?.status?.conditions?.find(({ type }) => type === 'Synced');
    expect(condition).toMatchObject({ status: 'False', reason: 'HotLoop' });
    expect(condition?.message).toContain('data.text');
    const changing = update === 'apply' ? 'patch configmaps plan' : 'delete configmaps plan';
    const writes = at.writes().filter((write) => write === changing);
    expect(writes.length).toBeGreaterThan(1);
    expect(writes.length).toBeLessThanOrEqual(5);
  });

  test('an hour of alternating answers leads to calls with growing delays, and to no write', async () => {
    const at = await enginePlace(oscillating());
    const before = at.writes().length;

    await at.env.advance(60 * 60_000);

    expect(
      at
        .writes()
        .slice(before)
        .filter((write) => write.includes('configmaps')),
    ).toEqual([]);
    expect(at.calls.length).toBeLessThan(60);
  });

  test('if every response is new, the failure `HotLoop` is reported after twenty writes', async () => {
    let call = 0;
    const at = await enginePlace({
      decide: () => {
        call += 1;
        return { children: maps({ plan: `${call}` }) };
      },
      arrange: ({ createParent }) => createParent({}),
    });
    const writes = () => at.writes().filter((write) => write === 'patch configmaps plan');
    const before = writes().length;

    await at.env.advance(60 * 60_000);

    expect(before).toBe(20);
    expect(writes()).toHaveLength(before);
    const [condition] = (await at.parent())?.status?.conditions ?? [];
    expect(condition).toMatchObject({ type: 'Synced', status: 'False', reason: 'HotLoop' });
    expect(condition?.message).toContain('data.text');
  });

  test('a status that alternates also causes the failure `HotLoop`', async () => {
    const at = await enginePlace({
      decide: ({ parent }) => {
        const { status } = parent as KubernetesObject & { status?: { side?: string } };
        return { status: { side: status?.side === 'left' ? 'right' : 'left' } };
      },
      arrange: ({ createParent }) => createParent({}),
    });

    expect(at.writes().filter((write) => write.startsWith('patch orchards')).length).toBeLessThan(
      7,
    );
    expect((await at.parent())?.status?.conditions).toMatchObject([
      { type: 'Synced', reason: 'HotLoop' },
    ]);
  });
});
