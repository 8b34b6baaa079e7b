import type { ApiServer } from '@chancery/testing';
import { eventually, FakeClock } from '@chancery/testing';
import { expect, test, vi } from 'vitest';
import { command } from '../../operator/cli/table-command.ts';
import { WATCH } from '../../operator/cli/watch/table.ts';
import { runWatch } from '../../operator/cli/watch/watch.ts';
import { type Invocation, invoke } from './invocation.ts';
import { configMap, printedEvents, summary } from './printed.ts';
import { startServer } from './server.ts';

function watch(server: { readonly url: string }, ...args: readonly string[]): Invocation {
  return invoke(['watch', ...args, '--server', server.url]);
}

/** Creates an object and waits until it is printed: whatever came before is printed as well. */
async function fence(server: ApiServer, { stdout }: Invocation, name = 'fence'): Promise<void> {
  server.create(configMap(name));
  await stdout.until(() => summary(stdout.lines).includes(`ADDED ${name}`));
}

/** Waits until a watch is open, so that what follows can only come through it. */
async function watchOpened(server: ApiServer): Promise<void> {
  await vi.waitUntil(() => server.openWatches === 1, { interval: 5, timeout: 10_000 });
}

function change(server: ApiServer, name: string, value: string): void {
  server.patch('v1', 'ConfigMap', 'demo', name, { data: { k: value } });
}

test('`watch` prints existing objects as ADDED, and then every change in order, as complete objects', async () => {
  const server = await startServer();
  server.create(configMap('a'));

  const watching = watch(server, 'cm', '-n', 'demo');
  const { stdout } = watching;
  await stdout.until(() => stdout.lines.length === 1);
  change(server, 'a', '2');
  server.delete('v1', 'ConfigMap', 'demo', 'a');
  await fence(server, watching);

  expect(summary(stdout.lines)).toEqual(['ADDED a', 'MODIFIED a', 'DELETED a', 'ADDED fence']);
  const [added, modified] = printedEvents(stdout.lines);
  expect(added?.object).toEqual({
    ...configMap('a'),
    metadata: expect.objectContaining({
      uid: expect.any(String),
      managedFields: [expect.any(Object)],
    }),
  });
  expect(modified?.object.data).toEqual({ k: '2' });
});

test('`watch` prints each object on one line, with newlines, quotes and non-Latin characters intact', async () => {
  const server = await startServer();
  const data = { text: 'a\nb\\n\tc\\\\ "q" \u2028 żółć 🚢', empty: '' };
  server.create(configMap('a', data));

  const { stdout } = watch(server, 'cm', '-n', 'demo');
  await stdout.until(() => stdout.lines.length === 1);

  expect(printedEvents(stdout.lines)[0]?.object.data).toEqual(data);
});

test('CW3, CM6: after an outage of the server, `watch` prints each missed change once', async () => {
  const server = await startServer();
  for (const name of ['same', 'changed', 'deleted', 'replaced']) server.create(configMap(name));
  const watching = watch(server, 'cm', '-n', 'demo');
  const { stdout } = watching;
  await watchOpened(server);
  const before = printedEvents(stdout.lines).find(
    ({ object }) => object.metadata.name === 'deleted',
  );

  await server.stop();
  change(server, 'changed', '2');
  change(server, 'changed', '3');
  server.delete('v1', 'ConfigMap', 'demo', 'deleted');
  server.delete('v1', 'ConfigMap', 'demo', 'replaced');
  server.create(configMap('replaced'));
  server.create(configMap('created'));
  server.create(configMap('passing'));
  server.delete('v1', 'ConfigMap', 'demo', 'passing');
  await server.listen();
  await fence(server, watching);

  const after = printedEvents(stdout.lines.slice(4));
  expect(summary(stdout.lines.slice(4)).toSorted()).toEqual([
    'ADDED created',
    'ADDED fence',
    'ADDED replaced',
    'DELETED deleted',
    'DELETED replaced',
    'MODIFIED changed',
  ]);
  const replaced = after.filter(({ object }) => object.metadata.name === 'replaced');
  expect(replaced.map(({ type }) => type)).toEqual(['DELETED', 'ADDED']);
  expect(replaced[0]?.object.metadata.uid).not.toBe(replaced[1]?.object.metadata.uid);
  expect(after.find(({ type }) => type === 'MODIFIED')?.object.data).toEqual({ k: '3' });
  const { apiVersion, kind, metadata } = before?.object ?? {};
  const { managedFields: _, ...kept } = metadata ?? {};
  expect(after).toContainEqual({ type: 'DELETED', object: { apiVersion, kind, metadata: kept } });
});

test('CW4: however a watch request ends, the next watch request continues without lost or repeated events', async () => {
  const server = await startServer();
  const watching = watch(server, 'cm', '-n', 'demo');
  const { stdout } = watching;

  await fence(server, watching, 'fence-0');
  const ends = ['clean', 'clean', 'reset'] as const;
  for (const [round, how] of ends.entries()) {
    server.closeWatches(how);
    server.create(configMap(`made-${round}`));
    await fence(server, watching, `fence-${round + 1}`);
  }

  const expected = ends.flatMap((_, round) => [`ADDED made-${round}`, `ADDED fence-${round + 1}`]);
  expect(summary(stdout.lines)).toEqual(['ADDED fence-0', ...expected]);
  expect(watching.stderr.lines.join('\n')).not.toContain('error');
});

test('CW5: if its resourceVersion has expired, `watch` lists again, and prints only changes', async () => {
  const server = await startServer();
  server.create(configMap('a'));
  server.create(configMap('b'));
  const watching = watch(server, 'cm', '-n', 'demo');
  const { stdout } = watching;
  await watchOpened(server);

  await server.stop();
  change(server, 'a', '2');
  server.delete('v1', 'ConfigMap', 'demo', 'b');
  await server.listen(); // a restart forgets the history: resuming is answered with 410
  await fence(server, watching);

  const lists = server.requests.filter(
    ({ path, query }) => path.endsWith('/demo/configmaps') && !query.has('watch'),
  );
  expect(lists.length).toBeGreaterThan(1);
  expect(summary(stdout.lines)).toEqual([
    'ADDED a',
    'ADDED b',
    'DELETED b',
    'MODIFIED a',
    'ADDED fence',
  ]);
});

test('CW5: `watch` never prints bookmarks', async () => {
  const server = await startServer({ bookmarkIntervalMs: 5 });
  const watching = watch(server, 'cm', '-n', 'demo');

  for (let round = 0; round < 20; round++) {
    server.create({
      ...configMap(`other-${round}`),
      metadata: { name: `o-${round}`, namespace: 'default' },
    });
    await fence(server, watching, `fence-${round}`);
  }

  expect(new Set(printedEvents(watching.stdout.lines).map(({ type }) => type))).toEqual(
    new Set(['ADDED']),
  );
});

test('CW12: `watch` prints the objects of all pages', async () => {
  const server = await startServer();
  const names = Array.from({ length: 1_100 }, (_, at) => `cm-${at}`);
  for (const name of names) server.create(configMap(name));

  const { stdout } = watch(server, 'cm', '-n', 'demo');
  await stdout.until(() => stdout.lines.length >= names.length);

  const printed = printedEvents(stdout.lines).map(({ object }) => object.metadata.name);
  expect(printed.toSorted()).toEqual(names.toSorted());
});

test('CM5: a watch request has encoded parameters, and no unexpected parameters', async () => {
  const server = await startServer();

  watch(server, 'cm', 'a', '-n', 'demo', '-l', 'app in (x,y), z!=q');
  await watchOpened(server);

  const request = server.requests.find(({ query }) => query.has('watch'));
  expect(request?.path).toBe('/api/v1/namespaces/demo/configmaps');
  expect(Object.fromEntries(request?.query ?? [])).toEqual({
    watch: '1',
    allowWatchBookmarks: 'true',
    fieldSelector: 'metadata.name=a',
    labelSelector: 'app in (x,y), z!=q',
    resourceVersion: expect.stringMatching(/^[1-9][0-9]*$/),
    timeoutSeconds: expect.stringMatching(/^[0-9]+$/),
  });
});

test.each([
  '"',
  '?watch=true',
  '?watch=true"',
  '/a/b',
])('CM5: a path that ends in %s is refused', async (tail) => {
  const { exit, stderr } = invoke(['watch', `/api/v1/namespaces/demo/configmaps${tail}`]);

  expect(await exit).toBe(2);
  expect(stderr.lines).toEqual([expect.stringMatching(/path.*expected|expected a path/)]);
});

test('CM8: `watch` waits for a proxy that is not yet running, and logs one line', async () => {
  const server = await startServer();
  server.create(configMap('a'));
  await server.stop();

  const { stdout, stderr } = watch(server, 'cm', '-n', 'demo');
  await stderr.until(() => stderr.lines.length === 1);
  await server.listen();
  await stdout.until(() => stdout.lines.length === 1);

  await stderr.until(() => stderr.lines.length === 2);

  expect(summary(stdout.lines)).toEqual(['ADDED a']);
  expect(stderr.records).toMatchObject([
    { level: 'warn', reason: 'unreachable', err: { code: 'AMBASSADOR_UNREACHABLE' } },
    { level: 'info', msg: 'source is healthy' },
  ]);
});

test('the namespace comes from `-n`, `-A` or the path, and otherwise from the environment', async () => {
  const server = await startServer();
  server.create(configMap('a'));
  server.create({ ...configMap('b'), metadata: { name: 'b', namespace: 'default' } });
  const printedFor = async (env: Readonly<Record<string, string>>, ...args: readonly string[]) => {
    const { stdout } = invoke(['watch', ...args, '--server', server.url, '--sync-marker'], { env });
    await stdout.until(() => stdout.lines.some((line) => line.startsWith('{"type":"BOOKMARK"')));
    return summary(stdout.lines.slice(0, -1)).toSorted();
  };

  expect(await printedFor({}, 'cm', '-n', 'demo')).toEqual(['ADDED a']);
  expect(await printedFor({}, 'cm')).toEqual(['ADDED b']);
  expect(await printedFor({ POD_NAMESPACE: 'demo' }, 'cm')).toEqual(['ADDED a']);
  expect(await printedFor({ WATCH_NAMESPACE: '*' }, 'cm')).toEqual(['ADDED a', 'ADDED b']);
  expect(await printedFor({}, 'ConfigMap', '-A')).toEqual(['ADDED a', 'ADDED b']);
  expect(await printedFor({}, '/api/v1/configmaps')).toEqual(['ADDED a', 'ADDED b']);
  expect(await printedFor({}, '/api/v1/namespaces/demo/configmaps')).toEqual(['ADDED a']);
  expect(await printedFor({}, '/api/v1/namespaces/demo/configmaps/x')).toEqual([]);
  expect(await printedFor({}, 'cm/a', '-n', 'demo')).toEqual(['ADDED a']);
  expect(await printedFor({}, 'namespaces', 'demo', '-n', 'ignored')).toEqual(['ADDED demo']);
});

test('an object is printed as ADDED when it begins to match the selector, and as DELETED afterwards', async () => {
  const server = await startServer();
  const labelled = (app: string) => ({ metadata: { labels: { app } } });
  server.create(configMap('a'));
  const watching = watch(server, 'cm', '-n', 'demo', '-lapp=x');
  await watchOpened(server);

  server.patch('v1', 'ConfigMap', 'demo', 'a', labelled('x'));
  server.patch('v1', 'ConfigMap', 'demo', 'a', labelled('y'));
  server.create({
    ...configMap('fence'),
    metadata: { name: 'fence', namespace: 'demo', labels: { app: 'x' } },
  } as never);
  await watching.stdout.until(() => watching.stdout.lines.length >= 3);

  expect(summary(watching.stdout.lines)).toEqual(['ADDED a', 'DELETED a', 'ADDED fence']);
});

test.each([
  0, 3,
])('`--sync-marker` prints a marker once after the first list of %i objects', async (count) => {
  const server = await startServer();
  for (let at = 0; at < count; at++) server.create(configMap(`cm-${at}`));

  const watching = watch(server, 'cm', '-n', 'demo', '--sync-marker');
  await watchOpened(server);
  server.closeWatches('clean');
  await fence(server, watching);

  const marker = printedEvents(watching.stdout.lines)[count];
  expect(marker).toEqual({
    type: 'BOOKMARK',
    object: {
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: {
        resourceVersion: server.requests
          .find(({ query }) => query.has('watch'))
          ?.query.get('resourceVersion'),
        annotations: { 'k8s.io/initial-events-end': 'true' },
      },
    },
  });
  const types = printedEvents(watching.stdout.lines).map(({ type }) => type);
  expect(types.filter((type) => type === 'BOOKMARK')).toHaveLength(1);
});

test('`watch` exits with 2 for an unknown resource, and suggests similar names', async () => {
  const server = await startServer();

  const { exit, stderr } = watch(server, 'configmpas');

  expect(await exit).toBe(2);
  expect(stderr.lines).toEqual([
    'chancery watch: the API server has no resource "configmpas"; near matches: configmaps',
  ]);
});

test('`watch` exits with 2 for a selector that the server does not support', async () => {
  const server = await startServer();

  const { exit, stderr } = watch(server, 'cm', '--field-selector', 'data.k=1');

  expect(await exit).toBe(2);
  expect(stderr.lines).toEqual([
    expect.stringMatching(/^chancery watch: the API server refuses: 400/),
  ]);
});

test('after an abort, `watch` prints nothing more, and exits with 0', async () => {
  const server = await startServer();
  const { stdout, exit, stop } = watch(server, 'cm', '-n', 'demo');
  await watchOpened(server);

  server.create(configMap('a'));
  stop();

  expect(await exit).toBe(0);
  expect(stdout.lines).toEqual([]);
  await eventually(() => server.openWatches === 0);
});

test.each([
  'widgets.example.com',
  'wd.example.com',
  '/apis/example.com/v1/widgets',
  '/apis/example.com/v1/namespaces/demo/widgets',
])('`watch` waits for %s until the server serves it', async (resource) => {
  const clock = new FakeClock();
  const server = await startServer();
  const { stdout, stderr } = invoke(['watch', resource, '--server', server.url], {
    env: { WATCH_NAMESPACE: '*' },
    commands: [command(WATCH, async () => (given, io) => runWatch(given, io, clock))],
  });
  await stderr.until(() => stderr.lines.length === 1);

  server.create(WIDGETS);
  server.create({
    apiVersion: 'example.com/v1',
    kind: 'Widget',
    metadata: { name: 'w', namespace: 'demo' },
  });
  await eventually(() => clock.pending > 0);
  clock.advance(12_000);
  await stdout.until(() => stdout.lines.length === 1);

  expect(summary(stdout.lines)).toEqual(['ADDED w']);
  expect(stderr.records[0]).toMatchObject({
    level: 'info',
    reason: 'unserved',
    msg: 'source is not served; it is checked again',
  });
});

const WIDGETS = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: {
      plural: 'widgets',
      singular: 'widget',
      kind: 'Widget',
      listKind: 'WidgetList',
      shortNames: ['wd'],
    },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object' } },
      },
    ],
  },
};
