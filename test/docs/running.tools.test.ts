/**
 * The commands of docs/running.md that need curl, run.
 *
 * @module-tag curl
 */
import { mkdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { configMap, eventually } from 'chancery/testing';
import { expect, test } from 'vitest';
import { BIN, type Child, freePort, start } from '../cli/child.ts';
import { startServer } from '../cli/server.ts';
import { folderWithTools } from '../tools/links.ts';
import { copyExamples, exampleFolder, guide } from './guide.ts';

const running = guide('running.md');
const observing = guide('observing.md');

/** The indented lines of a guide that begin with `beginning`, as somebody types them. */
function commandsOf(text: string, beginning: string): readonly string[] {
  return text
    .split('\n')
    .filter((line) => line.startsWith(`    ${beginning}`))
    .map((line) => line.trim());
}

/** The examples of `running.md`, beside a `chancery` that is a command. */
function folder(): string {
  const made = exampleFolder();
  copyExamples('running.md', made);
  mkdirSync(join(made, 'bin'));
  symlinkSync(BIN, join(made, 'bin', 'chancery'));
  return made;
}

function shell(command: string, place: string, env: Readonly<Record<string, string>>): Child {
  const PATH = [
    join(place, 'bin'),
    folderWithTools('curl'),
    dirname(process.execPath),
    process.env.PATH,
  ].join(':');
  return start('sh', ['-c', `cd '${place}' && exec ${command}`], { ...env, PATH });
}

test('hello: checked, tried without a write, run, probed, looked into and stopped', async () => {
  const server = await startServer();
  server.create(configMap('a', { namespace: 'demo' }));
  const [check = '', dryRun = '', run = ''] = commandsOf(running, 'chancery run ');
  const place = folder();
  const [health, metrics] = [await freePort(), await freePort()];
  const env = {
    CHANCERY_API_URL: server.url,
    WATCH_NAMESPACE: 'demo',
    CHANCERY_HEALTH_PORT: `${health}`,
    CHANCERY_METRICS_PORT: `${metrics}`,
  };

  const checked = shell(check, place, env);
  const tried = shell(dryRun, place, env);
  expect([await checked.exit, await tried.exit]).toEqual([0, 0]);
  const operator = shell(run, place, env);
  await eventually(() => textOf(operator.stderr).includes('looked at'));
  const [ready, status, numbers] = await Promise.all(
    commandsOf(observing, 'curl ').map(async (command) => {
      const here = command.replace(':8081', `:${health}`).replace(':8080', `:${metrics}`);
      const asked = shell(here, place, {});
      await asked.exit;
      return textOf(asked.stdout);
    }),
  );
  const [, signal = ''] = /`kill -(\w+) PID`/.exec(observing) ?? [];
  operator.kill(`SIG${signal}` as NodeJS.Signals);
  await eventually(() => textOf(operator.stderr).includes('log level changed'));
  operator.kill('SIGTERM');

  expect(textOf(checked.stdout)).toContain('"controller":"hello"');
  expect(textOf(tried.stderr)).toContain('nothing was written');
  expect(ready).toMatch(/^\[\+\]warm ok$/m);
  expect(JSON.parse(status ?? '')).toMatchObject({ phase: 'running', ready: true });
  expect(numbers).toMatch(/^controller_runtime_reconcile_total\{.*result="success"\} 1$/m);
  expect(await operator.exit).toBe(0);
});

function textOf({ lines }: Child['stdout']): string {
  return `${lines.join('\n')}\n`;
}
