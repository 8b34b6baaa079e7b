/** What surrounds a call: one order, whoever adds the parts, and when. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { AROUND_CALLS, type PartsAround } from '../../operator/client/around-calls.ts';
import type { Interceptor } from '../../operator/client/call.ts';
import type { Client } from '../../operator/client/client.ts';
import { clientOf, intercept, surround } from '../../operator/client/client-of.ts';
import { withParts } from '../../operator/client/connection.ts';
import { configMaps } from '../../operator/model/builtin.ts';

const OBJECT = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } } as const;

/** A client, and the names of what its calls have passed, in that order. */
function traced(): { readonly client: Client; readonly passed: string[] } {
  const passed: string[] = [];
  const client = clientOf(async () => {
    passed.push('sent');
    return OBJECT as never;
  });
  return { client, passed };
}

function tracing(passed: string[], name: string): Interceptor {
  return (next) => (call) => {
    passed.push(name);
    return next(call);
  };
}

test('a call goes through the parts of the client, such as `retry`, in the order of AROUND_CALLS', async () => {
  const { client, passed } = traced();
  const part = (name: keyof PartsAround): PartsAround => ({ [name]: tracing(passed, name) });

  const surrounded = AROUND_CALLS.reduce((inner, name) => surround(inner, part(name)), client);
  await surrounded.get(configMaps, { namespace: 'x', name: 'a' });

  expect(passed).toEqual([...AROUND_CALLS, 'sent']);
});

test('parts that are added to a connection apply to each client of the connection', async () => {
  const { client, passed } = traced();
  const made: unknown[] = [];
  const connection = {
    clientFor: (...facts: readonly unknown[]) => {
      made.push(facts);
      return surround(client, { retry: tracing(passed, 'retry') });
    },
  };

  const wrapped = withParts(connection, { explain: tracing(passed, 'explain') });
  const own = surround(wrapped.clientFor('manager'), { abort: tracing(passed, 'abort') });
  await own.create(configMaps, OBJECT);

  expect(made).toEqual([['manager']]);
  expect(passed).toEqual(['abort', 'explain', 'retry', 'sent']);
});

test('a part such as `retry` that is undefined is skipped', async () => {
  const { client, passed } = traced();

  await surround(client, { count: undefined }).create(configMaps, OBJECT);

  expect(passed).toEqual(['sent']);
});

test('adding a part, such as `retry`, does not change the original client', async () => {
  const { client, passed } = traced();
  const first = surround(client, { retry: tracing(passed, 'retry') });
  await first.create(configMaps, OBJECT);

  await surround(first, { count: tracing(passed, 'count') }).create(configMaps, OBJECT);
  await first.create(configMaps, OBJECT);

  expect(passed).toEqual(['retry', 'sent', 'count', 'retry', 'sent', 'retry', 'sent']);
});

test('a call passes the parts that were added after an interceptor, then the interceptor, then the older parts', async () => {
  const { client, passed } = traced();
  const inner = surround(client, { abort: tracing(passed, 'abort') });
  const between = intercept(inner, tracing(passed, 'interceptor'));

  await surround(between, { retry: tracing(passed, 'retry') }).create(configMaps, OBJECT);

  expect(passed).toEqual(['retry', 'interceptor', 'abort', 'sent']);
});

test('a new part replaces an earlier part of the same name, such as `count`', async () => {
  const { client, passed } = traced();
  const first = surround(client, { count: tracing(passed, 'old') });

  await surround(first, { count: tracing(passed, 'new') }).create(configMaps, OBJECT);

  expect(passed).toEqual(['new', 'sent']);
});

test('docs/architecture.md lists the parts of a client in the order in which a call passes them', () => {
  const text = readFileSync(new URL('../../docs/architecture.md', import.meta.url), 'utf8');

  const shown = [...text.matchAll(/^\| \d+ \| `([A-Za-z]+)` \|/gm)].map(([, name]) => name);

  expect(shown).toEqual(AROUND_CALLS);
});
