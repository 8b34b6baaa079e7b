import { FakeClock } from '@chancery/testing';
import { expect, test } from 'vitest';
import { oncePerText, warningTexts } from '../../operator/client/answer.ts';
import { connect } from '../../operator/client/connection.ts';
import { restClient } from '../../operator/client/rest-client.ts';
import { configMaps } from '../../operator/model/builtin.ts';
import { cannedTransport, parsePath } from './canned-transport.ts';

const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: 'demo', name: 'a' } };

test.each<[string | undefined, string[]]>([
  [undefined, []],
  ['', []],
  ['299 - "unknown field \\"spec.foo\\""', ['unknown field "spec.foo"']],
  ['299 - "one", 299 - "two, with a comma"', ['one', 'two, with a comma']],
  ['299 - "one",299 example.dev:8080 "two" "Sat, 25 Aug 2012 23:34:45 GMT"', ['one', 'two']],
  ['110 - "Response is Stale", 299 - "a \\\\ b"', ['a \\ b']],
  ['299 - ""', []],
  ['299 - "never ends', []],
  ['299 -', []],
  ['nonsense', []],
])('[K-47] the warning header %j contains the warnings %j', (header, texts) => {
  expect(warningTexts(header)).toEqual(texts);
});

test('[K-47] the same warning is reported once, and again only after a thousand different ones', () => {
  const told: string[] = [];
  const tell = oncePerText((text) => told.push(text));

  for (const text of ['a', 'b', 'a', 'b', 'a']) tell(text);
  for (let count = 0; count < 999; count += 1) tell(`other ${count}`);
  tell('a');
  tell('b');

  expect(told.filter((text) => text === 'a')).toHaveLength(1);
  expect(told.filter((text) => text === 'b')).toHaveLength(2);
});

test('[K-47] a client reports the warnings of every answer, even if the request was refused', async () => {
  const heard: string[] = [];
  const headers = { 'content-type': 'application/json', warning: '299 - "v1beta1 is deprecated"' };
  const transport = cannedTransport((_, index) => ({
    headers,
    ...(index === 0 ? { body: object } : { status: 422, body: { kind: 'Status', code: 422 } }),
  }));
  const client = restClient({
    transport,
    fieldManager: 'tester',
    clock: new FakeClock(),
    onWarning: (text) => heard.push(text),
  });

  await client.apply(configMaps, object);
  await expect(client.apply(configMaps, object)).rejects.toMatchObject({ status: 422 });

  expect(heard).toEqual(['v1beta1 is deprecated', 'v1beta1 is deprecated']);
});

test('[K-47] the clients of a connection share `fieldValidation`, and report a warning only once', async () => {
  const heard: string[] = [];
  const headers = { 'content-type': 'application/json', warning: '299 - "unknown field \\"x\\""' };
  const transport = cannedTransport(() => ({ headers, body: object }));
  const connection = connect('http://127.0.0.1:8001', {
    clock: new FakeClock(),
    transport,
    fieldValidation: 'Strict',
    onWarning: (text) => heard.push(text),
  });

  for (const client of [connection.clientFor('one'), connection.leaseClientFor('two')]) {
    await client.create(configMaps, object);
    await client.apply(configMaps, object);
    await client.update(configMaps, object, { force: true });
    await client.patch(configMaps, object.metadata, { type: 'merge', body: {} });
    await client.get(configMaps, object.metadata);
    await client.delete(configMaps, object.metadata);
    await client.evict(object.metadata);
  }

  expect(heard).toEqual(['unknown field "x"']);
  const strictness = transport.requests.map((each) => parsePath(each).query.fieldValidation);
  const [strict, none] = ['Strict', undefined];
  const each = [strict, strict, strict, strict, none, none, none];
  expect(strictness).toEqual([...each, ...each]);
});
