/** Of a member that comes twice the last counts, as `JSON.parse` has it: on each way that a text is read. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readAnswer } from '../../operator/client/answer.ts';
import { decodeList } from '../../operator/client/list-answer.ts';
import { readList } from '../../operator/client/list-reader.ts';
import { systemClock } from '../../operator/core/clock.ts';
import { configMaps } from '../../operator/model/builtin.ts';
import type { KubernetesObject } from '../../operator/model/object.ts';
import { bodyOf, decoded, linesOf } from './decoded.ts';
import { failureOf, meaningOf } from './meaning.ts';
import { item, line, listOf } from './repeated-members.ts';

const cuts = fc.array(fc.nat(), { maxLength: 4 });
const options = fc.record({
  expected: fc.constantFrom({ apiVersion: 'v1', kind: 'ConfigMap' }, undefined),
  form: fc.constantFrom(undefined, { apiVersion: 'example.dev/v1', kind: 'Given' }),
  dropManagedFields: fc.boolean(),
});

test('[W-13] repeated members in watch lines are read as JSON.parse does', async () => {
  let scannedOnce = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(line, { maxLength: 6 }),
      cuts,
      options,
      async (lines, places, given) => {
        const { events, skipped, error, scanned } = await decoded(
          bodyOf(linesOf(lines), places),
          given,
        );

        expect({ events, skipped, failure: failureOf(error) }).toEqual(
          meaningOf(
            lines.map((text) => ({ text })),
            given,
          ),
        );
        scannedOnce += scanned;
      },
    ),
  );
  expect(scannedOnce).toBeGreaterThan(0); // or the property tries nothing
});

const asked = { method: 'GET', path: '/api/v1/configmaps' } as const;
const resource = configMaps;

interface ReadList {
  readonly list: unknown;
  /** How many items came without being parsed. */
  readonly scanned: number;
}

function responseOf(text: string, places: readonly number[]) {
  return {
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: bodyOf(text, places),
  };
}

function refusalOf(error: unknown): object {
  const { name, code } = error as Record<string, unknown>;
  return { name, code };
}

/** All that a list says, or the way in which it is refused. */
async function listed(text: string, places: readonly number[]): Promise<ReadList> {
  try {
    const response = responseOf(text, places);
    const read = await readList<KubernetesObject>(response, systemClock, { asked, resource });
    const { items, itemBytes: _, ...frame } = read;
    const scanned = items.filter(({ textLength }) => textLength > 0).length;
    for (const { metadata, object } of items) expect(metadata).toEqual(object.metadata);
    return { list: { ...frame, items: items.map(({ object }) => object) }, scanned };
  } catch (error) {
    return { list: refusalOf(error), scanned: 0 };
  }
}

/** The same of a list that is parsed as a whole. */
async function parsed(text: string): Promise<unknown> {
  try {
    const answer = await readAnswer(responseOf(text, []), systemClock, { asked });
    return decodeList<KubernetesObject>(answer, resource);
  } catch (error) {
    return refusalOf(error);
  }
}

test('[L-11] repeated members in a list and its items are read as JSON.parse does', async () => {
  let scannedOnce = 0;
  await fc.assert(
    fc.asyncProperty(listOf(fc.array(item, { maxLength: 3 })), cuts, async (text, places) => {
      const { list, scanned } = await listed(text, places);

      expect(list).toEqual(await parsed(text));
      scannedOnce += scanned;
    }),
  );
  expect(scannedOnce).toBeGreaterThan(0);
});

const LIST = '"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"7"}';
const [A, B] = ['a', 'b'].map(
  (name) => `{"metadata":{"name":"${name}","uid":"u","resourceVersion":"1"}}`,
);

test.each([
  ['other items', `"items":[${A}],"items":[${B}]`, ['b']],
  ['no items', `"items":[${A}],"items":[]`, []],
  ['no items, with an escape', `"items":[${A}],"ite\\u006ds":[]`, []],
  ['null', `"items":[${A}],"items":null`, []],
  ['other items after null', `"items":null,"items":[${A},${B}]`, ['a', 'b']],
  ['no items at the end', `"items":[${A}],"x":{"items":[${B}]},"items":[${B}],"items":[ ]`, []],
  ['other items in place of an invalid one', `"items":[{}],"items":[${A}]`, ['a']],
  ['an invalid item', `"items":[${A}],"items":[{}]`, undefined],
  ['an object', `"items":[${A}],"items":{}`, undefined],
])('[L-11] if a list repeats the member `items`, the last one counts: %s', async (_, members, names) => {
  const read = (list: object): unknown =>
    (list as { items?: KubernetesObject[] }).items?.map(({ metadata }) => metadata.name);
  for (const text of [`{${members},${LIST}}`, `{${LIST},${members}}`]) {
    for (const places of [[], [...Buffer.from(text).keys()]]) {
      const { list } = await listed(text, places);

      expect(list).toEqual(await parsed(text));
      expect(read(list as object)).toEqual(names);
    }
  }
});

test('[L-11] a list that repeats the member `items` 90,000 times takes no more stack than a list that has it once', async () => {
  const text = `{${LIST}${`,"items":[]`.repeat(90_000)},"items":[${A}]}`;

  const { list } = await listed(text, [500_000]);

  expect(list).toMatchObject({ resourceVersion: '7', items: [{ kind: 'ConfigMap' }] });
});

test('[W-13] if the kind is repeated after the metadata, the watch does not fail: the last kind counts', async () => {
  const metadata = '"metadata":{"name":"a","uid":"u","resourceVersion":"1"}';
  const text = `{"type":"ADDED","object":{"kind":"ConfigMap","apiVersion":"v1",${metadata},"kind":"Other"}}\n`;

  const { events, error, skipped } = await decoded(bodyOf(text), {
    expected: { apiVersion: 'v1', kind: 'ConfigMap' },
    dropManagedFields: true,
  });

  expect({ events, error, skipped }).toEqual({
    events: [],
    error: undefined,
    skipped: [{ apiVersion: 'v1', kind: 'Other' }],
  });
});
