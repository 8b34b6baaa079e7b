/** The held path says what the plain one says, of any lines: only reading is put off. */
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { HeldObject, readObject } from '../../operator/model/held-object.ts';
import type { KubernetesObject } from '../../operator/model/object.ts';
import type { WatchEvent } from '../../operator/model/watch-event.ts';
import { dropManagedFields } from '../../operator/store/transform.ts';
import { decodeWatchEvents } from '../../operator/stream/decode.ts';
import { decodeHeldEvents } from '../../operator/stream/decode-held.ts';
import { readLines } from '../../operator/stream/lines.ts';
import { chunksOf } from './chunks.ts';

const name = fc.stringMatching(/^[a-z]([-a-z0-9]{0,8}[a-z0-9])?$/);
const object = fc.record({
  kind: fc.constantFrom('Thing', 'Other'),
  apiVersion: fc.constantFrom('v1', 'example.dev/v1'),
  metadata: fc.record(
    {
      name,
      namespace: name,
      uid: fc.uuid(),
      resourceVersion: fc.nat().map(String),
      labels: fc.dictionary(fc.string(), fc.string()),
      annotations: fc.dictionary(fc.string(), fc.json()),
      managedFields: fc.array(fc.dictionary(fc.string(), fc.jsonValue()), { maxLength: 3 }),
    },
    { requiredKeys: ['name'] },
  ),
  spec: fc.jsonValue(),
});
const line = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .record({ type: fc.constantFrom('ADDED', 'MODIFIED', 'DELETED'), object })
      .map((event) => JSON.stringify(event)),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '{"type":"BOOKMARK","object":{"kind":"Thing","apiVersion":"v1","metadata":{"resourceVersion":"9"}}}',
      '{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","code":410,"reason":"Expired"}}',
      '{"type":"ADDED","object":{"kind":"Thing"',
      '{"type":"ADDED"}',
      'garbage',
    ),
  },
);

interface Told {
  readonly events: readonly unknown[];
  readonly skipped: number;
  readonly failure: unknown;
}

async function told(
  events: (onSkipped: () => void) => AsyncIterable<readonly WatchEvent<KubernetesObject>[]>,
): Promise<Told> {
  const all: unknown[] = [];
  let skipped = 0;
  let failure: unknown;
  try {
    for await (const batch of events(() => skipped++)) {
      for (const event of batch) {
        if (event.type === 'BOOKMARK') all.push(event);
        else all.push({ type: event.type, object: dropManagedFields(readObject(event.object)) });
      }
    }
  } catch (error) {
    failure = error;
  }
  return { events: all, skipped, failure };
}

/** The same for bytes, in any pieces, and for their lines as text. */
function both(
  lines: readonly string[],
  cuts: readonly number[],
): { body: Readable; asText: () => AsyncGenerator<readonly string[], void, undefined> } {
  const bytes = Buffer.from(lines.map((each) => `${each}\n`).join(''));
  const readable = (): Readable => Readable.from(chunksOf(bytes, cuts), { objectMode: true });
  return { body: readable(), asText: () => readLines(readable()) };
}

test('events, what is left out, and the failure', async () => {
  const expected = { apiVersion: 'v1', kind: 'Thing' };

  await fc.assert(
    fc.asyncProperty(
      fc.array(line, { maxLength: 8 }),
      fc.array(fc.nat(), { maxLength: 6 }),
      fc.boolean(),
      async (lines, cuts, dropManagedFields) => {
        const { body, asText } = both(lines, cuts);

        const plain = await told((onSkipped) =>
          decodeWatchEvents(asText(), { expected, onSkipped }),
        );
        const held = await told((onSkipped) =>
          decodeHeldEvents(body, { expected, onSkipped, dropManagedFields }),
        );

        expect(held).toEqual(plain);
      },
    ),
  );
});

test('a line as kube-apiserver writes it is held', async () => {
  const event = {
    type: 'ADDED',
    object: {
      kind: 'Thing',
      apiVersion: 'v1',
      metadata: { name: 'a', uid: 'u', resourceVersion: '1', managedFields: [{ manager: 'x' }] },
    },
  };
  const { body } = both([JSON.stringify(event)], []);
  const { value: batch = [] } = await decodeHeldEvents(body, { dropManagedFields: true }).next();

  const [first] = batch;
  expect(first?.type === 'ADDED' && first.object).toBeInstanceOf(HeldObject);
});

test.each([true, false])('managedFields are dropped: %s', async (dropManagedFields) => {
  const managedFields = [{ manager: 'x' }];
  const metadata = { name: 'a', uid: 'u', resourceVersion: '1', managedFields };
  const object = { kind: 'Thing', apiVersion: 'v1', metadata };
  const { body } = both([JSON.stringify({ type: 'ADDED', object })], []);

  const { value: batch = [] } = await decodeHeldEvents(body, { dropManagedFields }).next();

  const read = batch.flatMap((event) =>
    event.type === 'BOOKMARK' ? [] : [readObject(event.object).metadata.managedFields],
  );
  expect(read).toEqual([dropManagedFields ? undefined : managedFields]);
});

test('events before a bad line of the same chunk come before its error', async () => {
  const object = {
    kind: 'Thing',
    apiVersion: 'v1',
    metadata: { name: 'a', uid: 'u', resourceVersion: '1' },
  };
  const { body } = both([JSON.stringify({ type: 'ADDED', object }), 'garbage'], []);
  const events = decodeHeldEvents(body, { dropManagedFields: true });

  const { value: batch = [] } = await events.next();

  expect(batch).toHaveLength(1);
  await expect(events.next()).rejects.toMatchObject({ code: 'DECODE' });
  expect(body.destroyed).toBe(true);
});

test('every chunk is told of, and leaving before the first line destroys the body', async () => {
  const sizes: number[] = [];
  const onChunk = (bytes: number): void => void sizes.push(bytes);
  const { body } = both(['{', '{'], [3]);

  await decodeHeldEvents(body, { dropManagedFields: true, onChunk })
    .next()
    .catch(() => {});
  const { body: unread } = both(['{'], []);
  await decodeHeldEvents(unread, { dropManagedFields: true }).return();

  expect(sizes).toEqual([3]);
  expect(unread.destroyed).toBe(true);
});

test('a line that outgrows its limit is an error, and closes the body', async () => {
  const { body } = both(['x'.repeat(120)], [60]);
  const events = decodeHeldEvents(body, { dropManagedFields: true, maxLineBytes: 50 });

  await expect(events.next()).rejects.toMatchObject({ code: 'DECODE', context: { gotBytes: 60 } });
  expect(body.destroyed).toBe(true);
});
