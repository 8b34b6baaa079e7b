import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigurationError, objectKey } from 'chancery';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { propertyRuns } from '../../../../test/support/property-runs.ts';
import {
  parseSnapshot,
  readSnapshot,
  SNAPSHOT_LIMIT_BYTES,
  snapshotParts,
  writeSnapshot,
} from '../../../src/apiserver/storage/snapshot-file.ts';
import { Storage } from '../../../src/apiserver/storage/storage.ts';

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'chancery-snapshot-'));
  onTestFinished(() => rmSync(path, { recursive: true }));
  return path;
}

const object = (name: string, namespace?: string, more: object = {}) => ({
  apiVersion: 'example.dev/v1',
  kind: 'Thing',
  metadata: {
    name,
    uid: `uid of ${namespace}/${name}`,
    ...(namespace === undefined ? {} : { namespace }),
  },
  ...more,
});

function storageOf(
  things: Readonly<Record<string, readonly ReturnType<typeof object>[]>>,
): Storage {
  const storage = new Storage();
  for (const [resource, objects] of Object.entries(things)) {
    for (const each of objects) storage.put(resource, each);
  }
  return storage;
}

const textOf = (storage: Storage): string => [...snapshotParts(storage.snapshot())].join('');

function restored(text: string): Storage {
  const storage = new Storage();
  storage.restore(parseSnapshot(Buffer.from(text)));
  return storage;
}

test('a snapshot that is written and read keeps objects, order and revision', () => {
  const storage = storageOf({
    'things.example.dev': [object('b', 'n'), object('a', 'n'), object('c')],
    others: [object('ä'), object('__proto__')],
    empty: [],
  });
  storage.delete('others', objectKey(undefined, 'ä'));

  const copy = restored(textOf(storage));

  expect(copy.revision).toBe(storage.revision);
  for (const resource of ['things.example.dev', 'others', 'empty']) {
    expect(copy.list(resource)).toEqual(storage.list(resource));
  }
});

test('a snapshot keeps every value of an object, and all digits of integers', () => {
  const value = fc.jsonValue().map((json) => JSON.parse(JSON.stringify(json)));
  const long = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
  const isExact = (integer: bigint): boolean => String(Number(integer)) === String(integer);
  fc.assert(
    fc.property(value, long, (spec, integer) => {
      const size = isExact(integer) ? Number(integer) : integer;
      const storage = storageOf({ things: [object('a', 'n', { spec, size })] });

      expect(restored(textOf(storage)).list('things')).toEqual(storage.list('things'));
    }),
    propertyRuns(),
  );
});

test('a snapshot has no history, and watches can resume from the revision of the snapshot', () => {
  const storage = storageOf({ things: [object('a'), object('b')] });

  const copy = restored(textOf(storage));
  copy.put('things', object('c'));

  expect(copy.eventsAfter('things', storage.revision - 1)).toBeUndefined();
  expect(copy.listAt('things', storage.revision - 1)).toBeUndefined();
  expect(copy.eventsAfter('things', storage.revision)).toHaveLength(1);
  expect(copy.eventsAfter('not-there', storage.revision - 1)).toBeUndefined();
});

describe('data that is not a snapshot is refused', () => {
  const refusal = (text: string | Buffer): string => {
    try {
      parseSnapshot(Buffer.from(text as string));
    } catch (error) {
      expect(error).toBeInstanceOf(ConfigurationError);
      return (error as Error).message;
    }
    return expect.unreachable('it was taken');
  };
  const header = (more: object = {}): string =>
    `${JSON.stringify({ format: 'chancery snapshot', version: 1, revision: 9, objects: 1, ...more })}\n`;
  const line = (more: object = {}, metadata: object = {}): string =>
    `${JSON.stringify({ resource: 'things', object: { ...object('a'), metadata: { name: 'a', uid: 'u', resourceVersion: '9', ...metadata }, ...more } })}\n`;

  test('a snapshot cut off at any byte is refused', () => {
    const whole = textOf(storageOf({ things: [object('a'), object('b'), object('ü')] }));
    const bytes = Buffer.from(whole);

    const messages = new Set([...bytes.keys()].map((end) => refusal(bytes.subarray(0, end))));

    expect(messages).toContain('it is cut off: of its 3 objects, 2 are complete');
    expect(parseSnapshot(bytes).revision).toBe(4);
  });

  test.each([
    ['', 'it is empty'],
    ['apiVersion: v1\n', 'it does not begin as a snapshot does'],
    ['{"kind":"List"}\n', 'it does not begin as a snapshot does'],
    ['\u0000'.repeat(2_000), 'it does not begin as a snapshot does'],
    [
      header({ version: 2 }),
      'it has version 2 of the format, and this release reads version 1 only',
    ],
    [
      header({ version: '1' }),
      'it has version "1" of the format, and this release reads version 1 only',
    ],
    [header({ revision: 'x' }), /first line is damaged/],
    [header({ revision: 0 }), /first line is damaged/],
    [header({ objects: -1 }), /first line is damaged/],
    [header({ objects: 1e300 }), /first line is damaged/],
    [`${header()}{\n`, 'line 2 is no JSON'],
    [`${header()}[]\n`, 'line 2 is no JSON'],
    [`${header()}{"resource":"","object":{}}\n`, 'line 2 names no resource'],
    [`${header()}{"resource":"things"}\n`, 'line 2 has no object'],
    [header() + line({ kind: 1 }), 'line 2 has an object without apiVersion or kind'],
    [header() + line({ metadata: [] }), 'line 2 has an object without metadata'],
    [header() + line({}, { name: '' }), 'line 2 has an object without a name'],
    [header() + line({}, { uid: '' }), 'line 2 has an object without a uid'],
    [header() + line({}, { namespace: 3 }), /^line 2 has wrong metadata: .*namespace/],
    [header() + line({}, { resourceVersion: '10' }), /line 2 .* up to revision 9/],
    [header() + line({}, { resourceVersion: 'new' }), /line 2 .* up to revision 9/],
    [header({ objects: 2 }) + line() + line(), 'line 3 has things a again'],
    [header() + line() + line(), 'it goes on after its 1 objects'],
  ])('the data %j is refused as a snapshot', (text, message) => {
    const found = refusal(text);

    if (typeof message === 'string') expect(found).toBe(message);
    else expect(found).toMatch(message);
  });
});

describe('snapshot files', () => {
  test('a snapshot file is private, complete and has the last saved state', async () => {
    const path = join(folder(), 'state');
    const storage = storageOf({ things: [object('a')] });
    await writeSnapshot(path, storage.snapshot());
    storage.put('things', object('b'));

    await writeSnapshot(path, storage.snapshot());

    expect((await readSnapshot(path)).revision).toBe(storage.revision);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(path, '..'))).toEqual(['state']);
  });

  test('a leftover draft of a killed process does not block the next snapshot', async () => {
    const path = join(folder(), 'state');
    writeFileSync(`${path}.${process.pid}.tmp`, 'half');

    await writeSnapshot(path, new Storage().snapshot());

    expect(readFileSync(path, 'utf8')).toMatch(/^\{"format":"chancery snapshot","version":1,/);
  });

  test('the error about a snapshot file that cannot be written contains its path', async () => {
    const path = join(folder(), 'gone', 'state');

    await expect(writeSnapshot(path, new Storage().snapshot())).rejects.toThrow(
      `cannot save the snapshot ${path}: ENOENT`,
    );
  });

  // Node reads no file of more than 2 GiB.
  test.each([
    500_000_000, 3_000_000_000,
  ])('a snapshot file of %i bytes is refused without reading it', async (size) => {
    const path = join(folder(), 'state');
    writeFileSync(path, '');
    truncateSync(path, size); // takes no place on the disk

    await expect(readSnapshot(path)).rejects.toThrow(
      `cannot restore the snapshot ${path}: it has ${size} bytes, and a snapshot has at most ${SNAPSHOT_LIMIT_BYTES}; name another one, or a file that is not there to begin with an empty server`,
    );
  });

  test('a snapshot file stays unchanged when the next snapshot is too large', async () => {
    const path = join(folder(), 'state');
    const storage = storageOf({ things: [object('a')] });
    await writeSnapshot(path, storage.snapshot());
    const before = readFileSync(path, 'utf8');
    const data = 'x'.repeat(1_048_576);
    for (let at = 0; at <= 256; at++) storage.put('things', object(`t${at}`, undefined, { data }));

    await expect(writeSnapshot(path, storage.snapshot())).rejects.toThrow(
      `its objects have more than ${SNAPSHOT_LIMIT_BYTES} bytes`,
    );

    expect(readFileSync(path, 'utf8')).toBe(before);
    expect(readdirSync(join(path, '..'))).toEqual(['state']);
  });
});
