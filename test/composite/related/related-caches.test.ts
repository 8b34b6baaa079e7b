import { FakeClock } from '@chancery/testing';
import { expect, test } from 'vitest';
import type { RelatedRule } from '../../../operator/composite/related/compiled-rule.ts';
import { Related } from '../../../operator/composite/related/related-objects.ts';
import { NotReadyError, SourceUnavailableError } from '../../../operator/controller/errors.ts';
import { failureOf } from '../../../operator/controller/run/failure.ts';
import { configMaps, secrets } from '../../../operator/model/kubernetes/resources.ts';
import { keyOf } from '../../../operator/model/object.ts';
import { type ConfigSet, configSet } from '../parents.ts';
import { contextAt, FakeSource, running } from './fake-sources.ts';

function parent(name: string, generation = 1): ConfigSet {
  const set = configSet('farm', { names: [] });
  return { ...set, metadata: { ...set.metadata, name, uid: `uid-${name}`, generation } };
}

const north = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'north', namespace: 'farm', uid: 'north', resourceVersion: '1' },
};

/** Related objects whose sources open as `FakeSource`s without a first list. */
function opening(rulesOf: (name: string) => readonly RelatedRule[]) {
  const clock = new FakeClock();
  const opened: FakeSource[] = [];
  const asked: string[] = [];
  const related = new Related({
    controller: 'test',
    rules: async ({ metadata }) => {
      asked.push(metadata.name);
      return rulesOf(metadata.name);
    },
    sources: {
      open: (source) => {
        const fake = new FakeSource(
          source,
          [north].filter(({ kind }) => kind === source.resource.kind),
        );
        opened.push(fake);
        return fake.handle;
      },
    },
  });
  const of = async (set: ConfigSet) => {
    const found = await related.of(set, contextAt(clock));
    return [...found].map(([name, { objects }]) => `${name}: ${objects.map(keyOf)}`);
  };
  const wakes = running(related.wiring.triggers?.[0], clock);
  const idle = async () => {
    await Promise.resolve();
    clock.advance(5 * 60_000);
    for (let turn = 0; turn < 5; turn++) await Promise.resolve();
  };
  return { clock, opened, asked, related, of, wakes, idle };
}

const byName: RelatedRule = { resource: configMaps, names: ['north'] };

test('[contract 7] the first rule for a resource opens its source, and parents wait for its first list', async () => {
  const { of, opened, wakes } = opening(() => [byName]);

  const first = await of(parent('a')).catch((error: unknown) => error);
  await expect(of(parent('b'))).rejects.toBeInstanceOf(NotReadyError);
  opened[0]?.sync();

  expect(failureOf(first)).toMatchObject({ kind: 'conflict', error: { code: 'NOT_SYNCED' } });
  expect(opened).toHaveLength(1);
  expect(wakes.take()).toEqual(['farm/a', 'farm/b']);
  expect(await of(parent('a'))).toEqual(['configmaps: farm/north']);
  expect(wakes.take()).toEqual([]);
});

test('all sources of a parent are opened before the parent waits for the first list', async () => {
  const { of, opened } = opening(() => [byName, { resource: secrets }]);

  await expect(of(parent('a'))).rejects.toBeInstanceOf(NotReadyError);

  expect(opened.map(({ source }) => source.resource.plural)).toEqual(['configmaps', 'secrets']);
});

test.each([
  ['forbidden', 'Forbidden'],
  ['unserved', 'NotServed'],
] as const)('a source that is %s is reported as a failure until it can be listed', async (state, reason) => {
  const { of, opened, wakes } = opening(() => [{ resource: secrets }]);
  await expect(of(parent('a'))).rejects.toThrow('no first list');
  const [fake] = opened;
  if (fake !== undefined) fake.state = state;

  const failure = failureOf(await of(parent('a')).catch((error: unknown) => error));
  fake?.sync();

  const { kind, error } = failure;
  expect(kind).toBe('failed');
  expect(error).toBeInstanceOf(SourceUnavailableError);
  expect(error).toMatchObject({ reason, context: { resource: 'secrets' } });
  expect(wakes.take()).toEqual(['farm/a']);
  expect(await of(parent('a'))).toEqual(['secrets: ']);
});

test('[contract 46] the rules of a parent are requested once per generation, and again after 20 minutes', async () => {
  const { of, opened, asked, clock } = opening(() => [byName]);
  await of(parent('a')).catch(() => {});
  opened[0]?.sync();
  await of(parent('a'));
  clock.advance(20 * 60_000 - 1);
  await of(parent('a'));
  expect(asked).toEqual(['a']);

  clock.advance(1);
  await of(parent('a'));
  await of(parent('a', 2));

  expect(asked).toEqual(['a', 'a', 'a']);
});

test('if a parent is replaced by a new one of the same name, its rules are requested again', async () => {
  const { of, opened, asked } = opening(() => [byName]);
  await of(parent('a')).catch(() => {});
  opened[0]?.sync();
  const { metadata, ...rest } = parent('a');

  await of({ ...rest, metadata: { ...metadata, uid: 'another' } });

  expect(asked).toEqual(['a', 'a']);
});

test('if new rules are invalid, changes of related objects still wake parents according to the earlier rules', async () => {
  const answers: (() => readonly RelatedRule[])[] = [
    () => [byName],
    () => {
      throw new Error('down');
    },
    () => [{ ...byName, labelSelector: {} }],
    () => ({ relatedResources: [] }) as unknown as readonly RelatedRule[],
    () => new Array<RelatedRule>(101).fill(byName),
  ];
  const { of, opened, wakes } = opening(() => answers.shift()?.() ?? []);
  await of(parent('a', 1)).catch(() => {});
  opened[0]?.sync();
  wakes.take();

  await expect(of(parent('a', 2))).rejects.toThrow('down');
  await expect(of(parent('a', 3))).rejects.toThrow('names and a labelSelector');
  await expect(of(parent('a', 4))).rejects.toThrow('must be a list');
  await expect(of(parent('a', 5))).rejects.toThrow('at most 100 rules');
  opened[0]?.put({ ...north, metadata: { ...north.metadata, resourceVersion: '2' } });

  expect(wakes.take()).toEqual(['farm/a']);
});

test('a deleted parent is not enqueued, and a source that no rule uses is closed after a while', async () => {
  const { of, opened, related, wakes, idle } = opening(() => [byName]);
  await of(parent('a')).catch(() => {});
  await of(parent('b')).catch(() => {});
  opened[0]?.sync();
  await of(parent('a'));
  await of(parent('b'));
  wakes.take();

  related.forget(keyOf(parent('a')));
  opened[0]?.put({ ...north, metadata: { ...north.metadata, resourceVersion: '2' } });
  expect(wakes.take()).toEqual(['farm/b']);
  await idle();
  await idle();
  expect(opened[0]?.released).toBe(0);

  related.forget(keyOf(parent('b')));
  await idle();
  await idle();
  await idle();
  expect(opened[0]?.released).toBe(1);

  await expect(of(parent('c'))).rejects.toBeInstanceOf(NotReadyError);
  expect(opened).toHaveLength(2);
});

test('when a controller stops, its related sources are closed and its rules are dropped', async () => {
  const { of, opened, wakes, asked } = opening(() => [byName]);
  await of(parent('a')).catch(() => {});
  opened[0]?.sync();

  await wakes.stop();

  expect(opened[0]?.released).toBe(1);
  await of(parent('a')).catch(() => {});
  expect(asked).toEqual(['a', 'a']);
});

test('related objects of two versions of one resource are grouped by version', async () => {
  const older = { ...configMaps, version: 'v1beta1' };
  const { of, opened } = opening(() => [byName, { resource: older }, byName]);
  await of(parent('a')).catch(() => {});
  for (const fake of opened) fake.sync();

  expect(await of(parent('a'))).toEqual([
    'configmaps: farm/north',
    'v1beta1/configmaps: farm/north',
  ]);
});

test('after its controller has ended, a reconcile opens no source until the controller runs again', async () => {
  const { of, opened, related, wakes, clock } = opening(() => [byName]);
  await wakes.stop();

  await expect(of(parent('a'))).rejects.toBeInstanceOf(NotReadyError);
  expect(opened).toEqual([]);

  const again = running(related.wiring.triggers?.[0], clock);
  await expect(of(parent('a'))).rejects.toBeInstanceOf(NotReadyError);
  expect(opened).toHaveLength(1);
  await again.stop();
});
