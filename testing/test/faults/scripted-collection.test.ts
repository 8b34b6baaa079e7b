import { expect, onTestFinished, test } from 'vitest';
import { ScriptedCollection } from '../../src/faults/scripted-collection.ts';
import { ScriptedServer } from '../../src/faults/scripted-server.ts';
import { settleSockets } from '../../src/faults/settle-sockets.ts';
import { FakeClock } from '../../src/time/fake-clock.ts';

const PATH = '/api/v1/namespaces/demo/configmaps';

interface ListAnswer {
  readonly metadata: { readonly resourceVersion: string; readonly continue?: string };
  readonly items: readonly { readonly metadata: { readonly name: string } }[];
}

async function start() {
  const clock = new FakeClock();
  const server = new ScriptedServer({ clock });
  const things = new ScriptedCollection({ apiVersion: 'v1', kind: 'ConfigMap', path: PATH });
  server.on({ path: PATH }, things.reply);
  await server.start();
  onTestFinished(() => server.close());
  const list = async (query = ''): Promise<Response> => fetch(`${server.url}${PATH}${query}`);
  const listed = async (query = ''): Promise<ListAnswer> =>
    (await (await list(query)).json()) as ListAnswer;
  /** Lines as they come: type, name and resourceVersion, or the code of an error. */
  const watch = async (query: string): Promise<string[]> => {
    const leave = new AbortController();
    onTestFinished(() => leave.abort());
    const { signal } = leave;
    const response = await fetch(`${server.url}${PATH}?watch=1&${query}`, { signal });
    const lines: string[] = [];
    void read(response, lines).catch(() => lines.push('broken'));
    await settleSockets();
    return lines;
  };
  return { clock, server, things, list, listed, watch };
}

async function read(response: Response, lines: string[]): Promise<void> {
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += Buffer.from(chunk).toString();
    const complete = text.split('\n');
    text = complete.pop() ?? '';
    for (const line of complete) {
      const { type, object } = JSON.parse(line);
      const { name = '', resourceVersion = object.code } = object.metadata ?? {};
      lines.push(`${type} ${name}@${resourceVersion}`);
    }
  }
  lines.push('end');
}

test('a ScriptedCollection lists its objects as an API server does', async () => {
  const { things, listed } = await start();
  things.put('a', { data: { x: '1' } });
  things.put('b');
  things.put('a', { data: { x: '2' } });

  const list = await listed();

  expect(list).toEqual({
    apiVersion: 'v1',
    kind: 'ConfigMapList',
    metadata: { resourceVersion: '103' },
    items: [
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'a', namespace: 'demo', uid: 'uid-1', resourceVersion: '103' },
        data: { x: '2' },
      },
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'b', namespace: 'demo', uid: 'uid-2', resourceVersion: '102' },
      },
    ],
  });
});

test('pages of a ScriptedCollection contain the state of the first page until the token expires', async () => {
  const { things, list, listed } = await start();
  for (const name of ['a', 'b', 'c', 'd', 'e']) things.put(name);
  const names = ({ items }: ListAnswer): string =>
    items.map(({ metadata }) => metadata.name).join('');

  const first = await listed('?limit=2');
  things.remove('c');
  const second = await listed(`?limit=2&continue=${first.metadata.continue}`);
  things.expire();
  const third = await list(`?limit=2&continue=${second.metadata.continue}`);

  expect([first, second].map(names)).toEqual(['ab', 'cd']);
  expect(second.metadata.resourceVersion).toBe('105');
  expect(third.status).toBe(410);
  expect(await third.json()).toMatchObject({ kind: 'Status', reason: 'Expired' });
});

test('a watch of a ScriptedCollection gets past events, later events and bookmarks', async () => {
  const { things, watch } = await start();
  things.put('a');
  things.put('b');

  const lines = await watch('resourceVersion=101');
  things.put('b');
  things.remove('a');
  things.skipTo(900);
  things.bookmark();
  await settleSockets();

  expect(lines).toEqual(['ADDED b@102', 'MODIFIED b@103', 'DELETED a@104', 'BOOKMARK @900']);
  expect(things.remove('a')).toBe(false);
  expect(things.watches[0]).toMatchObject({ sentCount: 4, closed: false });
});

test('a streamed list of a ScriptedCollection contains every object, a bookmark, and later events', async () => {
  const { things, watch } = await start();
  things.put('a');
  things.put('b');
  things.expire();

  const lines = await watch('sendInitialEvents=true&resourceVersionMatch=NotOlderThan');
  things.put('c');
  await settleSockets();

  expect(lines).toEqual(['ADDED a@101', 'ADDED b@102', 'BOOKMARK @102', 'ADDED c@103']);
});

test('a watch of a ScriptedCollection ends after its timeout, measured by the given clock', async () => {
  const { clock, things, watch } = await start();
  const lines = await watch('resourceVersion=100&timeoutSeconds=30');

  clock.advance(29_999);
  await settleSockets();
  const early = [...lines];
  clock.advance(1);
  await settleSockets();

  expect(early).toEqual([]);
  expect(lines).toEqual(['end']);
  expect(things.openWatches).toEqual([]);
  expect(clock.pending).toBe(0);
});

test.each([
  ['finish', 'end'],
  ['cut', 'broken'],
  ['reset', 'broken'],
] as const)('the client of a watch that ends with %s notices the end, and gets no later events', async (how, seen) => {
  const { server, things, watch } = await start();
  const lines = await watch('resourceVersion=100');

  things.put('a');
  void things.openWatches[0]?.end(how);
  things.put('b');
  await settleSockets();

  expect(lines).toEqual(['ADDED a@101', seen]);
  expect(server.openWatches).toEqual([]);
});

test('after expire(), a watch from an older version gets one error and ends, and open watches continue', async () => {
  const { things, watch } = await start();
  things.put('a');
  const open = await watch('resourceVersion=101');

  things.put('b');
  things.expire();
  const late = await watch('resourceVersion=101');
  const fresh = await watch('resourceVersion=102');
  things.put('c');
  await settleSockets();

  expect(open).toEqual(['ADDED b@102', 'ADDED c@103']);
  expect(late).toEqual(['ERROR @410', 'end']);
  expect(fresh).toEqual(['ADDED c@103']);
});

test('if loseEvents() drops the event of a change, the collection contains the change, and no watch gets it', async () => {
  const { things, watch, listed } = await start();
  const lines = await watch('resourceVersion=100');

  things.loseEvents(2);
  for (const name of ['a', 'b', 'c']) things.put(name);
  await settleSockets();

  expect(lines).toEqual(['ADDED c@103']);
  expect(await watch('resourceVersion=100')).toEqual(['ADDED c@103']);
  expect((await listed()).items).toHaveLength(3);
});

test('restore() brings back older versions with new uids, and watches from a later version get no events', async () => {
  const { things, watch, listed } = await start();
  things.put('a');
  things.skipTo(500);
  const lines = await watch('resourceVersion=500');

  things.restore(200, ['a', 'b']);
  things.put('c');
  await settleSockets();
  const list = await listed();

  expect(list.metadata.resourceVersion).toBe('203');
  expect(list.items).toMatchObject([
    { metadata: { name: 'a', uid: 'uid-2', resourceVersion: '201' } },
    { metadata: { name: 'b', resourceVersion: '202' } },
    { metadata: { name: 'c', resourceVersion: '203' } },
  ]);
  expect(lines).toEqual([]);
});

test('the resourceVersions of a ScriptedCollection may be any string', async () => {
  const { server, clock } = await start();
  const versionOf = (revision: number): string => `v${'x'.repeat(revision - 99)}`;
  const options = { apiVersion: 'v1', kind: 'Secret', path: '/api/v1/secrets', versionOf };
  const things = new ScriptedCollection(options);
  server.on({ path: things.path }, things.reply);

  const first = things.put('a');
  things.put('b');
  const answer = await fetch(
    `${server.url}${things.path}?watch=1&resourceVersion=vxx&timeoutSeconds=1`,
  );
  clock.advance(1_000);
  const text = await answer.text();

  expect(first.metadata).toEqual({ name: 'a', uid: 'uid-1', resourceVersion: 'vxx' });
  expect(
    text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).object.metadata.name),
  ).toEqual(['b']);
});
