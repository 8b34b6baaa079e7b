import { PassThrough } from 'node:stream';
import * as testKit from '@chancery/testing';
import { FakeClock } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import { confirmContext } from '../../operator/cli/dev/context-cluster.ts';
import type { DevTestKit } from '../../operator/cli/dev/embedded-cluster.ts';
import { DEV } from '../../operator/cli/dev/table.ts';
import { parseFlags } from '../../operator/cli/flags.ts';
import { StopSignals } from '../../operator/cli/process-end.ts';
import { folderWith } from '../cli/child.ts';
import { Collector } from '../cli/collector.ts';
import { invoke } from '../cli/invocation.ts';
import { Project } from './support/project.ts';

test.each([
  [['--context', ''], /--context must name a context/],
  [['--yes'], /--yes is for --context, which is not given/],
  [['--kubeconfig', 'a'], /--kubeconfig is for --context, which is not given/],
  [['--context=a', '--kubeconfig-out=b'], /--kubeconfig-out is for the embedded API server/],
  [['--context=a', '--port=1'], /--port is for the embedded API server/],
  [['--port', 'x'], /--port must be a whole number from 0 to 65535, not "x"/],
  [['--inspect=x'], /--inspect must be a whole number/],
  [['-n', 'A'], /--namespace must be at most 63/],
  [['--sample', 'a'], /unknown option '--sample'; did you mean --samples\?/],
])('`chancery dev` with the arguments %j exits with 2 and a reason', async (args, message) => {
  const { exit, stderr } = invoke(['dev', 'operator.ts', ...args]);

  expect(await exit).toBe(2);
  expect(stderr.lines.join('\n')).toMatch(message);
});

test('[DEV-8] `--inspect` takes a port only after an equals sign', () => {
  const inspect = (...args: string[]): unknown => parseFlags(args, DEV).values.inspect;

  expect(inspect('--inspect', 'operator.ts')).toBe(9_229);
  expect(parseFlags(['--inspect', 'operator.ts'], DEV).words).toEqual(['operator.ts']);
  expect(inspect('--inspect=0')).toBe(0);
  expect(inspect()).toBeUndefined();
});

test('if the module or the samples are missing, `chancery dev` exits with 2', async () => {
  const folder = folderWith({ 'operator.ts': 'export default 1;' });
  const missing = invoke(['dev', `${folder}/other.ts`]);
  const samples = invoke(['dev', `${folder}/operator.ts`, '--samples', `${folder}/none`]);

  expect([await missing.exit, await samples.exit]).toEqual([2, 2]);
  expect(missing.stderr.lines).toEqual([
    `chancery dev: cannot load ${folder}/other.ts: no such file`,
  ]);
  expect(samples.stderr.lines[0]).toContain(`cannot read --samples ${folder}/none: no such file`);
});

test('`--kubeconfig-out` does not overwrite a file that chancery did not write', async () => {
  const folder = folderWith({ 'operator.ts': 'export default 1;', config: 'kind: Config' });
  const args = [`${folder}/operator.ts`, '--kubeconfig-out', `${folder}/config`];
  const { exit, stderr } = invoke(['dev', ...args]);

  expect(await exit).toBe(2);
  expect(stderr.lines).toEqual([
    `chancery dev: cannot write --kubeconfig-out ${folder}/config: another file has this name; name a new one`,
  ]);
});

test('[DEV-12] without a terminal `chancery dev --context` exits with 2, unless `--yes` is given', async () => {
  const project = new Project({
    'operator.ts': 'export default 1;',
    kubectl: KUBECTL,
  });
  project.makeExecutable('kubectl');
  const env = { PATH: process.env.PATH ?? '', KUBECTL: project.path('kubectl') };

  const { exit, stderr } = invoke(['dev', project.path('operator.ts'), '--context', 'prod'], {
    env,
  });

  expect(await exit).toBe(2);
  expect(stderr.lines).toEqual([
    'chancery dev: nothing was written to context prod: there is no terminal to ask on; add --yes to ' +
      'write to it without being asked',
  ]);
  expect(project.read('calls').split('\n').filter(Boolean)).toEqual([
    'version --client --output=json',
    'config view --minify --output=json --context=prod --request-timeout=30s',
  ]);
});

/** It knows one context, and keeps what it was asked in a file. */
const KUBECTL = `#!/bin/sh
echo "$@" >> "$(dirname "$0")/calls"
case "$1" in
  version) echo '{"clientVersion":{"gitVersion":"v1.33.1"}}' ;;
  config) echo '{"clusters":[{"cluster":{"server":"https://prod.example"}}],"contexts":[{}]}' ;;
esac
`;

test.each([
  ['prod\n', undefined],
  [' prod \n', undefined],
  ['yes\n', /its name was not confirmed/],
  ['\n', /its name was not confirmed/],
  ['', /its name was not confirmed/],
])('[DEV-12] on a terminal the answer %j decides whether `chancery dev` uses the context', async (answer, message) => {
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  const stderr = Object.assign(new Collector(), { isTTY: true });
  const signal = new AbortController().signal;
  const io = { stdin, stderr, signal } as unknown as Parameters<typeof confirmContext>[2];

  const confirmed = confirmContext('prod', 'Facts.', io);
  stdin.end(answer);

  if (message === undefined) await expect(confirmed).resolves.toBeUndefined();
  else await expect(confirmed).rejects.toThrow(message);
});

test('[DEV-9] a second signal from npm within 300 ms counts as the same Ctrl-C', () => {
  const clock = new FakeClock();
  const below = new StopSignals(clock, { npm_lifecycle_event: 'dev' });
  const alone = new StopSignals(clock, {});

  expect([alone.receive(), alone.receive()]).toEqual(['stop', 'at once']);
  expect([below.receive(), below.receive()]).toEqual(['stop', 'repeated']);
  clock.advance(300);
  expect(below.receive()).toBe('at once');
});

test('the test kit exports what `chancery dev` uses', () => {
  const kit: DevTestKit = testKit;

  expect(kit.StandInAmbassador).toBeTypeOf('function');
});

test('if the port is in use, `chancery dev` exits with 1, and the error contains the port', async () => {
  const folder = folderWith({ 'operator.ts': 'export default 1;' });
  const server = await testKit.ApiServer.start();
  onTestFinished(() => server.close());

  const args = ['dev', `${folder}/operator.ts`, '--port', `${server.port}`];
  const { exit, stderr } = invoke(args, { env: { KUBECTL: 'none' } });

  expect(await exit).toBe(1);
  expect(stderr.lines.join()).toContain(`cannot listen on port ${server.port} of 127.0.0.1`);
});
