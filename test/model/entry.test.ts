import { describe, expect, test, vi } from 'vitest';
import { OperatorError, ProtocolError } from '../../operator/core/errors.ts';
import { Entry, type EntryObserver } from '../../operator/model/entry.ts';
import type { KubernetesObject } from '../../operator/model/object.ts';
import { entryOfText, identityOf, textEntry } from '../support/text-entry.ts';

const OBJECT = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: {
    name: 'a',
    namespace: 'demo',
    uid: 'u',
    resourceVersion: '7',
    labels: { app: 'web' },
  },
  data: { secret: 'hush' },
};
const TEXT = JSON.stringify(OBJECT);
/** Text that is JSON up to the end of its metadata. */
const BROKEN = TEXT.replace('"hush"', 'hush');

const entryOf = (text: string = TEXT): Entry<typeof OBJECT> => entryOfText(OBJECT, text);

function refusal(read: () => unknown): unknown {
  try {
    return expect.fail(`was read: ${read()}`);
  } catch (error) {
    return error;
  }
}

/** How often something was parsed meanwhile. */
function parsesOf(act: () => unknown): number {
  const parse = vi.spyOn(JSON, 'parse');
  act();
  const { length } = parse.mock.calls;
  parse.mockRestore();
  return length;
}

interface Observer extends EntryObserver {
  readonly told: string[];
}

function observer(): Observer {
  const told: string[] = [];
  return {
    told,
    releasable: () => {},
    unreadable: ({ message }) => void told.push(`observer hears that ${message}`),
  };
}

describe('the identity of an entry', () => {
  const identity = ({ key, uid, resourceVersion }: Entry): unknown => ({
    key,
    uid,
    resourceVersion,
  });
  const own = { key: 'demo/a', uid: 'u', resourceVersion: '7' };

  test('the identity of an entry is known before the entry is parsed', () => {
    const entry = entryOf('no JSON');

    expect(identity(entry)).toEqual(own);
    expect(entry.textLength).toBe('no JSON'.length);
    expect(entry.isUnreadable).toBe(false);
  });

  test('the identity of a parsed entry is the identity of its object', () => {
    const entry = Entry.of(OBJECT);

    expect(identity(entry)).toEqual(own);
    expect(entry.object).toBe(OBJECT);
    expect(entry.metadata).toBe(OBJECT.metadata);
    expect(entry.textLength).toBe(0);
    expect(entry.text).toBeUndefined();
  });

  test.each<[string, unknown, unknown]>([
    ['no namespace', { name: 'a', uid: 'u', resourceVersion: '7' }, { ...own, key: 'a' }],
    ['an empty namespace', { ...OBJECT.metadata, namespace: '' }, { ...own, key: 'a' }],
    ['neither uid nor resourceVersion', { name: 'a' }, { key: 'a', uid: '', resourceVersion: '' }],
    [
      'numbers',
      { name: 'a', uid: 7, resourceVersion: 8 },
      { key: 'a', uid: '', resourceVersion: '' },
    ],
    ['no metadata', undefined, { key: '', uid: '', resourceVersion: '' }],
    ['metadata of null', null, { key: '', uid: '', resourceVersion: '' }],
  ])('the identity of a parsed object with %s is read from its metadata', (_, metadata, wanted) => {
    const object = { ...OBJECT, metadata } as KubernetesObject;

    expect(identity(Entry.of(object))).toEqual(wanted);
  });
});

describe('the object of an unparsed entry', () => {
  test('an unparsed entry is parsed once, into the same object for every reader', () => {
    const entry = entryOf();

    const parses = parsesOf(() => [entry.object, entry.object, entry.metadata, entry.text]);

    expect(entry.object).toEqual(OBJECT);
    expect(entry.object).toBe(entry.object);
    expect(parses).toBe(1);
  });

  test('a released entry is parsed again once, into a new object', () => {
    const entry = entryOf();
    const before = entry.object;
    const beforeMetadata = entry.metadata;

    entry.release();
    const parses = parsesOf(() => [entry.object, entry.object, entry.metadata]);

    expect(parses).toBe(1);
    expect(entry.object).toEqual(before);
    expect(entry.object).not.toBe(before);
    expect(entry.metadata).not.toBe(beforeMetadata);
  });

  test('keep() replaces the text of an entry by its object, and release() has no effect afterwards', () => {
    const entry = entryOf();

    const kept = entry.keep();
    entry.release();

    expect(kept).toEqual(OBJECT);
    expect(parsesOf(() => [entry.object, entry.metadata, entry.keep()])).toBe(0);
    expect(entry.object).toBe(kept);
    expect(entry.metadata).toBe(kept.metadata);
    expect([entry.textLength, entry.text]).toEqual([0, undefined]);
  });

  test('keep() returns the object that was parsed before', () => {
    const entry = entryOf();
    const { object } = entry;

    expect(entry.keep()).toBe(object);
  });

  test('an entry that was parsed from the start is not released', () => {
    const entry = Entry.of(OBJECT);

    entry.release();

    expect(entry.object).toBe(OBJECT);
  });
});

describe('the metadata of an unparsed entry', () => {
  test('the metadata of an object are parsed without the rest, and only once, whatever follows the metadata', () => {
    const entry = entryOf(BROKEN);

    const parses = parsesOf(() => [entry.metadata, entry.metadata]);

    expect(entry.metadata).toEqual(OBJECT.metadata);
    expect(entry.metadata).toBe(entry.metadata);
    expect(parses).toBe(1);
    expect(entry.isUnreadable).toBe(false);
  });

  test("once the object was parsed, the metadata of an entry is the object's metadata", () => {
    const [first, then] = [entryOf(), entryOf()];

    const alone = first.metadata;
    const { object } = first;

    expect(alone).toEqual(OBJECT.metadata);
    expect(first.metadata).toBe(object.metadata);
    expect(then.object.metadata).toBe(then.metadata);
  });

  test('metadata are parsed again after they were released', () => {
    const entry = entryOf(BROKEN);
    const before = entry.metadata;

    entry.release();

    expect(entry.metadata).toEqual(before);
    expect(entry.metadata).not.toBe(before);
  });

  test('an entry reports that its parsed metadata can be released, unless it keeps the metadata', () => {
    const entry = entryOf();
    const releasable = vi.fn();
    entry.observedBy({ ...observer(), releasable });

    const first = entry.metadata;
    entry.release();
    const kept = entry.keepMetadata();
    entry.release();

    expect(releasable.mock.calls).toEqual([[entry]]);
    expect(kept).toEqual(first);
    expect(entry.metadata).toBe(kept);
    expect(entry.object).toEqual(OBJECT);
    expect(releasable).toHaveBeenCalledTimes(2);
    entry.release();
    expect(entry.textLength).toBe(TEXT.length);
  });

  test('an observer that is added later learns, too, that parsed metadata can be released', () => {
    const [read, parsed, kept, untouched] = [entryOf(), entryOf(), entryOf(), entryOf()];
    const whole = Entry.of(OBJECT);
    const told: Entry[] = [];
    expect([read.metadata, parsed.object, kept.keepMetadata()]).toHaveLength(3);

    for (const entry of [read, parsed, kept, untouched, whole]) {
      entry.observedBy({ ...observer(), releasable: (each) => void told.push(each) });
    }

    expect(told).toEqual([read, parsed]);
  });

  test('metadata that are invalid JSON make the entry unreadable', () => {
    const text = TEXT.replace('"web"', 'web');
    const entry = entryOf(text);
    const observed = observer();
    entry.observedBy(observed);

    const refused = refusal(() => entry.metadata);

    expect(refused).toMatchObject({ code: 'DECODE', context: { textLength: text.length } });
    expect(entry.isUnreadable).toBe(true);
    expect(observed.told).toHaveLength(1);
    expect(refusal(() => entry.object)).toBe(refused);
    expect(refusal(() => entry.text)).toBe(refused);
  });
});

describe('text', () => {
  const long = TEXT.replace('"hush"', '9007199254740993.10');
  const depth = 100_000;
  const deep = TEXT.replace('"hush"', `${'['.repeat(depth)}${']'.repeat(depth)}`);

  test.each([
    ['all digits of its numbers', long],
    ['all its levels', deep],
  ])('an entry returns its text unchanged, with %s', (_, text) => {
    const entry = entryOf(text);

    expect(entry.text).toBe(text);
    void entry.object;
    expect(entry.text).toBe(text);
    expect(entry.textLength).toBe(text.length);
  });

  test('reading the text of an entry fails if the text is not valid JSON', () => {
    const entry = entryOf(BROKEN);

    expect(refusal(() => entry.text)).toMatchObject({ code: 'DECODE' });
    expect(entry.isUnreadable).toBe(true);
  });
});

describe('text that is not JSON', () => {
  test('the error for invalid JSON contains the length of the text, and quotes none of it', () => {
    const error = refusal(() => entryOf(BROKEN).object);

    expect(error).toBeInstanceOf(ProtocolError);
    expect(error).toMatchObject({ code: 'DECODE', context: { textLength: BROKEN.length } });
    expect(JSON.stringify(error)).not.toContain('hush');
    expect((error as Error).cause).toBeUndefined();
    expect((error as Error).stack).not.toContain('hush');
  });

  test('every reader of invalid JSON gets the same error, and the observer is called once', () => {
    const entry = entryOf(BROKEN);
    const observed = observer();
    entry.observedBy(observed);

    const [first, ...others] = [
      () => entry.object,
      () => entry.object,
      () => entry.metadata,
      () => entry.text,
      () => entry.keep(),
    ].map(refusal);
    entry.release();
    const afterRelease = refusal(() => entry.object);

    expect(observed.told).toEqual(['observer hears that an object is not JSON']);
    expect(entry.isUnreadable).toBe(true);
    expect(first).toMatchObject({ code: 'DECODE' });
    for (const error of [...others, afterRelease]) expect(error).toBe(first);
  });

  test('once an entry turns out to be invalid JSON, its metadata cannot be read either, even if they were read before', () => {
    const entry = entryOf(BROKEN);
    expect(entry.metadata.name).toBe('a');

    const error = refusal(() => entry.object);

    expect(refusal(() => entry.metadata)).toBe(error);
  });
});

test.each<[string, object]>([
  ['name', { ...OBJECT, metadata: { ...OBJECT.metadata, name: 'b' } }],
  ['namespace', { ...OBJECT, metadata: { ...OBJECT.metadata, namespace: 'other' } }],
  ['uid', { ...OBJECT, metadata: { ...OBJECT.metadata, uid: 'v' } }],
  ['resourceVersion', { ...OBJECT, metadata: { ...OBJECT.metadata, resourceVersion: '8' } }],
  ['a number for the uid', { ...OBJECT, metadata: { ...OBJECT.metadata, uid: 7 } }],
  ['metadata of null', { ...OBJECT, metadata: null }],
  ['metadata that are a string', { ...OBJECT, metadata: 'a' }],
  ['no metadata', { ...OBJECT, metadata: undefined }],
])('a text is refused if its object does not have the identity that was read first: %s', (_, other) => {
  const entry = entryOf(JSON.stringify(other));
  const observed = observer();
  entry.observedBy(observed);

  const error = refusal(() => entry.object);

  expect(error).toBeInstanceOf(ProtocolError);
  expect(error).toMatchObject({ code: 'DECODE' });
  expect(JSON.stringify(error)).not.toContain('hush');
  expect(observed.told).toEqual([
    'observer hears that an object is another than its beginning said',
  ]);
  expect(entry.isUnreadable).toBe(true);
});

describe('an object that is withheld', () => {
  const failure = new OperatorError('no', { code: 'USER_CODE', layer: 'user-code' });
  const object = {
    ...OBJECT,
    metadata: { ...OBJECT.metadata, managedFields: [{ manager: 'kubectl' }] },
  };

  test('a withheld object has only its identity, and its metadata without managedFields', () => {
    const entry = Entry.withheld(object, failure);

    expect(entry.metadata).toEqual(OBJECT.metadata);
    expect(identityOf({ ...OBJECT, metadata: entry.metadata })).toEqual({
      key: entry.key,
      uid: entry.uid,
      resourceVersion: entry.resourceVersion,
    });
    expect(JSON.stringify(entry)).not.toContain('hush');
  });

  test('an object can be withheld even if JSON.stringify fails for its metadata', () => {
    let nested: unknown = 'x';
    for (let depth = 0; depth < 100_000; depth++) nested = [nested];
    const cyclic: Record<string, unknown> = {};
    cyclic.self = cyclic;

    for (const annotations of [nested, cyclic] as never[]) {
      const metadata = { ...OBJECT.metadata, annotations };

      const entry = Entry.withheld({ ...OBJECT, metadata }, failure);

      expect(entry.key).toBe('demo/a');
      expect(entry.metadata.annotations).toBe(annotations);
      expect(entry.nameAlone().object.kind).toBe('ConfigMap');
    }
  });

  test('every read of a withheld object fails with the error that caused the withholding, even after release()', () => {
    const entry = Entry.withheld(object, failure);
    const observed = observer();
    entry.observedBy(observed);

    for (let round = 0; round < 2; round++) {
      expect(entry.isUnreadable).toBe(true);
      expect(refusal(() => entry.object)).toBe(failure);
      expect(refusal(() => entry.text)).toBe(failure);
      expect(refusal(() => entry.keep())).toBe(failure);
      expect(entry.metadata).toEqual(OBJECT.metadata);
      entry.release();
    }
    expect(observed.told).toEqual([]);
  });

  test('nameAlone of a withheld object has its kind and its names', () => {
    expect(Entry.withheld(object, failure).nameAlone().object).toEqual({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'a', namespace: 'demo', uid: 'u', resourceVersion: '7' },
    });
  });
});

describe('reading only the names in an entry', () => {
  const bare = { name: 'a', uid: 'u', resourceVersion: '7' };

  test.each<[string, Entry, object]>([
    ['text with invalid JSON after the metadata', entryOf(BROKEN), { ...bare, namespace: 'demo' }],
    ['a parsed object', Entry.of(OBJECT), { ...bare, namespace: 'demo' }],
    ['no namespace', entryOfText({ ...OBJECT, metadata: bare }, 'x'), bare],
  ])('nameAlone returns the kind and the names of %s', (_, entry, metadata) => {
    expect(entry.nameAlone().object.metadata).toEqual(metadata);
  });

  test('nameAlone returns the kind only if the metadata can be parsed', () => {
    const forms = [BROKEN, TEXT.replace('"web"', 'web'), '{"metadata":{}'].map((text) => {
      const { apiVersion, kind } = entryOf(text).nameAlone().object;
      return { apiVersion, kind };
    });

    const none = { apiVersion: '', kind: '' };
    expect(forms).toEqual([{ apiVersion: 'v1', kind: 'ConfigMap' }, none, none]);
  });
});

test('the next state of an object has the same key and uid, and a new resourceVersion', () => {
  const metadata = { ...OBJECT.metadata, resourceVersion: '8' };
  const [before, same] = [entryOf(), textEntry({ ...OBJECT, metadata })];
  const anew = textEntry({ ...OBJECT, metadata: { ...metadata, uid: 'v' } });

  same.follow(before);
  anew.follow(before);

  expect([same.key, same.uid, same.resourceVersion]).toEqual(['demo/a', 'u', '8']);
  expect([anew.key, anew.uid, anew.resourceVersion]).toEqual(['demo/a', 'v', '8']);
  expect([same.object.metadata, anew.object.metadata.uid]).toEqual([metadata, 'v']);
});
