/** The status of custom resources, against the embedded API server: what is stored in the end. */
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Client } from '../../operator/client/client.ts';
import { restClient } from '../../operator/client/rest-client.ts';
import { AppliedMemory } from '../../operator/controller/children/applied-memory.ts';
import { statusWriter } from '../../operator/controller/children/write-status.ts';
import { NoStatusSubresourceError } from '../../operator/controller/errors.ts';
import type { DesiredStatus, ReconcileContext } from '../../operator/controller/reconciler.ts';
import type { Condition } from '../../operator/model/condition.ts';
import { isUndeclaredField } from '../../operator/model/refusal.ts';
import { undiciTransport } from '../../operator/transport/undici-transport.ts';
import { type Site, siteDefinition, sites, startSites } from '../support/sites.ts';

const READY = { type: 'Ready', status: 'True', reason: 'Done', message: 'all is well' } as const;
const STALLED = { type: 'Stalled', status: 'True', reason: 'NoRoom', message: 'no room' } as const;

/** A Site on the server, and what a controller of Sites does about its status. */
async function startStatus(definition = siteDefinition()) {
  const test = await startSites(definition);
  const { env, clock } = test;
  const transport = undiciTransport(env.url, { clock });
  onTestFinished(() => transport.close());
  const clientOf = (fieldManager: string): Client => restClient({ transport, fieldManager, clock });
  let memory = new AppliedMemory();
  await test.createSite('a');
  /** @param object - as the attempt was given it; default: as the server has it. */
  const attempt = async (object?: Site) => {
    const given = object ?? (await test.site('a'));
    const client = clientOf('sites');
    return statusWriter({ object: given, resource: sites, client, clock, memory });
  };
  return {
    ...test,
    clientOf,
    restart: () => {
      memory = new AppliedMemory();
    },
    attempt,
    /** In an attempt of its own. */
    setStatus: async (status: DesiredStatus<Site>, object?: Site) =>
      (await attempt(object))(status),
    conditions: async (): Promise<readonly Condition[]> =>
      (await test.site('a')).status?.conditions ?? [],
  };
}

test('[K-50] observedGeneration in the status is the generation that the reconciler got', async () => {
  const { env, namespace, site, setStatus } = await startStatus();
  const given = await site('a');
  await env.patch('example.dev/v1', 'Site', namespace, 'a', { spec: { text: 'newer' } });

  await setStatus({ pages: 3, conditions: [READY] }, given);

  const { metadata, spec, status } = await site('a');
  expect([given.metadata.generation, metadata.generation]).toEqual([1, 2]);
  expect(spec.text).toBe('newer');
  expect(status).toMatchObject({
    pages: 3,
    observedGeneration: 1,
    conditions: [{ ...READY, observedGeneration: 1 }],
  });
});

test('[K-50] the status is written only through the status subresource', async () => {
  const { setStatus, writes } = await startStatus();

  await setStatus({ pages: 3 });

  expect(writes('sites.example.dev')).toEqual(['patch a/status']);
});

describe('[K-44] how often setStatus writes', () => {
  test('an unchanged status is not written, not even by a process that has just started', async () => {
    const { setStatus, writes, restart, clock } = await startStatus();
    const status = { pages: 3, conditions: [READY, { ...STALLED, status: 'False' as const }] };
    await setStatus(status);
    const count = writes('sites.example.dev').length;

    clock.advance(60_000);
    await setStatus(status);
    restart();
    await setStatus({ ...status, conditions: status.conditions.toReversed() });

    expect(writes('sites.example.dev')).toHaveLength(count);
  });

  test("[K-35] other managers' fields in the status do not cause another write", async () => {
    const { env, namespace, setStatus, writes, site } = await startStatus();
    await setStatus({ pages: 3, conditions: [READY] });
    const note = { status: { note: 'theirs' } };
    await env.patch('example.dev/v1', 'Site', namespace, 'a', note, 'status');
    const count = writes('sites.example.dev').length;

    for (let time = 0; time < 3; time += 1) await setStatus({ pages: 3, conditions: [READY] });

    expect(writes('sites.example.dev')).toHaveLength(count);
    expect((await site('a')).status).toMatchObject({ pages: 3, note: 'theirs' });
  });

  test('a status that another client changed is written again', async () => {
    const { env, namespace, setStatus, site } = await startStatus();
    await setStatus({ pages: 3 });
    await env.patch('example.dev/v1', 'Site', namespace, 'a', { status: { pages: 9 } }, 'status');

    await setStatus({ pages: 3 });

    expect((await site('a')).status?.pages).toBe(3);
  });
});

test('[K-50] a status field that is no longer set is removed, unless another writer also owns it', async () => {
  const { clientOf, namespace, setStatus, site } = await startStatus();
  await setStatus({ pages: 3, note: 'mine', conditions: [READY, STALLED] });
  const theirs = {
    ...READY,
    type: 'example.dev/Audited',
    lastTransitionTime: '2026-01-01T00:00:00Z',
  };
  await clientOf('auditor').apply(
    sites,
    {
      apiVersion: 'example.dev/v1',
      kind: 'Site',
      metadata: { name: 'a', namespace },
      status: { conditions: [theirs] },
    } as unknown as Site,
    { subresource: 'status' },
  );

  await setStatus({ pages: 3, conditions: [READY] });

  const { status } = await site('a');
  expect(status?.note).toBeUndefined();
  expect(status?.conditions?.map(({ type }) => type).toSorted()).toEqual([
    'Ready',
    'example.dev/Audited',
  ]);
});

test('[K-51] the lastTransitionTime of a condition changes only when its status changes', async () => {
  const { clock, setStatus, conditions } = await startStatus();
  const seconds = async () =>
    (await conditions()).map((each) => Date.parse(each.lastTransitionTime));
  await setStatus({ conditions: [READY] });
  const [first = 0] = await seconds();

  clock.advance(60_000);
  await setStatus({ conditions: [{ ...READY, reason: 'Other', message: 'still' }] });
  const [same] = await seconds();
  await setStatus({ conditions: [{ ...READY, status: 'False' }] });
  const [changed] = await seconds();

  expect(same).toBe(first);
  expect(changed).toBe(first + 60_000);
});

test.each<[string, object, string]>([
  ['type', { type: 'not a type' }, 'type'],
  ['status', { status: 'Yes' }, 'status'],
  ['reason', { reason: 'no word' }, 'reason'],
])('[K-51] a condition with an invalid %s is refused locally, and nothing is written', async (_, bad, field) => {
  const { setStatus, writes } = await startStatus();

  const setting = setStatus({ conditions: [{ ...READY, ...bad }] });

  await expect(setting).rejects.toMatchObject({
    code: 'USER_CODE',
    message: expect.stringContaining(field),
  });
  expect(writes('sites.example.dev')).toEqual([]);
});

describe('[K-50] setStatus if the object is deleted', () => {
  test('setStatus of a deleted object writes nothing', async () => {
    const { env, namespace, site, setStatus } = await startStatus();
    const given = await site('a');
    await env.delete('example.dev/v1', 'Site', namespace, 'a');

    await setStatus({ pages: 3 }, given);

    expect(await env.get('example.dev/v1', 'Site', namespace, 'a')).toBeUndefined();
  });

  test('setStatus of a deleted object does not write to a new object of the same name', async () => {
    const { env, namespace, site, setStatus, createSite } = await startStatus();
    const given = await site('a');
    await env.delete('example.dev/v1', 'Site', namespace, 'a');
    await createSite('a');

    await setStatus({ pages: 3 }, given);

    expect((await site('a')).status).toBeUndefined();
  });
});

describe('[K-50] the earlier status with which setStatus compares the new status', () => {
  test('a second setStatus in an attempt is compared with the first setStatus', async () => {
    const { attempt, setStatus, site, writes } = await startStatus();
    await setStatus({ pages: 1 });
    const say = await attempt();

    const said = [
      await say({ pages: 1 }),
      await say({ pages: 2 }),
      await say({ pages: 2 }),
      await say({ pages: 1 }),
    ];

    expect(said).toEqual([false, true, false, true]);
    expect((await site('a')).status?.pages).toBe(1);
    expect(writes('sites.example.dev')).toHaveLength(3);
  });

  test('a status is compared with the last write, even if the cache does not have it yet', async () => {
    const { setStatus, site } = await startStatus();
    await setStatus({ pages: 1 });
    const late = await site('a');
    await setStatus({ pages: 2 });

    const changed = await setStatus({ pages: 1 }, late);

    expect(changed).toBe(true);
    expect((await site('a')).status?.pages).toBe(1);
  });

  test('a condition has the time at which it changed', async () => {
    const { attempt, clock, conditions, setStatus } = await startStatus();
    await setStatus({ conditions: [READY] });
    const say = await attempt();
    clock.advance(60_000);
    await say({ conditions: [{ ...READY, status: 'False' }] });
    clock.advance(60_000);

    await say({ conditions: [READY] });

    const [{ lastTransitionTime } = { lastTransitionTime: '' }] = await conditions();
    expect(Date.parse(lastTransitionTime)).toBe(Math.floor(clock.now() / 1_000) * 1_000);
  });
});

describe('[K-44] the return value of setStatus', () => {
  test('setStatus returns true for a change, and false for no change or a deleted object', async () => {
    const { env, namespace, setStatus, site } = await startStatus();
    const status = { pages: 3, conditions: [READY] };

    const first = await setStatus(status);
    const again = await setStatus(status);
    const given = await site('a');
    await env.delete('example.dev/v1', 'Site', namespace, 'a');
    const gone = await setStatus({ pages: 4 }, given);

    expect([first, again, gone]).toEqual([true, false, false]);
  });

  test('after a restart, setStatus returns false for an apply that changes nothing', async () => {
    const { env, namespace, setStatus, restart, writes } = await startStatus();
    const status = { pages: 3, conditions: [READY] };
    await setStatus(status);
    const note = { status: { note: 'theirs' } };
    await env.patch('example.dev/v1', 'Site', namespace, 'a', note, 'status');
    const count = writes('sites.example.dev').length;
    restart();

    const changed = await setStatus(status);

    expect(changed).toBe(false);
    expect(writes('sites.example.dev').length).toBe(count + 1);
  });
});

describe('[K-50] a definition that lacks the status, or a field of the status', () => {
  test('setStatus fails with a typed error when the definition has no status subresource', async () => {
    const { setStatus } = await startStatus(siteDefinition({}));

    const setting = setStatus({ pages: 3 });

    await expect(setting).rejects.toBeInstanceOf(NoStatusSubresourceError);
    await expect(setting).rejects.toMatchObject({
      layer: 'configuration',
      message: expect.stringContaining('sites.example.dev has no status subresource in v1'),
      cause: { status: 404, details: { name: 'a' } },
    });
  });

  test('setStatus of a deleted object returns false when the definition has no status subresource', async () => {
    const { env, namespace, setStatus, site } = await startStatus(siteDefinition({}));
    const given = await site('a');
    await env.delete('example.dev/v1', 'Site', namespace, 'a');

    expect(await setStatus({ pages: 3 }, given)).toBe(false);
  });

  test('setStatus fails for a field that is not in the schema, until the schema has the field', async () => {
    const { attempt, env, site } = await startStatus();
    const say = await attempt();

    const setting = say({ pages: 3, words: 9 } as DesiredStatus<Site>);

    await expect(setting).rejects.toSatisfy(isUndeclaredField);
    await expect(setting).rejects.toMatchObject({
      message: expect.stringMatching(
        /\.status\.words: field not declared in schema \(.*upgrade the CustomResourceDefinition/,
      ),
    });
    expect((await site('a')).status).toBeUndefined();
    await env.apply(siteDefinition({ status: {} }, { words: { type: 'integer' } }) as never);
    expect(await say({ pages: 3, words: 9 } as DesiredStatus<Site>)).toBe(true);
  });
});

test('[K-53] one edit causes one write of the status, and at most two reconciles', async () => {
  const { env, namespace, operate, createSite, site, writes } = await startSites();
  let reconciles = 0;
  const reconcile = async (object: Site, context: ReconcileContext<Site>) => {
    reconciles += 1;
    await context.setStatus({ pages: object.spec.text.length, conditions: [READY] });
  };
  await createSite('a');
  await operate(reconcile, { owns: [] });
  const before = { reconciles, writes: writes('sites.example.dev').length };

  await env.patch('example.dev/v1', 'Site', namespace, 'a', {
    spec: { text: 'longer than before' },
  });
  await env.advance(10 * 60_000);

  expect(before).toEqual({ reconciles: 2, writes: 1 });
  expect(reconciles - before.reconciles).toBeLessThanOrEqual(2);
  expect(writes('sites.example.dev')).toHaveLength(2);
  expect((await site('a')).status).toMatchObject({ pages: 18, observedGeneration: 2 });
});
