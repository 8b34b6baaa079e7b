/** What `chancery watch` keeps, and what it reads ahead of its reader. `npm run measure -- watch` has figures. */
import { PassThrough } from 'node:stream';
import { expect, test, vi } from 'vitest';
import { invoke } from './invocation.ts';
import { pagedServer, type Stored } from './paged-server.ts';
import { configMap, printedEvents, summary } from './printed.ts';
import { PATH } from './scripted-server.ts';

/** Characters of an object whose list is printed page by page. */
const LARGE = 300_000;

const labelled = (name: string, resourceVersion: string, text = 'x') => ({
  ...configMap(name, { text }),
  metadata: {
    name,
    namespace: 'demo',
    uid: `uid-${name}`,
    resourceVersion,
    labels: { app: name },
    managedFields: [{ manager: 'kubectl' }],
  },
});

const large = (name: string, resourceVersion = '9') =>
  labelled(name, resourceVersion, `${name} ${'y'.repeat(LARGE)}`);

const namesOf = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, at) => `cm-${at}`);

const added = (objects: readonly Stored[]): readonly string[] =>
  objects.map(({ metadata }) => `ADDED ${metadata.name}`);

test('DELETED events contain the whole object, or only metadata if a list found the deletion', async () => {
  const [told, untold] = [labelled('told', '8'), labelled('untold', '9')];
  const objects = [told, untold];
  const server = await pagedServer(objects);
  const { stdout } = invoke(['watch', PATH, '--server', server.url]);
  await server.opened(1);

  server.tell('DELETED', labelled('told', '10'));
  await stdout.until(() => stdout.lines.length === 3);
  objects.length = 0;
  server.expire();
  await stdout.until(() => stdout.lines.length === 4);

  const [, , byWatch, byList] = printedEvents(stdout.lines);
  expect(byWatch).toEqual({ type: 'DELETED', object: labelled('told', '10') });
  const { managedFields: _, ...metadata } = untold.metadata;
  expect(byList).toEqual({
    type: 'DELETED',
    object: { apiVersion: 'v1', kind: 'ConfigMap', metadata },
  });
});

test('`watch` calls saveMemory once', async () => {
  const server = await pagedServer([labelled('a', '8')]);
  const saveMemory = vi.fn();
  const { stdout } = invoke(['watch', PATH, '--server', server.url], { saveMemory });
  await stdout.until(() => stdout.lines.length === 1);
  expect(saveMemory).toHaveBeenCalledOnce();
});

test('if only the metadata of an object was kept, the whole object is printed after a change', async () => {
  const objects: Stored[] = [labelled('a', '8'), labelled('same', '7')];
  const server = await pagedServer(objects);
  const { stdout } = invoke(['watch', PATH, '--server', server.url]);
  await server.opened(1);

  const byWatch = labelled('a', '10', 'of a watch');
  const byList = labelled('a', '11', 'of a list');
  server.tell('MODIFIED', byWatch);
  await stdout.until(() => stdout.lines.length === 3);
  objects[0] = byList;
  server.expire();
  await server.opened(2);

  expect(printedEvents(stdout.lines).slice(2)).toEqual([
    { type: 'MODIFIED', object: byWatch },
    { type: 'MODIFIED', object: byList },
  ]);
});

test('a large collection is printed page by page, and a new list prints only changed objects', async () => {
  const objects: Stored[] = namesOf(40).map((name) => large(name));
  const server = await pagedServer([...objects]);
  const { stdout } = invoke(['watch', PATH, '--server', server.url]);
  await server.opened(1);
  const first = stdout.lines.length;

  server.expire();
  await server.opened(2);

  expect(server.pages[0]?.limit).toBe(10);
  const largest = Math.max(...server.pages.slice(1, -1).map(({ limit }) => limit));
  expect(largest * LARGE).toBeLessThan(5 * 1024 * 1024);
  expect(printedEvents(stdout.lines).map(({ object }) => object)).toEqual(objects);
  expect([first, stdout.lines.length]).toEqual([40, 40]);
});

test('a new list of many pages prints each changed, replaced, new and deleted object once', async () => {
  const objects: Stored[] = namesOf(40).map((name) => large(name));
  const server = await pagedServer(objects);
  const { stdout } = invoke(['watch', PATH, '--server', server.url]);
  await server.opened(1);

  const replaced = large('cm-3', '12');
  objects.splice(0, 1); // cm-0 is deleted
  for (const [at, { metadata }] of objects.entries()) objects[at] = large(metadata.name, '11');
  objects[2] = { ...replaced, metadata: { ...replaced.metadata, uid: 'another' } } as Stored;
  objects.push(large('new', '13'));
  server.expire();
  await server.opened(2);

  const changes = summary(stdout.lines.slice(40));
  const modified = namesOf(40).filter((_, at) => at !== 0 && at !== 3);
  expect(changes.toSorted()).toEqual(
    [
      'ADDED cm-3',
      'ADDED new',
      'DELETED cm-0',
      'DELETED cm-3',
      ...modified.map((name) => `MODIFIED ${name}`),
    ].toSorted(),
  );
  expect(changes.indexOf('DELETED cm-3')).toBe(changes.indexOf('ADDED cm-3') - 1);
});

test('if the continue token of a large list expires, the list begins again, without printing twice', async () => {
  const objects = namesOf(40).map((name) => large(name));
  let expiredCount = 0;
  const server = await pagedServer(objects, ({ from }) =>
    from >= 20 && expiredCount++ === 0 ? { code: 410, reason: 'Expired' } : undefined,
  );

  const { stdout } = invoke(['watch', PATH, '--server', server.url]);
  await server.opened(1);

  expect(expiredCount).toBeGreaterThan(1);
  expect(server.pages.every(({ limit }) => limit > 0)).toBe(true);
  expect(summary(stdout.lines)).toEqual(added(objects));
});

test('while the reader of the output does not read, no further page is requested', async () => {
  const objects = namesOf(100).map((name) => large(name));
  const server = await pagedServer(objects);
  const stdout = new PassThrough({ highWaterMark: 64 * 1024 });

  invoke(['watch', PATH, '--server', server.url], { stdout });
  await vi.waitUntil(() => stdout.writableNeedDrain, { interval: 5, timeout: 20_000 });
  const listed = await settledValue(() => server.pages.length);

  expect(listed).toBe(1);
  expect(stdout.readableLength + stdout.writableLength).toBeLessThan(3 * LARGE);
  const names: string[] = [];
  let rest = '';
  for await (const chunk of stdout) {
    const lines = `${rest}${chunk}`.split('\n');
    rest = lines.pop() ?? '';
    names.push(...summary(lines));
    if (names.length === objects.length) break;
  }
  expect(names).toEqual(added(objects));
});

/** The value of `read` once it has not changed for a while of event loop turns. */
async function settledValue(read: () => number): Promise<number> {
  for (let value = read(), calm = 0; ; calm++) {
    await new Promise((resolve) => setImmediate(resolve));
    if (read() !== value) [value, calm] = [read(), 0];
    if (calm > 2_000) return value;
  }
}
