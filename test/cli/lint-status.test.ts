/** `chancery lint --status`: the status page of a running operator beside its manifests. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { formatYaml } from '../../operator/core/yaml.ts';
import { plain } from '../generate/lint/good.ts';
import { exampleStatus } from '../manager/status-page/example-status.ts';
import { folderWith } from './child.ts';
import { invoke } from './invocation.ts';

const MANIFESTS = plain().objects.map(formatYaml).join('---\n'); // 256Mi for the operator

interface Shown {
  readonly resource?: unknown;
  readonly namespace?: string;
  readonly objects?: unknown;
  readonly bytes?: unknown;
  readonly synced?: boolean;
  readonly state?: string;
}

const fileWith = (text: string): string => join(folderWith({ 'status.json': text }), 'status.json');
const showing = (...sources: readonly Shown[]): string => fileWith(JSON.stringify({ sources }));
const pods = (namespace: string, objects: number, bytes: number): Shown => ({
  resource: 'pods',
  namespace,
  objects,
  bytes,
  synced: true,
  state: 'watching',
});
const linted = (status: string) => invoke(['lint', '-', '--status', status], { stdin: MANIFESTS });

test('caches within the memory limit cause no warning, and the last line has their size', async () => {
  const { exit, stdout, stderr } = linted(showing(pods('shop', 1_200, 5_400_000)));

  expect(await exit).toBe(0);
  expect(stdout.lines).toEqual([]);
  expect(stderr.lines).toEqual([
    'chancery lint: 0 errors and 0 warnings in 7 objects',
    'chancery lint: the caches of --status hold 1200 objects of 5.4 MB',
  ]);
});

test('caches too large for the memory limit cause a warning, and `lint` exits with 0', async () => {
  const { exit, stdout } = linted(showing(pods('shop', 12_000, 54_000_000)));

  expect(await exit).toBe(0);
  expect(stdout.lines).toEqual([
    expect.stringMatching(
      /^warning: Deployment\/op containers\[operator\]\.resources\.limits\.memory is 256Mi: .* 12000 objects of 54\.0 MB, .* \[operator-memory-limit\]$/,
    ),
  ]);
});

test('the objects of a source in several namespaces are counted for each namespace', async () => {
  const alone = linted(showing(pods('shop', 6_000, 22_000_000)));
  const both = linted(showing(pods('shop', 6_000, 22_000_000), pods('mail', 6_000, 22_000_000)));

  expect(await alone.exit).toBe(0);
  expect(alone.stdout.lines).toEqual([]);
  expect(await both.exit).toBe(0);
  expect(both.stdout.lines).toEqual([expect.stringContaining('12000 objects of 44.0 MB')]);
});

test('a hand-written file for `--status` needs only the fields resource, objects and bytes', async () => {
  const planned = { resource: 'orders.shop.example', objects: 80_000, bytes: 96_000_000 };
  const { exit, stdout } = linted(showing(planned));

  expect(await exit).toBe(0);
  expect(stdout.lines).toEqual([expect.stringContaining('80000 objects of 96.0 MB')]);
});

test('a resource that is not served is treated as having no objects', async () => {
  const unserved = { ...pods('shop', 0, 0), synced: false, state: 'unserved' };
  const { exit, stderr } = linted(showing(pods('shop', 40, 90_000), unserved));

  expect(await exit).toBe(0);
  expect(stderr.lines.at(-1)).toBe(
    'chancery lint: the caches of --status hold 40 objects of 0.1 MB',
  );
});

test('`lint --status` reads the JSON of a status page, and counts the cached objects', async () => {
  const [served, refused] = exampleStatus().sources;
  const status = exampleStatus({ sources: served === undefined ? [] : [served] });

  const { exit, stderr } = linted(fileWith(JSON.stringify(status)));

  expect(refused?.synced).toBe(false); // left out: see below
  expect(await exit).toBe(0);
  expect(stderr.lines.at(-1)).toBe(
    'chancery lint: the caches of --status hold 3 objects of 0.0 MB',
  );
});

const SAVE = 'save it from the running operator: curl -s 127.0.0.1:8081/status.json > FILE';

test.each<[string, () => string, string]>([
  ['a file that is not there', () => '/nowhere/status.json', `no such file or directory`],
  ['an empty file', () => fileWith(''), `is no status page; ${SAVE}`],
  ['the HTML page', () => fileWith('<!doctype html>'), `is no status page; ${SAVE}`],
  ['another JSON', () => fileWith('null'), `is no status page; ${SAVE}`],
  ['sources that are not a list', () => fileWith('{"sources":{}}'), `is no status page; ${SAVE}`],
  ['a source without a name', () => showing({ objects: 1, bytes: 1 }), 'is no status page'],
  [
    'a number of bytes that is a string',
    () => showing({ ...pods('a', 1, 1), bytes: '1' }),
    'is no status page',
  ],
  ['a negative number of objects', () => showing(pods('a', -1, 1)), 'is no status page'],
  ['a source that is null', () => fileWith('{"sources":[null]}'), 'is no status page'],
  [
    'no sources',
    () => showing(),
    'shows no source; take it from a replica that watches, such as the leader',
  ],
  [
    'a source that has not been listed yet',
    () => showing(pods('a', 9, 9), { ...pods('b', 0, 0), synced: false, state: 'listing' }),
    'shows pods before its first list; take it when /readyz answers ok',
  ],
  [
    'a URL',
    () => 'http://127.0.0.1:8081/status.json',
    'is a URL, and lint opens no connection; curl -s http://127.0.0.1:8081/status.json > FILE',
  ],
])('`lint --status` exits with 2 for %s, and prints a remedy in one line', async (_, file, message) => {
  const { exit, stdout, stderr } = linted(file());

  expect(await exit).toBe(2);
  expect(stdout.lines).toEqual([]);
  expect(stderr.lines).toEqual([expect.stringContaining(message)]);
  expect(stderr.lines[0]).toMatch(/^chancery lint: --status /);
});
