import { expect, test } from 'vitest';
import { HeldObject, readObject } from '../../operator/model/held-object.ts';
import type { KubernetesObject } from '../../operator/model/object.ts';

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

const held = (text: string = JSON.stringify(OBJECT)): HeldObject => new HeldObject(IDENTITY, text);

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
  expect(new HeldObject({ ...IDENTITY, namespace: undefined }, '{}').metadata).not.toHaveProperty(
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

  const error = (() => {
    try {
      return broken.read();
    } catch (thrown) {
      return thrown;
    }
  })();

  expect(error).toMatchObject({ code: 'DECODE', context: { textLength: 27 } });
  expect(JSON.stringify(error) + String((error as Error).cause)).not.toContain('hush');
});

test('readObject reads what is held, and takes an object for itself', () => {
  const plain: KubernetesObject = OBJECT;

  expect(readObject(plain)).toBe(plain);
  expect(readObject<KubernetesObject>(held())).toEqual(OBJECT);
});

test('something is done with the object before anybody sees it, and at once when somebody has', () => {
  const one = held();
  const done: string[] = [];
  one.whenRead((object) => done.push(`first ${object.metadata.name}`));

  const before = done.length;
  one.read();
  one.read();
  one.whenRead((object) => done.push(`then ${object.metadata.name}`));

  expect(before).toBe(0);
  expect(done).toEqual(['first a', 'then a']);
});
