/** Objects that leave the selectors of a source while they carry the finalizer of its controller. */
import { configMap, FakeClock, startOperator, startTestEnv } from '@chancery/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { composite } from '../../operator/composite/composite.ts';
import { engine } from '../../operator/composite/engine.ts';
import { applyWriter } from '../../operator/controller/children/apply-writer.ts';
import { type Controller, controller } from '../../operator/controller/controller.ts';
import type { EventNote } from '../../operator/controller/events/event-recorder.ts';
import { Departures } from '../../operator/controller/finalizers/departures.ts';
import { source } from '../../operator/controller/source.ts';
import { AmbassadorError } from '../../operator/core/errors.ts';
import { type ConfigMap, configMaps, pods } from '../../operator/model/builtin.ts';
import { Entry } from '../../operator/model/entry.ts';
import { secrets } from '../../operator/model/kubernetes/resources.ts';
import type { KubernetesObject } from '../../operator/model/object.ts';
import type { Resource } from '../../operator/model/resource.ts';
import { Deleted } from '../../operator/store/change.ts';
import { recordingLog } from '../support/recording-log.ts';

const OURS = 'example.dev/cleanup';
const SELECTOR = 'tier=web';
const labels = { tier: 'web' };
const finalizer = { name: OURS, finalize: async () => {} };
const selected = source(configMaps, { labelSelector: SELECTOR });

async function started(declared: Controller, namespaces?: string) {
  const clock = new FakeClock();
  const env = await startTestEnv({ embedded: { clock }, environment: {} });
  onTestFinished(() => env.stop());
  const namespace = await env.namespace();
  const operator = startOperator({
    url: env.url,
    namespace: namespaces ?? namespace,
    controllers: [declared],
    clock,
  });
  onTestFinished(() => operator.stop());
  await env.settled();
  return {
    env,
    namespace,
    warnings: () => operator.log.filter(({ message }) => message.includes('with the finalizer')),
    events: async () =>
      (await env.list<KubernetesObject & { reason?: string }>('events.k8s.io/v1', 'Event')).filter(
        ({ reason }) => reason === 'LeftSelector',
      ),
    create: async (name: string, more: object = {}) => {
      await env.create(configMap(name, { namespace, labels, ...more }));
      await env.settled();
    },
    label: async (name: string, tier: string | null) => {
      const patch = { metadata: { labels: { tier } } };
      await env.patch('v1', 'ConfigMap', namespace, name, patch);
      await env.settled();
    },
    reads: () => env.requests.count({ resource: 'configmaps', verb: 'get' }),
  };
}

const plain = (more: object = {}): Controller =>
  controller<ConfigMap>({
    name: 'web',
    for: selected,
    finalizer,
    reconcile: async () => {},
    ...more,
  }) as Controller;

const composed = (): Controller =>
  composite<ConfigMap>({
    name: 'web',
    parent: selected,
    children: [secrets as Resource],
    sync: () => ({ children: [] }),
    finalize: { name: OURS, sync: () => ({ children: [], finalized: true }) },
  }) as unknown as Controller;

describe.each<[string, () => Controller]>([
  ['a controller', plain],
  ['a composite', composed],
  ['a controller whose predicate drops every change', () => plain({ predicate: () => false })],
])('[K-26] [found 7] %s', (_kind, declare) => {
  test('tells once by log and Event that an object with its finalizer has left the selector', async () => {
    const place = await started(declare());
    await place.create('a', { finalizers: [OURS] });

    await place.label('a', 'batch');
    await place.env.advance(3_600_000);

    expect(place.warnings().map(({ fields }) => fields)).toMatchObject([
      { finalizer: OURS, selector: SELECTOR, count: 1, keys: [`${place.namespace}/a`] },
    ]);
    expect(await place.events()).toMatchObject([
      {
        type: 'Warning',
        regarding: { kind: 'ConfigMap', name: 'a' },
        note: `no longer matches ${SELECTOR}, the selector of controller web, and carries its finalizer ${OURS}: it cannot be deleted until it matches again, or the finalizer is removed`,
      },
    ]);
  });
});

test('[found 7] an object that comes back and leaves again is told again', async () => {
  const place = await started(plain());
  await place.create('a');
  await place.label('a', null);
  await place.label('a', 'web');
  await place.label('a', 'batch');

  expect(place.warnings()).toHaveLength(2);
});

test('[found 7] an object that leaves while it is being deleted is told', async () => {
  const place = await started(
    plain({ finalizer: { name: OURS, finalize: async () => ({ requeueAfterMs: 60_000 }) } }),
  );
  await place.create('a');
  await place.env.delete('v1', 'ConfigMap', place.namespace, 'a');
  await place.env.settled();

  await place.label('a', 'batch');

  expect(place.warnings()).toHaveLength(1);
  expect(await place.events()).toHaveLength(1);
});

test('[found 7] a real deletion is not told, and costs no read where this process removed the finalizer', async () => {
  const place = await started(plain());
  await place.create('ours');
  await place.create('others');
  const reads = place.reads();

  await place.env.delete('v1', 'ConfigMap', place.namespace, 'ours');
  await place.env.settled();
  const readsOfOurs = place.reads() - reads;
  const freed = { metadata: { finalizers: null } };
  await place.env.patch('v1', 'ConfigMap', place.namespace, 'others', freed);
  await place.env.delete('v1', 'ConfigMap', place.namespace, 'others');
  await place.env.settled();

  expect(readsOfOurs).toBe(0);
  expect(place.warnings()).toEqual([]);
  expect(await place.events()).toEqual([]);
});

test('[found 7] an object without the finalizer leaves in silence, as do all where the source has no selector', async () => {
  const unfinalized = await started(plain({ finalizer: undefined }));
  await unfinalized.create('a', { finalizers: ['other.dev/x'] });
  await unfinalized.label('a', 'batch');
  const whole = await started(plain({ for: source(configMaps) }));
  await whole.create('a');
  await whole.label('a', 'batch');

  expect([...unfinalized.warnings(), ...whole.warnings()]).toEqual([]);
});

test('[found 7] a field selector is left in the same way, also by objects of a decorator', async () => {
  const names = { fieldSelector: 'status.phase=Pending' };
  const declared = engine({
    name: 'phases',
    decorator: 'phases',
    parent: source(pods as Resource, names),
    children: [],
    hasStatusSubresource: true,
    writer: applyWriter({ fieldManager: 'sites' }),
    finalizer: { name: OURS, isUsed: true },
    sync: async () => ({ children: [] }),
    controller: {},
  });
  const { env, namespace, warnings, events } = await started(declared);
  const spec = { containers: [{ name: 'a', image: 'a:1' }] };
  await env.create({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'a', namespace },
    spec,
  } as never);
  await env.settled();

  await env.patch('v1', 'Pod', namespace, 'a', { status: { phase: 'Running' } }, 'status');
  await env.settled();

  expect(warnings().map(({ fields }) => fields)).toMatchObject([
    { finalizer: OURS, selector: 'status.phase=Pending', keys: [`${namespace}/a`] },
  ]);
  expect(await events()).toMatchObject([{ regarding: { kind: 'Pod', name: 'a' } }]);
});

test('[found 7] many objects that leave at once are named in few lines, and each gets its Event', async () => {
  const place = await started(plain());
  for (let at = 0; at < 15; at++) {
    await place.env.create(configMap(`a-${at}`, { namespace: place.namespace, labels }));
  }
  await place.env.settled();
  const patch = { metadata: { labels: { tier: 'batch' } } };

  await Promise.all(
    Array.from({ length: 15 }, (_, at) =>
      place.env.patch('v1', 'ConfigMap', place.namespace, `a-${at}`, patch),
    ),
  );
  await place.env.settled();

  const counts = place.warnings().map(({ fields }) => fields.count as number);
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(15);
  expect(await place.events()).toHaveLength(15);
});

describe('[found 7] an object that a list no longer has', () => {
  const a = configMap('a', { namespace: 'demo', labels, finalizers: [OURS], uid: '1' });
  const cases: readonly [string, () => ConfigMap | undefined, readonly string[]][] = [
    ['is there without the label', () => a, ['left']],
    ['is gone', () => undefined, []],
    ['is another one of that name', () => ({ ...a, metadata: { ...a.metadata, uid: '2' } }), []],
    [
      'has no such finalizer any more',
      () => ({ ...a, metadata: { ...a.metadata, finalizers: [] } }),
      [],
    ],
    [
      'cannot be read',
      () => {
        throw new AmbassadorError('no answer', { code: 'AMBASSADOR_UPSTREAM', fate: 'unknown' });
      },
      ['missing and could not be read'],
    ],
  ];
  test.each(cases)('%s: it is told as far as it is known', async (_what, answer, words) => {
    const { lines, logFor } = recordingLog();
    const recorded: EventNote[] = [];
    const departures = new Departures({
      controller: plain(),
      client: { find: async () => answer() as never },
      events: { record: (note) => recorded.push(note) },
      log: logFor({}),
      isSelected: () => false,
      isFinalized: () => false,
      signal: new AbortController().signal,
    });

    departures.changed(new Deleted(Entry.of(a as KubernetesObject), true));
    await departures.ended();

    expect(lines.map(({ message }) => message)).toEqual(
      words.map((word) => expect.stringContaining(word)),
    );
    expect(recorded).toHaveLength(words[0] === 'left' ? 1 : 0);
  });
});
