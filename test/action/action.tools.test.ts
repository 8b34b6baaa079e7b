/**
 * action.yml: its form, and its steps as a runner starts them. npm is a stand-in that installs this checkout.
 *
 * @module-tag bash
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { parseYaml } from '../../operator/core/yaml.ts';
import { BIN, folderWith } from '../cli/child.ts';
import { pathOf } from '../tools/tools.ts';

interface Action {
  readonly name: string;
  readonly description: string;
  readonly inputs: Readonly<
    Record<string, { readonly description: string; readonly default: string }>
  >;
  readonly outputs: Readonly<
    Record<string, { readonly description: string; readonly value: string }>
  >;
  readonly runs: { readonly using: string; readonly steps: readonly Step[] };
}

interface Step {
  readonly name: string;
  readonly id?: string;
  readonly shell: string;
  readonly run: string;
  readonly env: Readonly<Record<string, string>>;
}

const path = fileURLToPath(new URL('../../action.yml', import.meta.url));
const ACTION = parseYaml(readFileSync(path, 'utf8')) as Action;

/** Puts `chancery` and `node` where npm would, and writes down what it was asked for. */
const NPM = `#!/usr/bin/env bash
printf '%s\\n' "$@" > "$RUNNER_TEMP/npm-words"
mkdir -p "$RUNNER_TEMP/chancery/node_modules/.bin"
ln -s "$CHECKOUT" "$RUNNER_TEMP/chancery/node_modules/.bin/chancery"
ln -s "$NODE" "$RUNNER_TEMP/chancery/node_modules/.bin/node"
`;

/** A folder as a runner has one for a job. */
function runner(): { readonly folder: string; readonly env: Readonly<Record<string, string>> } {
  const folder = folderWith({ 'github-env': '', 'github-output': '' });
  mkdirSync(join(folder, 'programs'));
  writeFileSync(join(folder, 'programs/npm'), NPM);
  chmodSync(join(folder, 'programs/npm'), 0o755);
  // The runner ends what is left of a job; here the process that wrote the log does.
  onTestFinished(() => {
    const pid = join(folder, 'pid');
    if (existsSync(pid)) process.kill(Number(readFileSync(pid, 'utf8')), 'SIGTERM');
  });
  return {
    folder,
    env: {
      ...{ RUNNER_TEMP: folder, CHECKOUT: BIN, NODE: process.execPath, HOME: folder },
      GITHUB_ENV: join(folder, 'github-env'),
      GITHUB_OUTPUT: join(folder, 'github-output'),
      PATH: [join(folder, 'programs'), process.env.PATH].join(':'),
    },
  };
}

/** Runs a step as a runner does: `bash -eo pipefail`, and inputs in the place of expressions. */
async function run(
  { run: script, env }: Step,
  inputs: Readonly<Record<string, string>>,
  { folder, env: own }: ReturnType<typeof runner>,
): Promise<{ readonly code: number; readonly stderr: string }> {
  const given = Object.entries(env).map(([name, value]) => [
    name,
    value.replaceAll(/\$\{\{ inputs\.([\w-]+) \}\}/g, (_, input: string) => {
      return inputs[input] ?? ACTION.inputs[input]?.default ?? expect.unreachable(input);
    }),
  ]);
  // The last line tells the process to end.
  const whole = `${script}\n[ -z "\${server:-}" ] || echo "$server" > "$RUNNER_TEMP/pid"\n`;
  const child = spawn(pathOf('bash'), ['--noprofile', '--norc', '-eo', 'pipefail', '-c', whole], {
    cwd: folder,
    env: { ...own, ...Object.fromEntries(given) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const stderr = text(child.stderr);
  const [code] = await once(child, 'exit');
  return { code, stderr: await stderr };
}

const [install, start] = ACTION.runs.steps;

test('the action is composite, uses no other action, and describes every input and output', () => {
  const { name, description, inputs, outputs, runs } = ACTION;

  expect(runs.using).toBe('composite');
  expect(name && description).toBeTruthy();
  expect(
    runs.steps.map((step) =>
      Object.keys(step)
        .filter((key) => key !== 'id')
        .toSorted(),
    ),
  ).toEqual(runs.steps.map(() => ['env', 'name', 'run', 'shell']));
  for (const each of [...Object.values(inputs), ...Object.values(outputs)]) {
    expect(each.description).toMatch(/\.$/);
  }
});

test('inputs reach the shell only as environment variables, and never as a part of a script', () => {
  const { inputs, outputs, runs } = ACTION;
  const used = runs.steps.flatMap(({ env }) =>
    Object.values(env).map((value) => /^\$\{\{ inputs\.([\w-]+) \}\}$/.exec(value)?.[1]),
  );

  expect(runs.steps.filter((step) => step.run.includes('${{'))).toEqual([]);
  expect(used.toSorted()).toEqual(Object.keys(inputs).toSorted());
  for (const [name, { value }] of Object.entries(outputs)) {
    expect(value).toBe(`\${{ steps.start.outputs.${name} }}`);
    expect(start?.run).toContain(`echo "${name}=`);
  }
});

test('the steps of the action install the packages, start a server, and give its address to the next steps', async () => {
  const job = runner();
  const manifest = 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: mode }\n';
  writeFileSync(join(job.folder, 'a b.yaml'), manifest);
  const inputs = {
    manifests: 'a b.yaml\n',
    namespace: 'demo',
    version: '1.2.3',
    'kubernetes-version': '1.33',
  };
  if (install === undefined || start === undefined) return expect.unreachable('two steps');

  expect(await run(install, inputs, job)).toMatchObject({ code: 0 });
  expect(await run(start, inputs, job)).toMatchObject({ code: 0, stderr: '' });

  const words = readFileSync(join(job.folder, 'npm-words'), 'utf8').split('\n');
  expect(words).toEqual(
    expect.arrayContaining(['node@24', 'chancery@1.2.3', '@chancery/testing@1.2.3']),
  );
  const [, url = '', kubeconfig = ''] =
    /^url=(.*)\nkubeconfig=(.*)\n$/.exec(readFileSync(job.env.GITHUB_OUTPUT ?? '', 'utf8')) ?? [];
  expect(readFileSync(job.env.GITHUB_ENV ?? '', 'utf8')).toBe(`KUBECONFIG=${kubeconfig}\n`);
  expect(parseYaml(readFileSync(kubeconfig, 'utf8'))).toMatchObject({
    clusters: [{ cluster: { server: url } }],
    contexts: [{ context: { namespace: 'demo' } }],
  });
  expect(dirname(kubeconfig)).toBe(join(job.folder, 'chancery'));
  const found = await fetch(`${url}/api/v1/namespaces/demo/configmaps/mode`);
  expect(found.status).toBe(200);
  const version = await (await fetch(`${url}/version`)).json();
  expect(version).toMatchObject({ minor: '33' });
});

test("if the server does not start, the step fails with the server's error message", async () => {
  const job = runner();
  if (install === undefined || start === undefined) return expect.unreachable('two steps');
  await run(install, {}, job);

  const { code, stderr } = await run(start, { namespace: 'Not A Name' }, job);

  expect(code).toBe(1);
  expect(stderr).toMatch(/^chancery apiserver: --namespace must be /m);
});
