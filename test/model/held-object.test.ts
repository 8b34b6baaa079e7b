import { expect, test } from 'vitest';
import { ProtocolError } from '../../operator/core/errors.ts';
import {
  HeldObject,
  type HeldObjectKeeper,
  isUnreadable,
  metadataOf,
  readObject,
} from '../../operator/model/held-object.ts';
import type { KubernetesObject } from '../../operator/model/object.ts';
import { cutText } from '../support/cut-text.ts';

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
const IDENTITY = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  name: 'a',
  namespace: 'demo',
  uid: 'u',
  resourceVersion: '7',
};

function held(text: string = JSON.stringify(OBJECT)): HeldObject {
  return new HeldObject(IDENTITY, cutText(text));
}

function refusal(read: () => unknown): unknown {
  try {
    return expect.fail(`was read: ${read()}`);
  } catch (error) {
    return error;
  }
}

test('says who it is without being read', () => {
  const { apiVersion, kind, metadata, textLength } = held();

  expect({ apiVersion, kind, metadata }).toEqual({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a', namespace: 'demo', uid: 'u', resourceVersion: '7' },
  });
  expect(textLength).toBe(JSON.stringify(OBJECT).length);
});

test('one without a namespace has none', () => {
  expect(new HeldObject({ ...IDENTITY, namespace: '' }, cutText('{}')).metadata).not.toHaveProperty(
    'namespace',
  );
});

test('is read once, into the same object for everybody, and its text is let go', () => {
  const one = held();

  const [first, second] = [one.read(), one.read()];

  expect(first).toEqual(OBJECT);
  expect(second).toBe(first);
  expect(one.textLength).toBe(0);
});

test('text that is no JSON is told of without a word of it', () => {
  const broken = held('{"data":{"secret":"hush",}}');

  const error = refusal(() => broken.read());

  expect(error).toMatchObject({ code: 'DECODE', context: { textLength: 27 } });
  expect(JSON.stringify(error) + String((error as Error).cause)).not.toContain('hush');
});

test('readObject reads what is held, and takes an object for itself', () => {
  const plain: KubernetesObject = OBJECT;

  expect(readObject(plain)).toBe(plain);
  expect(readObject<KubernetesObject>(held())).toEqual(OBJECT);
});

interface Keeper extends HeldObjectKeeper {
  readonly told: string[];
}

function keeper(name = 'keeper'): Keeper {
  const told: string[] = [];
  return {
    told,
    prepare: ({ metadata }) => void told.push(`${name} prepares ${metadata.name}`),
    unreadable: ({ message }) => void told.push(`${name} hears that ${message}`),
  };
}

test('its keeper prepares the object before anybody sees it, and at once when somebody has', () => {
  const [first, then] = [keeper('first'), keeper('then')];
  const one = held();
  one.keptBy(first);

  const before = first.told.length;
  one.read();
  one.read();
  one.keptBy(then);

  expect(before).toBe(0);
  expect([...first.told, ...then.told]).toEqual(['first prepares a', 'then prepares a']);
});

test('its keeper is told once that it cannot be read; whoever reads it is refused each time', () => {
  const broken = held('{"data":hush}');
  const kept = keeper();
  broken.keptBy(kept);

  const refusals = [() => broken.read(), () => broken.read(), () => broken.readMetadata()].map(
    refusal,
  );

  expect(kept.told).toEqual(['keeper hears that an object is not JSON']);
  expect(broken.isUnreadable).toBe(true);
  expect(refusals[0]).toMatchObject({ code: 'DECODE' });
  expect(refusals[1]).toBe(refusals[0]);
  expect(refusals[2]).toBe(refusals[0]);
});

test.each([
  ['kind', { ...OBJECT, kind: 'Secret' }],
  ['apiVersion', { ...OBJECT, apiVersion: 'v2' }],
  ['name', { ...OBJECT, metadata: { ...OBJECT.metadata, name: 'b' } }],
  ['namespace', { ...OBJECT, metadata: { ...OBJECT.metadata, namespace: 'other' } }],
  ['uid', { ...OBJECT, metadata: { ...OBJECT.metadata, uid: 'v' } }],
  ['resourceVersion', { ...OBJECT, metadata: { ...OBJECT.metadata, resourceVersion: '8' } }],
  ['metadata of null', { ...OBJECT, metadata: null }],
  ['no metadata', { ...OBJECT, metadata: undefined }],
])('text of another object is refused: %s', (_, other) => {
  const error = refusal(() => held(JSON.stringify(other)).read());

  expect(error).toBeInstanceOf(ProtocolError);
  expect(error).toMatchObject({ code: 'DECODE' });
  expect(JSON.stringify(error)).not.toContain('hush');
});

test('its metadata are read alone, once, and are those of the object when that was read', () => {
  const one = held();

  const alone = one.readMetadata();
  const again = one.readMetadata();
  const heldStill = one.textLength > 0;
  one.read();

  expect(alone).toEqual(OBJECT.metadata);
  expect(again).toBe(alone);
  expect(heldStill).toBe(true);
  expect(one.readMetadata()).toBe(one.read().metadata);
});

test('metadata that are no JSON make it unreadable', () => {
  const text = JSON.stringify(OBJECT).replace('"web"', 'web');
  const broken = held(text);
  const kept = keeper();
  broken.keptBy(kept);

  const refused = refusal(() => broken.readMetadata());

  expect(refused).toMatchObject({ code: 'DECODE', context: { textLength: text.length } });
  expect(isUnreadable(broken)).toBe(true);
  expect(kept.told).toHaveLength(1);
  expect(refusal(() => broken.read())).toBe(refused);
});

test('an object that was parsed is never unreadable, and has its own metadata', () => {
  expect(isUnreadable(OBJECT)).toBe(false);
  expect(metadataOf(OBJECT)).toBe(OBJECT.metadata);
});

/** The next state of OBJECT, with other metadata and, for what is kept to be worth it, some text. */
function state(resourceVersion: string, data: object = {}): HeldObject {
  const metadata = { ...OBJECT.metadata, resourceVersion };
  const text = JSON.stringify({ ...OBJECT, metadata, spec: { text: 'x'.repeat(1_100) }, data });
  return new HeldObject({ ...IDENTITY, resourceVersion }, cutText(text));
}

function specOf(object: HeldObject): unknown {
  return (object.read() as { readonly spec?: unknown }).spec;
}

test('a state takes from the one before what has not changed, once both come from read ones', () => {
  const [first, second, third] = [state('1'), state('2'), state('3', { new: 'value' })];

  first.read();
  const keptOfFirst = first.keptLength;
  second.follow(first);
  second.read();
  third.follow(second);

  expect(third.read()).toMatchObject({
    metadata: { resourceVersion: '3' },
    data: { new: 'value' },
  });
  expect(specOf(third)).toBe(specOf(second));
  expect(specOf(second)).not.toBe(specOf(first)); // of which no text was kept, for it had no next one
  expect([keptOfFirst, second.keptLength > 1_100, third.keptLength > 1_100]).toEqual([
    0,
    true,
    true,
  ]);
});

test('states that nobody read are passed over', () => {
  const states = ['1', '2', '3', '4', '5'].map((version) => state(version));
  for (const [index, each] of states.entries()) {
    const before = states[index - 1];
    if (before !== undefined) each.follow(before);
    if (index === 0 || index === 1 || index === 4) each.read();
  }

  const [, second, third, fourth, fifth] = states as [HeldObject, ...HeldObject[]];

  expect(specOf(fifth as HeldObject)).toBe(specOf(second as HeldObject));
  expect([third?.textLength, fourth?.textLength].every((length) => (length ?? 0) > 1_100)).toBe(
    true,
  );
});

test('where nobody reads, no text is kept twice, and where an object was unreadable, nothing is taken', () => {
  const [first, second] = [state('1'), state('2')];
  const broken = held('{"data":hush}');

  second.follow(first);
  second.read();
  refusal(() => broken.read());
  const next = state('3');
  next.follow(broken);
  next.read();

  expect([second.keptLength, next.keptLength]).toEqual([0, 0]);
});
