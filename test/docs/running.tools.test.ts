/**
 * The commands of docs/guides/operate/running.md that need curl, run.
 *
 * @module-tag curl
 */
import { configMap, eventually } from '@chancery/testing';
import { expect, test } from 'vitest';
import { type Child, freePort } from '../cli/child.ts';
import { startServer } from '../cli/server.ts';
import { folderWithTools } from '../tools/links.ts';
import { commandsOf, folder, observing, running, shell } from './running-commands.ts';

test('hello: the commands in the guides that check, dry-run, run, probe, inspect and stop the operator succeed', async () => {
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
      const asked = shell(here, place, {}, folderWithTools('curl'));
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
