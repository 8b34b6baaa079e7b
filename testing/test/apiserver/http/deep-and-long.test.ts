import { afterEach, expect, test } from 'vitest';
import { ApiServer } from '../../../src/apiserver/api-server.ts';
import { eventually } from '../../../src/time/eventually.ts';

/** Bodies that are nested deep, and integers that a number of JavaScript would round. */

let server: ApiServer;
const ends: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

const FREE = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

/** A server with a kind of its own. @returns the URL of its objects. */
async function start(spec: object = FREE): Promise<string> {
  server = await ApiServer.start();
  ends.push(() => server.close());
  server.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team' } });
  server.create({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'boxes.shop.example' },
    spec: {
      group: 'shop.example',
      scope: 'Namespaced',
      names: { plural: 'boxes', singular: 'box', kind: 'Box', listKind: 'BoxList' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', properties: { spec } } },
        },
      ],
    },
  } as never);
  const boxes = `${server.url}/apis/shop.example/v1/namespaces/team/boxes`;
  await eventually(async () => expect((await fetch(boxes)).status).toBe(200));
  return boxes;
}

/** `spec` as written: a body in which it alone can be long or deep. */
function box(name: string, spec: string): string {
  return `{"apiVersion":"shop.example/v1","kind":"Box","metadata":{"name":"${name}"},"spec":${spec}}`;
}

/** Objects and lists in turn, so many levels in all. */
function nested(levels: number, leaf = '"end"'): string {
  const open = Array.from({ length: levels }, (_, at) => (at % 2 === 0 ? '{"a":' : '['));
  const close = Array.from({ length: levels }, (_, at) => (at % 2 === 0 ? '}' : ']'));
  return open.join('') + leaf + close.reverse().join('');
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

async function send(
  method: string,
  url: string,
  body?: string,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const init = body === undefined ? {} : { body };
  const response = await fetch(url, {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...init,
  });
  return { status: response.status, text: await response.text() };
}

const MERGE = { 'content-type': 'application/merge-patch+json' };
const PATCH = { 'content-type': 'application/json-patch+json' };
const APPLY = { 'content-type': 'application/apply-patch+yaml' };

/** What a watch from the beginning says until its time is over. */
async function watched(boxes: string): Promise<string> {
  return (await send('GET', `${boxes}?watch=true&resourceVersion=0&timeoutSeconds=1`)).text;
}

test('[attack A-1] an object nested 10,000 levels deep can be stored, listed, watched and patched', async () => {
  const boxes = await start();
  const deepest = nested(9_999);

  const created = await send('POST', boxes, box('deep', deepest));
  await send('POST', boxes, box('flat', '{"a":1}'));
  const put = await send('PUT', `${boxes}/deep`, created.text);
  const merged = await send('PATCH', `${boxes}/deep`, `{"spec":${nested(9_998, '2')}}`, MERGE);
  const path = `/spec${'/a/0'.repeat(4_000)}/a`;
  const operation = JSON.stringify([{ op: 'replace', path, value: 'short' }]);
  const patched = await send('PATCH', `${boxes}/deep`, operation, PATCH);

  expect([created.status, put.status, merged.status, patched.status]).toEqual([201, 200, 200, 200]);
  expect(created.text).toContain(`"spec":${deepest}`);
  expect(patched.text).toContain(`"spec":${nested(8_001, '"short"')}`);
  const listed = await send('GET', boxes);
  expect(listed.text).toContain('"name":"flat"');
  expect(listed.text).toContain(nested(8_001, '"short"'));
  const seen = await watched(boxes);
  expect(seen).toContain('"name":"flat"');
  expect(seen).toContain(nested(8_001, '"short"'));
  expect((await send('DELETE', `${boxes}/deep`)).status).toBe(200);
});

test('[attack A-1] an object nested 10,000 levels deep can be applied, and read as YAML and Table', async () => {
  const boxes = await start();
  const deep = nested(9_999);
  const url = `${boxes}/deep?fieldManager=me&force=true`;

  const applied = await send('PATCH', url, box('deep', deep), APPLY);
  const again = await send('PATCH', url, box('deep', deep), APPLY);

  expect([applied.status, again.status]).toEqual([201, 200]);
  expect(again.text).toBe(applied.text);
  expect(server.get('shop.example/v1', 'Box', 'team', 'deep')?.metadata.name).toBe('deep');
  const yaml = await send('GET', `${boxes}/deep`, undefined, { accept: 'application/yaml' });
  expect([yaml.status, yaml.text.includes(deep)]).toEqual([200, true]);
  const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
  expect((await send('GET', `${boxes}?includeObject=Object`, undefined, { accept })).status).toBe(
    200,
  );
  const curl = { 'user-agent': 'curl/8' };
  expect((await send('GET', boxes, undefined, curl)).text).toContain(deep);
});

test('[attack A-1] an object nested one level too deep is refused with the message of Go', async () => {
  const boxes = await start();

  const answer = await send('POST', boxes, box('deep', nested(10_000)));
  await send('POST', boxes, box('flat', '{"a":1}'));
  const merged = await send('PATCH', `${boxes}/flat`, nested(10_001), MERGE);
  const manager = `${boxes}/none?fieldManager=me`;
  const applied = await send('PATCH', manager, box('none', nested(10_000)), APPLY);

  expect(applied.status).toBe(400);
  expect(applied.text).toMatch(/error decoding YAML: invalid character '.' exceeded max depth/);
  expect(answer.status).toBe(400);
  expect(answer.text).toMatch(/json parse error: invalid character '.' exceeded max depth/);
  expect(merged.status).toBe(400);
  expect(merged.text).toMatch(/error decoding patch: invalid character '.' exceeded max depth/);
});

test('[attack A-1] a patch cannot make an object more deeply nested than the limit for bodies', async () => {
  const boxes = await start();
  await send('POST', boxes, box('deep', nested(9_999)));
  await send('POST', boxes, box('flat', '{"a":1}'));
  const to = `/spec${'/a/0'.repeat(4_000)}/a`;
  const operation = JSON.stringify([{ op: 'copy', from: '/spec', path: to }]);

  const patched = await send('PATCH', `${boxes}/deep`, operation, PATCH);

  expect(patched.status).toBe(400);
  expect(patched.text).toContain('exceeded max depth');
  const listed = await send('GET', boxes);
  expect([listed.status, listed.text.includes('"name":"flat"')]).toEqual([200, true]);
});

test('[attack A-1] an in-process create of an object that contains itself is refused, and nothing is stored', async () => {
  const boxes = await start();
  const spec: Record<string, unknown> = {};
  Object.assign(spec, { self: spec, other: [spec] });
  const object = {
    apiVersion: 'shop.example/v1',
    kind: 'Box',
    metadata: { name: 'ring', namespace: 'team' },
    spec,
  };

  expect(() => server.create(object)).toThrow(RangeError);
  expect((await send('GET', boxes)).text).toContain('"items":[]');
});

test('[attack A-1] a definition with an endlessly nested schema is refused, and other definitions are still served', async () => {
  const boxes = await start();
  const deepSchema = `${'{"type":"object","properties":{"a":'.repeat(4_000)}{"type":"object"}${'}}'.repeat(4_000)}`;
  const definition = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
    "metadata":{"name":"pits.shop.example"},"spec":{"group":"shop.example","scope":"Namespaced",
    "names":{"plural":"pits","kind":"Pit"},"versions":[{"name":"v1","served":true,"storage":true,
    "schema":{"openAPIV3Schema":${deepSchema}}}]}}`;

  const answer = await send(
    'POST',
    `${server.url}/apis/apiextensions.k8s.io/v1/customresourcedefinitions`,
    definition,
  );

  expect(answer.status).toBe(400);
  expect(answer.text).toContain('exceeded max depth');
  expect((await send('GET', `${server.url}/openapi/v3`)).status).toBe(200);
  expect((await send('GET', boxes)).status).toBe(200);
});

const LONG = '9007199254740993';
const LONGEST = '-9223372036854775807';

test('[attack A-7] 64-bit integers keep all digits in requests of every verb', async () => {
  const boxes = await start();
  const spec = `{"big":${LONG},"list":[${LONGEST},1]}`;

  const created = await send('POST', boxes, box('long', spec));
  const merged = await send('PATCH', `${boxes}/long`, '{"spec":{"other":9007199254740995}}', MERGE);
  const operation = `[{"op":"test","path":"/spec/big","value":${LONG}},{"op":"add","path":"/spec/last","value":9223372036854775807}]`;
  const patched = await send('PATCH', `${boxes}/long`, operation, PATCH);
  const apply = `${boxes}/long?fieldManager=me`;
  const applied = await send('PATCH', apply, box('long', `{"mine":${LONG}}`), APPLY);
  const yaml = `apiVersion: shop.example/v1\nkind: Box\nmetadata: {name: long}\nspec:\n  mine: ${LONG}\n`;
  const same = await send('PATCH', apply, yaml, APPLY);

  expect(created.text).toContain(`"spec":${spec}`);
  expect(merged.text).toContain('"other":9007199254740995');
  expect(patched.status).toBe(200);
  expect(applied.text).toContain(`"mine":${LONG}`);
  expect(same.text).toBe(applied.text);
  for (const text of [
    applied.text,
    (await send('GET', `${boxes}/long`)).text,
    (await send('GET', boxes)).text,
    (await send('GET', boxes, undefined, { 'user-agent': 'curl/8' })).text.replace(/\s/g, ''),
    await watched(boxes),
  ]) {
    expect(text).toContain(`"big":${LONG}`);
    expect(text).toContain(`"list":[${LONGEST},1]`);
    expect(text).toContain('"last":9223372036854775807');
  }
  const asYaml = await send('GET', `${boxes}/long`, undefined, { accept: 'application/yaml' });
  expect(asYaml.text).toContain(`big: ${LONG}\n`);
});

test('[attack A-7] schemas, defaults and rules accept a long integer as an integer', async () => {
  const boxes = await start({
    type: 'object',
    properties: {
      big: { type: 'integer', format: 'int64', minimum: 1 },
      small: { type: 'integer', format: 'int32' },
      text: { type: 'string' },
      free: { 'x-kubernetes-int-or-string': true },
      filled: { type: 'integer', default: 5 },
    },
    'x-kubernetes-validations': [
      { rule: '!has(self.big) || self.big != 9007199254740992', message: 'rounded' },
    ],
  });
  const post = (spec: string): Promise<Answer> => send('POST', boxes, box('one', spec));

  expect((await post('{"big":-9007199254740993}')).text).toContain('greater than or equal to 1');
  expect((await post(`{"small":${LONG}}`)).text).toContain('with format int32');
  expect((await post(`{"text":${LONG}}`)).text).toContain('must be of type string');
  expect((await post('{"big":9007199254740992}')).text).toContain('rounded');
  const created = await post(`{"big":${LONG},"free":${LONG}}`);
  expect(created.text).toContain(`{"big":${LONG},"filled":5,"free":${LONG}}`);
});

test('[attack A-7] an integer that does not fit into 64 bits becomes a float, as in Go', async () => {
  const boxes = await start();

  const { text } = await send('POST', boxes, box('far', '{"a":9223372036854775808,"b":1e3}'));

  expect(JSON.parse(text)).toHaveProperty('spec.a', 2 ** 63);
  expect(text).toContain('"b":1000');
});

test('[attack A-7] 64-bit fields of built-in kinds keep all digits, and 32-bit fields refuse larger numbers', async () => {
  await start();
  const pods = `${server.url}/api/v1/namespaces/team/pods`;
  const pod = (fields: string): string =>
    `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"},"spec":{${fields},"containers":[{"name":"a","image":"a"}]}}`;

  const refused = await send('POST', pods, pod(`"priority":${LONG}`));
  const created = await send('POST', pods, pod(`"terminationGracePeriodSeconds":${LONG}`));

  expect(refused.text).toContain(`cannot unmarshal number ${LONG} into Go struct field`);
  expect(created.text).toContain(`"terminationGracePeriodSeconds":${LONG}`);
});
