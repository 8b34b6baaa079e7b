/** The file of functions: what it may say, and what is told when it says something else. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { loadFunctionsFile } from '../../src/call/functions/load-functions-file.ts';
import { parseFunctions } from '../../src/call/functions/parse-functions.ts';

const PATH = '/etc/functions/functions.yaml';

test('paths in a file of functions are relative to the file, and other fields have defaults', () => {
  const file = parseFunctions(
    `
- kind: CompositeController
  name: catset
  sync: {exec: [./bin/sync.py, --fast], timeout: 1m30s, version: v1}
  finalize: {exec: [python3, finalize.py]}
  customize: {module: ../hooks.ts, export: related}
  related: [{apiVersion: apps/v1, resource: deployments}]
- kind: DecoratorController
  name: catset
  sync: {module: /srv/hooks.mjs}
`,
    PATH,
  );

  expect(file.functionsFor('CompositeController', 'catset')).toEqual({
    kind: 'CompositeController',
    name: 'catset',
    hooks: {
      sync: {
        run: { exec: ['/etc/functions/bin/sync.py', '--fast'] },
        timeoutMs: 90_000,
        version: 'v1',
        folder: '/etc/functions',
      },
      finalize: {
        run: { exec: ['python3', 'finalize.py'] },
        timeoutMs: 10_000,
        version: undefined,
        folder: '/etc/functions',
      },
      customize: {
        run: { module: '/etc/hooks.ts', export: 'related' },
        timeoutMs: 10_000,
        version: undefined,
        folder: '/etc/functions',
      },
    },
    related: [{ apiVersion: 'apps/v1', resource: 'deployments' }],
  });
  expect(file.functionsFor('DecoratorController', 'catset')?.hooks.sync?.run).toEqual({
    module: '/srv/hooks.mjs',
    export: undefined,
  });
  expect(file.functionsFor('DecoratorController', 'other')).toBeUndefined();
});

test('an empty file has no functions', () => {
  expect(parseFunctions('# later\n', PATH).controllers).toEqual([]);
});

const ENTRY = '{kind: CompositeController, name: a, sync: {exec: [x]}}';
const sync = (text: string): string => `- {kind: CompositeController, name: a, sync: ${text}}`;

test.each([
  ['kind: CompositeController', 'must be a list of entries such as - {kind: CompositeController'],
  ['- text', 'entry 1 must have fields: kind, name'],
  [
    '- {kind: Composite, name: a}',
    'entry 1: kind must be CompositeController or DecoratorController, not "Composite"',
  ],
  [`- ${ENTRY}\n- {kind: DecoratorController}`, 'entry 2: name must be a string, not absent'],
  ['- {kind: CompositeController, name: 7}', 'entry 1: name must be a string, not 7'],
  [
    '- {kind: CompositeController, name: a}',
    'entry 1 (a) has none of sync, finalize, customize and no related resources',
  ],
  [
    '- {kind: CompositeController, name: a, hook: {}}',
    'entry 1 has no field "hook"; it may have kind, name, sync',
  ],
  [`- ${ENTRY}\n- ${ENTRY}`, 'has two entries for CompositeController a'],
  ['- kind: CompositeController\n  name: a\n  name: b', 'line 3 repeats name'],
  [sync('{}'), 'entry 1 (a): sync must have exec or module, and not both'],
  [sync('{exec: [x], module: y}'), 'sync must have exec or module, and not both'],
  [sync('{exec: x}'), 'sync.exec must be a list: the program, then its arguments'],
  [sync('{exec: []}'), 'sync.exec must be a list'],
  [sync('{exec: [""]}'), 'sync.exec[0] must name a program'],
  [sync('{exec: [x, 1]}'), 'sync.exec[1] must be a string, not 1'],
  [sync('{exec: [x], export: y}'), 'sync.export is for a module'],
  [sync('{exec: [x], webhook: y}'), 'sync has no field "webhook"; it may have exec, module'],
  [sync('{exec: [x], timeout: 5}'), 'sync.timeout must be a duration above 0, such as 30s, not 5'],
  [sync('{exec: [x], timeout: "0"}'), 'sync.timeout must be a duration above 0'],
  [sync('{exec: [x], version: v3}'), 'sync.version must be v1 or v2, not "v3"'],
  [
    `- {kind: CompositeController, name: a, related: [pods]}`,
    'related[0] must have fields: apiVersion, resource',
  ],
  [`- {kind: CompositeController, name: a, related: pods}`, 'related must be a list'],
  [
    "- {kind: CompositeController, name: a, related: [{apiVersion: v1, resource: '*'}]}",
    'entry 1 (a): related[0].resource: a wildcard is refused',
  ],
  ['- [', `${PATH}: invalid YAML`],
  ['- a: 1\n  a: 2\n- [', `${PATH}: invalid YAML`],
])('the file of functions %s is refused', (text, message) => {
  expect(() => parseFunctions(text, PATH)).toThrow(message);
});

async function folder(files: Record<string, string>): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'chancery-functions-file-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) await writeFile(join(dir, name), text);
  return dir;
}

test.each([
  ['{exec: [./none.sh]}', 'none.sh: no such file'],
  ['{exec: [./plain.sh]}', 'plain.sh may not be executed: chmod +x'],
  ['{exec: [./]}', 'no such file'],
  ['{module: none.ts}', 'none.ts: no such file'],
  ['{module: empty.ts}', 'empty.ts exports no function "sync" or "default"'],
  ['{module: empty.ts, export: crops}', 'empty.ts exports no function "crops"'],
  ['{module: broken.ts}', 'broken.ts cannot be loaded: no such crop'],
])('an entry without a usable function is reported at startup: %s', async (text, message) => {
  const dir = await folder({
    'functions.yaml': sync(text),
    'plain.sh': '',
    'empty.ts': 'export const crops = 7;',
    'broken.ts': "throw new Error('no such crop');",
  });

  const loading = loadFunctionsFile(join(dir, 'functions.yaml'));

  await expect(loading).rejects.toMatchObject({ code: 'CONFIG' });
  await expect(loading).rejects.toThrow(message);
  await expect(loading).rejects.toThrow('functions.yaml: sync of CompositeController a: ');
});

test('an unreadable file of functions causes an error', async () => {
  await expect(loadFunctionsFile('/none/functions.yaml')).rejects.toThrow(
    'cannot read /none/functions.yaml',
  );
});
