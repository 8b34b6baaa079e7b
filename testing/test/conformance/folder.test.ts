import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { RecordedExchange } from '../../../test/support/recorded-stream.ts';
import { chapterOf, recordingFolder } from './folder.ts';
import { kindsOf } from './kinds.ts';
import { folderConformance } from './report.ts';

interface Made {
  readonly at: number;
  readonly method?: string;
  readonly path: string;
  readonly body?: object;
  readonly status?: number;
  readonly answer?: object;
}

function exchange(id: number, { at, method = 'GET', ...rest }: Made): RecordedExchange {
  const headers = { 'content-type': 'application/json' };
  const { body, status = 200, answer = {} } = rest;
  return {
    id,
    at,
    request: {
      method,
      path: rest.path,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    },
    response: { status, headers, body: JSON.stringify(answer) },
  };
}

function created(at: number, path: string, name: string, time: string, kind = 'ConfigMap'): Made {
  const answer = { kind, metadata: { name, creationTimestamp: time } };
  return { at, method: 'POST', path, status: 201, answer };
}

function folderOf(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'recordings-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(folder, name), text);
  return folder;
}

const maps = '/api/v1/namespaces/plants/configmaps';

test('the start of a recording is computed from all its creation times', () => {
  const exchanges = [
    // Began in the second before 10:00:04.300, and before 10:00:04.700 plus a second.
    created(700, maps, 'fern', '2027-03-01T10:00:04Z'),
    created(1_900, maps, 'moss', '2027-03-01T10:00:05Z'),
  ].map((made, index) => exchange(index + 1, made));

  const { startedAt } = chapterOf('plants', exchanges);

  // From 10:00:03.300 to 10:00:04.300, and from 10:00:03.100 to 10:00:04.100.
  expect(startedAt).toBe('2027-03-01T10:00:03.700Z');
});

test('a replay creates the namespaces that existed before the recording', () => {
  const time = '2027-03-01T10:00:04Z';
  const exchanges = [
    created(0, maps, 'fern', time),
    created(1, '/api/v1/namespaces', 'trees', time, 'Namespace'),
    created(2, '/api/v1/namespaces/trees/configmaps', 'oak', time),
    created(3, '/api/v1/namespaces/default/configmaps', 'grass', time),
    { at: 4, path: '/api/v1/namespaces/unknown/configmaps/x', status: 404 },
  ].map((made, index) => exchange(index + 1, made));

  expect(chapterOf('plants', exchanges).namespaces).toEqual(['plants']);
});

test('a folder of recordings is replayed, and its differences are counted by kind', async () => {
  const time = '2027-03-01T10:00:04Z';
  const lines = [
    exchange(1, {
      at: 100,
      method: 'POST',
      path: maps,
      body: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'fern' }, data: { k: 'v' } },
      status: 201,
      answer: { kind: 'ConfigMap', metadata: { name: 'fern', creationTimestamp: time } },
    }),
    exchange(2, { at: 200, path: `${maps}/moss`, status: 200, answer: {} }),
  ];
  const folder = folderOf({
    'plants.jsonl': lines.map((line) => JSON.stringify(line)).join('\n'),
    'README.md': 'not a recording',
  });

  const results = await folderConformance(recordingFolder(folder));

  expect(results.map(({ recording, exchanges }) => [recording, exchanges.length])).toEqual([
    ['plants', 2],
  ]);
  const [first, ...others] = kindsOf(results);
  expect(first).toEqual({ kind: 'status 200, not 404', count: 1, example: 'plants 2' });
  expect(others.map(({ count }) => count)).toEqual([1]);
});

test('a malformed line and a folder without recordings are reported', () => {
  const line = JSON.stringify(exchange(1, { at: 0, path: '/version' }));

  expect(() => recordingFolder(folderOf({ 'a.jsonl': `${line}\n{"id":2}\n` }))).toThrow(
    /a\.jsonl, line 2 is no exchange/,
  );
  expect(() => recordingFolder(folderOf({ 'a.txt': line }))).toThrow(/has no file \*\.jsonl/);
});
