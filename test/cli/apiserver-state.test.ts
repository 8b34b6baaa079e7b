/** The options of `chancery apiserver` for tests in other languages, whole processes where a process ends. */
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, truncateSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Child, chancery, folderWith, start } from './child.ts';
import { invoke } from './invocation.ts';
import { read, said, serving } from './support/served-api.ts';

const definition = (plural: string, kind: string): string => `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: ${plural}.example.dev }
spec:
  group: example.dev
  scope: Namespaced
  names: { plural: ${plural}, singular: ${kind.toLowerCase()}, kind: ${kind} }
  versions:
    - name: v1
      served: true
      storage: true
      schema: { openAPIV3Schema: { type: object, x-kubernetes-preserve-unknown-fields: true } }
`;

/** Resolves when the process has ended as it should. */
async function ended(child: Child): Promise<void> {
  child.kill('SIGTERM');
  expect({ code: await child.exit, stderr: child.stderr.lines.slice(0, 9) }).toMatchObject({
    code: 0,
  });
}

async function send(url: string, method: string, path: string, body: object): Promise<Response> {
  const headers = { 'content-type': 'application/json' };
  return fetch(url + path, { method, headers, body: JSON.stringify(body) });
}

const THINGS = '/apis/example.dev/v1/namespaces/default/things';
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

describe('the option `--ready-file`', () => {
  test('the ready file has the URL while the process serves, and is removed when the process exits cleanly', async () => {
    const path = join(folderWith({}), 'ready');
    const child = chancery(['apiserver', '--port=0', '--ready-file', path]);
    const url = await serving(child);

    expect(readFileSync(path, 'utf8')).toBe(`${url}\n`);
    expect(readdirSync(dirname(path))).toEqual(['ready']);
    await ended(child);
    expect(existsSync(path)).toBe(false);
  });

  test('the ready file of a killed process is removed before the next process serves', async () => {
    const path = join(folderWith({ ready: 'http://127.0.0.1:1\n' }), 'ready');
    const folder = folderWith({
      'a.yaml': 'apiVersion: v1\nkind: Nothing\nmetadata: { name: a }\n',
    });

    const { exit } = invoke(['apiserver', '--port=0', '--ready-file', path, '-f', folder]);

    expect(await exit).toBe(1);
    expect(existsSync(path)).toBe(false);
  });

  test('`--ready-file` refuses to replace another file', async () => {
    const path = join(folderWith({ notes: 'see http://127.0.0.1:1\n' }), 'notes');

    const { exit, stderr } = invoke(['apiserver', '--port=0', '--ready-file', path]);

    expect(await exit).toBe(2);
    expect(stderr.lines).toEqual([
      said(`cannot write --ready-file ${path}: another file has this name; name a new one`),
    ]);
    expect(readFileSync(path, 'utf8')).toBe('see http://127.0.0.1:1\n');
  });
});

describe('the option `--install`', () => {
  test('`--install` installs definitions before their objects, whatever the order of files', async () => {
    const folder = folderWith({
      '1.yaml': 'apiVersion: example.dev/v1\nkind: Thing\nmetadata: { name: a, namespace: shop }\n',
      '2.json': '{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"shop"}}',
      '3.yml': `apiVersion: v1\nkind: List\nitems:\n- ${definition('things', 'Thing').trim().replaceAll('\n', '\n  ')}\n`,
      'note.txt': 'no manifest',
    });
    const url = await serving(invoke(['apiserver', '--port=0', '--install', folder]));

    const listed = await read(url, '/apis/example.dev/v1/namespaces/shop/things');

    expect(listed).toMatchObject({ items: [{ metadata: { name: 'a' } }] });
  });

  test('the objects in `--install` are created first, folder by folder, and then those in `-f`', async () => {
    const [first, second] = [definition('things', 'Thing'), definition('others', 'Other')].map(
      (text) => folderWith({ 'a.yaml': text }),
    );
    const stdin = 'apiVersion: example.dev/v1\nkind: Other\nmetadata: { name: a }\n';
    const url = await serving(
      invoke(['apiserver', '--port=0', '-f', '-', `--install=${first}`, `--install=${second}`], {
        stdin,
      }),
    );

    expect(await read(url, '/apis/example.dev/v1/others')).toMatchObject({ items: [{}] });
    expect(await read(url, THINGS)).toMatchObject({ items: [] });
  });

  test('if a definition has a conflicting name, the API server exits, and prints the reason', async () => {
    const folder = folderWith({
      'a.yaml': definition('things', 'Thing'),
      'b.yaml': definition('stuff', 'Thing'),
    });

    const { exit, stderr } = invoke(['apiserver', '--port=0', '--install', folder]);

    expect(await exit).toBe(1);
    expect(stderr.lines).toEqual([
      said(
        /^cannot apply .*b\.yaml: CustomResourceDefinition stuff\.example\.dev is not established: .*Thing/,
      ),
    ]);
  });
});

describe('the option `--snapshot`', () => {
  test('a new process has the objects, uids, definitions and resourceVersions of the snapshot', async () => {
    const path = join(folderWith({}), 'state');
    const args = ['apiserver', '--port=0', '--snapshot', path];
    const first = chancery([
      ...args,
      '--install',
      folderWith({ 'a.yaml': definition('things', 'Thing') }),
    ]);
    const before = await serving(first);
    const thing = { apiVersion: 'example.dev/v1', kind: 'Thing', metadata: { name: 'a' }, n: 7 };
    await send(before, 'POST', THINGS, thing);
    await send(before, 'POST', CONFIG_MAPS, { metadata: { name: 'c' }, data: { k: 'v' } });
    const old = (await read(before, CONFIG_MAPS)) as List;
    await send(before, 'POST', CONFIG_MAPS, { metadata: { name: 'd' } });
    const kept = await Promise.all(LISTED.map((each) => read(before, each)));
    await ended(first);

    const after = await serving(chancery(args));

    const found = await Promise.all(LISTED.map((each) => read(after, each)));
    expect(found.map(objectsOf)).toEqual(kept.map(objectsOf));
    const query = `watch=1&resourceVersion=${old.metadata.resourceVersion}`;
    const watched = await (await fetch(`${after}${CONFIG_MAPS}?${query}`)).text();
    expect(JSON.parse(watched)).toMatchObject({ type: 'ERROR', object: { code: 410 } });
    const next = await send(after, 'POST', CONFIG_MAPS, { metadata: { name: 'e' } });
    expect(Number(((await next.json()) as Item).metadata.resourceVersion)).toBeGreaterThan(
      Number((kept[0] as List).metadata.resourceVersion),
    );
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  test('`--install` does not change objects that the snapshot restored', async () => {
    const state = join(folderWith({}), 'state');
    const folder = folderWith({ 'a.yaml': definition('things', 'Thing') });
    const args = ['apiserver', '--port=0', '--snapshot', state, '--install', folder];
    const first = invoke(args);
    const url = await serving(first);
    await send(url, 'POST', THINGS, {
      apiVersion: 'example.dev/v1',
      kind: 'Thing',
      metadata: { name: 'a' },
    });
    const kept = await read(url, THINGS);
    first.stop();
    expect(await first.exit).toBe(0);

    const second = await serving(invoke(args));

    expect(objectsOf(await read(second, THINGS))).toEqual(objectsOf(kept));
  });

  test.each([
    [
      'of another version',
      '{"format":"chancery snapshot","version":7}\n',
      'it has version 7 of the format, and this release reads version 1 only',
    ],
    [
      'that is truncated',
      '{"format":"chancery snapshot","version":1,"revision":4,"objects":3}\n',
      'it is cut off: of its 3 objects, 0 are complete',
    ],
    ['that is a manifest', 'apiVersion: v1\n', 'it does not begin as a snapshot does'],
    [
      'with an object that no server has stored',
      '{"format":"chancery snapshot","version":1,"revision":4,"objects":1}\n' +
        '{"resource":"secrets","object":{"apiVersion":"v1","kind":"Secret","metadata":{"name":"a","namespace":"shop","uid":"u","resourceVersion":"3"},"data":7}}\n',
      'secrets shop/a: json: cannot unmarshal number into Go struct field Secret.data of type map[string][]uint8',
    ],
  ])('a snapshot file %s is refused with a remedy, and stays unchanged', async (_what, text, why) => {
    const path = join(folderWith({ state: text }), 'state');

    const { exit, stderr, stdout } = invoke(['apiserver', '--port=0', '--snapshot', path]);

    expect(await exit).toBe(2);
    expect(stderr.lines).toEqual([
      said(
        `cannot restore the snapshot ${path}: ${why}; name another one, or a file that is not there to begin with an empty server`,
      ),
    ]);
    expect(stdout.lines).toEqual([]);
    expect(readFileSync(path, 'utf8')).toBe(text);
  });

  test('a snapshot file of 500 MB is refused', async () => {
    const path = join(folderWith({ state: '' }), 'state');
    truncateSync(path, 500_000_000);

    const { exit, stderr } = invoke(['apiserver', '--port=0', '--snapshot', path]);

    expect(await exit).toBe(2);
    expect(stderr.lines).toEqual([
      said(
        /^cannot restore the snapshot .*: it has 500000000 bytes, and a snapshot has at most 268435456; /,
      ),
    ]);
  });

  test('if a snapshot cannot be saved, the API server exits with 1', async () => {
    const folder = join(folderWith({}), 'sub');
    mkdirSync(folder);
    const path = join(folder, 'state');
    const invocation = invoke(['apiserver', '--port=0', '--snapshot', path]);
    await serving(invocation);
    mkdirSync(path); // a folder where the file should be

    invocation.stop();

    expect(await invocation.exit).toBe(1);
    expect(invocation.stderr.lines.at(-1)).toMatch(
      /^chancery apiserver: cannot save the snapshot .*EISDIR/,
    );
  });
});

interface Item {
  readonly metadata: { readonly name: string; readonly resourceVersion: string };
}

interface List extends Item {
  readonly items: readonly Item[];
}

const LISTED = [
  CONFIG_MAPS,
  THINGS,
  '/api/v1/namespaces',
  '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
];

/** Objects with everything that they have, their uids and resourceVersions included. */
function objectsOf(list: unknown): readonly Item[] {
  return (list as List).items;
}

describe('the option `--faults`', () => {
  test('the rules of the `--faults` file apply from startup on', async () => {
    const file = join(
      folderWith({
        'f.yaml': 'faults:\n- { verbs: [list], path: /api/v1/**, status: 503, count: 1 }\n',
      }),
      'f.yaml',
    );
    const url = await serving(invoke(['apiserver', '--port=0', '--faults', file]));

    const codes = [await fetch(url + CONFIG_MAPS), await fetch(url + CONFIG_MAPS)];

    expect(codes.map(({ status }) => status)).toEqual([503, 200]);
  });

  test.each([
    [
      'faults: [{ states: 500 }]',
      /^--faults .*f\.yaml: faults\[0\]\.states is not known; did you mean status\? known: name, verbs, /,
    ],
    [
      'faults:\n- delayMs: 1\n- status: 200',
      /^--faults .*f\.yaml: faults\[1\]\.status: Invalid value: 200: .*400/,
    ],
    ['[]', /^--faults .*f\.yaml: expected an object with faults, got a list/],
    ['', /^--faults .*f\.yaml: expected one document with faults, got none/],
    [
      'faults: []\n---\nfaults: []\n',
      /^--faults .*f\.yaml: expected one document with faults, got 2/,
    ],
    ['faults: [', /f\.yaml: invalid YAML: /],
  ])('the faults file %j is refused with one line', async (text, message) => {
    const file = join(folderWith({ 'f.yaml': text }), 'f.yaml');

    const { exit, stderr } = invoke(['apiserver', '--port=0', '--faults', file]);

    expect(await exit).toBe(2);
    expect(stderr.lines).toHaveLength(1);
    expect(stderr.lines[0]).toMatch(
      new RegExp(message.source.replace('^', '^chancery apiserver: ')),
    );
  });
});

describe('the option `--admin-port`', () => {
  test('the second line of the ready file is the URL of the admin API', async () => {
    const path = join(folderWith({}), 'ready');
    const child = chancery(['apiserver', '--port=0', '--admin-port=0', '--ready-file', path]);
    await serving(child);
    const [url = '', admin = ''] = readFileSync(path, 'utf8').trimEnd().split('\n');

    await send(admin, 'PUT', '/faults', { faults: [{ verbs: ['list'], status: 429 }] });
    const { status } = await fetch(url + CONFIG_MAPS);
    const before = (await read(admin, '/clock')) as { now: string };
    await send(admin, 'POST', '/clock/advance', { ms: 86_400_000 });
    const created = await (
      await send(url, 'POST', CONFIG_MAPS, { metadata: { name: 'a' } })
    ).json();

    expect(status).toBe(429);
    const { creationTimestamp } = (created as { metadata: { creationTimestamp: string } }).metadata;
    expect(Date.parse(creationTimestamp)).toBeGreaterThanOrEqual(
      Math.floor(Date.parse(before.now) / 1_000) * 1_000 + 86_400_000,
    );
    expect(child.stderr.lines.join('\n')).toContain(`curl ${admin}/openapi.json`);
    await ended(child);
    await expect(fetch(`${admin}/clock`)).rejects.toThrow();
  });

  test('without `--admin-port`, there is no admin API', async () => {
    const path = join(folderWith({}), 'ready');
    const invocation = invoke(['apiserver', '--port=0', '--ready-file', path]);

    await serving(invocation);

    expect(readFileSync(path, 'utf8').split('\n')).toHaveLength(2);
    expect(invocation.stderr.lines.join('\n')).not.toContain('openapi.json');
  });

  test('if the admin port is in use, the API server exits with 1, and writes no ready file', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    onTestFinished(() => void other.close());
    const { port } = other.address() as { port: number };
    const path = join(folderWith({}), 'ready');

    const { exit, stderr } = invoke([
      'apiserver',
      '--port=0',
      `--admin-port=${port}`,
      '--ready-file',
      path,
    ]);

    expect(await exit).toBe(1);
    expect(stderr.lines).toEqual([
      said(
        `cannot listen on port ${port} of 127.0.0.1: something else does; choose another with --admin-port, or --admin-port 0 for any free one`,
      ),
    ]);
    expect(existsSync(path)).toBe(false);
  });
});

describe('the command `npx @chancery/testing`', () => {
  const command = fileURLToPath(new URL('../../testing/src/chancery-testing.ts', import.meta.url));
  const testing = (args: readonly string[]): Child =>
    start(process.execPath, ['--conditions=chancery-source', command, ...args]);

  test('`npx @chancery/testing` serves and ends like `chancery apiserver`', async () => {
    const path = join(folderWith({}), 'ready');
    const child = testing(['--port', '0', '--ready-file', path]);

    const url = await serving(child);

    expect(await read(url, '/version')).toMatchObject({ major: '1' });
    expect(readFileSync(path, 'utf8')).toBe(`${url}\n`);
    await ended(child);
  });

  test('`npx @chancery/testing` has the same options as `chancery apiserver`, and `--help` lists them', async () => {
    const [ours, theirs] = [testing(['--help']), chancery(['apiserver', '--help'])];

    expect([await ours.exit, await theirs.exit]).toEqual([0, 0]);
    expect(ours.stdout.lines).toEqual(theirs.stdout.lines);
    expect(ours.stdout.lines.join('\n')).toContain('--ready-file FILE');
  });

  test('`npx @chancery/testing` exits with 2 if an option is wrong', async () => {
    const child = testing(['--porrt', '0']);

    expect(await child.exit).toBe(2);
    expect(child.stderr.lines).toEqual([said("unknown option '--porrt'; did you mean --port?")]);
  });
});
