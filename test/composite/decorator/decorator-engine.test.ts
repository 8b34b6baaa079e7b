/** One reconcile of a decorator: which writes it makes, in which order, and which it leaves. */

import { FakeClock } from '@chancery/testing';
import { expect, test } from 'vitest';
import { child } from '../../../operator/composite/child.ts';
import { childTypes } from '../../../operator/composite/child-types.ts';
import { engine } from '../../../operator/composite/engine.ts';
import type {
  ChildUpdate,
  DecoratorEngineOptions,
  SyncAnswer,
} from '../../../operator/composite/engine-options.ts';
import type { ChildWriter } from '../../../operator/controller/children/child-writer.ts';
import { NotReadyError, TerminalError } from '../../../operator/controller/errors.ts';
import type { ReconcileContext } from '../../../operator/controller/reconciler.ts';
import { failureOf } from '../../../operator/controller/run/failure.ts';
import { source } from '../../../operator/controller/source.ts';
import { configMaps, nodes } from '../../../operator/model/kubernetes/resources.ts';
import { type KubernetesObject, keyOf } from '../../../operator/model/object.ts';
import { ApiError } from '../../../operator/model/status.ts';
import { configSet, configSets } from '../parents.ts';

const FINALIZER = 'example.dev/decorated';

interface Given {
  readonly metadata?: Partial<KubernetesObject['metadata']>;
  readonly status?: object;
  /** Cached ConfigMaps. */
  readonly cached?: readonly KubernetesObject[];
  readonly options?: Partial<DecoratorEngineOptions>;
  readonly update?: ChildUpdate;
  readonly answer?: SyncAnswer | (() => SyncAnswer);
  /** Refuses a patch. */
  readonly refuse?: (subresource: string | undefined) => Error | undefined;
  /** The names that attachments cannot be created with. */
  readonly refused?: readonly string[];
}

/** Reconciles one ConfigSet, and tells what was done. */
async function reconciled(given: Given) {
  const done: string[] = [];
  const told: unknown[] = [];
  const { metadata, cached = [], answer = { children: [] } } = given;
  const set = configSet('farm', { names: [] });
  const object = {
    ...set,
    metadata: { ...set.metadata, uid: 'set-uid', resourceVersion: '7', ...metadata },
    ...(given.status && { status: given.status }),
  } as KubernetesObject & { readonly status?: object };
  const attachment = (wanted: { metadata: { name?: string } }) =>
    ({
      ...wanted,
      metadata: { ...wanted.metadata, ownerReferences: [reference('set-uid')] },
    }) as never;
  const writer: ChildWriter = {
    create: async (_, desired) => {
      done.push(`create ${desired.metadata.name}`);
      if (given.refused?.includes(desired.metadata.name ?? '') === true) throw new Error('refused');
      return attachment(desired as never);
    },
    differs: async () => true,
    update: async (_, desired) => {
      done.push(`update ${desired.metadata.name}`);
      return undefined;
    },
  };
  const controller = engine({
    name: 'test',
    decorator: 'ours',
    parent: source(configSets) as never,
    children: childTypes([{ resource: configMaps, update: given.update ?? 'apply' }]),
    hasStatusSubresource: true,
    writer,
    sync: async ({ finalizing, parent: seen, children }) => {
      const version = seen.metadata.resourceVersion;
      const observed = children.get('configmaps')?.map(keyOf).join() ?? '';
      done.push(`${finalizing ? 'finalize' : 'sync'} ${version} ${observed}`.trim());
      return typeof answer === 'function' ? answer() : answer;
    },
    failed: async (_, error) => void told.push(error),
    controller: {},
    ...given.options,
  });
  let version = 7;
  const context = {
    store: () => ({
      byIndex: (_: string, uid: string) =>
        cached.filter((each) => each.metadata.ownerReferences?.some((owner) => owner.uid === uid)),
      get: (key: string) => cached.find((each) => keyOf(each) === key),
    }),
    client: {
      patch: async (_: unknown, __: unknown, { body }: { body: unknown }, options: object = {}) => {
        const { subresource } = options as { subresource?: string };
        done.push(`patch ${subresource ?? 'object'} ${JSON.stringify(body)}`);
        const refusal = given.refuse?.(subresource);
        if (refusal !== undefined) throw refusal;
        version += 1;
        const metadata = { ...object.metadata, resourceVersion: String(version) };
        const { status } = body as { status?: object };
        return { ...object, metadata, status: merged(object.status ?? {}, status ?? {}) };
      },
      delete: async (_: unknown, { name }: { name: string }, { preconditions }: never) => {
        done.push(`delete ${name} ${(preconditions as { uid: string }).uid}`);
      },
    },
    log: { info: () => {}, warn: () => {}, debug: () => {}, error: () => {} },
    clock: new FakeClock(),
    key: keyOf(object),
    signal: new AbortController().signal,
    event: (type: string, reason: string, note: string) => done.push(`${type} ${reason}: ${note}`),
  } as unknown as ReconcileContext;
  const reconcile = async (): Promise<unknown> => controller.reconcile(object, context);
  const result = await reconcile().catch((error: unknown) => error);
  return { done, told, result };
}

/** A JSON merge patch, as the API server applies it. */
function merged(before: object, patch: object): object {
  const result = new Map<string, unknown>(Object.entries(before));
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) result.delete(key);
    else if (typeof value !== 'object' || Array.isArray(value)) result.set(key, value);
    else result.set(key, merged((result.get(key) as object | undefined) ?? {}, value));
  }
  return Object.fromEntries(result);
}

function reference(uid: string) {
  return { apiVersion: 'example.dev/v1', kind: 'ConfigSet', name: 'set', uid, controller: true };
}

/** A cached ConfigMap that our decorator has made. */
function ours(name: string, metadata: Partial<KubernetesObject['metadata']> = {}) {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      ...{ name, namespace: 'farm', uid: `uid-${name}` },
      annotations: { 'metacontroller.k8s.io/decorator-controller': 'ours' },
      ownerReferences: [reference('set-uid')],
      ...metadata,
    },
  };
}

const wanted = (...names: readonly string[]): SyncAnswer => ({
  children: names.map((name) => child(configMaps, { metadata: { name } })),
});

const finalizer = { name: FINALIZER, isUsed: true };
const deleted = '2026-01-01T00:00:00Z';
const broken = (): never => {
  throw new Error('the pump is broken');
};

test('[contract 52] a decorator writes the status first, then labels and annotations, then attachments', async () => {
  const { done, result } = await reconciled({
    metadata: { labels: { old: 'x', kept: 'k' }, annotations: { note: 'a' } },
    status: { phase: 'New', size: { wide: 1, high: 2 } },
    cached: [ours('gone'), ours('kept')],
    answer: {
      ...wanted('kept', 'new'),
      labels: { old: null, absent: null, kept: 'k', fresh: 'f' },
      annotations: { note: 'b' },
      status: { size: { high: 3 }, empty: null },
      resyncAfterMs: 500,
    },
  });

  const uid = 'set-uid';
  expect(done).toEqual([
    'sync 7 farm/gone,farm/kept',
    `patch status ${JSON.stringify({
      metadata: { uid, resourceVersion: '7' },
      status: { phase: null, size: { high: 3, wide: null } },
    })}`,
    `patch object ${JSON.stringify({
      metadata: {
        ...{ uid, resourceVersion: '8' },
        labels: { old: null, fresh: 'f' },
        annotations: { note: 'b' },
      },
    })}`,
    'delete gone uid-gone',
    'update kept',
    'create new',
  ]);
  expect(result).toEqual({ requeueAfterMs: 500 });
});

test('[contract 39] [metacontroller 16] unchanged fields, and a null or missing status, cause no write', async () => {
  const status = { size: { high: 3, wide: 1 } };
  const same = { labels: { a: '1' }, status };
  const given = { metadata: { labels: { a: '1', b: '2' } }, status };

  const equal = await reconciled({
    ...given,
    answer: { children: [], ...same, status: { size: { wide: 1, high: 3, odd: null } } },
  });
  const none = await reconciled({ ...given, answer: { children: [], status: null } });

  expect(equal.done).toEqual(['sync 7']);
  expect(none.done).toEqual(['sync 7']);
});

test('without a status subresource, one patch writes the status, labels and annotations together', async () => {
  const { done } = await reconciled({
    options: { hasStatusSubresource: false },
    answer: { children: [], labels: { a: '1' }, status: { phase: 'New' } },
  });

  const metadata = { uid: 'set-uid', resourceVersion: '7', labels: { a: '1' } };
  expect(done).toEqual([
    'sync 7',
    `patch object ${JSON.stringify({ metadata, status: { phase: 'New' } })}`,
  ]);
});

test.each([
  'status',
  undefined,
] as const)('[contract 52] after a version conflict (%s), no attachment is written, and no Event reports the conflict', async (at) => {
  const conflict = new ApiError({ code: 409, reason: 'Conflict', message: 'changed' });
  const { done, told, result } = await reconciled({
    answer: { ...wanted('new'), labels: { a: '1' }, status: { phase: 'New' } },
    refuse: (subresource) => (subresource === at ? conflict : undefined),
  });

  expect(done.filter((each) => each.startsWith('create'))).toEqual([]);
  expect(result).toBe(conflict);
  expect(told).toEqual([]);
});

test('if the object is deleted during the reconcile, this is no error, and no attachment is created', async () => {
  const gone = new ApiError({ code: 404, reason: 'NotFound', details: { name: 'a' } });

  const { done, result } = await reconciled({
    answer: { ...wanted('new'), labels: { a: '1' } },
    refuse: () => gone,
  });

  expect(done.at(-1)).toMatch(/^patch object/);
  expect(result).toBeUndefined();
});

test('the finalizer is stored before the function is called with the stored object', async () => {
  const { done } = await reconciled({ options: { finalizer } });

  expect(done.map((each) => each.split(' ').slice(0, 2).join(' '))).toEqual([
    'patch object',
    'sync 8',
  ]);
});

test('[contract 89] [metacontroller 17] `finalize` is called until it returns `finalized: true`', async () => {
  const metadata = { deletionTimestamp: deleted, finalizers: ['other/one', FINALIZER] };
  const cached = [ours('a')];
  const options = { finalizer };

  const unfinished = await reconciled({ metadata, cached, options, answer: wanted('a') });
  const finished = await reconciled({
    ...{ metadata, cached, options },
    answer: { children: [], finalized: true },
  });

  expect(unfinished.done).toEqual(['finalize 7 farm/a', 'update a']);
  expect(finished.done).toEqual([
    'finalize 7 farm/a',
    `patch object ${JSON.stringify({
      metadata: { uid: 'set-uid', resourceVersion: '7', finalizers: ['other/one'] },
    })}`,
    'delete a uid-a',
  ]);
});

test('[contract 87] [metacontroller 17] while an object waits for other finalizers, `finalize` is called', async () => {
  const metadata = { deletionTimestamp: deleted, finalizers: ['other/one'] };
  const { done } = await reconciled({ metadata, cached: [ours('a')], options: { finalizer } });
  expect(done).toEqual(['finalize 7 farm/a']);
});

test('[contract 86] [metacontroller 17] an object is finalized when it is no longer selected', async () => {
  const options = { finalizer, selects: () => false };

  const carried = await reconciled({
    ...{ metadata: { finalizers: [FINALIZER] }, options },
    answer: { ...wanted('a'), finalized: true },
  });
  const other = await reconciled({ options });

  expect(carried.done.map((each) => each.split(' ')[0])).toEqual(['finalize', 'patch', 'create']);
  expect(other.done).toEqual([]);
});

test('[metacontroller M22] `finalized: true` in the answer of `sync` does not remove the finalizer', async () => {
  const { done } = await reconciled({
    metadata: { finalizers: [FINALIZER] },
    options: { finalizer },
    answer: { children: [], finalized: true },
  });

  expect(done).toEqual(['sync 7']);
});

test.each([
  'foregroundDeletion',
  'orphan',
])('[contract 88] while an object has the finalizer %s, its attachments are not changed', async (collecting) => {
  const { done } = await reconciled({
    metadata: { deletionTimestamp: deleted, finalizers: [FINALIZER, collecting] },
    cached: [ours('a')],
    options: { finalizer },
  });

  expect(done).toEqual(['finalize 7 farm/a']);
});

test('without a finalize function, a deleted object is still synced, and attachments are not changed', async () => {
  const { done } = await reconciled({
    metadata: { deletionTimestamp: deleted, finalizers: ['other/one'] },
    cached: [ours('a')],
    answer: { children: [], labels: { a: '1' } },
  });

  expect(done.map((each) => each.split(' ')[0])).toEqual(['sync', 'patch']);
});

test('an unused finalizer is removed, and only the next reconcile calls `sync`', async () => {
  const unused = { name: FINALIZER, isUsed: false };
  const { done } = await reconciled({
    metadata: { finalizers: [FINALIZER] },
    options: { finalizer: unused },
  });

  expect(done).toHaveLength(1);
  expect(done[0]).toMatch(/"op":"remove","path":"\/metadata\/finalizers\/0"/);
});

test.each([
  ['keep', []],
  ['apply', ['update a']],
  ['rolling-apply', ['update a']],
  ['recreate', ['delete a uid-a']],
  ['rolling-recreate', ['delete a uid-a']],
] as const)('an attachment that differs is written according to the update strategy %s', async (update, expected) => {
  const { done } = await reconciled({ cached: [ours('a')], update, answer: wanted('a') });

  expect(done.slice(1)).toEqual(expected);
});

test.each([
  ['of another owner', { ownerReferences: [reference('other-uid')] }],
  ['without an owner', { ownerReferences: [] }],
  [
    'of another decorator',
    { annotations: { 'metacontroller.k8s.io/decorator-controller': 'theirs' } },
  ],
  ['that the decorated object owns, but no decorator created', { annotations: {} }],
])('[metacontroller 16] an object %s is not passed to the function, and its name cannot be used', async (_, metadata) => {
  const { done, told } = await reconciled({
    cached: [ours('a', metadata)],
    answer: wanted('a', 'b'),
  });
  const absent = await reconciled({ cached: [ours('a', metadata)] });

  expect(done).toEqual(['sync 7', 'create b']);
  expect(told).toMatchObject([{ code: 'ALREADY_OWNED', context: { name: 'farm/a' } }]);
  expect(absent.done).toEqual(['sync 7']);
});

test('if an attachment cannot be created, the other attachments are still written', async () => {
  const { done, result, told } = await reconciled({
    cached: [ours('old')],
    answer: wanted('a', 'b'),
    refused: ['a'],
  });

  expect(done).toEqual(['sync 7 farm/old', 'delete old uid-old', 'create a', 'create b']);
  expect(result).toMatchObject({ message: 'refused' });
  expect(told).toEqual([result]);
});

test.each([
  ['no attachments', {}, 'an array "attachments"'],
  ['[metacontroller M21] null in the list', { children: [null] }, 'an attachment must be child('],
  [
    '[metacontroller M16] an attachment in another namespace',
    { children: [child(configMaps, { metadata: { name: 'a', namespace: 'town' } })] },
    'an attachment must be in the namespace of its object',
  ],
  [
    'an attachment of an undeclared resource',
    { children: [child(nodes, { metadata: { name: 'a' } })] },
    'of a resource that its decorator does not declare',
  ],
  ['[metacontroller M18] a delay below 0', { children: [], resyncAfterMs: -1 }, 'below 0'],
  ['a duplicate name', wanted('a', 'b', 'a'), 'names an attachment twice'],
  ['a label that is not a string', { children: [], labels: { a: 1 } }, 'labels of the answer'],
  ['a status that is a list', { children: [], status: [] }, 'the status of the answer'],
])('for an answer with %s, nothing is written', async (_, answer, message) => {
  const { done, told } = await reconciled({
    cached: [ours('a')],
    answer: { labels: { fresh: 'f' }, ...answer } as unknown as SyncAnswer,
  });

  expect(done).toEqual(['sync 7 farm/a']);
  expect(told).toMatchObject([{ code: 'USER_CODE' }]);
  expect(String(told[0])).toContain(message);
});

test('if a cache is not ready yet, no failure is reported', async () => {
  const late = new NotReadyError('not yet');
  const { told, result } = await reconciled({
    answer: () => {
      throw late;
    },
  });

  expect(result).toBe(late);
  expect(told).toEqual([]);
});

test('a failure is reported by an Event, and, if enabled, by a condition', async () => {
  const others = [{ type: 'Ready', status: 'True', reason: 'Up', message: '' }];
  const failing = (failures: { readonly condition: boolean }, status?: object) =>
    reconciled({
      ...(status && { status }),
      options: { failures },
      answer: broken,
    });

  const told = await failing({ condition: false }, { conditions: others });
  const stated = await failing({ condition: true }, { conditions: others });
  const patch = stated.done.at(-1) ?? '';
  const { status } = JSON.parse(patch.slice(patch.indexOf('{'))) as { status: object };
  const again = await failing({ condition: true }, status);

  expect(told.done).toEqual(['sync 7', 'Warning SyncError: the pump is broken']);
  expect(patch).toMatch(/^patch status/);
  expect(status).toMatchObject({
    conditions: [
      others[0],
      {
        ...{ type: 'ours/Synced', status: 'False', reason: 'InternalError' },
        message: 'the pump is broken',
      },
    ],
  });
  expect(again.done).toEqual(told.done);
});

test('a cleanup is retried even after a TerminalError', async () => {
  const failing = (metadata: object) =>
    reconciled({
      metadata: { finalizers: [FINALIZER], ...metadata },
      options: { finalizer },
      answer: () => {
        throw new TerminalError('wrong');
      },
    });
  expect(failureOf((await failing({})).result).kind).toBe('terminal');
  expect(failureOf((await failing({ deletionTimestamp: deleted })).result).kind).toBe('failed');
});

test('a failure is counted even if it cannot be written to the object', async () => {
  const refuse = () => new Error('no right for the status');
  const options = { failures: { condition: true } };
  const { told } = await reconciled({ options, refuse, answer: broken });

  expect(told).toMatchObject([{ message: 'the pump is broken' }]);
});

test('the next success removes the failure condition, even if the answer contains a copy of it', async () => {
  const condition = { type: 'ours/Synced', status: 'False', reason: 'Timeout', message: 'late' };
  const status = { conditions: [condition], ready: 1 };
  const options = { failures: { condition: true } };

  const none = await reconciled({ status, options });
  const copied = await reconciled({ status, options, answer: { children: [], status } });
  const without = await reconciled({ status: { ready: 1 }, options });

  const removal = `patch status ${JSON.stringify({
    metadata: { uid: 'set-uid', resourceVersion: '7' },
    status: { conditions: null },
  })}`;
  expect(none.done).toEqual(['sync 7', removal]);
  expect(copied.done).toEqual(['sync 7', removal]);
  expect(without.done).toEqual(['sync 7']);
});

test('`resyncAfterMs: 0` requests no call; an unfinished cleanup is repeated after a minute', async () => {
  const metadata = { deletionTimestamp: deleted, finalizers: [FINALIZER] };
  const answer = { children: [], resyncAfterMs: 0 };

  const sync = await reconciled({ answer });
  const cleanup = await reconciled({ metadata, options: { finalizer }, answer });

  expect(sync.result).toEqual({});
  expect(cleanup.result).toEqual({ requeueAfterMs: 60_000 });
});
