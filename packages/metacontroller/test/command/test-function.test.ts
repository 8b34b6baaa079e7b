/** `chancery test-hook` with a request of Metacontroller's contract: programs, modules, webhooks, files of functions. */
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { Collector } from '../../../../test/cli/collector.ts';
import { invoke } from '../../../../test/cli/invocation.ts';
import { answering, scriptedHook } from '../call/support.ts';

const GROUP = 'metacontroller.k8s.io/v1alpha1';

const COMPOSITE = {
  apiVersion: GROUP,
  kind: 'CompositeController',
  metadata: { name: 'orchards', uid: 'c1' },
  spec: {
    parentResource: { apiVersion: 'fruit.example/v1', resource: 'orchards' },
    childResources: [
      { apiVersion: 'v1', resource: 'configmaps', updateStrategy: { method: 'InPlace' } },
      { apiVersion: 'apps/v1', resource: 'deployments' },
      { apiVersion: 'batch/v1', resource: 'jobs', updateStrategy: { method: 'Recreate' } },
    ],
    hooks: { sync: { version: 'v2', webhook: { url: 'http://hooks.farm/sync' } } },
    generateSelector: true,
  },
};
const PARENT = {
  apiVersion: 'fruit.example/v1',
  kind: 'Orchard',
  metadata: { name: 'north', namespace: 'farm', uid: 'p1' },
  spec: { trees: 2 },
};
const observed = (apiVersion: string, kind: string, name: string) => ({
  [`farm/${name}`]: { apiVersion, kind, metadata: { name, namespace: 'farm' } },
});
const REQUEST = {
  controller: COMPOSITE,
  parent: PARENT,
  children: {
    'ConfigMap.v1': observed('v1', 'ConfigMap', 'plan'),
    'Deployment.apps/v1': {
      ...observed('apps/v1', 'Deployment', 'press'),
      ...observed('apps/v1', 'Deployment', 'old'),
    },
    'Job.batch/v1': observed('batch/v1', 'Job', 'count'),
  },
  related: {},
  finalizing: false,
};
const CUSTOMIZE = { controller: COMPOSITE, parent: PARENT };

const child = (apiVersion: string, kind: string, name: string) => ({
  apiVersion,
  kind,
  metadata: { name },
});
const ANSWER = {
  status: { ready: 1, trees: 2 },
  children: [
    child('v1', 'ConfigMap', 'plan'),
    child('v1', 'ConfigMap', 'rows'),
    child('apps/v1', 'Deployment', 'press'),
    child('batch/v1', 'Job', 'count'),
  ],
  resyncAfterSeconds: 30,
};
const REPORT = `sync of CompositeController orchards: Orchard farm/north, 4 observed
update, where it differs, ConfigMap farm/plan
create ConfigMap farm/rows
leave as it is Deployment farm/press
recreate, if it differs, Job farm/count
delete Deployment farm/old
status: ready, trees
called again after 30 s
`;

/** A folder with these files, which can be executed. */
async function folder(files: Readonly<Record<string, string>>): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'chancery-test-function-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    await writeFile(join(dir, name), text);
    await chmod(join(dir, name), 0o755);
  }
  return dir;
}

async function testHook(sample: unknown, ...options: string[]) {
  const args = ['test-hook', '--context', '-', ...options];
  const { exit, stdout, stderr } = invoke(args, { stdin: JSON.stringify(sample) });
  return { exit: await exit, stdout: textOf(stdout), stderr: textOf(stderr) };
}

const textOf = ({ lines }: Collector): string => lines.map((line) => `${line}\n`).join('');

const program = (answer: unknown): string => `#!${process.execPath}
process.stdin.on('data', () => {}).on('end', () => console.log(${JSON.stringify(JSON.stringify(answer))}));
console.error('asked');
`;

test('[metacontroller 26] a program, a module and a webhook can each be tested with the same request', async () => {
  const module = `export const sync = ({ parent }: { parent: { spec: { trees: number } } }) => (${JSON.stringify(ANSWER)});`;
  const dir = await folder({ 'sync.run': program(ANSWER), 'hooks.ts': module });
  const { url } = await scriptedHook(answering(200, {}, JSON.stringify(ANSWER)));

  const tested = [
    await testHook(REQUEST, join(dir, 'sync.run')),
    await testHook(REQUEST, join(dir, 'hooks.ts')),
    await testHook(REQUEST, join(dir, 'hooks.ts'), '--export', 'sync'),
    await testHook(REQUEST, '--url', `${url}/sync`),
  ];

  expect(tested.map(({ stdout }) => stdout)).toEqual([REPORT, REPORT, REPORT, REPORT]);
  expect(tested.map(({ exit }) => exit)).toEqual([0, 0, 0, 0]);
  expect(tested[0]?.stderr).toBe('stderr: asked\n');
});

test('a function gets the recorded request in which large numbers are exact and keys are sorted', async () => {
  const { url, received } = await scriptedHook(answering(200, {}, JSON.stringify(ANSWER)));
  const text = JSON.stringify({ ...REQUEST, parent: { ...PARENT, spec: { trees: 1 } } }).replace(
    '"trees":1',
    '"trees":9007199254740993,"a":1',
  );
  const { exit } = invoke(['test-hook', '--context', '-', '--url', url], { stdin: text });

  expect(await exit).toBe(0);
  expect(received[0]?.body).toContain('"spec":{"a":1,"trees":9007199254740993}');
});

test('for a decorator, the output says which fields are set, removed and kept, and that the finalizer is removed', async () => {
  const controller = {
    apiVersion: GROUP,
    kind: 'DecoratorController',
    metadata: { name: 'services' },
    spec: {
      resources: [{ apiVersion: 'apps/v1', resource: 'statefulsets' }],
      attachments: [{ apiVersion: 'v1', resource: 'services' }],
      hooks: { finalize: { version: 'v1', webhook: { url: 'http://hooks.farm/finalize' } } },
    },
  };
  const object = { ...PARENT, apiVersion: 'apps/v1', kind: 'StatefulSet' };
  const attachments = { 'Service.v1': observed('v1', 'Service', 'a') };
  const answer = { labels: { a: 'b', c: null }, annotations: {}, attachments: [], finalized: true };
  const dir = await folder({ 'hooks.mjs': `export default () => (${JSON.stringify(answer)});` });
  const sample = { controller, object, attachments, related: {}, finalizing: true };

  const { stdout, exit } = await testHook(sample, join(dir, 'hooks.mjs'));

  expect(stdout).toBe(`finalize of DecoratorController services: StatefulSet farm/north, 1 observed
delete Service farm/a
set label a=b
remove label c
status: unchanged
finalized: the finalizer is removed
`);
  expect(exit).toBe(0);
});

const RULES = [
  { apiVersion: 'v1', resource: 'configmaps', names: ['a', 'b'], namespace: 'farm' },
  { apiVersion: 'apps/v1', resource: 'deployments', labelSelector: { matchLabels: { a: 'b' } } },
  { apiVersion: 'v1', resource: 'secrets', namespaceSelector: {} },
  { apiVersion: 'v1', resource: 'pods' },
];

test('[metacontroller 23] `--record-rights` writes the resources of a customize hook into the file of functions', async () => {
  const functions = `# of the farm
- kind: CompositeController
  name: orchards
  customize: {exec: [./customize]} # a program
  related: [{apiVersion: v1, resource: pods}]
`;
  const dir = await folder({
    customize: program({ relatedResources: RULES }),
    'functions.yaml': functions,
  });
  const file = join(dir, 'functions.yaml');

  const { stdout, exit } = await testHook(CUSTOMIZE, '--functions', file, '--record-rights');
  const again = await testHook(CUSTOMIZE, '--functions', file, '--record-rights');

  expect(stdout).toBe(`customize of CompositeController orchards: Orchard farm/north
related: configmaps of v1 in namespace farm, named a, b
related: deployments of apps/v1 with labels a=b
related: secrets of v1 in namespaces with any labels
related: pods of v1 (all)
rights recorded in ${file}
`);
  expect([exit, again.exit]).toEqual([0, 0]);
  expect(await readFile(file, 'utf8')).toBe(`# of the farm
- kind: CompositeController
  name: orchards
  customize: {exec: [./customize]} # a program
  related:
    - apiVersion: v1
      resource: pods
    - apiVersion: v1
      resource: configmaps
    - apiVersion: apps/v1
      resource: deployments
    - apiVersion: v1
      resource: secrets
`);
});

test('`--kind` and `--name` select an entry, and override the controller in the sample', async () => {
  const dir = await folder({
    sync: program(ANSWER),
    'functions.yaml': '[{kind: CompositeController, name: other, sync: {exec: [./sync]}}]',
  });
  const file = join(dir, 'functions.yaml');

  const named = await testHook(REQUEST, '--functions', file, '--name', 'other');
  const own = await testHook(REQUEST, '--functions', file);

  expect(named.exit).toBe(0);
  expect(own.exit).toBe(2);
  expect(own.stderr).toContain(`${file} has no sync of CompositeController orchards`);
});

test.each([
  ['{}', 'InvalidAnswer: the answer of the sync hook is unusable: children must be a list'],
  ['{"children":[null]}', 'children[0] must be an object and is null'],
  ['<html></html>', 'is HTML or XML, not JSON'],
  ['', 'InvalidAnswer: the answer of the sync hook is unusable: it is empty'],
  ['{"children":[],"child":1}', 'has the unknown field child'],
  [
    JSON.stringify({ children: [child('v1', 'Pod', 'a')] }),
    'is a Pod of v1, a type that the controller does not declare',
  ],
])('the answer %s is refused, with a special exit code', async (text, message) => {
  const { url } = await scriptedHook(answering(200, {}, text));

  const { stdout, exit } = await testHook(REQUEST, '--url', url);

  expect(stdout).toContain(`refused: `);
  expect(stdout).toContain(message);
  expect(exit).toBe(1);
});

const REFUSED_CHILDREN: readonly (readonly [string, object[], string])[] = [
  [
    'twice',
    [child('v1', 'ConfigMap', 'a'), child('v1', 'ConfigMap', 'a')],
    'sync names a child twice (child ["configmaps","farm","a"])',
  ],
  [
    'in another namespace',
    [{ ...child('v1', 'ConfigMap', 'a'), metadata: { name: 'a', namespace: 'city' } }],
    'a child must be in the namespace of its parent (resource configmaps, name a, namespace city',
  ],
];

test.each(
  REFUSED_CHILDREN,
)('a child %s is refused, as it is by the running operator', async (_, children, why) => {
  const { url } = await scriptedHook(answering(200, {}, JSON.stringify({ children })));

  const { stdout, exit } = await testHook(REQUEST, '--url', url);

  expect(stdout).toContain(`refused: InvalidAnswer: ${why}`);
  expect(exit).toBe(1);
});

test('children whose labels the parent does not select are refused', async () => {
  const { url } = await scriptedHook(answering(200, {}, JSON.stringify(ANSWER)));
  const controller = { ...COMPOSITE, spec: { ...COMPOSITE.spec, generateSelector: false } };
  const parent = { ...PARENT, spec: { selector: { matchLabels: { app: 'press' } } } };

  const { stdout } = await testHook({ ...REQUEST, controller, parent }, '--url', url);

  expect(stdout).toContain("a child's labels must match the selector of its parent");
});

test.each([
  [{ apiVersion: 'v1', resource: 'pods', names: ['a'], labelSelector: {} }, 'use one of them'],
  [{ apiVersion: 'v1', resource: 'nodes', namespaceSelector: {} }, 'its objects have no namespace'],
])('the rule %j of a customize hook is refused', async (rule, message) => {
  const { url } = await scriptedHook(answering(200, {}, JSON.stringify([rule])));

  const { stdout, exit } = await testHook(CUSTOMIZE, '--url', url);

  expect(stdout).toContain(message);
  expect(exit).toBe(1);
});

test('an invalid field in the answer of a hook of version v1 is accepted with a warning', async () => {
  const { url } = await scriptedHook(answering(200, {}, '{"children":[],"child":1}'));
  const spec = { ...COMPOSITE.spec, hooks: { sync: { version: 'v1' } } };

  const { stderr, exit } = await testHook(
    { ...REQUEST, controller: { ...COMPOSITE, spec } },
    '--url',
    url,
  );

  expect(stderr).toBe('warning: the answer has the unknown field child\n');
  expect(exit).toBe(0);
});

test('the failure of a program, a module or a webhook is reported', async () => {
  const dir = await folder({
    'sync.run': `#!${process.execPath}\nconsole.error('no such crop'); process.exit(4);`,
    'hooks.mjs': "export const sync = () => { throw new Error('no such crop'); };",
  });
  const { url } = await scriptedHook(answering(500, {}, ''));

  const tested = [
    await testHook(REQUEST, join(dir, 'sync.run')),
    await testHook(REQUEST, join(dir, 'hooks.mjs')),
    await testHook(REQUEST, '--url', url),
  ];

  expect(tested.map(({ exit }) => exit)).toEqual([1, 1, 1]);
  expect(tested.map(({ stdout }) => /refused: (\w+)/.exec(stdout)?.[1])).toEqual([
    'ProgramFailed',
    'ModuleFailed',
    'BadStatus',
  ]);
});

const FILE = 'packages/metacontroller/test/command/test-function.test.ts';

test.each<[string, unknown, string[], string]>([
  ['a list of requests', [REQUEST], [FILE], 'not in a list'],
  [
    'a request without a controller',
    { parent: PARENT },
    [FILE],
    'one whole request, with controller',
  ],
  [
    'a controller without spec',
    { ...REQUEST, controller: PARENT },
    [FILE],
    "the request's controller",
  ],
  [
    'a request without a parent',
    { ...REQUEST, parent: undefined },
    [FILE],
    "the request's parent must be",
  ],
  [
    'an invalid type of children',
    { ...REQUEST, children: { Pod: {} } },
    [FILE],
    'a key such as Deployment.apps/v1',
  ],
  [
    'two functions',
    REQUEST,
    [FILE, '--url', 'http://x'],
    'expected one of FILE, --functions and --url',
  ],
  ['a file that does not exist', REQUEST, ['none.sh'], 'none.sh: no such file'],
  ['a file that is not a program', REQUEST, ['README.md'], 'may not be executed: chmod +x'],
  ['an export of a program', REQUEST, ['README.md', '--export', 'a'], '--export is for a module'],
  [
    'an option of hooks',
    REQUEST,
    [FILE, '--patches-to', '-'],
    '--patches-to is for hooks of chancery hooks',
  ],
  [
    'a time limit of zero',
    REQUEST,
    [FILE, '--hook-timeout', '0'],
    'a function always has a time limit',
  ],
  [
    'rights without a file',
    REQUEST,
    [FILE, '--record-rights'],
    '--record-rights needs --functions',
  ],
  [
    'rights of sync',
    REQUEST,
    ['--functions', 'a', '--record-rights'],
    'needs the request of a customize hook',
  ],
  [
    'an option of functions',
    { binding: 'a' },
    [FILE, '--url', 'http://x'],
    '--url is for functions',
  ],
])('%s is refused', async (_, sample, options, message) => {
  const { exit, stderr } = await testHook(sample, ...options);

  expect(stderr).toContain(message);
  expect(exit).toBe(2);
});
