/** Of a member that comes twice the last counts, as `JSON.parse` has it: on each way that a text is read. */
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readAnswer } from '../../operator/client/answer.ts';
import { readHeldList } from '../../operator/client/held-list.ts';
import { decodeList } from '../../operator/client/list-answer.ts';
import { systemClock } from '../../operator/core/clock.ts';
import { configMaps } from '../../operator/model/builtin.ts';
import { HeldObject, metadataOf, readObject } from '../../operator/model/held-object.ts';
import type { KubernetesObject } from '../../operator/model/object.ts';
import type { WatchEvent } from '../../operator/model/watch-event.ts';
import { decodeWatchEvents } from '../../operator/stream/decode.ts';
import { decodeHeldEvents } from '../../operator/stream/decode-held.ts';
import { readLines } from '../../operator/stream/lines.ts';
import { chunksOf } from './chunks.ts';
import { item, line, listOf } from './repeated-members.ts';

const cuts = fc.array(fc.nat(), { maxLength: 4 });
const bodyOf = (text: string, places: readonly number[]): Readable =>
  Readable.from(chunksOf(Buffer.from(text), places), { objectMode: true });

interface Told {
  readonly events: readonly unknown[];
  readonly skipped: readonly unknown[];
  readonly failure: unknown;
}

type OnSkipped = (found: unknown) => void;

/** All that a watch says; each object that is held is the next state of the one before. */
async function told(
  watch: (onSkipped: OnSkipped) => AsyncIterable<readonly WatchEvent<KubernetesObject>[]>,
): Promise<Told & { readonly held: number }> {
  const events: unknown[] = [];
  const skipped: unknown[] = [];
  let before: HeldObject | undefined;
  let held = 0;
  try {
    for await (const batch of watch((found) => skipped.push(found))) {
      for (const event of batch) {
        if (event.type === 'BOOKMARK') expect.unreachable('a bookmark');
        const { type, object } = event;
        if (object instanceof HeldObject) {
          if (before !== undefined) object.follow(before);
          before = object;
          held++;
        }
        events.push({ type, metadata: metadataOf(object), object: readObject(object) });
      }
    }
  } catch (error) {
    const { name, code, message } = error as Record<string, unknown>;
    return { events, skipped, failure: { name, code, message }, held };
  }
  return { events, skipped, failure: undefined, held };
}

test('[W-13] in the lines of a watch, and in each state that follows another', async () => {
  const expected = { apiVersion: 'v1', kind: 'ConfigMap' };
  let heldOnce = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 6 }), cuts, async (lines, places) => {
      const text = lines.map((each) => `${each}\n`).join('');

      const { held: _, ...plain } = await told((onSkipped) =>
        decodeWatchEvents(readLines(bodyOf(text, places)), { expected, onSkipped }),
      );
      const { held, ...asHeld } = await told((onSkipped) =>
        decodeHeldEvents(bodyOf(text, places), { expected, onSkipped, dropManagedFields: false }),
      );

      expect(asHeld).toEqual(plain);
      heldOnce += held;
    }),
  );
  expect(heldOnce).toBeGreaterThan(5); // or the property tries nothing
});

const asked = { method: 'GET', path: '/api/v1/configmaps' } as const;
const resource = configMaps;

interface ReadList {
  readonly list: unknown;
  readonly held: number;
}

/** All that a list says, or the way in which it is refused. */
async function listed(text: string, places: readonly number[], holds: boolean): Promise<ReadList> {
  const headers = { 'content-type': 'application/json' };
  const response = { status: 200, headers, body: bodyOf(text, places) };
  try {
    const {
      items,
      itemBytes: _,
      ...frame
    } = holds
      ? await readHeldList<KubernetesObject>(response, systemClock, { asked, resource, hold: {} })
      : decodeList<KubernetesObject>(await readAnswer(response, systemClock, { asked }), resource);
    const read = items.map((each) => ({ metadata: metadataOf(each), object: readObject(each) }));
    const held = items.filter((each) => each instanceof HeldObject).length;
    return { list: { ...frame, items: read }, held };
  } catch (error) {
    const { name, code } = error as Record<string, unknown>;
    return { list: { name, code }, held: 0 };
  }
}

test('[L-11] in a list, and in its items', async () => {
  let heldOnce = 0;
  await fc.assert(
    fc.asyncProperty(listOf(fc.array(item, { maxLength: 3 })), cuts, async (text, places) => {
      const { list: plain } = await listed(text, places, false);
      const { list, held } = await listed(text, places, true);

      expect(list).toEqual(plain);
      heldOnce += held;
    }),
  );
  expect(heldOnce).toBeGreaterThan(5);
});

const LIST = '"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"7"}';
const [A, B] = ['a', 'b'].map(
  (name) => `{"metadata":{"name":"${name}","uid":"u","resourceVersion":"1"}}`,
);

test.each([
  ['others', `"items":[${A}],"items":[${B}]`, ['b']],
  ['none', `"items":[${A}],"items":[]`, []],
  ['none, with an escape', `"items":[${A}],"ite\\u006ds":[]`, []],
  ['null', `"items":[${A}],"items":null`, []],
  ['others, of which the first are null', `"items":null,"items":[${A},${B}]`, ['a', 'b']],
  ['none in the end', `"items":[${A}],"x":{"items":[${B}]},"items":[${B}],"items":[ ]`, []],
  ['others in place of a bad one', `"items":[{}],"items":[${A}]`, ['a']],
  ['a bad one', `"items":[${A}],"items":[{}]`, undefined],
  ['an object', `"items":[${A}],"items":{}`, undefined],
])('[L-11] items that come again as %s are those of the list', async (_, members, names) => {
  const read = (list: object): unknown =>
    (list as { items?: { object: KubernetesObject }[] }).items?.map(
      ({ object }) => object.metadata.name,
    );
  for (const text of [`{${members},${LIST}}`, `{${LIST},${members}}`]) {
    for (const places of [[], [...Buffer.from(text).keys()]]) {
      const { list } = await listed(text, places, true);
      const { list: plain } = await listed(text, places, false);

      expect(list).toEqual(plain);
      expect(read(list as object)).toEqual(names);
    }
  }
});

test('[L-11] items that come again 90,000 times take no more stack than once', async () => {
  const text = `{${LIST}${`,"items":[]`.repeat(90_000)},"items":[${A}]}`;

  const { list } = await listed(text, [500_000], true);

  expect(list).toMatchObject({ resourceVersion: '7', items: [{ object: { kind: 'ConfigMap' } }] });
});

test('[W-13] a kind that comes again behind the metadata costs no list: the object is of that kind', async () => {
  const metadata = '"metadata":{"name":"a","uid":"u","resourceVersion":"1"}';
  const text = `{"type":"ADDED","object":{"kind":"ConfigMap","apiVersion":"v1",${metadata},"kind":"Other"}}\n`;
  const skipped: unknown[] = [];

  const { events, failure } = await told(() =>
    decodeHeldEvents(bodyOf(text, []), {
      expected: { apiVersion: 'v1', kind: 'ConfigMap' },
      onSkipped: (found) => skipped.push(found),
      dropManagedFields: true,
    }),
  );

  expect({ events, failure, skipped }).toEqual({
    events: [],
    failure: undefined,
    skipped: [{ apiVersion: 'v1', kind: 'Other' }],
  });
});
