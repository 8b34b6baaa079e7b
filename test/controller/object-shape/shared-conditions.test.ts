/**
 * Conditions of several writers in one list, which the definition declares as a map or leaves one value. All but the
 * operators run against whichever API server `CHANCERY_TEST_ENV` names.
 */
import process from 'node:process';
import { eventually } from '@chancery/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Interceptor, isRead } from '../../../operator/client/call.ts';
import type { Client } from '../../../operator/client/client.ts';
import { intercept } from '../../../operator/client/client-of.ts';
import { restClient } from '../../../operator/client/rest-client.ts';
import { AppliedMemory } from '../../../operator/controller/children/applied-memory.ts';
import { statusWriter } from '../../../operator/controller/children/write-status.ts';
import type { DesiredStatus, ReconcileContext } from '../../../operator/controller/reconciler.ts';
import type { Condition } from '../../../operator/model/condition.ts';
import type { KubernetesObject } from '../../../operator/model/object.ts';
import { undiciTransport } from '../../../operator/transport/undici-transport.ts';
import {
  atomicDefinition,
  type Site,
  siteDefinition,
  sites,
  startSites,
} from '../../support/sites.ts';

const condition = (type: string, status: 'True' | 'False' = 'True') =>
  ({ type, status, reason: 'Said', message: `about ${type}` }) as const;

const isMapIn = (definition: KubernetesObject): boolean =>
  JSON.stringify(definition).includes('x-kubernetes-list-map-keys');

/** A Site, and controllers that write its status, each under its name. */
async function startStatus(definition: KubernetesObject = atomicDefinition()) {
  const place = await startSites(definition, process.env);
  const { env, clock, namespace, site } = place;
  const transport = undiciTransport(env.url, { clock });
  onTestFinished(() => transport.close());
  await place.createSite('a');
  let writes = 0;
  const writer = (fieldManager: string, ...interceptors: readonly Interceptor[]) => {
    const rest = restClient({ transport, fieldManager, clock });
    const client: Client = intercept(rest, ...interceptors, (next) => (call) => {
      if (!isRead(call)) writes += 1;
      return next(call);
    });
    let memory = new AppliedMemory();
    const warnings: string[] = [];
    const warn = (message: string): number => warnings.push(message);
    return {
      warnings,
      restart: () => {
        memory = new AppliedMemory();
      },
      /** @param given - as a cache shows it; default: as the server has it. */
      setStatus: async (status: DesiredStatus<Site>, given?: Site) => {
        const object = given ?? (await site('a'));
        const parts = { resource: sites, client, clock, memory, fieldManager, warn };
        return statusWriter({ ...parts, object })(status);
      },
    };
  };
  const conditions = async (): Promise<readonly Condition[]> =>
    (await site('a')).status?.conditions ?? [];
  return {
    ...place,
    writer,
    types: async () => (await conditions()).map(({ type }) => type).toSorted(),
    /** Another writer that reads the list, changes it and writes it back. */
    async others(...types: readonly string[]) {
      const kept = (await conditions()).filter(({ type }) => !types.includes(type));
      const written = types.map((type) => ({
        ...condition(type),
        lastTransitionTime: '2026-01-01T00:00:00Z',
      }));
      const status = { conditions: [...kept, ...written] };
      await env.patch('example.dev/v1', 'Site', namespace, 'a', { status }, 'status');
    },
    /** Writes of all controllers. */
    count: () => writes,
    /** Another definition, which is in force when it resolves: a real API server takes a while. */
    async define(other: KubernetesObject) {
      await env.apply([other]);
      const probe = restClient({ transport, fieldManager: 'probe', clock });
      const { uid } = (await site('a')).metadata;
      const status = {
        conditions: [{ ...condition('Probe'), lastTransitionTime: '2026-01-01T00:00:00Z' }],
      };
      const body = {
        apiVersion: 'example.dev/v1',
        kind: 'Site',
        metadata: { name: 'a', namespace, uid },
        status,
      };
      await eventually(async () => {
        const options = { subresource: 'status', force: true, dryRun: true };
        const answer = await probe.applyExisting(sites, body as never, options);
        const fields = JSON.stringify(
          answer.metadata.managedFields?.find(
            (each) => (each as { manager?: string }).manager === 'probe',
          ),
        );
        return fields.includes('k:{') === isMapIn(other);
      });
    },
  };
}

describe('[child 2] an atomic list of conditions', () => {
  test("other writers' conditions in an atomic list stay, and an equal status is not written", async () => {
    const { writer, others, types, count } = await startStatus();
    const mine = writer('sites');
    await others('Audited', 'Backed-Up');
    const status = { pages: 1, conditions: [condition('Ready')] };

    expect(await mine.setStatus(status)).toBe(true);
    await others('Scanned');
    await mine.setStatus(status);
    const before = count();
    for (let time = 0; time < 3; time++) expect(await mine.setStatus(status)).toBe(false);

    expect(await types()).toEqual(['Audited', 'Backed-Up', 'Ready', 'Scanned']);
    expect(count()).toBe(before);
  });

  test("another writer's condition stays even if the cache does not have it yet", async () => {
    const { writer, others, types, site } = await startStatus();
    const mine = writer('sites');
    await mine.setStatus({ conditions: [condition('Ready')] });
    const late = await site('a');
    await others('Audited');

    await mine.setStatus({ conditions: [condition('Ready', 'False')] }, late);

    expect(await types()).toEqual(['Audited', 'Ready']);
  });

  test("another writer's first condition stays even if the cache does not have it yet", async () => {
    const { writer, others, types, site } = await startStatus();
    const late = await site('a');
    await others('Audited');

    await writer('sites').setStatus({ conditions: [condition('Ready')] }, late);

    expect(await types()).toEqual(['Audited', 'Ready']);
  });

  test.each([
    'at once',
    'after a restart',
    'after a restart, and others wrote last',
  ])("a condition that is no longer set is removed, and other writers' conditions stay: %s", async (when) => {
    const { writer, others, types } = await startStatus();
    const mine = writer('sites');
    await others('Audited');
    await mine.setStatus({ pages: 1, conditions: [condition('Ready'), condition('Stalled')] });
    if (when.includes('others')) await others('Scanned');
    if (when.includes('restart')) mine.restart();

    await mine.setStatus({ pages: 1, conditions: [condition('Ready')] });

    const scanned = when.includes('others') ? ['Scanned'] : [];
    expect(await types()).toEqual(['Audited', 'Ready', ...scanned]);
  });

  test.each([
    false,
    true,
  ])("other writers' conditions stay even with a cache that drops statuses (first write: %s)", async (isFirst) => {
    const { writer, others, types, site, count } = await startStatus();
    const mine = writer('sites');
    const cached = async (): Promise<Site> => {
      const { status: _, ...object } = await site('a');
      return object;
    };
    if (!isFirst) await mine.setStatus({ conditions: [condition('Stalled')] }, await cached());
    await others('Audited');

    await mine.setStatus({ conditions: [condition('Ready')] }, await cached());
    const before = count();
    await mine.setStatus({ conditions: [condition('Ready')] }, await cached());

    expect(await types()).toEqual(['Audited', 'Ready']);
    expect(count()).toBe(before);
  });

  test("a controller can remove its last condition, and other writers' conditions stay", async () => {
    const { writer, others, types, site } = await startStatus();
    const mine = writer('sites');
    await mine.setStatus({ note: 'x', conditions: [condition('Ready')] });
    await others('Audited');
    mine.restart();

    await mine.setStatus({ pages: 2 });

    expect(await types()).toEqual(['Audited']);
    expect((await site('a')).status).toMatchObject({ pages: 2 });
    expect((await site('a')).status?.note).toBeUndefined();
  });

  test("a status field that is no longer set is removed even if the field manager's name has changed", async () => {
    const { writer, others, site } = await startStatus();
    const mine = writer('sites');
    await mine.setStatus({ note: 'x', pages: 1, conditions: [condition('Ready')] });
    await others('Audited');
    await mine.setStatus({ note: 'x', pages: 1, conditions: [condition('Stalled')] });

    await mine.setStatus({ pages: 1, conditions: [condition('Ready')] });

    expect((await site('a')).status?.note).toBeUndefined();
  });

  test('two writers of the same atomic list of conditions do not write endlessly', async () => {
    const { writer, types, count } = await startStatus();
    const one = writer('one');
    const two = writer('two');
    const round = async () => {
      await one.setStatus({ conditions: [condition('Built'), condition('Tested')] });
      await two.setStatus({ conditions: [condition('Shipped')] });
    };
    for (let time = 0; time < 3; time++) await round();
    const before = count();

    for (let time = 0; time < 5; time++) await round();
    one.restart();
    two.restart();
    await round();

    expect(await types()).toEqual(['Built', 'Shipped', 'Tested']);
    // A process that has just begun asks once what the list is like.
    expect(count() - before).toBeLessThanOrEqual(2);
  });
});

test('[child 2] two controllers that set conditions in one atomic list stop after a few writes', async () => {
  const { env, operate, createSite, site, writes } = await startSites(atomicDefinition());
  await createSite('a');
  const stating =
    (type: string) =>
    async (_: Site, { setStatus }: ReconcileContext<Site>): Promise<void> => {
      await setStatus({ conditions: [condition(type)] });
    };
  await operate(stating('Built'), { name: 'one', owns: [] });
  await operate(stating('Shipped'), { name: 'two', owns: [] });
  await env.advance(60_000);

  const { status } = await site('a');
  const types = status?.conditions?.map(({ type }) => type).toSorted();

  expect(types).toEqual(['Built', 'Shipped']);
  expect(writes('sites.example.dev').length).toBeLessThanOrEqual(8);
});

describe('[child 2] a definition that changes while the controller runs', () => {
  test("other writers' conditions stay when a definition changes the type of the list from map to atomic", async () => {
    const { define, writer, others, types } = await startStatus(siteDefinition());
    const mine = writer('sites');
    await mine.setStatus({ conditions: [condition('Ready')] });
    await others('Audited');
    await define(atomicDefinition());

    await mine.setStatus({ conditions: [condition('Ready', 'False')] });

    expect(await types()).toEqual(['Audited', 'Ready']);
  });

  test.each([
    false,
    true,
  ])('each writer owns its conditions after a list changes from atomic to type map (restart: %s)', async (restart) => {
    const { define, writer, others, types } = await startStatus();
    const mine = writer('sites');
    await others('Audited');
    await mine.setStatus({ conditions: [condition('Ready'), condition('Stalled')] });
    await define(siteDefinition());
    if (restart) mine.restart();

    await mine.setStatus({ conditions: [condition('Ready', 'False'), condition('Stalled')] });
    await mine.setStatus({ conditions: [condition('Ready', 'False')] });
    if (restart) mine.restart();
    await mine.setStatus({ conditions: [condition('Ready')] });

    expect(await types()).toEqual(['Audited', 'Ready']);
  });
});

describe('[child 2] a response with missing or unreadable managedFields', () => {
  const withManagedFields =
    (managedFields: unknown): Interceptor =>
    (next) =>
    async (call) => {
      const answer = (await next(call)) as KubernetesObject | undefined;
      if (call.verb !== 'apply' || answer === undefined) return answer as never;
      return { ...answer, metadata: { ...answer.metadata, managedFields } } as never;
    };

  test.each<[string, unknown]>([
    ['none', undefined],
    ['no list', 'x'],
    [
      'entries in another format',
      [null, { manager: 'x', fieldsV1: 'x' }, { fieldsV1: { 'f:status': 3 } }],
    ],
  ])('with unreadable managedFields, no condition is lost, and the problem is reported once: %s', async (_, managedFields) => {
    const { writer, others, types } = await startStatus();
    const mine = writer('sites', withManagedFields(managedFields));
    await others('Audited');

    await mine.setStatus({ conditions: [condition('Ready'), condition('Stalled')] });
    await others('Scanned');
    await mine.setStatus({ conditions: [condition('Ready', 'False')] });

    expect(await types()).toEqual(['Audited', 'Ready', 'Scanned']);
    expect(mine.warnings).toEqual([expect.stringContaining('conditions of sites.example.dev')]);
  });
});

describe('[child 2] conditions in a list of type map', () => {
  test('a write to a list of type map needs no resourceVersion and no conditions of other writers', async () => {
    const { writer, others, types, site } = await startStatus(siteDefinition());
    const mine = writer('sites');
    await others('Audited');
    await mine.setStatus({ conditions: [condition('Ready')] });
    const late = await site('a');
    await others('Scanned');

    await mine.setStatus({ conditions: [condition('Ready', 'False')] }, late);

    expect(await types()).toEqual(['Audited', 'Ready', 'Scanned']);
    const owners = (await site('a')).metadata.managedFields as readonly { manager?: string }[];
    expect(owners.map(({ manager }) => manager)).toContain('sites');
  });
});
