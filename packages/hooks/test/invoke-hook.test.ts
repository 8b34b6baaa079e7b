/** One start of a hook: what it finds, what it may say, and what is read of what it leaves. */
import { readdir, readFile, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { FakeClock } from '@chancery/testing';
import { systemClock } from 'chancery/low-level';
import { expect, onTestFinished, test } from 'vitest';
import { RunFolders } from '../../../operator/process/run-files.ts';
import { executable, PATH, testFolder } from '../../../test/process/support.ts';
import { type LogLine, recordingLog } from '../../../test/support/recording-log.ts';
import type { Hook } from '../src/hook.ts';
import { hookEnvironment } from '../src/run/hook-environment.ts';
import { type HookAnswer, type InvocationOptions, invokeHook } from '../src/run/invoke-hook.ts';
import { NO_BINDINGS } from './support/documents.ts';

interface Place {
  /** Where the files of runs are made. */
  readonly tmpDir: string;
  /** Where hooks stand. */
  readonly folder: string;
  readonly lines: LogLine[];
  invoke(text: string, options?: Partial<InvocationOptions> & Started): Promise<HookAnswer>;
}

interface Started {
  readonly name?: string;
  readonly contexts?: string | Iterable<string>;
  readonly ownTimeoutMs?: number;
}

async function place(): Promise<Place> {
  const folder = await realpath(await testFolder());
  const tmpDir = join(folder, 'tmp');
  const folders = await RunFolders.open(tmpDir);
  onTestFinished(() => folders[Symbol.asyncDispose]());
  const { lines, logFor } = recordingLog();
  return {
    tmpDir,
    folder,
    lines,
    async invoke(text, { name = 'a.sh', contexts = '[]\n', ownTimeoutMs, ...options } = {}) {
      const path = await executable(join(folder, 'hook.mjs'), text);
      const config = {
        ...NO_BINDINGS,
        ...(ownTimeoutMs !== undefined && { timeoutMs: ownTimeoutMs }),
      };
      const hook: Hook = { name, path, config, rights: undefined };
      const env = { PATH };
      const facts = { binding: 'pods', queue: 'main' };
      const every = {
        folders,
        env,
        timeoutMs: 60_000,
        clock: systemClock,
        log: logFor({}),
        ...facts,
      };
      return await invokeHook(
        hook,
        contexts,
        { ...every, ...options },
        new AbortController().signal,
      );
    },
  };
}

const sh = (...lines: string[]): string => ['#!/bin/sh', ...lines, ''].join('\n');

test('[hooks S4] [hooks 23] the environment of a hook contains the variables of the contract and of the allow-list, and no other variables', async () => {
  const { invoke, folder, tmpDir } = await place();
  const ours = {
    PATH,
    HOME: '/home/x',
    LC_ALL: 'C',
    AWS_SECRET_ACCESS_KEY: 's',
    KUBECONFIG: '/k',
    MINE: '1',
  };
  const env = hookEnvironment(ours, 'http://127.0.0.1:8001', ['MINE', 'NOT_SET']);
  const text = `#!${process.execPath}
    import { readFileSync, statSync, writeFileSync } from 'node:fs';
    const { env } = process;
    const of = (name) => [env[name], (statSync(env[name]).mode & 0o777).toString(8), readFileSync(env[name], 'utf8')];
    const files = Object.keys(env).filter((name) => name.endsWith('_PATH'));
    const told = { names: Object.keys(env), argv: process.argv.slice(2), cwd: process.cwd(), files: Object.fromEntries(files.map((name) => [name, of(name)])) };
    writeFileSync(env.METRICS_PATH, JSON.stringify(told));`;

  const answer = await invoke(text, {
    name: 'sub dir/copy.py',
    contexts: ['[{"binding":', '"é"}]\n'],
    env,
  });
  const told = JSON.parse(answer.metrics);

  expect(told).toMatchObject({ argv: [], cwd: folder });
  expect(told.names.toSorted()).toEqual([
    'ADMISSION_RESPONSE_PATH',
    'BINDING_CONTEXT_PATH',
    'CHANCERY_API_URL',
    'CHANCERY_RUN',
    'CONVERSION_RESPONSE_PATH',
    'HOME',
    'KUBERNETES_PATCH_PATH',
    'LC_ALL',
    'METRICS_PATH',
    'MINE',
    'PATH',
    'VALIDATING_RESPONSE_PATH',
  ]);
  const { BINDING_CONTEXT_PATH: contexts, ...empty } = told.files;
  expect(contexts.slice(1)).toEqual(['644', '[{"binding":"é"}]\n']);
  for (const file of Object.values(empty)) expect((file as string[]).slice(1)).toEqual(['644', '']);
  expect(told.files.ADMISSION_RESPONSE_PATH).toEqual(told.files.VALIDATING_RESPONSE_PATH);
  const named = (variable: string) => told.files[variable][0].split('/').at(-1);
  expect(named('BINDING_CONTEXT_PATH')).toMatch(
    /^hook-sub-dir-copy-py-binding-context-[0-9a-f-]{36}\.json$/,
  );
  expect(named('METRICS_PATH')).toMatch(/^hook-sub-dir-copy-py-metrics-[0-9a-f-]{36}\.json$/);
  expect(named('KUBERNETES_PATCH_PATH')).toMatch(/^sub-dir-copy-py-object-patch-[0-9a-f-]{36}$/);
  expect(told.files.METRICS_PATH[0].startsWith(tmpDir)).toBe(true);
});

test('the runner reads the files that a hook has written, and then removes them', async () => {
  const { invoke, tmpDir, lines } = await place();

  const answer = await invoke(
    sh(
      'echo "$BINDING_CONTEXT_PATH"',
      'echo patch > $KUBERNETES_PATCH_PATH',
      'echo metric > $METRICS_PATH',
      'echo review > $ADMISSION_RESPONSE_PATH',
      'echo conversion > $CONVERSION_RESPONSE_PATH',
    ),
  );

  expect(answer).toMatchObject({
    ...{ exitCode: 0, patches: 'patch\n', metrics: 'metric\n' },
    responses: ['review\n', 'conversion\n'],
  });
  expect(answer.usage.durationMs).toBeGreaterThan(0);
  await expect(readFile(String(lines[0]?.fields.line))).rejects.toMatchObject({ code: 'ENOENT' });
  const [runner = ''] = await readdir(tmpDir);
  expect(await readdir(join(tmpDir, runner))).toEqual([]);
});

test('with ignoreHookError, the patches of a failed hook are kept, and its metrics are dropped', async () => {
  const { invoke } = await place();

  const failed = await invoke(
    sh('echo patch > $KUBERNETES_PATCH_PATH', 'echo metric > $METRICS_PATH', 'exit 4'),
  );
  const broken = await invoke(
    sh('rm $KUBERNETES_PATCH_PATH', 'mkfifo $KUBERNETES_PATCH_PATH', 'exit 5'),
  );

  expect(failed).toMatchObject({ exitCode: 4, patches: 'patch\n', metrics: '' });
  expect(broken).toMatchObject({ exitCode: 5, patches: '', metrics: '' });
});

test('[hooks 22] a run fails if the hook replaces its patch file by a pipe, and the files of the run are removed', async () => {
  const { invoke, tmpDir } = await place();

  const run = invoke(sh('rm $KUBERNETES_PATCH_PATH', 'mkfifo $KUBERNETES_PATCH_PATH'));

  await expect(run).rejects.toMatchObject({ name: 'ResultFileError', code: 'PROGRAM' });
  const [runner = ''] = await readdir(tmpDir);
  expect(await readdir(join(tmpDir, runner))).toEqual([]);
});

test('[hooks S9] the time limit of a single hook overrides the limit for all hooks', async () => {
  const { invoke } = await place();
  const clock = new FakeClock();
  const hang = sh('kill -STOP $$');

  const run = invoke(hang, { clock, timeoutMs: 1_000, ownTimeoutMs: 7_000 });
  const refused = expect(run).rejects.toMatchObject({
    reason: 'timeout',
    context: { timeoutMs: 7_000 },
  });
  // Stopped, it does not see the SIGTERM that comes first.
  while (!(await settledIn(run))) clock.advance(1_000);

  await refused;
});

/** Whether a promise has settled, after a turn for what waits. */
function settledIn(promise: Promise<unknown>): Promise<boolean> {
  const settled = promise.then(
    () => true,
    () => true,
  );
  return Promise.race([settled, new Promise<boolean>((resolve) => setImmediate(resolve, false))]);
}

test('processes that a hook leaves running are ended, and the log says so', async () => {
  const { invoke, lines } = await place();

  const answer = await invoke(sh('setsid sleep 100 &', 'exit 0'));

  expect(answer.exitCode).toBe(0);
  expect(lines).toEqual([
    {
      level: 'warn',
      message: 'the hook left processes behind; they were ended',
      fields: { hook: 'a.sh', binding: 'pods', queue: 'main', survivors: 1 },
    },
  ]);
});
