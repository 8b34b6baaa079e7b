/** A watch says what `JSON.parse` says of each of its lines, however they are written and cut. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonText, jsonValue, memberName } from '../support/json-arbitraries.ts';
import { propertyRuns } from '../support/property-runs.ts';
import { bodyOf, decoded } from './decoded.ts';
import { failureOf, type Line, meaningOf, type Options } from './meaning.ts';

const name = fc.stringMatching(/^[a-z]([-a-z0-9]{0,8}[a-z0-9])?$/);
const metadata = fc.record(
  {
    name: fc.oneof({ weight: 20, arbitrary: name }, fc.constantFrom('', 7, null, 'ä/"', 'a\\b')),
    namespace: name,
    uid: fc.uuid(),
    resourceVersion: fc.nat().map(String),
    labels: fc.dictionary(
      memberName(fc.string({ unit: 'grapheme' })),
      fc.string({ unit: 'grapheme' }),
    ),
    annotations: fc.dictionary(memberName(), jsonText()),
    managedFields: fc.array(fc.dictionary(memberName(), jsonValue()), { maxLength: 3 }),
  },
  { requiredKeys: ['name', 'uid', 'resourceVersion'] },
);
const object = fc.record(
  {
    kind: fc.constantFrom('Thing', 'Thing', 'Thing', 'Other'),
    apiVersion: fc.constantFrom('v1', 'v1', 'v1', 'example.dev/v1'),
    metadata: fc.oneof({ weight: 30, arbitrary: metadata }, fc.constantFrom(null, {}, [], 'x')),
    spec: jsonValue(),
    data: fc.dictionary(memberName(), fc.string()),
  },
  { requiredKeys: ['metadata'] },
);
const type = fc.constantFrom('ADDED', 'MODIFIED', 'DELETED');

/** Members in another order than Go has them in: the first few of them last. */
function turned<T extends object>(value: T, by: number): T {
  const members = Object.entries(value);
  return Object.fromEntries([...members.slice(by), ...members.slice(0, by)]) as T;
}

const ofObject: fc.Arbitrary<Line> = fc
  .record({
    type,
    object,
    by: fc.constantFrom(0, 0, 0, 1, 2, 3),
    gap: fc.constantFrom('', '', ' '),
  })
  .map(({ by, gap, ...event }) => {
    const text = JSON.stringify({ ...event, object: turned(event.object, by) });
    return { text: text.replace('"object":', `"object":${gap}`) };
  });
const broken: fc.Arbitrary<Line> = fc.record({ type, name }).map(({ type, name }) => {
  const metadata = `"metadata":{"name":"${name}","uid":"u","resourceVersion":"1"}`;
  const text = `{"type":"${type}","object":{"kind":"Thing","apiVersion":"v1",${metadata},"x":hush}}`;
  return { text, isBrokenInside: true };
});
const status = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', code: 410 };
const other: fc.Arbitrary<Line> = fc
  .constantFrom(
    '',
    ' \t',
    '\r',
    '{"type":"BOOKMARK","object":{"kind":"Thing","apiVersion":"v1","metadata":{"resourceVersion":"9"}}}',
    '{"type":"BOOKMARK","object":{"kind":"Other","apiVersion":"v1"}}',
    JSON.stringify({ type: 'ERROR', object: status }),
    '{"type":"ERROR","object":"boom"}',
    '{"type":"ADDED","object":{"kind":"Thing"',
    '{"type":"SYNC","object":{"kind":"Thing","apiVersion":"v1","metadata":{"name":"a"}}}',
    '{"type":"ADDED"}',
    '[]',
    'garbage',
    '\u0001',
  )
  .map((text) => ({ text }));
const line = fc.oneof(
  { weight: 12, arbitrary: ofObject },
  { weight: 1, arbitrary: broken },
  { weight: 2, arbitrary: other },
);

const options: fc.Arbitrary<Options> = fc.record({
  expected: fc.constantFrom(undefined, { apiVersion: 'v1', kind: 'Thing' }),
  form: fc.constantFrom(undefined, { apiVersion: 'example.dev/v1', kind: 'Given' }),
  dropManagedFields: fc.constantFrom(undefined, false, true),
});

test('[W-10] decoded events equal the sent ones, for any lines, line ends, chunks and options', async () => {
  let scanned = 0;
  let parsed = 0;
  await fc.assert(
    fc.asyncProperty(
      ...([
        fc.array(line, { maxLength: 8 }),
        fc.constantFrom('\n', '\n', '\r\n'),
        fc.array(fc.nat(), { maxLength: 6 }),
        options,
      ] as const),
      async (lines, lineEnd, cuts, given) => {
        const text = lines.map(({ text }) => text + lineEnd).join('');

        const got = await decoded(bodyOf(text, cuts), given);

        const { events, skipped } = got;
        expect({ events, skipped, failure: failureOf(got.error) }).toEqual(meaningOf(lines, given));
        scanned += got.scanned;
        parsed += events.length - got.scanned;
      },
    ),
  );
  // Or the property tries one kind of line only.
  expect(Math.min(scanned, parsed)).toBeGreaterThan(propertyRuns().numRuns / 10);
});
