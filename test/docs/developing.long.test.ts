/** docs/start/developing.md: each of its commands runs in the project that it describes. */
import { chmodSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '@chancery/testing';
import { expect, test } from 'vitest';
import type { Child } from '../cli/child.ts';
import { copyExamples, guide } from './guide.ts';
import { commandsOf, folder, shell } from './running-commands.ts';

const text = guide('start/developing.md');
const commands = commandsOf(text, 'chancery ');

/** A kubectl that knows one context, and whose proxy serves until it is stopped. */
const KUBECTL = `#!/bin/sh
case "$1" in
  version) echo '{"clientVersion":{"gitVersion":"v1.33.1"}}' ;;
  config) echo '{"clusters":[{"cluster":{"server":"https://kind.example"}}],"contexts":[{}]}' ;;
  proxy) echo "Starting to serve on 127.0.0.1:8001"; exec sleep 1000 ;;
esac
`;

/** The project of the guide. */
function project(): string {
  const place = folder();
  copyExamples('start/developing.md', place);
  for (const name of ['src', 'samples']) mkdirSync(join(place, name));
  renameSync(join(place, 'operator.ts'), join(place, 'src/operator.ts'));
  const [, sample = ''] = /^```yaml\n(.*?)^```$/ms.exec(text) ?? [];
  writeFileSync(join(place, 'samples/config.yaml'), sample);
  writeFileSync(join(place, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(place, 'kubectl'), KUBECTL);
  chmodSync(join(place, 'kubectl'), 0o755);
  return place;
}

const has = ({ stderr }: Child, words: string): boolean =>
  stderr.lines.some((line) => line.includes(words));

test.each(
  commands.filter((command) => /^chancery dev(?!.*--context)/.test(command)),
)('%s reconciles the sample', async (command) => {
  const child = shell(command.replace('--inspect', '--inspect=0'), project(), {
    KUBECTL: 'none',
    CHANCERY_LOG_FORMAT: 'json',
  });
  await eventually(() => has(child, 'reconciled for the first time'), { timeoutMs: 35_000 });

  child.kill('SIGINT');

  expect(await child.exit).toBe(0);
  for (const line of [
    'dev: API server   http',
    'dev: ambassador   http',
    'dev: the operator runs',
    'dev: applied samples/config.yaml',
    'reconciled for the first time',
  ]) {
    expect(has(child, line), line).toBe(true);
    expect(text).toContain(line);
  }
  expect(has(child, 'Debugger listening')).toBe(command.includes('--inspect'));
});

test('`chancery dev --context` writes nothing to the cluster without a confirmation', async () => {
  const [command = ''] = commands.filter((each) => each.includes('--context'));
  const place = project();

  const child = shell(command, place, { KUBECTL: join(place, 'kubectl') });

  expect(await child.exit).toBe(2);
  expect(has(child, 'nothing was written to context kind-dev')).toBe(true);
});

test('`chancery proxy` runs only the ambassador, and `chancery generate proxy` prints its filter', async () => {
  const place = project();
  const env = { KUBECTL: join(place, 'kubectl') };
  const [proxy = ''] = commands.filter((each) => each.startsWith('chancery proxy'));
  const [generate = ''] = commands.filter((each) => each.startsWith('chancery generate proxy'));

  const running = shell(proxy, place, env);
  await running.stdout.until(() => running.stdout.lines.length > 0);
  running.kill('SIGTERM');
  const printed = shell(generate, place, env);

  expect([await running.exit, await printed.exit]).toEqual([0, 0]);
  expect(printed.stdout.lines.join('\n')).toContain('/namespaces/demo/configmaps');
  expect(printed.stdout.lines.join('\n')).not.toContain('$(');
});

test('every command of developing.md is run by these tests', () => {
  const kinds = commands.map((command) => command.split(' ').slice(0, 2).join(' '));

  expect(kinds).toEqual([
    'chancery dev',
    'chancery dev',
    'chancery dev',
    'chancery proxy',
    'chancery generate',
  ]);
});
