/** Another writer that insists on what a function has answered. */

import { describe, expect, test } from 'vitest';
import { applyWriter } from '../../operator/controller/children/apply-writer.ts';
import type { ChildWriter } from '../../operator/controller/children/child-writer.ts';
import type { ConfigMap } from '../../operator/model/builtin.ts';
import { configMaps } from '../../operator/model/kubernetes/resources.ts';
import type { Resource } from '../../operator/model/resource.ts';
import { dynamicApplyWriter } from '../../packages/metacontroller/src/children/dynamic-apply-writer.ts';
import { serverSideApplyWriter } from '../../packages/metacontroller/src/supervisor/child-writer-of.ts';
import { type EnginePlace, type EngineSetup, enginePlace, maps } from './engine-place.ts';

const WRITERS: readonly [string, () => ChildWriter][] = [
  ['applyOwned', () => applyWriter({ fieldManager: 'orchards' })],
  ['server-side apply', () => serverSideApplyWriter('hooks')],
  ['dynamic apply', dynamicApplyWriter],
];

const place = (setup: Partial<EngineSetup>): Promise<EnginePlace> =>
  enginePlace({
    decide: () => ({ children: maps({ plan: 'ours' }), status: { side: 'ours' } }),
    arrange: ({ createParent }) => createParent({}),
    ...setup,
  });

async function insistOnChild({ env, namespace }: EnginePlace): Promise<void> {
  const child = await env.get<ConfigMap>('v1', 'ConfigMap', namespace, 'plan');
  if (child?.data?.text !== 'ours') return;
  await env.patch('v1', 'ConfigMap', namespace, 'plan', { data: { text: 'theirs' } });
}

async function insistOnStatus({ env, namespace, parent }: EnginePlace): Promise<void> {
  if ((await parent())?.status?.side !== 'ours') return;
  const status = { side: 'theirs' };
  await env.patch('fruit.example/v1', 'Orchard', namespace, 'north', { status }, 'status');
}

/** The other writer acts once a second. */
async function fight(
  at: EnginePlace,
  insist: (at: EnginePlace) => Promise<void>,
  seconds: number,
): Promise<void> {
  for (let second = 0; second < seconds; second++) {
    await insist(at);
    await at.env.advance(1_000);
  }
}

async function synced({ parent }: EnginePlace) {
  const conditions = (await parent())?.status?.conditions ?? [];
  return conditions.find(({ type }) => type === 'Synced');
}

describe.each(
  WRITERS,
)('[child 5] the writer %s in a conflict with another client', (_name, writer) => {
  test.each([
    'apply',
    'recreate',
  ] as const)("with %s, the parent's status reports the other client that keeps changing a child", async (update) => {
    const childResources = [[configMaps as Resource, update]] as const;
    const at = await place({ writer: writer(), childResources });
    await fight(at, insistOnChild, 120);
    const told = await synced(at);
    const calls = at.calls.length;
    await fight(at, insistOnChild, 300);
    const later = at.calls.length - calls;

    await at.env.advance(20 * 60_000);

    expect(told).toMatchObject({ status: 'False', reason: 'WriteFight' });
    expect(told?.message).toContain('this controller and chancery-test-env change');
    expect(told?.message).toContain('data');
    expect(later).toBeLessThanOrEqual(20);
    expect(await synced(at)).toBeUndefined();
    const child = await at.env.get<ConfigMap>('v1', 'ConfigMap', at.namespace, 'plan');
    expect(child?.data).toEqual({ text: 'ours' });
  });
});

test('[child 5] while another client keeps changing the status, the status reports the write fight', async () => {
  const at = await place({});
  await fight(at, insistOnStatus, 120);
  const told = await synced(at);
  const calls = at.calls.length;
  await fight(at, insistOnStatus, 300);
  const later = at.calls.length - calls;

  await at.env.advance(20 * 60_000);

  expect(told).toMatchObject({ status: 'False', reason: 'WriteFight' });
  expect(told?.message).toContain('status.side');
  expect(later).toBeLessThanOrEqual(20);
  expect(await synced(at)).toBeUndefined();
  expect((await at.parent())?.status).toMatchObject({ side: 'ours' });
});
