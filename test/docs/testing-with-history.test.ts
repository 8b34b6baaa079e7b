/** The guide's examples, word for word: a test below holds the two equal. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiServer, FakeClock, readSnapshot, Storage, writeSnapshot } from '@chancery/testing';
import { afterAll, expect, onTestFinished, test } from 'vitest';

test('a restored backup does not have objects that were created after it', async () => {
  const server = await ApiServer.start();
  onTestFinished(() => server.close());
  const backup = server.snapshot();
  server.applyManifest('{ apiVersion: v1, kind: ConfigMap, metadata: { name: lost } }');

  server.restore(backup);

  expect(server.get('v1', 'ConfigMap', 'default', 'lost')).toBeUndefined();
});

const folder = mkdtempSync(join(tmpdir(), 'chancery-history-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = join(folder, 'state');

test('a server can start with the objects from a snapshot of another server', async () => {
  const first = await ApiServer.start();
  first.applyManifest('{ apiVersion: v1, kind: ConfigMap, metadata: { name: kept } }');
  await writeSnapshot(file, first.snapshot());
  await first.close();

  const second = await ApiServer.start({ snapshot: await readSnapshot(file) });
  onTestFinished(() => second.close());

  expect(second.get('v1', 'ConfigMap', 'default', 'kept')).toBeDefined();
});

test('a watch from a resourceVersion that is too old ends with an error', async () => {
  const clock = new FakeClock();
  const server = await ApiServer.start({ clock, watchWindow: { minEvents: 1, freshMs: 0 } });
  onTestFinished(() => server.close());
  for (const name of ['a', 'b', 'c']) {
    server.applyManifest(`{ apiVersion: v1, kind: ConfigMap, metadata: { name: ${name} } }`);
    clock.advance(1_000);
  }

  const path = '/api/v1/configmaps?watch=1&resourceVersion=2';
  const answer = await fetch(server.url + path);

  expect(await answer.text()).toContain('too old resource version: 2 ');
});

test('the storage returns an old list, and the events after that list', () => {
  const storage = new Storage({ clock: new FakeClock() });
  const object = { apiVersion: 'v1', kind: 'Note', metadata: { name: 'a', namespace: 'demo' } };

  const first = storage.put('notes', { ...object, text: 'one' });
  storage.put('notes', { ...object, text: 'two' });

  const then = Number(first.metadata.resourceVersion);
  expect(storage.listAt('notes', then)).toEqual([first]);
  expect(storage.eventsAfter('notes', then)).toMatchObject([{ type: 'MODIFIED' }]);
});

test('with-history.md has the same code as this file', () => {
  const here = readFileSync(new URL(import.meta.url), 'utf8');
  const guide = readFileSync(
    new URL('../../docs/guides/test/with-history.md', import.meta.url),
    'utf8',
  );
  const blocks = [...guide.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = '']) => code);

  expect(blocks).toHaveLength(4);
  for (const block of blocks) expect(here).toContain(block);
});
