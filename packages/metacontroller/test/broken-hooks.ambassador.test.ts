/** Hooks that fail or answer nonsense: what parents show, what is told, and that no child is lost by it. */
import { eventually, FakeClock } from '@chancery/testing';
import { expect, test } from 'vitest';
import type { KubernetesObject } from '../../../operator/index.ts';
import { answering, scriptedHook } from './call/support.ts';
import {
  ORCHARDS,
  type OrchardRequest,
  orchard,
  orchards,
  plan,
  planned,
  syncedOf,
  syncedWith,
} from './support/orchards.ts';
import { type MetacontrollerPlace, PATIENT, startMetacontroller } from './support/place.ts';
import { Reply } from './support/webhooks.ts';

function thing(kind: string, name: string, namespace?: string): object {
  return { apiVersion: 'v1', kind, metadata: { name, ...(namespace && { namespace }) } };
}

/** A cluster in which `north` has its plan, and a hook that then answers something else about it. */
async function settledPlace(answer: (body: OrchardRequest) => unknown, webhook: object = {}) {
  let isBroken = false;
  const decide = (body: OrchardRequest): unknown =>
    isBroken && body.parent.metadata.name === 'north' ? answer(body) : plan(body);
  const place = await startMetacontroller({
    subjects: [orchards({ decide, webhook })],
    definitions: [ORCHARDS],
  });
  await place.apply(orchard('north', 1));
  await planned(place, 'north', 1);
  await place.idle();
  isBroken = true;
  return {
    place,
    mend: () => {
      isBroken = false;
    },
  };
}

test.each<[string, (body: OrchardRequest) => unknown, string]>([
  ['500', () => new Reply(500), 'BadStatus'],
  ['204', () => new Reply(204), 'BadStatus'],
  ['a redirect', () => new Reply(302, '', { location: '/else' }), 'BadStatus'],
  ['a page', () => new Reply(200, '<html></html>'), 'InvalidAnswer'],
  ['more than 10 MB', () => new Reply(200, ' '.repeat(10_000_001)), 'TooLarge'],
  ['nothing about children', () => ({}), 'InvalidAnswer'],
  ['null in place of children', () => ({ children: null }), 'InvalidAnswer'],
  ['null as a child', () => ({ children: [null] }), 'InvalidAnswer'],
  ['a child of another kind', () => ({ children: [thing('Pod', 'a')] }), 'InvalidAnswer'],
  [
    'a child of another namespace',
    () => ({ children: [thing('ConfigMap', 'a', 'kube-system')] }),
    'InvalidAnswer',
  ],
])('[contract 6] [contract 91] [metacontroller 8] a hook that answers %s deletes no child, and a condition, an Event and a metric report the failure', async (_, answer, reason) => {
  const { place, mend } = await settledPlace(answer);

  await place.apply(orchard('north', 2));
  const condition = await syncedWith(place, 'north', reason);
  const [event] = await place.told('SyncError');
  await place.apply(orchard('south', 7));
  await planned(place, 'south', 7); // its neighbour goes on
  const kept = await planned(place, 'north', 1);
  mend();
  await planned(place, 'north', 2); // by the back-off: nothing changes meanwhile
  await eventually(async () => (await syncedOf(place, 'north')) === undefined, PATIENT);

  const labels = `{controller="composite-orchards",reason="${reason}"}`;
  expect(place.operator.meter.snapshot()).toHaveProperty([
    `metacontroller_parent_failures_total${labels}`,
  ]);
  expect(condition.status).toBe('False');
  expect(event).toMatchObject({ type: 'Warning' });
  expect(kept.metadata.deletionTimestamp).toBeUndefined();
});

/** Orchards whose status has a schema. */
function strictOrchards(): KubernetesObject {
  const integer = { type: 'integer' };
  const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const conditions = { type: 'array', items: anything };
  const properties = { trees: integer, observedGeneration: integer, conditions };
  const schema = {
    type: 'object',
    properties: { spec: anything, status: { type: 'object', properties } },
  };
  const given = JSON.stringify(ORCHARDS);
  return JSON.parse(given, (name, value) => (name === 'openAPIV3Schema' ? schema : value));
}

test('a status that the schema refuses is reported, and the children in the answer are still written', async () => {
  const decide = (request: OrchardRequest): unknown => ({
    ...plan(request),
    status: { trees: request.parent.spec.trees === 1 ? 'many' : 2 },
  });
  const place = await startMetacontroller({
    subjects: [orchards({ decide })],
    definitions: [strictOrchards()],
  });
  await place.apply(orchard('north', 1));

  const condition = await syncedWith(place, 'north', 'Invalid');
  const [event] = await place.told('SyncError');
  await planned(place, 'north', 1);
  await place.apply(orchard('north', 2));
  await planned(place, 'north', 2);
  await eventually(async () => (await syncedOf(place, 'north')) === undefined, PATIENT);

  expect(condition.message).toContain('status.trees');
  expect(event).toMatchObject({ type: 'Warning' });
});

test('[contract 59] a child that another controller owns stays unchanged, and is reported', async () => {
  const place = await startMetacontroller({
    subjects: [orchards({ decide: plan })],
    definitions: [ORCHARDS],
    stopped: true,
  });
  const kind = { apiVersion: 'v1', kind: 'ConfigMap' };
  await place.apply({ ...kind, metadata: { name: 'other' } });
  const other = await place.env.get('v1', 'ConfigMap', place.namespace, 'other');
  const owner = { ...kind, name: 'other', uid: other?.metadata.uid ?? '', controller: true };
  const metadata = { name: 'north-plan', ownerReferences: [owner] };
  await place.apply({ ...kind, metadata, data: { trees: 'theirs' } } as KubernetesObject);
  place.startOperator();

  await place.apply(orchard('north', 1));
  const condition = await syncedWith(place, 'north', 'AlreadyOwned');
  const [event] = await place.told('SyncError');

  expect(condition.message).toContain('north-plan');
  expect(event).toMatchObject({ type: 'Warning' });
  const where = ['v1', 'ConfigMap', place.namespace, 'north-plan'] as const;
  expect(await place.env.get(...where)).toMatchObject({ data: { trees: 'theirs' } });
});

test('[found 10] if an object without a controller already has the name of a child, this is reported with a message of the contract', async () => {
  const place = await startMetacontroller({
    subjects: [orchards({ decide: plan })],
    definitions: [ORCHARDS],
    stopped: true,
  });
  await place.apply(thing('ConfigMap', 'north-plan') as KubernetesObject);
  place.startOperator();

  await place.apply(orchard('north', 1));
  const { message } = await syncedWith(place, 'north', 'AlreadyOwned');

  expect(message).toBe(
    `configmaps ${place.namespace}/north-plan exists without a controller: it is left alone; delete it, or give the child another name`,
  );
});

/** Calls about `north`. */
function callsOf({ server }: MetacontrollerPlace): number {
  return server.calls('/orchards/sync').length;
}

/** A cluster whose time stands still, with a hook that answers this about `north`, and its first call. */
async function stoppedTime(answer: (clock: FakeClock) => unknown, webhook: object = {}) {
  const clock = new FakeClock(Date.parse('2030-01-07T08:00:00Z'));
  const place = await startMetacontroller({
    subjects: [orchards({ decide: () => answer(clock), webhook })],
    definitions: [ORCHARDS],
    clock,
  });
  await place.apply(orchard('north', 1));
  await eventually(() => callsOf(place) === 1, PATIENT);
  await place.idle();
  return { clock, place };
}

test.each<[string, (clock: FakeClock) => Record<string, string>, number]>([
  ['seconds', () => ({ 'Retry-After': '3' }), 3_000],
  ['a date', (clock) => ({ 'Retry-After': new Date(clock.now() + 7_000).toUTCString() }), 7_000],
  ['nothing', () => ({}), 1_000],
  ['a date that is over', () => ({ 'Retry-After': 'Mon, 07 Jan 2019 08:00:00 GMT' }), 1_000],
])('[contract 4] [metacontroller 8] [metacontroller M6] a 429 with %s delays the next call, without an Event or a condition', async (_, headers, waitMs) => {
  const { clock, place } = await stoppedTime((now) => new Reply(429, '', headers(now)));

  await clock.advanceAndSettle(waitMs - 1);
  await place.idle();
  const before = callsOf(place);
  await clock.advanceAndSettle(1);
  await eventually(() => callsOf(place) === 2, PATIENT);
  await place.idle();

  expect(before).toBe(1);
  expect(await place.events('SyncError')).toEqual([]);
  expect(await syncedOf(place, 'north')).toBeUndefined();
});

test('[contract 6] [metacontroller 8] the call of a hook that hangs ends at its time limit', async () => {
  const { promise: never } = Promise.withResolvers();
  const clock = new FakeClock(Date.parse('2030-01-07T08:00:00Z'));
  const place = await startMetacontroller({
    subjects: [orchards({ decide: () => never, webhook: { timeout: '1s' } })],
    definitions: [ORCHARDS],
    clock,
  });
  await place.apply(orchard('north', 1));
  await eventually(() => callsOf(place) === 1, PATIENT);
  const before = await syncedOf(place, 'north');

  await clock.advanceAndSettle(1_000);
  const condition = await syncedWith(place, 'north', 'Timeout');

  expect(before).toBeUndefined();
  expect(condition.message).toContain('has not answered within 1 s');
});

test.each([
  'localhost',
  '127.1',
  '[::ffff:127.0.0.1]',
])('[contract 17] a hook address that is a port of the operator itself, written as %s, is refused', async (host) => {
  const status = await scriptedHook(answering(200));
  const place = await startMetacontroller({
    subjects: [orchards({ decide: plan, webhook: { url: `http://${host}:${status.port}/` } })],
    definitions: [ORCHARDS],
    options: { ownPorts: () => [status.port] },
  });

  await place.apply(orchard('north', 1));
  const condition = await syncedWith(place, 'north', 'RefusedAddress');

  expect(condition.message).toContain('it is a port of this process');
  expect(status.received).toEqual([]);
});
