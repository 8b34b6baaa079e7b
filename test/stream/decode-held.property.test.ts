/** The held path says what the plain one says, of any lines: only reading is put off. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { HeldObject, readObject } from '../../operator/model/held-object.ts';
import type { KubernetesObject } from '../../operator/model/object.ts';
import type { WatchEvent } from '../../operator/model/watch-event.ts';
import { dropManagedFields } from '../../operator/store/transform.ts';
import { decodeWatchEvents } from '../../operator/stream/decode.ts';
import { decodeHeldEvents } from '../../operator/stream/decode-held.ts';

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

async function* batches<L>(lines: readonly L[]): AsyncGenerator<readonly L[], void, undefined> {
  yield lines.slice(0, 2);
  yield lines.slice(2);
}

test('events, what is left out, and the failure', async () => {
  const expected = { apiVersion: 'v1', kind: 'Thing' };

  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 8 }), async (lines) => {
      const asText = await told((onSkipped) =>
        decodeWatchEvents(batches(lines), { expected, onSkipped }),
      );
      const bytes = lines.map((each) => Buffer.from(each));
      const held = await told((onSkipped) =>
        decodeHeldEvents(batches(bytes), { expected, onSkipped }),
      );

      expect(held).toEqual(asText);
    }),
    { numRuns: 500 },
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
  const lines = batches([Buffer.from(JSON.stringify(event))]);
  const { value: batch = [] } = await decodeHeldEvents(lines).next();

  const [first] = batch;
  expect(first?.type === 'ADDED' && first.object).toBeInstanceOf(HeldObject);
});
