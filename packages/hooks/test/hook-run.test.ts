/** What a run does with what its hook left, before and while it writes: order, resuming, refusals. */
import { expect, test } from 'vitest';
import type { Call } from '../../../operator/client/call.ts';
import { clientOf } from '../../../operator/client/client-of.ts';
import { AmbassadorError, LeadershipLostError } from '../../../operator/core/errors.ts';
import { ApiError } from '../../../operator/model/status.ts';
import { ProgramError } from '../../../operator/process/program-error.ts';
import { configMap, named, preparedRun } from './support/patching.ts';

/** A client that writes down its calls, and fails those for which `failure` answers. */
function writer(failure: (name: string, attempt: number) => Error | undefined = () => undefined) {
  const sent: string[] = [];
  const attempts = new Map<string, number>();
  const client = clientOf(async (call) => {
    const name = nameIn(call);
    if (call.verb === 'find') return undefined;
    sent.push(`${call.verb} ${name}`);
    const attempt = (attempts.get(name) ?? 0) + 1;
    attempts.set(name, attempt);
    const error = failure(name, attempt);
    if (error !== undefined) throw error;
    return call.verb === 'delete' ? undefined : configMap(name);
  });
  return { client, sent };
}

function nameIn(call: Call): string {
  if ('target' in call) return call.target.name;
  return 'object' in call ? call.object.metadata.name : '';
}

const refusal = (status: number, reason: string): ApiError =>
  new ApiError({ reason, message: `refused: ${reason}` }, { httpStatus: status });

const create = (name: string) => ({ operation: 'Create', object: configMap(name) });
const merge = (name: string) => ({
  ...{ operation: 'MergePatch', ...named(name) },
  mergePatch: { data: { a: 'b' } },
});
const append = (name: string) => ({
  ...{ operation: 'JSONPatch', ...named(name) },
  jsonPatch: [{ op: 'add', path: '/data/x', value: 'y' }],
});
const remove = (name: string) => ({ operation: 'DeleteInBackground', ...named(name) });

test('[hooks 13] [hooks S3] after two conflicts with another writer, only the affected document is sent again, and the hook starts once', async () => {
  const { client, sent } = writer((name, attempt) =>
    name === 'c' && attempt <= 2 ? refusal(409, 'Conflict') : undefined,
  );
  const patches = ['a', 'b', 'c', 'd', 'e'].map((name) => merge(name));
  const run = preparedRun({ client, leaves: [{ patches }] });

  const failures = [await run.attempt(), await run.attempt(), await run.attempt()];

  expect(run.starts()).toBe(1);
  expect(sent).toEqual([
    ...['patch a', 'patch b', 'patch c'],
    ...['patch c'],
    ...['patch c', 'patch d', 'patch e'],
  ]);
  expect(failures.map((failure) => failure?.context.document)).toEqual([3, 3, undefined]);
  expect(failures[0]?.message).toBe(
    'document 3 of 5 (MergePatch of ConfigMap farm/c): 409 Conflict: refused: Conflict',
  );
});

test.each([
  ['a busy server', refusal(429, 'TooManyRequests'), 1],
  ['a failing server', refusal(503, 'ServiceUnavailable'), 1],
  [
    'a missing answer',
    new AmbassadorError('gone', { code: 'CONNECTION_LOST', fate: 'unknown' }),
    1,
  ],
  ['a missing object', refusal(404, 'NotFound'), 2],
  ['an invalid object', refusal(422, 'Invalid'), 2],
  ['a missing permission', refusal(403, 'Forbidden'), 2],
  ['a taken name', refusal(409, 'AlreadyExists'), 2],
])('[hooks S3] %s decides whether the hook is started again', async (_what, error, starts) => {
  const { client } = writer((name, attempt) => (name === 'a' && attempt === 1 ? error : undefined));
  const run = preparedRun({ client, leaves: [{ patches: [merge('a'), merge('b')] }] });

  await run.attempt();
  const second = await run.attempt();

  expect(second).toBeUndefined();
  expect(run.starts()).toBe(starts);
});

test('[hooks S3] after a permanent failure of one document, the later documents are applied, and the hook is started again', async () => {
  const { client, sent } = writer((name, attempt) =>
    name === 'b' && attempt === 1 ? refusal(404, 'NotFound') : undefined,
  );
  const patches = [create('a'), merge('b'), append('c'), merge('d')];
  const run = preparedRun({ client, leaves: [{ patches }] });

  const first = await run.attempt();
  const second = await run.attempt();

  expect(first?.message).toContain('document 2 of 4 (MergePatch of ConfigMap farm/b)');
  expect(second).toBeUndefined();
  expect(run.starts()).toBe(2);
  expect(sent).toEqual([
    ...['create a', 'patch b', 'patch c', 'patch d'],
    ...['patch b', 'patch d'], // the others were applied, and would do something else again
  ]);
});

test('[hooks S3] equal documents of one run are all applied, and a retry repeats deletions and creations, but no finished patches', async () => {
  const { client, sent } = writer((name, attempt) =>
    name === 'z' && attempt === 1 ? refusal(422, 'Invalid') : undefined,
  );
  const patches = [remove('a'), create('a'), append('b'), append('b'), merge('z')];
  const run = preparedRun({ client, leaves: [{ patches }] });

  await run.attempt();
  await run.attempt();

  expect(sent).toEqual([
    ...['delete a', 'create a', 'patch b', 'patch b', 'patch z'],
    ...['delete a', 'create a', 'patch z'],
  ]);
});

test('[hooks S3] the hook is started again when a document was refused five times', async () => {
  const { client } = writer(() => refusal(500, 'InternalError'));
  const run = preparedRun({ client, leaves: [{ patches: [merge('a')] }] });

  for (let attempt = 1; attempt <= 5; attempt++) await run.attempt();
  const startsAfterFive = run.starts();
  await run.attempt();

  expect(startsAfterFive).toBe(1);
  expect(run.starts()).toBe(2);
});

test('if a document causes a conflict by its own resourceVersion, the hook is started again', async () => {
  const { client } = writer(() => refusal(409, 'Conflict'));
  const metadata = { resourceVersion: '7' };
  const patches = [{ ...merge('a'), mergePatch: { metadata } }];
  const run = preparedRun({ client, leaves: [{ patches }] });

  await run.attempt();
  await run.attempt();

  expect(run.starts()).toBe(2);
});

test('[hooks S3] a create request without a response counts as successful if the object now exists', async () => {
  const { client } = writer((_name, attempt) =>
    attempt === 1
      ? new AmbassadorError('gone', { code: 'CONNECTION_LOST', fate: 'unknown' })
      : refusal(409, 'AlreadyExists'),
  );
  const run = preparedRun({ client, leaves: [{ patches: [create('a')] }] });

  const failures = [await run.attempt(), await run.attempt()];

  expect(failures.map((failure) => failure?.failure)).toEqual(['patch', undefined]);
});

test('if a run loses the leadership before a write, this is not counted as a failure of the hook', async () => {
  const { client } = writer(() => new LeadershipLostError('another replica leads'));
  const run = preparedRun({ client, leaves: [{ patches: [merge('a')] }] });

  await expect(run.attempt()).rejects.toThrow(LeadershipLostError);
});

test.each([
  [
    'malformed JSON',
    '{"operation": "Delete", "kind": "ConfigMap", "namespace": "farm", "name": "a"}\n{"oper',
  ],
  [
    'malformed YAML',
    'operation: Delete\nkind: ConfigMap\nnamespace: farm\nname: a\n---\noperation: [\n',
  ],
  [
    'an unknown operation',
    JSON.stringify(merge('a')) + JSON.stringify({ ...merge('a'), operation: 'Patch' }),
  ],
  ['an unknown kind', JSON.stringify(merge('a')) + JSON.stringify({ ...merge('a'), kind: 'Shed' })],
  [
    'a missing namespace',
    JSON.stringify(merge('a')) + JSON.stringify({ ...merge('a'), namespace: '' }),
  ],
  [
    'a name that would lead to another object',
    JSON.stringify(merge('a')) + JSON.stringify({ ...merge('a'), name: '..' }),
  ],
  [
    'a name with a subresource in it',
    JSON.stringify(merge('a')) + JSON.stringify({ ...merge('a'), name: 'b/status' }),
  ],
  [
    'a namespace with a path to an object',
    JSON.stringify(merge('a')) + JSON.stringify({ ...merge('a'), namespace: 'barn/secrets' }),
  ],
  [
    'a superfluous namespace',
    JSON.stringify(merge('a')) + JSON.stringify({ ...merge('a'), kind: 'Node' }),
  ],
])('[hooks 14] with %s as the second document, nothing is sent, and the error mentions document 2', async (_what, patches) => {
  const { client, sent } = writer();
  const run = preparedRun({ client, leaves: [{ patches }] });

  const failure = await run.attempt();

  expect(sent).toEqual([]);
  expect(failure?.failure).toBe('result');
  expect(failure?.message).toContain('document 2');
  expect(failure?.context).toMatchObject({ hook: 'garden/rows.sh', document: 2 });
});

test('[hooks 14] a jq program that cannot be compiled is refused before anything is sent', async () => {
  const { client, sent } = writer();
  const program = { operation: 'JQPatch', ...named('b'), jqFilter: '.data |' };
  const run = preparedRun({ client, leaves: [{ patches: [merge('a'), program] }] });

  const failure = await run.attempt();

  expect(failure?.message).toBe(
    'its patch file is refused: document 2: jq cannot compile jqFilter; chancery test-hook shows what jq says',
  );
  expect(sent).toEqual([]);
});

test.each([
  ['no output', []],
  ['two outputs', [configMap('a'), configMap('a')]],
  ['an output without metadata', [{ kind: 'ConfigMap' }]],
])('a document fails if its jq program has %s', async (_what, outputs) => {
  const { client, sent } = writer();
  const patches = [{ operation: 'JQPatch', ...named('a'), jqFilter: '.' }, merge('b')];
  const run = preparedRun({ client, leaves: [{ patches }], jq: () => outputs });

  const failure = await run.attempt();

  expect(failure?.message).toContain('the result of the jq program must be one object');
  expect(sent).toEqual(['get a', 'patch b']);
});

test('[hooks 12] if a hook fails, only its patches with ignoreHookError are written', async () => {
  const { client, sent } = writer();
  const status = { ...merge('b'), subresource: '/status', kind: 'Deployment' };
  const patches = [merge('a'), { ...status, ignoreHookError: true }, merge('c')];
  const metrics = '{"name": "runs", "add": 1}';
  const run = preparedRun({ client, leaves: [{ exitCode: 3, patches, metrics }, {}] });

  const failure = await run.attempt();
  const next = await run.attempt();

  expect(sent).toEqual(['patch b']);
  expect(failure?.failure).toBe('exit');
  expect(failure?.message).toBe('the hook ended with exit code 3');
  expect(failure?.context).toMatchObject({ exitCode: 3 });
  expect(next).toBeUndefined();
  expect(await run.metrics.text()).toBe('');
});

test('[hooks 12] if a hook exits with an error and its patch file is incomplete, nothing is sent', async () => {
  const { client, sent } = writer();
  const patches = `${JSON.stringify({ ...merge('a'), ignoreHookError: true })}{"opera`;
  const run = preparedRun({ client, leaves: [{ exitCode: 1, patches }] });

  const failure = await run.attempt();

  expect(failure?.failure).toBe('exit');
  expect(failure?.message).toContain('exit code 1; its patch file is refused: document 2');
  expect(sent).toEqual([]);
});

test('[hooks S15] an invalid metric makes the run fail before the first patch', async () => {
  const { client, sent } = writer();
  const metrics = '{"name": "fruit", "set": 1}\n{"name": "fruit", "action": "ad", "value": 1}';
  const run = preparedRun({ client, leaves: [{ patches: [merge('a')], metrics }] });

  const failure = await run.attempt();

  expect(failure?.message).toContain('its metrics file is refused: document 2: action must be');
  expect(sent).toEqual([]);
});

test('an incomplete response to a review makes the run fail before the first patch', async () => {
  const { client, sent } = writer();
  const responses = ['', '{"allowed": '];
  const run = preparedRun({ client, leaves: [{ patches: [merge('a')], responses }] });

  const failure = await run.attempt();

  expect(failure?.message).toContain('its response file is refused: document 1: the file ends');
  expect(sent).toEqual([]);
});

test('[hooks S15] metrics are sent once, after the last patch has succeeded', async () => {
  const { client } = writer((name, attempt) =>
    name === 'a' && attempt === 1 ? refusal(409, 'Conflict') : undefined,
  );
  const metrics = '{"name": "fruit", "add": 2}';
  const run = preparedRun({ client, leaves: [{ patches: [merge('a')], metrics }] });

  await run.attempt();
  const early = await run.metrics.text();
  await run.attempt();

  expect(early).toBe('');
  expect(await run.metrics.text()).toContain('fruit{hook="garden/rows.sh"} 2\n');
});

test('a patch that needs an undeclared permission is refused before anything is sent, and the error contains the rule to add', async () => {
  const { client, sent } = writer();
  const rights = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['patch'] }] as const;
  const object = { ...configMap('b'), apiVersion: 'apps/v1', kind: 'Deployment' };
  const patches = [merge('a'), { operation: 'CreateOrUpdate', object }, remove('c')];
  const run = preparedRun({ client, rights, leaves: [{ patches }] });

  const failure = await run.attempt();

  expect(sent).toEqual([]);
  expect(failure?.failure).toBe('right');
  expect(
    failure?.message,
  ).toBe(`document 2 is not declared, so nothing was sent. Add to garden/rows.sh.rights.yaml:
rules:
  - apiGroups:
      - ""
    resources:
      - configmaps
    verbs:
      - delete
  - apiGroups:
      - apps
    resources:
      - deployments
    verbs:
      - create
      - get
      - update
`);
});

test('[hooks S14] a field without effect is logged, and is refused with the option `--strict-patches`', async () => {
  const leaves = [{ patches: [{ ...merge('a'), mergePatsh: {} }] }];
  const { client, sent } = writer();

  const lenient = preparedRun({ client, leaves });
  const strict = preparedRun({ client, leaves, strictPatches: true });
  const failures = [await lenient.attempt(), await strict.attempt()];

  expect(failures[0]).toBeUndefined();
  expect(lenient.lines).toMatchObject([
    {
      level: 'warn',
      fields: {
        hook: 'garden/rows.sh',
        problem: 'document 1: MergePatch has no field "mergePatsh"',
      },
    },
  ]);
  expect(failures[1]?.message).toContain('MergePatch has no field "mergePatsh"');
  expect(sent).toEqual(['patch a']);
});

test('the resource usage of a hook that reached its time limit is measured', async () => {
  const { client } = writer();
  const usage = { ...{ durationMs: 1, survivors: 0 }, ...USAGE };
  const error = new ProgramError('too long', { reason: 'timeout', usage });
  const run = preparedRun({ client, leaves: [{ error }] });

  await expect(run.attempt()).rejects.toBe(error);

  expect(run.meter.value('shell_operator_hook_run_max_rss_bytes')).toBe(USAGE.maxRssBytes);
});

const USAGE = { userCpuSeconds: 2, systemCpuSeconds: 3, maxRssBytes: 4_096 };

test('the resource usage of a hook is measured', async () => {
  const { client } = writer();
  const run = preparedRun({ client, leaves: [{}] });

  await run.attempt();

  const series = '{binding="crops",hook="garden/rows.sh",queue="main"}';
  expect(run.meter.snapshot()).toEqual({
    [`shell_operator_hook_run_max_rss_bytes${series}`]: 1_024,
    [`shell_operator_hook_run_user_cpu_seconds${series}`]: [0.25],
    [`shell_operator_hook_run_sys_cpu_seconds${series}`]: [0.5],
  });
});

test.each([
  ['levels', '['.repeat(2_000), 'its patch file is refused: document 1: has more than 1000 levels'],
  [
    'documents',
    '{}'.repeat(20_001),
    'its patch file is refused: document 20001: is beyond the limit of 20000 documents',
  ],
  [
    'members',
    `{${Array.from({ length: 10_001 }, (_, at) => `"${at}":0`).join(',')}}`,
    'its patch file is refused: document 1: has an object with more than 10000 members',
  ],
  [
    'values in strings of all documents together',
    Array.from({ length: 6 }, () => lineWithText(`[${'0,'.repeat(90_000)}0]`)).join(''),
    'the text of mergePatch the file has more than',
  ],
  [
    'aliases',
    lineWithText(`a: &a [${'x, '.repeat(6_000)}x]\nb: [${'*a, '.repeat(90)}*a]`),
    'the text of mergePatch the file has more than 500000 values up to it, with its aliases',
  ],
])('[found 3] a patch file beyond the limit of %s causes an error that contains the limit, and nothing is sent', async (_what, patches, problem) => {
  const { client, sent } = writer();
  const run = preparedRun({ client, leaves: [{ patches }] });

  const failure = await run.attempt();

  expect(failure).toMatchObject({ failure: 'result', context: { hook: 'garden/rows.sh' } });
  expect(failure?.message).toContain(problem);
  expect(sent).toEqual([]);
});

test('[found 3] metrics files and answers to reviews have the same limits as patch files', async () => {
  const { client } = writer();
  const leaves = [{ metrics: '{'.repeat(2_000_000) }, { responses: ['[1]'.repeat(30_000)] }];
  const run = preparedRun({ client, leaves });

  const failures = [await run.attempt(), await run.attempt()];

  expect(failures.map((failure) => failure?.message)).toEqual([
    expect.stringContaining('its metrics file is refused: document 1: has more than 1000 levels'),
    expect.stringContaining('its response file is refused: document 20001: is beyond the limit'),
  ]);
});

test("[found 8] the error of a hook's jq program does not repeat jq's message", async () => {
  const { client } = writer();
  const program = { operation: 'JQPatch', kind: 'ConfigMap', namespace: 'farm', name: 'a' };
  const leaves = [{ patches: [{ ...program, jqFilter: '.data.password = hunter2 |' }] }];
  const run = preparedRun({ client, leaves });

  const failure = await run.attempt();

  expect(failure?.message).toContain('jq cannot compile jqFilter');
  expect(failure?.message).not.toContain('hunter2');
});

function lineWithText(mergePatch: string): string {
  return `${JSON.stringify({ ...merge('a'), mergePatch })}\n`;
}
