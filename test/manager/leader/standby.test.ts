/**
 * With `CHANCERY_ON_LEADERSHIP_LOST=standby` a process that loses its leadership stays alive, and
 * stands for it again. Whole operators, on one clock, each behind a line of its own.
 */

import { configMap } from '@chancery/testing';
import { expect, test } from 'vitest';
import { type Controller, controller } from '../../../operator/controller/controller.ts';
import { aborted } from '../../../operator/core/abort.ts';
import type { Lease } from '../../../operator/model/builtin.ts';
import { configMaps } from '../../../operator/model/builtin.ts';
import { freePort } from '../../cli/child.ts';
import { isWrite, OUTAGE, Place, type Replica, STANDBY } from './replica.ts';

/** A controller that writes for every seed each second, and what it has seen. */
function writer(): { readonly seen: string[]; readonly controllers: readonly Controller[] } {
  const seen: string[] = [];
  const one = controller({
    name: 'writer',
    for: configMaps,
    predicate: ({ object }) => object.metadata.labels?.seed === 'yes',
    async reconcile(object, { client, clock }) {
      const { name, namespace } = object.metadata;
      seen.push(name);
      const metadata = { namespace: namespace ?? '', name: `${name}-journal` };
      const data = { at: String(clock.now()) };
      await client.apply(configMaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data });
      return { requeueAfterMs: 1_000 };
    },
  });
  return { seen, controllers: [one] };
}

async function seeded(...names: string[]): Promise<Place> {
  const place = await Place.start();
  for (const name of names) {
    await place.env.create(
      configMap(name, { namespace: place.namespace, labels: { seed: 'yes' } }),
    );
  }
  return place;
}

async function leaseIn({ env, namespace }: Place): Promise<Lease> {
  return env.server.get('coordination.k8s.io/v1', 'Lease', namespace, 'writer-leader') as Lease;
}

function said({ operator }: Replica, message: string): number {
  return operator.log.filter((line) => line.message === message).length;
}

test('[real R-4] [LE-12] after an outage longer than its Lease a leader leads again, and sends no write of the old term', async () => {
  const place = await seeded('a', 'b');
  const { seen, controllers } = writer();
  const replica = await place.replica('one', controllers);
  await place.until(() => replica.operator.leads && seen.length > 4);

  replica.gate = OUTAGE;
  const outageAt = place.clock.monotonic();
  const hasLost = await place.until(() => !replica.operator.leads);
  const lostAt = place.clock.monotonic();
  await place.env.advance(20_000 - (lostAt - outageAt));
  const during = replica.operator.status;
  seen.length = 0;
  replica.gate = {};
  const leadsAgain = await place.until(() => replica.operator.leads);
  const regainedAt = Date.parse((await leaseIn(place)).spec?.acquireTime ?? '');
  await place.until(() => place.writes('one', regainedAt).length >= 2);

  expect([hasLost, leadsAgain]).toEqual([true, true]);
  expect(lostAt - outageAt).toBeLessThanOrEqual(10_500);
  expect(during).toMatchObject({ phase: 'running', ready: true, leadership: { leads: false } });
  expect(during.controllers).toMatchObject([
    { working: false, busy: 0, ready: [], delayed: 0, failing: 0 },
  ]);
  expect(place.writes('one', lostAt, regainedAt)).toEqual([]);
  expect(place.writes('one', regainedAt).length).toBeGreaterThanOrEqual(2);
  expect(new Set(seen)).toEqual(new Set(['a', 'b']));
  expect((await leaseIn(place)).spec?.leaseTransitions).toBe(1);
  expect([said(replica, 'leadership lost'), said(replica, 'leads')]).toEqual([1, 2]);
});

test('[real R-4] if another process leads meanwhile, the old leader stands by, and there are never two leaders', async () => {
  const place = await seeded('a');
  const one = await place.replica('one', writer().controllers);
  await place.until(() => one.operator.leads);
  const two = await place.replica('two', writer().controllers);
  await place.until(() => two.operator.ready);
  const both: number[] = [];
  const looks = (): void => {
    if (one.operator.leads && two.operator.leads) both.push(place.clock.monotonic());
  };

  one.gate = OUTAGE;
  const tookOver = await place.until(() => {
    looks();
    return two.operator.leads;
  });
  const takenAt = place.clock.monotonic() - 500;
  one.gate = {};
  for (let second = 0; second < 25; second++) {
    await place.env.advance(1_000);
    looks();
  }
  const writesMeanwhile = place.writes('one', takenAt);
  const idle = one.operator.status;
  await two.operator.stop();
  const tookBack = await place.until(() => one.operator.leads);

  expect([tookOver, tookBack]).toEqual([true, true]);
  expect(both).toEqual([]);
  expect(writesMeanwhile).toEqual([]);
  expect(idle).toMatchObject({
    phase: 'running',
    ready: true,
    leadership: { leads: false, holder: expect.stringMatching(/^two_/) },
    controllers: [{ name: 'writer', working: false }],
  });
  expect(place.writes('two', takenAt).length).toBeGreaterThan(10);
  expect((await leaseIn(place)).spec?.leaseTransitions).toBe(2);
});

test('[real R-4] a write is aborted when leadership is lost, and the next term begins with a new reconcile', async () => {
  const place = await seeded('a');
  const attempts: { readonly attempt: number; outcome?: unknown }[] = [];
  const one = controller({
    name: 'writer',
    for: configMaps,
    async reconcile(_object, { key, attempt, client }) {
      if (!key.endsWith('/a')) return;
      const turn: (typeof attempts)[number] = { attempt };
      attempts.push(turn);
      if (attempts.length < 4) throw new Error('not yet'); // so that there is a back-off
      const metadata = { namespace: place.namespace, name: 'journal' };
      const written = { apiVersion: 'v1', kind: 'ConfigMap', metadata };
      turn.outcome = 'under way';
      await client.apply(configMaps, written).then(
        () => {
          turn.outcome = 'written';
        },
        (error: { readonly code?: unknown }) => {
          turn.outcome = error.code;
          throw error;
        },
      );
    },
  });
  const replica = await place.replica('one', [one]);
  replica.gate = {
    before: ({ verb, resource }) => holdIf(resource === 'configmaps' && verb === 'patch'),
  };
  await place.until(() => attempts.at(-1)?.outcome === 'under way');

  replica.gate = OUTAGE;
  await place.until(() => !replica.operator.leads);
  await place.until(() => attempts.at(-1)?.outcome !== 'under way', 2_000);
  const ended = attempts.at(-1);
  await place.env.advance(20_000);
  replica.gate = {};
  await place.until(() => attempts.at(-1)?.outcome === 'written');

  expect(ended).toEqual({ attempt: 3, outcome: 'LEADERSHIP_LOST' });
  expect(attempts).toHaveLength(5);
  expect(attempts.at(-1)).toEqual({ attempt: 0, outcome: 'written' });
});

test('[real R-4] a client object from one term cannot write in the next term', async () => {
  const place = await seeded('a');
  const kept: (() => Promise<unknown>)[] = [];
  const one = controller({
    name: 'writer',
    for: configMaps,
    async reconcile(_object, { key, client, event }) {
      if (!key.endsWith('/a')) return;
      const metadata = { namespace: place.namespace, name: 'late' };
      const written = { apiVersion: 'v1', kind: 'ConfigMap', metadata };
      kept.push(() => {
        event('Normal', 'Late', 'told too late');
        return client.apply(configMaps, written);
      });
    },
  });
  const replica = await place.replica('one', [one]);
  await place.until(() => kept.length === 1);
  replica.gate = OUTAGE;
  await place.until(() => !replica.operator.leads);
  await place.env.advance(20_000);
  replica.gate = {};
  await place.until(() => kept.length === 2);
  place.passed.length = 0;

  const outcome = await kept[0]?.().catch((error: { readonly code?: unknown }) => error.code);
  await place.env.advance(30_000);

  expect(outcome).toBe('LEADERSHIP_LOST');
  const names = place.passed.filter(({ call }) => isWrite(call)).map(({ call }) => call.resource);
  expect(new Set(names)).toEqual(new Set(['leases.coordination.k8s.io']));
});

test('[real R-4] a process that loses its leadership twice leads three times, and logs each change once', async () => {
  const place = await seeded('a', 'b');
  const { seen, controllers } = writer();
  const runs: string[] = [];
  const guarded = {
    name: 'guarded',
    run: async (signal: AbortSignal) => {
      runs.push('began');
      await aborted(signal);
      runs.push('ended');
    },
  };
  const replica = await place.replica('one', controllers, STANDBY, [guarded]);
  const terms: string[][] = [];
  for (let term = 0; term < 3; term++) {
    replica.gate = {};
    await place.until(() => replica.operator.leads);
    await place.until(() => seen.length >= 2);
    terms.push(seen.slice(0, 2).toSorted());
    if (term === 2) break;
    replica.gate = OUTAGE;
    await place.until(() => !replica.operator.leads);
    await place.env.advance(12_000);
    seen.length = 0;
  }

  expect(terms).toEqual([
    ['a', 'b'],
    ['a', 'b'],
    ['a', 'b'],
  ]);
  expect(runs).toEqual(['began', 'ended', 'began', 'ended', 'began']);
  expect([said(replica, 'leadership lost'), said(replica, 'leads')]).toEqual([2, 3]);
  expect((await leaseIn(place)).spec?.leaseTransitions).toBe(2);
  expect(
    replica.operator.meter.value('leader_election_master_status', { name: 'writer-leader' }),
  ).toBe(1);
});

test('[real R-4] the probes of a process that lost its leadership have the same results as those of a standby that never led', async () => {
  const place = await seeded('a');
  const [health, other] = [await freePort(), await freePort()];
  const one = await place.replica('one', writer().controllers, {
    ...STANDBY,
    CHANCERY_HEALTH_PORT: `${health}`,
  });
  await place.until(() => one.operator.leads);
  const two = await place.replica('two', writer().controllers, {
    ...STANDBY,
    CHANCERY_HEALTH_PORT: `${other}`,
  });
  await place.until(() => two.operator.ready);
  one.gate = OUTAGE;
  two.gate = OUTAGE;
  await place.until(() => !one.operator.leads);

  await place.env.advance(120_000);

  const [fallen, never] = await Promise.all([health, other].map(probes));
  expect(fallen).toEqual(never);
  expect(fallen).toMatchObject({ healthz: 200, readyz: 200 });
  expect(one.operator.status.controllers).toEqual(
    two.operator.status.controllers.map((each) => ({
      ...each,
      reconciles: expect.any(Number),
      medianMs: expect.any(Number),
      slowestMs: expect.any(Number),
    })),
  );
  for (const { operator } of [one, two]) {
    expect(operator.meter.value('leader_election_master_status', { name: 'writer-leader' })).toBe(
      0,
    );
    expect(
      operator.meter.value('workqueue_depth', {
        name: 'writer',
        controller: 'writer',
        priority: '0',
      }) ?? 0,
    ).toBe(0);
  }
});

function holdIf(held: boolean): 'hold' | 'pass' {
  return held ? 'hold' : 'pass';
}

async function probes(port: number): Promise<Readonly<Record<string, unknown>>> {
  const answers = await Promise.all(
    ['healthz', 'readyz'].map(async (name) => {
      const answer = await fetch(`http://127.0.0.1:${port}/${name}?verbose`);
      return [
        [name, answer.status],
        [`${name} in words`, await answer.text()],
      ];
    }),
  );
  return Object.fromEntries(answers.flat());
}
