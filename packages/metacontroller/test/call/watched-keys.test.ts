/** Keys of Secrets and ConfigMaps in watched caches: what is opened, what is read, and what is missing. */
import { expect, test } from 'vitest';
import type { RunnableContext } from '../../../../operator/manager/runnable.ts';
import { watchedKeys } from '../../src/call/watched-keys.ts';
import type { KeyReference } from '../../src/spec.ts';
import { keyReference } from './support.ts';

const { signal } = new AbortController();

/** Caches that have one object each, or none. */
function caches(object: object | undefined, state = 'watching') {
  const opened: unknown[] = [];
  const released: unknown[] = [];
  const open = (source: { readonly resource: { readonly plural: string } }): unknown => {
    opened.push(source);
    const cached = () => (object === undefined ? undefined : { object });
    const synced = state === 'watching';
    const informer = { synced, state, until: async () => {}, cached };
    return { informer, release: () => released.push(source) };
  };
  return { opened, released, keys: watchedKeys({ open: open as RunnableContext['open'] }) };
}

const b64 = (text: string): string => Buffer.from(text).toString('base64');

test.each<[string, KeyReference, object]>([
  ['a Secret', keyReference('hook', 'token'), { data: { token: b64('word') } }],
  ['a ConfigMap', keyReference('hook', 'token', 'ConfigMap'), { data: { token: 'word' } }],
  [
    'bytes of a ConfigMap',
    keyReference('hook', 'token', 'ConfigMap'),
    { binaryData: { token: b64('word') } },
  ],
])('the value of a key of %s is read without a change', async (_, reference, object) => {
  const value = await caches(object).keys.read(reference, signal);

  expect(Buffer.from(value).toString()).toBe('word');
});

test('each Secret and ConfigMap is watched once, by its name, until close() is called', async () => {
  const { keys, opened, released } = caches({ data: { a: b64('x'), b: b64('y') } });

  await keys.read(keyReference('hook', 'a'), signal);
  await keys.read(keyReference('hook', 'b'), signal);
  await keys.read(keyReference('other', 'a'), signal);
  keys.close();

  expect(opened).toMatchObject([
    { namespace: { name: 'farm' }, fieldSelector: 'metadata.name=hook', optional: true },
    { namespace: { name: 'farm' }, fieldSelector: 'metadata.name=other', optional: true },
  ]);
  expect(released).toEqual(opened);
  await expect(keys.read(keyReference('late', 'a'), signal)).rejects.toThrow('has ended');
  expect(opened).toHaveLength(2);
});

test.each<[string, object | undefined, string, string]>([
  ['no object', undefined, 'watching', 'it does not exist'],
  ['no such key', { data: { other: b64('x') } }, 'watching', 'it has no key token'],
  ['an empty value', { data: { token: '' } }, 'watching', 'its key token is empty'],
  ['no permission', undefined, 'forbidden', 'it may not be listed and watched'],
])('credentials count as missing with %s', async (_, object, state, message) => {
  const reading = caches(object, state).keys.read(keyReference('hook', 'token'), signal);

  await expect(reading).rejects.toMatchObject({
    reason: 'MissingCredentials',
    message: `Secret farm/hook of the hook cannot be used: ${message}`,
  });
});
