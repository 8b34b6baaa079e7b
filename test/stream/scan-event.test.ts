import { describe, expect, test } from 'vitest';
import { scanEvent } from '../../operator/stream/decode.ts';
import { recording, watchText } from '../support/recorded-stream.ts';
import { expectNeverWrong, expectScanned, scan, scanBytes } from './parsed-event.ts';

const RECORDINGS = [
  'crd',
  'deletion',
  'errors',
  'forbidden',
  'kubectl-session',
  'lease-events',
  'list-paging',
  'metadata-only',
  'patches',
  'rollout',
  'server-restart',
  'watch-expired',
  'watch-lifecycle',
  'watch-streaming-list',
];

const DROPPED = { dropManagedFields: true };

/** The lines of every watch of a recording. */
function recordedLines(name: string): readonly string[] {
  return recording(name)
    .filter(({ response }) => response.chunks !== undefined)
    .flatMap((watch) => watchText(watch).split('\n').slice(0, -1));
}

describe('lines of a real API server', () => {
  const lines = RECORDINGS.flatMap(recordedLines);
  const isOfObject = (line: string): boolean =>
    /^\{"type":"(ADDED|MODIFIED|DELETED)"/.test(line) && !line.includes('"kind":"Table"');

  test('every recorded line with an object is scanned without parsing, with the same result', () => {
    const ofObjects = lines.filter(isOfObject);
    expect(ofObjects.length).toBeGreaterThan(200);
    for (const line of ofObjects) {
      expectScanned(line);
      if (!line.includes('"managedFields":[{"manager"')) continue;
      const [dropped, kept] = [DROPPED, { dropManagedFields: false }].map(
        (way) => scan(line, way)?.entry.textLength ?? 0,
      );
      expect(dropped).toBeLessThan((kept ?? 0) - 50);
    }
  });

  test('every recorded line without an object is passed to the parser', () => {
    const others = lines.filter((line) => !isOfObject(line));
    expect(others.length).toBeGreaterThan(10);
    for (const line of others) expect(scan(line)).toBeUndefined();
  });

  test('a line between other lines of a chunk is scanned correctly', () => {
    const some = recordedLines('rollout').filter(isOfObject).slice(0, 20);
    const chunk = Buffer.from(some.map((line) => `${line}\n`).join(''));
    let start = 0;

    for (const line of some) {
      const end = start + Buffer.byteLength(line);
      expect(scanBytes(chunk, DROPPED, end, start)?.entry.object).toEqual(scan(line)?.entry.object);
      start = end + 1;
    }
  });
});

const IDENTITY = '"name":"a","namespace":"n","uid":"u","resourceVersion":"1"';
const line = (metadata: string, more = ',"spec":{"x":1}', type = 'ADDED'): string =>
  `{"type":"${type}","object":{"kind":"Pod","apiVersion":"v1","metadata":{${metadata}}${more}}}`;

const BARE = { name: 'a', uid: 'u', resourceVersion: '1' };

function isRead(chunk: Buffer, end: number): boolean {
  try {
    return scanBytes(chunk, DROPPED, end)?.entry.object !== undefined;
  } catch {
    return false;
  }
}

describe('lines that are scanned without parsing', () => {
  test.each([
    ['without managedFields', line(IDENTITY)],
    ['without a namespace', line('"name":"a","uid":"u","resourceVersion":"1"')],
    ['without anything after the metadata', line(IDENTITY, '')],
    ['managedFields as the last member', line(`${IDENTITY},"managedFields":[{"a":{}}]`)],
    ['managedFields as the last member of all', line(`${IDENTITY},"managedFields":[{"a":{}}]`, '')],
    ['managedFields as the first member', line(`"managedFields":[{"a":{}}],${IDENTITY}`)],
    ['managedFields in the middle', line(`"labels":{},"managedFields":[{"a":{}}],${IDENTITY}`)],
    ['empty managedFields', line(`${IDENTITY},"managedFields":[]`)],
    ['managedFields that are null', line(`${IDENTITY},"managedFields":null`)],
    ['an array in managedFields', line(`${IDENTITY},"managedFields":[{"a":[1]},{"b":2}]`)],
    ['arrays around an object', line(`${IDENTITY},"managedFields":[{"a":[{"b":1}]},{"c":2}]`)],
    [
      'brackets in the strings of managedFields',
      line(`${IDENTITY},"managedFields":[{"a":"]},"},{"]}":"[{"},{"b":"\\"]},\\"x"}]`),
    ],
    [
      'other members called metadata',
      line(IDENTITY, ',"spec":{"metadata":{"uid":"other","managedFields":[{"x":1}]}}'),
    ],
    ['other members called managedFields', line(IDENTITY, ',"managedFields":[1],"spec":{}')],
    [
      'an annotation that contains JSON',
      line(
        `${IDENTITY},"annotations":{"last":"{\\"metadata\\":{\\"uid\\":\\"x\\",\\"managedFields\\":[]}}\\\\"},"managedFields":[{"a":"b"}]`,
      ),
    ],
    ['characters of several bytes', line(`${IDENTITY},"labels":{"ä":"日本\u{1f600}"}`)],
    [
      'a long string with quotes',
      line(IDENTITY, `,"data":"${'x'.repeat(70)}\\"${'\\\\'.repeat(50)}"`),
    ],
    ['a repeated member that does not matter', line(IDENTITY, ',"spec":{"x":1},"spec":{"x":2}')],
    ['numbers', line(IDENTITY, ',"a":-1.5e+7,"b":1E9,"c":true,"d":null,"e":[1,2]')],
  ])('a line is scanned without parsing: %s', (_, text) => {
    expectScanned(text);
  });

  test.each(['ADDED', 'MODIFIED', 'DELETED'])('the scan finds the type %s', (type) => {
    expect(scan(line(IDENTITY, '', type))?.type).toBe(type);
  });

  test('a line without a namespace does not get the namespace of the previous line', () => {
    scan(line(IDENTITY));

    const event = scan(line('"name":"a","uid":"u","resourceVersion":"1"'));

    expect(event?.entry.key).toBe('a');
  });
});

describe('lines that are passed to the parser', () => {
  test.each([
    ['BOOKMARK', line(IDENTITY, '', 'BOOKMARK')],
    ['ERROR', line(IDENTITY, '', 'ERROR')],
    ['no uid', line('"name":"a","resourceVersion":"1"')],
    ['no resourceVersion', line('"name":"a","uid":"u"')],
    ['no name', line('"uid":"u","resourceVersion":"1"')],
    ['an empty name', line('"name":"","uid":"u","resourceVersion":"1"')],
    ['an empty namespace', line('"name":"a","namespace":"","uid":"u","resourceVersion":"1"')],
    ['a number for a string', line('"name":"a","uid":"u","resourceVersion":1')],
    ['an escape in a name', line('"name":"\\u0061","uid":"u","resourceVersion":"1"')],
    ['an escape in a key', line(`${IDENTITY},"ui\\u0064":"v"`)],
    ['a name beyond ASCII', line('"name":"ä","uid":"u","resourceVersion":"1"')],
    ['two names', line(`${IDENTITY},"name":"b"`)],
    ['two managedFields', line(`${IDENTITY},"managedFields":[],"managedFields":[]`)],
    ['a brace in place of the last bracket', `${line(IDENTITY).slice(0, -2)}]}`],
    [
      'two metadata before the kind',
      `{"type":"ADDED","object":{"metadata":{${IDENTITY}},"metadata":{},"kind":"A","apiVersion":"v1"}}`,
    ],
    ['an end that is not a brace', `${line(IDENTITY).slice(0, -1)}]`],
    [
      'metadata that are not an object',
      '{"type":"ADDED","object":{"kind":"A","apiVersion":"v1","metadata":[]}}',
    ],
    ['no metadata', '{"type":"ADDED","object":{"kind":"A","apiVersion":"v1"}}'],
    ['no kind', line(IDENTITY).replace('"kind":"Pod",', '')],
    ['no apiVersion', line(IDENTITY).replace('"apiVersion":"v1",', '')],
    ['the type after the object', `${line(IDENTITY).slice(0, -1)},"type":"DELETED"}`],
    ['managedFields without a value', line(`${IDENTITY},"managedFields":,"labels":{}`)],
    ['white space between members', JSON.stringify(JSON.parse(line(IDENTITY)), null, 1)],
    ['white space at the end', `${line(IDENTITY)} `],
    ['another kind after the metadata', line(IDENTITY, ',"kind":"Node"')],
    ['another kind, escaped', line(IDENTITY, ',"k\\u0069nd":"Node"')],
    ['another apiVersion after the metadata', line(IDENTITY, ',"apiVersion":"v2"')],
    ['other metadata after the metadata', line(IDENTITY, ',"metadata":{"labels":{}}')],
    ['invalid metadata after the metadata', line(IDENTITY, ',"metadata":null')],
    ['metadata of another object', line(IDENTITY, `,"metadata":{${IDENTITY.replace('a', 'b')}}`)],
    ['metadata of another state', line(IDENTITY, `,"metadata":{${IDENTITY.replace('1', '2')}}`)],
    ['metadata without the namespace', line(IDENTITY, `,"metadata":${JSON.stringify(BARE)}`)],
    ['two objects', `${line(IDENTITY).slice(0, -1)},"object":{}}`],
    ['a type and more after the object', `${line(IDENTITY).slice(0, -1)},"type":"DELETED","x":{}}`],
    ['the same metadata twice', line(IDENTITY, `,"metadata":{${IDENTITY}}`)],
    ['the same kind twice', line(IDENTITY, ',"kind":"Pod"')],
    ['an object in an array', `[${line(IDENTITY)}]`],
    ['nothing', ''],
  ])('a line with %s is passed to the parser', (_, text) => {
    expect(scan(text)).toBeUndefined();
    expectNeverWrong(text);
  });
});

describe('lines that the scanner accepts, but whose object cannot be read', () => {
  test.each([
    ['something after the end', `${line(IDENTITY)}}`],
    ['a missing brace', line(IDENTITY).slice(0, -1)],
    ['an unterminated string', line(IDENTITY, ',"spec":"x')],
    ['one comma too many', line(IDENTITY, ',"spec":{"x":1,}')],
    ['a label that is not JSON', line(`${IDENTITY},"labels":{x}`)],
  ])('the scanner accepts a line with %s, but reading its object throws an error', (_, text) => {
    expect(expectNeverWrong(text)).toBe(true);
    expect(() => scan(text)?.entry.object).toThrow(expect.objectContaining({ code: 'DECODE' }));
  });
});

test.each([
  ['white space after the metadata', line(IDENTITY, ',"spec": {}')],
  ['a text of many kilobytes', line(IDENTITY, `,"data":"${'x'.repeat(200_000)}"`)],
  [
    'many kilobytes after characters of several bytes',
    line(
      `"labels":{"ä":"日"},${IDENTITY},"managedFields":[{"a":1}]`,
      `,"d":"${'ü'.repeat(90_000)}"`,
    ),
  ],
  [
    'many kilobytes of metadata',
    line(
      `"managedFields":[{"a":"${'日'.repeat(40_000)}"}],${IDENTITY},"x":"${'x'.repeat(90_000)}"`,
    ),
  ],
])('a line is scanned and can be read: %s', (_, text) => {
  expectScanned(text);
});

describe('an object that is given an apiVersion and kind', () => {
  const form = { apiVersion: 'example.dev/v1', kind: 'Thing' };
  const partial = '"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1"';
  const METADATA = `"metadata":{${IDENTITY}}`;
  const of = (object: string): string => `{"type":"ADDED","object":{${object}}}`;

  test.each([
    ['kind first', `${partial},${METADATA}`, METADATA],
    [
      'apiVersion first',
      `"apiVersion":"v1","kind":"Pod",${METADATA},"spec":{}`,
      `${METADATA},"spec":{}`,
    ],
    ['the same values', `"apiVersion":"example.dev/v1","kind":"Thing",${METADATA}`, METADATA],
  ])('the given apiVersion and kind replace the ones in the object: %s', (_, object, rest) => {
    const entry = scan(of(object), { form })?.entry;

    expect(entry?.object).toMatchObject(form);
    expect(entry?.text).toBe(`{"kind":"Thing","apiVersion":"example.dev/v1",${rest}}`);
  });

  test.each([
    ['a member before the metadata', `${partial},"x":1,${METADATA}`],
    ['another member before its kind', `"x":{},${partial},${METADATA}`],
    ['its kind after the metadata', `"apiVersion":"v1",${METADATA},"kind":"Pod"`],
    ['its apiVersion after the metadata', `"kind":"Pod",${METADATA},"apiVersion":"v1"`],
    ['both after the metadata', `${METADATA},${partial}`],
    ['both after all other members', `${METADATA},"spec":{},${partial}`],
  ])('an object is parsed to get the given apiVersion and kind: %s', (_, object) => {
    expect(scan(of(object), { form })).toBeUndefined();
    expectScanned(of(object));
  });
});

describe('an object of another kind', () => {
  const isForeign = ({ kind }: { readonly kind: string }): boolean => kind === 'Pod';
  const scanned = (text: string): unknown =>
    scanEvent(Buffer.from(text), 0, Buffer.byteLength(text), {}, isForeign);

  test('an object of another kind is recognised, whatever follows its metadata', () => {
    expect(scanned(line(IDENTITY))).toBe('foreign');
    expect(scanned(line(IDENTITY, ',"spec":{]}'))).toBe('foreign');
    expect(scanned(line(IDENTITY).replace('Pod', 'Node'))).toMatchObject({ type: 'ADDED' });
  });

  test('a line that repeats the kind of its object after the metadata is passed to the parser', () => {
    expect(scanned(line(IDENTITY, ',"kind":"Node"'))).toBeUndefined();
  });
});

test('metadata are read without the rest of the object, which may be invalid JSON', () => {
  const entry = scan(line(`${IDENTITY},"labels":{"a":"b"}`, ',"spec":{]}'))?.entry;

  expect(entry?.metadata.labels).toEqual({ a: 'b' });
  expect(entry?.isUnreadable).toBe(false);
  expect(entry?.textLength).toBeGreaterThan(0);
});

test('a truncated line is passed to the parser, or refused when it is read, whatever follows in the chunk', () => {
  const whole = line(IDENTITY, `,"data":{"a":"${'x'.repeat(80)}}}}","b":{"c":{}}}`);
  const chunk = Buffer.from(`${whole}\n${whole}\n`);

  const answered = Array.from(chunk.keys()).filter((end) => isRead(chunk, end));

  expect(answered).toEqual([whole.length]);
});
