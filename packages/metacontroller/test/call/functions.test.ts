/** Hooks as programs and modules, from a mounted file: how they are called, what ends them, what is refused. */
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, FakeClock } from '@chancery/testing';
import { systemClock } from 'chancery/low-level';
import { expect, onTestFinished, test } from 'vitest';
import { recordingLog } from '../../../../test/support/recording-log.ts';
import { createHookFunctions } from '../../src/call/create-hook-functions.ts';
import { loadFunctionsFile } from '../../src/call/functions/load-functions-file.ts';
import type { CompositeSpec } from '../../src/spec.ts';
import { answering, call, keysOf, request, scriptedHook } from './support.ts';

/** A controller without hooks of its own. */
const SPEC: CompositeSpec = {
  kind: 'CompositeController',
  name: 'orchards',
  uid: 'u',
  object: {
    apiVersion: 'metacontroller.k8s.io/v1alpha1',
    kind: 'CompositeController',
    metadata: { name: 'orchards' },
  },
  resyncPeriodMs: undefined,
  hooks: {},
  relatedResources: [],
  parent: {
    apiVersion: 'fruit.example/v1',
    resource: 'orchards',
    labelSelector: undefined,
    revisionFieldPaths: ['spec'],
    ignoreStatusChanges: false,
  },
  children: [],
  generateSelector: true,
};

/** A folder with a program `sync.mjs`, a module `hooks.ts`, and a file of functions. */
async function folder({ program = '', module = '' }: { program?: string; module?: string }) {
  const dir = await mkdtemp(join(tmpdir(), 'chancery-functions-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  await writeFile(join(dir, 'sync.mjs'), `#!${process.execPath}\n${program}`);
  await chmod(join(dir, 'sync.mjs'), 0o755);
  await writeFile(join(dir, 'hooks.ts'), module);
  return dir;
}

/** The functions of `SPEC` with a sync function as stated. */
async function functions(
  sync: object,
  {
    dir,
    clock = systemClock,
    environment = {},
    spec = SPEC,
  }: {
    dir: string;
    clock?: FakeClock | typeof systemClock;
    environment?: Record<string, string>;
    spec?: CompositeSpec;
  },
) {
  const path = join(dir, 'functions.yaml');
  const { kind, name } = SPEC;
  await writeFile(path, JSON.stringify([{ kind, name, sync }]));
  const file = await loadFunctionsFile(path);
  return createHookFunctions(spec, file, {
    keys: keysOf({}),
    apiUrl: 'http://127.0.0.1:8001',
    ownPorts: () => [],
    environment,
    clock,
  });
}

const READ = "import { readFileSync } from 'node:fs'; const asked = readFileSync(0, 'utf8');";
const EXEC = { exec: ['./sync.mjs', 'one', ''] };
const MODULE = { module: './hooks.ts' };

test('[security 50] a program gets the request on standard input, and runs with its arguments, in its folder, without secrets', async () => {
  const dir = await folder({
    program: `${READ} console.log(JSON.stringify({
      asked: JSON.parse(asked), args: process.argv.slice(2), cwd: process.cwd(), env: Object.keys(process.env) }));`,
  });
  const environment = {
    PATH: '/usr/bin',
    TZ: 'UTC',
    API_TOKEN: 'SECRET',
    CHANCERY_API_URL: 'http://x',
  };
  const { sync } = await functions(EXEC, { dir, environment });

  const answer = await sync?.call(request(), call());

  const { asked, args, cwd, env } = JSON.parse((answer as { text: string }).text);
  expect({ asked, args, cwd }).toEqual({
    asked: { parent: { a: 1 } },
    args: ['one', ''],
    cwd: dir,
  });
  expect(env.toSorted()).toEqual(['CHANCERY_RUN', 'PATH', 'TZ']);
  expect(sync).toMatchObject({ mode: 'exec', version: 'v2', answers: 'strict' });
  expect(sync?.description).toBe(join(dir, 'sync.mjs'));
});

test("lines on a program's standard error become log lines, and are not part of the answer", async () => {
  const dir = await folder({ program: "console.error('two\\n\\npears'); console.log('{}');" });
  const { sync } = await functions(EXEC, { dir });
  const { lines, logFor } = recordingLog();

  await expect(sync?.call(request(), call({ log: logFor({}) }))).resolves.toEqual({ text: '{}\n' });

  expect(lines.map(({ fields }) => fields.line)).toEqual(['two', 'pears']);
});

test('a program that prints 1,500 log lines fills neither the log nor the answer', async () => {
  const dir = await folder({
    program: "process.stderr.write('pear\\n'.repeat(1500)); process.stdout.write('{}');",
  });
  const { sync } = await functions(EXEC, { dir });
  const { lines, logFor } = recordingLog();

  await sync?.call(request(), call({ log: logFor({}) }));

  expect(lines).toHaveLength(1_001);
  expect(lines.at(-1)).toMatchObject({
    level: 'warn',
    message: 'the hook wrote more lines; they are not logged',
  });
});

test('the error of a failed program ends with the last lines of its standard error', async () => {
  const dir = await folder({
    program: `${READ} console.error('x'.repeat(9000)); console.error('no such crop'); process.exit(3);`,
  });
  const { sync } = await functions(EXEC, { dir });

  const error = await sync?.call(request(), call()).catch((thrown: unknown) => thrown);

  expect(error).toMatchObject({ reason: 'ProgramFailed', context: { exitCode: 3 } });
  expect((error as Error).message).toMatch(/sync\.mjs ended with exit code 3: x+\nno such crop$/);
  expect((error as Error).message.length).toBeLessThan(2_500);
});

test('a hanging program is ended at its time limit, and a program with endless output after 10 MB', async () => {
  const dir = await folder({
    program:
      "if (process.argv[2] === 'hang') setInterval(() => {}, 1e6); else process.stdout.write('x'.repeat(3e7));",
  });
  const hanging = await functions({ exec: ['./sync.mjs', 'hang'], timeout: '50ms' }, { dir });
  const writing = await functions({ exec: ['./sync.mjs', 'write'] }, { dir });

  await expect(hanging.sync?.call(request(), call())).rejects.toMatchObject({ reason: 'Timeout' });
  await expect(writing.sync?.call(request(), call())).rejects.toMatchObject({ reason: 'TooLarge' });
});

test('a call fails if its program was removed after startup, and an abort ends a running program', async () => {
  const dir = await folder({ program: 'setInterval(() => {}, 1e6);' });
  const { sync } = await functions(EXEC, { dir });
  const stop = new AbortController();
  const running = expect(sync?.call(request(), call({ signal: stop.signal }))).rejects.toThrow(
    'stopped',
  );
  stop.abort(new Error('stopped'));
  await running;
  await rm(join(dir, 'sync.mjs'));

  await expect(sync?.call(request(), call())).rejects.toMatchObject({ reason: 'ProgramFailed' });
});

test('a module gets the frozen request, and its return value is the answer', async () => {
  const module = `export const sync = async (request: { parent: { a: number } }, { log, signal }) => {
    log.info({}, 'called');
    return { got: request, frozen: Object.isFrozen(request.parent), aborted: signal.aborted };
  };`;
  const { sync } = await functions(MODULE, { dir: await folder({ module }) });
  const { lines, logFor } = recordingLog();

  const answer = await sync?.call(request(), call({ log: logFor({}) }));

  expect(answer).toEqual({ value: { got: { parent: { a: 1 } }, frozen: true, aborted: false } });
  expect(lines).toMatchObject([{ message: 'called' }]);
  expect(sync).toMatchObject({ mode: 'module' });
});

test.each([
  ['the export of the hook', {}, 'export const sync = () => 1; export default () => 2;', 1],
  ['the default export', {}, 'export default () => 2;', 2],
  ['a named export', { export: 'orchards' }, 'export const orchards = () => 3, sync = () => 1;', 3],
])('a hook calls a module by %s', async (_, more, module, value) => {
  const { sync } = await functions({ ...MODULE, ...more }, { dir: await folder({ module }) });

  await expect(sync?.call(request(), call())).resolves.toEqual({ value });
});

test.each([
  ["throw new TypeError('no such crop')", 'failed: no such crop'],
  ["return Promise.reject('a string')", 'failed: a string'],
  ['request.parent.a = 2', 'failed: Cannot assign to read only property'],
])('a module fails if it runs %s', async (body, message) => {
  const module = `export function sync(request) { ${body} }`;
  const { sync } = await functions(MODULE, { dir: await folder({ module }) });

  const error = await sync?.call(request(), call()).catch((thrown: unknown) => thrown);

  expect(error).toMatchObject({ name: 'HookError', reason: 'ModuleFailed' });
  expect((error as Error).message).toContain(`hooks.ts ${message}`);
});

test('a promise that never settles is abandoned at the time limit, and the signal that the function got aborts', async () => {
  const module = `export const sync = (_, { signal }) => new Promise(() => {
    globalThis.orchards = signal;
  });`;
  const clock = new FakeClock();
  const dir = await folder({ module });
  const { sync } = await functions({ ...MODULE, timeout: '3s' }, { dir, clock });
  const calling = expect(sync?.call(request(), call())).rejects.toMatchObject({
    reason: 'Timeout',
    message: `${join(dir, 'hooks.ts')} has not answered within 3 s`,
  });
  await eventually(() => expect(globalThis).toHaveProperty('orchards'));

  clock.advance(3_000);

  await calling;
  expect(globalThis).toHaveProperty('orchards.aborted', true);
  expect(clock.pending).toBe(0);
});

test('[contract 26] an entry in the file of functions replaces the webhook of one hook, keeps the version, and does not change other hooks', async () => {
  const { url, received } = await scriptedHook(answering(200));
  const webhook = { url, timeoutMs: 1_000, connection: {} };
  const v1 = { version: 'v1', answers: 'strict', webhook } as const;
  const spec = { ...SPEC, hooks: { sync: v1, finalize: { ...v1, answers: 'loose' as const } } };
  const dir = await folder({ module: 'export const sync = () => 1;' });

  const { sync, finalize, customize } = await functions(MODULE, { dir, spec });
  const other = await functions({ ...MODULE, version: 'v2' }, { dir, spec });

  await expect(sync?.call(request(), call())).resolves.toEqual({ value: 1 });
  expect(received).toEqual([]);
  expect(sync).toMatchObject({ mode: 'module', version: 'v1', answers: 'strict' });
  expect(finalize).toMatchObject({ mode: 'webhook', version: 'v1', answers: 'loose' });
  expect(customize).toBeUndefined();
  expect(other.sync).toMatchObject({ version: 'v2', answers: 'strict' });
  await finalize?.close();
});

test('if a hook has neither a webhook nor an entry in the file of functions, no function is returned for the hook', () => {
  const hooks = { sync: { version: 'v1', answers: 'loose', webhook: undefined } } as const;

  const made = createHookFunctions({ ...SPEC, hooks }, undefined, {
    keys: keysOf({}),
    apiUrl: 'http://127.0.0.1:8001',
    ownPorts: () => [],
    environment: {},
    clock: systemClock,
  });

  expect(made).toEqual({});
});

test('[metacontroller 26] a webhook, a program and a module with the same function return the same answer', async () => {
  const rule =
    '({ children: [{ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "n-" + parent.a } }] })';
  const { url } = await scriptedHook((response, { body }) => {
    const { parent } = JSON.parse(body) as { parent: { a: number } };
    const metadata = { name: `n-${parent.a}` };
    response.end(JSON.stringify({ children: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata }] }));
  });
  const dir = await folder({
    program: `${READ} const answer = ({ parent }) => ${rule}; console.log(JSON.stringify(answer(JSON.parse(asked))));`,
    module: `export const sync = ({ parent }) => ${rule};`,
  });
  const spec = {
    ...SPEC,
    hooks: {
      sync: {
        version: 'v2',
        answers: 'strict',
        webhook: { url, timeoutMs: 9_000, connection: {} },
      },
    },
  } as const;
  const byHttp = createHookFunctions(spec, undefined, {
    keys: keysOf({}),
    apiUrl: 'http://127.0.0.1:1',
    ownPorts: () => [],
    environment: {},
    clock: systemClock,
  });
  const all = [
    byHttp,
    await functions(EXEC, { dir, spec }),
    await functions(MODULE, { dir, spec }),
  ];

  const answers = [];
  for (const { sync } of all) {
    const answer = await sync?.call(request(), call());
    answers.push(
      answer !== undefined && 'text' in answer ? JSON.parse(answer.text) : answer?.value,
    );
    await sync?.close();
  }

  const child = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'n-1' } };
  expect(answers).toEqual([{ children: [child] }, { children: [child] }, { children: [child] }]);
});
