/** What always has to hold: for each invariant an operator that breaks it in some order, and its twin that does not. */
import { type ExplorationFailure, explore, type Scenario } from '@chancery/testing';
import { enqueueMapped } from 'chancery';
import { configMaps, secrets } from 'chancery/kubernetes';
import { describe, expect, test } from 'vitest';
import { Checks } from '../../src/explore/invariants/checks.ts';
import { copier, createsOnce, createsTwice, scenarioOf, settings } from './operators.ts';

/** One departure finds what these operators do. One that passes is tried for so long. */
const LIMITS = { maxDeviations: 1, timeLimitMs: 15_000 };

async function broken(scenario: Scenario): Promise<string | undefined> {
  try {
    await explore(scenario, LIMITS);
    return undefined;
  } catch (error) {
    return (error as ExplorationFailure).invariant ?? String(error);
  }
}

/** Counts what its cache shows at its first reconcile, and never again. */
const countsOnce = scenarioOf(
  'counts what exists at first',
  () => [
    copier(async (object, context) => {
      if (object.metadata.name !== 'a') return;
      if (context.store(secrets).list().length > 0) return;
      const count = context.store(configMaps).list().length;
      await context.applyOwned(secrets, {
        metadata: { name: 'count' },
        stringData: { count: String(count) },
      });
    }),
  ],
  {
    changes: [
      { name: 'a person creates b', apply: (cluster) => void cluster.create(settings('b')) },
    ],
  },
);

const countsAgain: Scenario = {
  ...countsOnce,
  name: 'counts what is there',
  controllers: () => [
    copier(
      async (object, context) => {
        if (object.metadata.name !== 'a') return;
        const count = context.store(configMaps).list().length;
        await context.applyOwned(secrets, {
          metadata: { name: 'count' },
          stringData: { count: String(count) },
        });
      },
      {
        watches: [enqueueMapped(configMaps, () => [{ namespace: 'default', name: 'a' }])],
      },
    ),
  ],
};

/** Writes another value each time that it is called, and is called because it has written. */
const toggles = scenarioOf('toggles', () => [
  copier(async (object, context) => {
    const before = object.metadata.annotations?.turn;
    await context.client.patch(
      configMaps,
      { namespace: 'default', name: object.metadata.name },
      {
        type: 'merge',
        body: { metadata: { annotations: { turn: before === 'on' ? 'off' : 'on' } } },
      },
    );
  }),
]);

const writesOnce = scenarioOf('writes what differs', () => [
  copier(async (object, context) => {
    if (object.metadata.annotations?.turn === 'on') return;
    await context.client.patch(
      configMaps,
      { namespace: 'default', name: object.metadata.name },
      { type: 'merge', body: { metadata: { annotations: { turn: 'on' } } } },
    );
  }),
]);

/** Writes the whole list of finalizers back as its cache shows it, with its own at the end. */
const replacesFinalizers = scenarioOf(
  'replaces the list of finalizers',
  () => [
    copier(async (object, context) => {
      const { finalizers = [], name } = object.metadata;
      if (finalizers.includes('example.dev/own')) return;
      await context.client.patch(
        configMaps,
        { namespace: 'default', name },
        { type: 'merge', body: { metadata: { finalizers: [...finalizers, 'example.dev/own'] } } },
      );
    }),
  ],
  {
    changes: [
      {
        name: 'another operator adds its finalizer',
        apply: (cluster) => {
          const { metadata } = cluster.get('v1', 'ConfigMap', 'default', 'a') ?? settings('a');
          cluster.patch('v1', 'ConfigMap', 'default', 'a', {
            metadata: { finalizers: [...(metadata.finalizers ?? []), 'another.dev/cleanup'] },
          });
        },
      },
    ],
  },
);

const addsFinalizer: Scenario = {
  ...replacesFinalizers,
  name: 'adds its finalizer to the list it has read',
  controllers: () => [
    copier(async (object, context) => {
      const { finalizers = [], name, resourceVersion } = object.metadata;
      if (finalizers.includes('example.dev/own')) return;
      await context.client.patch(
        configMaps,
        { namespace: 'default', name },
        {
          type: 'merge',
          body: {
            // A write under a version that is not the current one is refused.
            metadata: { resourceVersion, finalizers: [...finalizers, 'example.dev/own'] },
          },
        },
      );
    }),
  ],
};

/** Removes its finalizer in `reconcile`, beside the cleanup that the toolkit calls. */
const removesEarly = scenarioOf(
  'removes its finalizer itself',
  () => [
    copier(() => {}, {
      finalizer: {
        name: 'example.dev/cleanup',
        async finalize(object, context) {
          await context.client.patch(
            configMaps,
            { namespace: 'default', name: object.metadata.name },
            { type: 'merge', body: { metadata: { finalizers: null } } },
          );
        },
      },
    }),
  ],
  {
    changes: [
      {
        name: 'a person deletes a',
        apply: (cluster) => cluster.delete('v1', 'ConfigMap', 'default', 'a'),
      },
    ],
  },
);

const cleansUp: Scenario = {
  ...removesEarly,
  name: 'cleans up',
  controllers: () => [
    copier(() => {}, { finalizer: { name: 'example.dev/cleanup', finalize: () => {} } }),
  ],
};

/** Does not wait for a delete, which is refused when there is nothing to delete. */
const forgetsPromise = scenarioOf('does not wait for a delete', () => [
  copier((object, context) => {
    if (object.metadata.labels?.seen !== 'yes') return;
    void context.client.delete(secrets, { namespace: 'default', name: 'nothing' });
  }),
]);

const waits = scenarioOf('waits for a delete', () => [
  copier(async (object, context) => {
    if (object.metadata.labels?.seen !== 'yes') return;
    await context.client.delete(secrets, { namespace: 'default', name: 'nothing' }).catch(() => {});
  }),
]);

/** Notes something new each minute. */
const neverRests: Scenario = {
  ...createsOnce,
  name: 'notes the minute',
  controllers: ({ clock }) => [
    copier(async (object, context) => {
      const minute = Math.floor(clock.now() / 60_000);
      await context.applyOwned(secrets, {
        metadata: { name: object.metadata.name },
        stringData: { minute: String(minute) },
      });
      return { requeueAfterMs: 60_000 };
    }),
  ],
};

describe.each([
  ['every order ends in the same state', countsOnce, countsAgain],
  ['no write loop', toggles, writesOnce],
  ['nothing is created twice', createsTwice, createsOnce],
  ['no finalizer is lost', replacesFinalizers, addsFinalizer],
  ['no finalizer is lost', removesEarly, cleansUp],
  ['no unhandled rejection', forgetsPromise, waits],
  ['comes to rest', neverRests, createsOnce],
])('the invariant: %s', (invariant, faulty, correct) => {
  test(`a violation is found in an operator that ${faulty.name}`, async () => {
    expect(await broken(faulty)).toBe(invariant);
  });

  test(`no violation is found in an operator that ${correct.name}`, async () => {
    expect(await broken(correct)).toBeUndefined();
  });
});

test('it is a violation to process the same key twice at the same time', () => {
  const checks = new Checks(createsOnce, undefined);
  const attempt = { controller: 'copier', key: 'default/a' };

  expect(checks.began(attempt)).toBeUndefined();
  checks.finished(attempt);
  expect(checks.began(attempt)).toBeUndefined();
  expect(checks.began(attempt)?.invariant).toBe('no key is processed twice at once');
});

test('if the operator was killed during a reconcile, the key may be reconciled again', () => {
  const checks = new Checks(createsOnce, undefined);
  const attempt = { controller: 'copier', key: 'default/a' };
  checks.began(attempt);

  checks.killed();

  expect(checks.began(attempt)).toBeUndefined();
});
