/** `chancery test-hook`: real hooks, started without a cluster; what samples mean, and what would be refused. */
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { knownKinds } from '../../../../operator/model/known-kinds.ts';
import type { Collector } from '../../../../test/cli/collector.ts';
import { invoke } from '../../../../test/cli/invocation.ts';
import type { Hook } from '../../src/hook.ts';
import type { Jq } from '../../src/jq/jq.ts';
import { examined } from '../../src/test-hook/examine.ts';
import { examinedLines } from '../../src/test-hook/report.ts';
import { completedSample } from '../../src/test-hook/sample.ts';
import { configOf, YAML_HERE } from '../support/documents.ts';

const CROPS = { name: 'crops', kind: 'cm', includeSnapshotsFrom: ['crops'] };
const CONFIG = {
  configVersion: 'v1',
  schedule: [{ name: 'hourly', crontab: '0 * * * *', includeSnapshotsFrom: ['crops'] }],
  kubernetes: [CROPS],
};

const metadata = { name: 'count', namespace: 'farm' };
const CREATE = {
  operation: 'CreateOrUpdate',
  object: { apiVersion: 'v1', kind: 'ConfigMap', metadata },
};
const ROWS = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { ...metadata, name: 'rows' } };

/** A hook in a folder of its own, and what `chancery test-hook` makes of it. @param body - what a run does. */
async function hookFile(body: string, rights?: string) {
  const dir = await mkdtemp(join(tmpdir(), 'chancery-test-hook-test-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  const file = join(dir, 'count.mjs');
  await writeFile(
    file,
    `#!${process.execPath}
import { readFileSync, writeFileSync } from 'node:fs';
const contexts = JSON.parse(readFileSync(process.env.BINDING_CONTEXT_PATH, 'utf8'));
${body}
`,
  );
  await chmod(file, 0o755);
  await writeFile(`${file}.yaml`, JSON.stringify(CONFIG)); // in place of an answer to --config
  if (rights !== undefined) await writeFile(`${file}.rights.yaml`, rights);
  const testHook = async (sample: unknown, ...options: string[]) => {
    const args = ['test-hook', file, '--context', '-', ...options];
    const { exit, stdout, stderr } = invoke(args, { stdin: JSON.stringify(sample) });
    return { exit: await exit, stdout: textOf(stdout), stderr: textOf(stderr) };
  };
  return { file, testHook };
}

const textOf = ({ lines }: Collector): string => lines.map((line) => `${line}\n`).join('');

const PATCHES = `writeFileSync(process.env.KUBERNETES_PATCH_PATH, '${JSON.stringify(CREATE)}');`;

test('the hook gets the same context as in a real run, in a folder that no other user has created', async () => {
  const { testHook } = await hookFile(
    "console.log(process.env.BINDING_CONTEXT_PATH, readFileSync(process.env.BINDING_CONTEXT_PATH, 'utf8'));",
  );

  const { stderr } = await testHook({ ...ROWS, data: { 9: 'b', 10: 'a' } });

  expect(stderr).toContain(`${join(tmpdir(), 'runner-')}`);
  expect(stderr).toContain('"data":{"10":"a","9":"b"}');
});

test("[hooks S11] without a cluster, `test-hook` prints the hook's contexts, its patches and metrics, and its missing permissions", async () => {
  const { testHook } = await hookFile(`${PATCHES}
console.log('counted', contexts.length);
writeFileSync(process.env.METRICS_PATH, '{"name": "rows_total", "add": 2, "labels": {"kind": "a"}}');`);

  const { exit, stdout, stderr } = await testHook(ROWS);

  expect(stderr).toBe('stdout: counted 1\n');
  expect(stdout).toBe(`context crops: Event, Added, ConfigMap farm/rows, snapshot crops: 0
exit code 0
patch 1: CreateOrUpdate of ConfigMap farm/count
metric: add rows_total{kind="a"} 2
missing right: get configmaps, for document 1
missing right: create configmaps, for document 1
missing right: update configmaps, for document 1
add to count.mjs.rights.yaml, or use --record-rights:
rules:
  - apiGroups:
      - ""
    resources:
      - configmaps
    verbs:
      - create
      - get
      - update
`);
  expect(exit).toBe(1);
});

test('[hooks S8] `--record-rights` adds the permissions that the hook needs, and `--patches-to -` prints only the patches', async () => {
  const rule = '  - apiGroups: [""]\n    resources: [configmaps]\n    verbs: [delete, get]\n';
  const { file, testHook } = await hookFile(PATCHES, `rules:\n${rule}`);

  const recorded = await testHook(ROWS, '--record-rights');
  const later = await testHook({ type: 'Schedule' }, '--patches-to', '-');

  expect(recorded).toMatchObject({ exit: 0 });
  expect(recorded.stdout).toContain(`rights recorded in ${file}.rights.yaml\n`);
  expect(await readFile(`${file}.rights.yaml`, 'utf8')).toBe(`rules:
  - apiGroups:
      - ""
    resources:
      - configmaps
    verbs:
      - create
      - delete
      - get
      - update
`);
  expect(later).toMatchObject({ exit: 0 });
  expect(JSON.parse(later.stdout)).toEqual(CREATE);
  expect(later.stderr).toContain('context hourly: Schedule, snapshot crops: 0\n');
});

test('a hook that fails or hangs makes `test-hook` exit with 1', async () => {
  const failing = await hookFile('process.exit(4);');
  const hanging = await hookFile('setInterval(() => {}, 1_000);');

  const failed = await failing.testHook({ binding: 'crops' });
  const ended = await hanging.testHook({ binding: 'crops' }, '--hook-timeout', '10ms');

  expect(failed.stdout).toContain('exit code 4\n');
  expect(failed.exit).toBe(1);
  expect(ended.stderr).toContain('chancery test-hook: ');
  expect(ended.exit).toBe(1);
});

const known = knownKinds();

function hookOf(config: object): Hook {
  const rights = [{ apiGroups: [''], resources: ['nodes'], verbs: ['delete', 'get'] }] as const;
  const parsed = configOf(JSON.stringify(config));
  return { name: 'count.sh', path: '/hooks/count.sh', rights, config: parsed };
}

/** The contexts of a sample. The filter gives the name of the object. */
function complete(sample: unknown, config: object = CONFIG) {
  const filter = async (_program: string, object: unknown) => (object as typeof ROWS).metadata.name;
  return completedSample(sample, { hook: hookOf(config), known, filter });
}

const crops = (facts: object) => ({ binding: 'crops', snapshots: { crops: [] }, ...facts });

test.each([
  ['an object', ROWS, [crops({ type: 'Event', watchEvent: 'Added', object: ROWS })]],
  [
    'a Synchronization',
    { binding: 'crops', objects: [ROWS, { object: ROWS }] },
    [crops({ type: 'Synchronization', objects: [{ object: ROWS }, { object: ROWS }] })],
  ],
  [
    'an Event with its snapshot',
    [{ object: ROWS, watchEvent: 'Deleted', snapshots: { crops: [{ object: ROWS }] } }],
    [
      crops({
        ...{ type: 'Event', watchEvent: 'Deleted', object: ROWS },
        snapshots: { crops: [{ object: ROWS }] },
      }),
    ],
  ],
  [
    'two contexts',
    [{ type: 'Schedule' }, { binding: 'crops' }],
    [
      { binding: 'hourly', type: 'Schedule', snapshots: { crops: [] } },
      crops({ type: 'Synchronization', objects: [] }),
    ],
  ],
])('a sample with %s gets defaults for the fields that it omits', async (_what, sample, contexts) => {
  expect(await complete(sample)).toEqual(contexts);
});

test('filter results are added to a sample, and objects that the binding does not keep are removed', async () => {
  const binding = { ...CROPS, jqFilter: '.metadata.name', keepFullObjectsInMemory: false };
  const config = { configVersion: 'v1', kubernetes: [binding] };
  const given = { filterResult: 'given' };
  const sample = { object: ROWS, snapshots: { crops: [ROWS, given] } };

  expect(await complete(sample, config)).toEqual([
    crops({
      ...{ type: 'Event', watchEvent: 'Added', filterResult: 'rows' },
      snapshots: { crops: [{ filterResult: 'rows' }, given] },
    }),
  ]);
});

test('samples for a group, for startup and for a hook of version v0 have different formats', async () => {
  const group = { configVersion: 'v1', kubernetes: [{ ...CROPS, group: 'yard' }] };
  const start = { configVersion: 'v1', onStartup: 1 };
  const old = { onKubernetesEvent: [{ name: 'rows', kind: 'configmap' }] };

  expect(await complete({}, group)).toEqual([crops({ type: 'Group', groupName: 'yard' })]);
  expect(await complete({}, start)).toEqual([{ binding: 'onStartup' }]);
  expect(await complete(ROWS, old)).toEqual([
    {
      ...{ binding: 'rows', resourceEvent: 'add', resourceNamespace: 'farm' },
      ...{ resourceKind: 'ConfigMap', resourceName: 'rows' },
    },
  ]);
});

test.each([
  ['an unknown binding', { binding: 'corps' }, 'set binding to one of hourly, crops'],
  [
    'no binding although two of them fit',
    {},
    'fits several bindings: set binding to one of hourly, crops',
  ],
  ['another kind of object', { ...ROWS, kind: 'Pod' }, 'fits no binding of the hook'],
  ['a misspelt field', { binding: 'crops', objekts: [] }, 'has no field "objekts"'],
  ['an event about nothing', { type: 'Event', binding: 'crops' }, 'an Event needs the object'],
  ['a wrong event', { object: ROWS, watchEvent: 'added' }, 'watchEvent must be Added, Modified'],
  [
    'a snapshot that is not included',
    { binding: 'crops', snapshots: { sheds: [] } },
    'no snapshots of "sheds"',
  ],
  ['nothing', [], 'the sample has no context'],
  [
    'a request of Metacontroller',
    { parent: ROWS, children: {} },
    'such a sample is one whole request, with controller, and not in a list',
  ],
])('a sample with %s is refused', async (_what, sample, why) => {
  await expect(complete(sample)).rejects.toThrow(why);
});

test('a sample that is a request of Metacontroller is refused before the hook starts', async () => {
  const { file, testHook } = await hookFile('');
  await rm(`${file}.yaml`);

  const { exit, stderr } = await testHook([{ controller: {}, parent: ROWS, children: {} }]);

  expect(exit).toBe(2);
  expect(stderr).toContain('a request to a function of Metacontroller');
});

const jq: Jq = { check: async () => {}, run: async () => [], close: async () => {} };
const json = JSON.stringify;
const DELETE = { operation: 'Delete', kind: 'Node', name: 'a' };

test.each([
  [
    'an incomplete document',
    `${json(DELETE)}{"oper`,
    '',
    'refused: patch file: document 2: the file ends',
  ],
  [
    'a wrong metric',
    '',
    '{"name": "a", "add": -1}',
    'refused: metrics file: document 1: value must not be negative',
  ],
  [
    'a kind that only a cluster knows',
    json({ ...DELETE, kind: 'Orchard' }),
    '',
    'the kind Orchard is not known without a cluster: name the file of its definition with --crd',
  ],
  [
    'a field without effect',
    json({ ...DELETE, force: true }),
    '',
    'warning: patch file: document 1: Delete has no field "force"',
  ],
])('`test-hook` reports a hook that writes %s', async (_what, patches, metrics, said) => {
  const signal = new AbortController().signal;
  const hook = hookOf(CONFIG);

  const left = { exitCode: 0, patches, metrics, responses: [] };
  const found = await examined(left, { hook, known, jq, yaml: YAML_HERE, signal });

  expect(examinedLines(hook.name, found).join('\n')).toContain(said);
});

test.each([
  ['no file', ['test-hook'], 'expected one FILE'],
  ['no sample', ['test-hook', 'a.sh'], '--context must name a file'],
  [
    'a wrong duration',
    ['test-hook', 'a.sh', '--context', '-', '--hook-timeout', '5'],
    '--hook-timeout must be',
  ],
  [
    'a sample that does not exist',
    ['test-hook', 'a.sh', '--context', '/none.json'],
    'cannot read --context /none.json',
  ],
  [
    'a file that is not a hook',
    ['test-hook', 'package.json', '--context', '-'],
    'package.json: is no hook',
  ],
])('a command line with %s is refused', async (_what, args, why) => {
  const { exit, stderr } = invoke(args, { stdin: '{}' });

  expect(await exit).toBe(2);
  expect(textOf(stderr)).toContain(why);
});
