/** What is nested more deeply than recursion can follow, written and compared beside other keys. */

import { FakeClock, settle } from '@chancery/testing';
import { describe, expect, test } from 'vitest';
import { restClient } from '../../operator/client/rest-client.ts';
import {
  AppliedMemory,
  digestOf,
  showsAll,
} from '../../operator/controller/children/applied-memory.ts';
import { isSameContent } from '../../operator/controller/children/system-fields.ts';
import type { ReconcileContext } from '../../operator/controller/reconciler.ts';
import { source } from '../../operator/controller/source.ts';
import { deepCopy } from '../../operator/core/json/deep-json.ts';
import type { KubernetesObject, ObjectMeta } from '../../operator/model/object.ts';
import { cannedTransport } from '../client/canned-transport.ts';
import { ControllerBench, others, things } from '../support/controller-bench.ts';
import type { Thing } from '../support/fake-collection.ts';

const textOf = (depth: number): string => `${'{"a":['.repeat(depth / 2)}1${']}'.repeat(depth / 2)}`;
const nested = (depth: number): string => JSON.parse(textOf(depth));

/** A server that stores what it is sent; of a child named `bad` it makes something deeper. */
function server(depth: number) {
  return cannedTransport(({ body }) => {
    const sent = String(body).replace(
      '"metadata":{',
      '"metadata":{"resourceVersion":"900","uid":"c-1",',
    );
    return { body: sent.replace('"deepen"', textOf(depth)) };
  });
}

type Status = Readonly<Record<string, unknown>>;
type Reconcile = (object: Thing, context: ReconcileContext<Thing>) => Promise<unknown>;

const note = ({ metadata }: KubernetesObject): string => metadata.annotations?.nested ?? 'nothing';

/** With the writes for three objects. */
const WAYS: readonly [string, Reconcile, number][] = [
  [
    'creates a child with the same value',
    (object, { applyOwned }) => {
      const { name } = object.metadata;
      return applyOwned(others, {
        metadata: { name, annotations: { nested: note(object) } },
        value: 1,
      });
    },
    3,
  ],
  [
    'creates a child to which the server adds a deeply nested value',
    (object, { applyOwned }) => {
      const { name } = object.metadata;
      const said = name === 'bad' ? 'deepen' : 'flat';
      return applyOwned(others, { metadata: { name, annotations: { said } }, value: 1 });
    },
    3,
  ],
  [
    'writes the same value into the status, twice,',
    async (object, { setStatus }) => {
      for (const value of [1, 2]) await setStatus({ value, said: note(object) } as Status);
    },
    6,
  ],
  [
    'writes a status to which the server adds a deeply nested value, twice,',
    async (object, { setStatus }) => {
      const said = object.metadata.name === 'bad' ? 'deepen' : 'flat';
      for (const value of [1, 2]) await setStatus({ value, said } as Status);
    },
    6,
  ],
];

/** What an API server takes, and what no stack of a process or of a test's worker can follow. */
const DEPTHS = [9_000, 50_000];

describe.each(DEPTHS)('[K-39] [attack A-1] values nested %i levels deep', (depth) => {
  test.each(
    WAYS,
  )('the reconciler of a deeply nested object %s without an error', async (_, act, writes) => {
    const transport = server(depth);
    const client = restClient({ transport, fieldManager: 'test', clock: new FakeClock() });
    const done: string[] = [];
    const reconcile = async (object: Thing, context: ReconcileContext<Thing>) => {
      await act(object, context);
      done.push(context.key);
    };
    const bench = new ControllerBench({ owns: [others], reconcile }, { client });
    for (const name of ['a', 'bad', 'z']) {
      const annotations = { nested: name === 'bad' ? nested(depth) : 'flat' };
      bench.collection(things).put(name, 1, { annotations });
    }

    await bench.run();

    expect(bench.lines.filter(({ level }) => !['debug', 'info'].includes(level))).toEqual([]);
    expect(done.sort()).toEqual(['demo/a', 'demo/bad', 'demo/z']);
    expect(transport.requests).toHaveLength(writes);
  });

  test('[K-44] a deeply nested child is applied again only if it differs from the last apply', () => {
    const memory = new AppliedMemory();
    const object = (value: unknown, more: Partial<ObjectMeta>): KubernetesObject =>
      ({
        apiVersion: 'example.dev/v1',
        kind: 'Thing',
        metadata: { name: 'a', namespace: 'demo', ...more },
        value,
      }) as never;
    const stated = object(nested(depth), {});
    const seen = (value: unknown, resourceVersion: string) =>
      object(value, { uid: 'u', resourceVersion });

    memory.remember(others, seen(nested(depth), '5'), stated);

    expect(showsAll(nested(depth), nested(depth))).toBe(true);
    expect(showsAll(nested(depth), nested(depth - 2))).toBe(false);
    expect(memory.isApplied(others, seen(nested(depth), '7'), stated)).toBe(true);
    expect(memory.isApplied(others, seen(nested(depth - 2), '7'), stated)).toBe(false);
    const other = object(nested(depth - 2), {});
    expect(memory.isApplied(others, seen(nested(depth), '7'), other)).toBe(false);
  });

  test('[child 4] isSameContent compares deeply nested children', () => {
    const object = (value: unknown, resourceVersion: string): KubernetesObject =>
      ({
        ...{ apiVersion: 'example.dev/v1', kind: 'Thing', value },
        metadata: { name: 'a', namespace: 'demo', resourceVersion },
      }) as never;

    expect(isSameContent(object(nested(depth), '5'), object(nested(depth), '6'))).toBe(true);
    expect(isSameContent(object(nested(depth), '5'), object(nested(depth - 2), '5'))).toBe(false);
  });

  test('[C-2] deepCopy copies all levels of a deeply nested value', () => {
    const copy = deepCopy({ nested: nested(depth), text: 'x' });

    expect(digestOf(copy)).toBe(digestOf({ nested: nested(depth), text: 'x' }));
    expect(Object.isFrozen(copy)).toBe(false);
  });
});

test('[K-39] [attack A-1] a desired child or status that contains itself fails only the reconcile of its own key', async () => {
  const transport = server(2);
  const client = restClient({ transport, fieldManager: 'test', clock: new FakeClock() });
  const done: string[] = [];
  const bench = new ControllerBench(
    {
      reconcile: async (object, { key, setStatus }) => {
        const status: Record<string, unknown> = { key };
        if (object.metadata.name === 'bad') status.self = status;
        await setStatus(status);
        done.push(key);
      },
    },
    { client },
  );
  for (const name of ['a', 'bad', 'z']) bench.collection(things).put(name);

  await bench.run();

  expect(done).toEqual(['demo/a', 'demo/z']);
  expect(bench.lines.filter(({ level }) => level === 'warn')).toMatchObject([
    { fields: { key: 'demo/bad', err: { code: 'USER_CODE', layer: 'user-code' } } },
  ]);
});

describe('[K-20] [attack A-1] the object that is stored when a finalizer is added', () => {
  const HUSH = 'hush-hush';
  const broken: readonly [string, (thing: Thing) => Thing][] = [
    [
      'throws',
      (thing) => {
        throw new Error(`${HUSH} ${thing.metadata.name}`);
      },
    ],
    ['returns nothing', () => undefined as unknown as Thing],
  ];

  test.each(
    broken,
  )("if a source's `transform` %s for the stored object, only this attempt fails, with a typed error", async (_, broke) => {
    const finalizer = { name: 'example.dev/f', finalize: async () => {} };
    const done: string[] = [];
    const transform = (thing: Thing): Thing =>
      thing.metadata.name === 'bad' ? broke(thing) : thing;
    // The collection of the bench transforms nothing: this one is of the answer.
    const client = restClient({
      transport: finalizing(),
      fieldManager: 'test',
      clock: new FakeClock(),
    });
    const bench = new ControllerBench(
      {
        for: source<Thing>(things, { transform }),
        finalizer,
        reconcile: async (_object, { key }) => {
          done.push(key);
        },
      },
      { client },
    );
    for (const name of ['a', 'bad', 'z']) bench.collection(things).put(name);

    await bench.run();
    await settle();

    expect(done).toEqual(['demo/a', 'demo/z']);
    expect(bench.lines.filter(({ level }) => level === 'warn')).toMatchObject([
      { fields: { key: 'demo/bad', err: { code: 'USER_CODE', layer: 'user-code' } } },
    ]);
    expect(String(bench.lines.map(({ fields }) => fields.err))).not.toContain(HUSH);
  });

  test('the reconciler gets an object that is nested 50,000 levels deep', async () => {
    const seen: unknown[] = [];
    const client = restClient({
      transport: finalizing(textOf(50_000)),
      fieldManager: 'test',
      clock: new FakeClock(),
    });
    const bench = new ControllerBench(
      {
        finalizer: { name: 'example.dev/f', finalize: async () => {} },
        reconcile: async (object) => {
          seen.push(object.metadata.finalizers, Object.isFrozen(object.metadata));
        },
      },
      { client },
    );
    bench.collection(things).put('deep', 1);

    await bench.run();

    expect(seen).toEqual([['example.dev/f'], true]);
  });

  /** A server that stores the finalizer. */
  function finalizing(value = '1') {
    return cannedTransport(({ path }) => {
      const name = /things\/([a-z]+)/.exec(path)?.[1];
      const metadata = `"name":"${name}","namespace":"demo","uid":"u","resourceVersion":"900"`;
      return {
        body: `{"apiVersion":"example.dev/v1","kind":"Thing","metadata":{${metadata},"finalizers":["example.dev/f"]},"value":${value}}`,
      };
    });
  }
});
