/** What the guides for running operators show: their tables, their commands, their programs. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { configMap, eventually } from '@chancery/testing';
import { expect, test } from 'vitest';
import { formatYaml } from '../../operator/core/yaml.ts';
import { type Child, freePort } from '../cli/child.ts';
import { startServer } from '../cli/server.ts';
import { plain } from '../generate/lint/good.ts';
import { rowsOf } from './guide.ts';
import { commandsOf, folder, observing, running, shell } from './running-commands.ts';

test('check: the commands in running.md report missing permissions as text and as JSON, and excess permissions', async () => {
  const server = await startServer({ authorization: 'RBAC' });
  const user = await server.urlFor('system:serviceaccount:demo:op');
  const env = { CHANCERY_API_URL: user, WATCH_NAMESPACE: 'demo' };
  const place = folder();
  const [people = '', programs = '', excess = ''] = commandsOf(running, 'chancery check ').map(
    (command) => command.replace(/ #.*/, ''),
  );

  const told = shell(people, place, env);
  const read = shell(programs, place, env);
  const beyond = shell(excess, place, env);
  const codes = await Promise.all([told.exit, read.exit, beyond.exit]);

  expect(codes).toEqual([1, 1, 1]);
  expect(textOf(told.stdout)).toContain('configmaps');
  expect(JSON.parse(textOf(read.stdout))).toMatchObject({ rules: [{}, {}] });
  expect(textOf(beyond.stdout)).toContain('configmaps');
});

test('[M-7] greeter: the help, the arguments and the command of the operator work', async () => {
  const server = await startServer();
  server.create(configMap('settings', { namespace: 'demo' }));
  server.create(configMap('other', { namespace: 'demo' }));
  const env = {
    ...{ CHANCERY_API_URL: server.url, WATCH_NAMESPACE: 'demo', CHANCERY_LOG_FORMAT: 'json' },
    ...{ CHANCERY_HEALTH_PORT: '0', CHANCERY_METRICS_PORT: '0', GREETING_END: '?' },
  };
  const place = folder();
  const commands = commandsOf(running, 'chancery run greeter.ts');

  const [help, run, count] = commands.map((command) => shell(command, place, env));

  expect(commands).toHaveLength(3);
  expect(await help?.exit).toBe(0);
  expect(help?.stdout.lines.join('\n')).toContain('--greeting WORD  the first word; default hello');
  expect(await count?.exit).toBe(0);
  expect(count?.stdout.lines).toEqual(['2']);
  const greeted = (): unknown[] =>
    (run?.stderr.records ?? []).flatMap(({ msg, text }) => (msg === 'greeted' ? [text] : []));
  await eventually(() => greeted().length > 0);
  run?.kill('SIGTERM');
  expect(await run?.exit).toBe(0);
  expect(greeted()).toEqual(['hi settings?']);
});

test('lint: the command in running.md reports a memory limit that is too small for the caches of a running operator', async () => {
  const server = await startServer();
  server.create(configMap('a', { namespace: 'demo' }));
  const health = await freePort();
  const env = {
    CHANCERY_API_URL: server.url,
    WATCH_NAMESPACE: 'demo',
    CHANCERY_HEALTH_PORT: `${health}`,
  };
  const place = folder();
  const manifests = plain().set('operator.resources.limits.memory', '96Mi').objects;
  writeFileSync(join(place, 'rendered.yaml'), manifests.map(formatYaml).join('---\n'));
  const operator = shell('chancery run hello.ts', place, env);
  await eventually(() => textOf(operator.stderr).includes('looked at'));
  const page = await fetch(`http://127.0.0.1:${health}/status.json`);
  writeFileSync(join(place, 'status.json'), await page.text());
  operator.kill('SIGTERM');

  const [command = '', ...others] = commandsOf(running, 'chancery lint ');
  const linted = shell(command, place, {});

  expect(others).toEqual([]);
  expect(await linted.exit).toBe(0);
  expect(linted.stdout.lines).toEqual([
    expect.stringMatching(
      /memory is 96Mi: the caches hold 1 object of .* \[operator-memory-limit\]$/,
    ),
  ]);
  expect(await operator.exit).toBe(0);
});

test('the program in running.md runs, and ends by itself after SIGTERM', async () => {
  const server = await startServer();
  server.create(configMap('a', { namespace: 'demo' }));
  const env = { CHANCERY_API_URL: server.url, WATCH_NAMESPACE: 'demo' };

  const program = shell('node --conditions=chancery-source program.ts', folder(), env);
  await eventually(() => 'data' in (server.get('v1', 'ConfigMap', 'demo', 'a') ?? {}));
  program.kill('SIGTERM');

  expect(await program.exit).toBe(0);
});

test('observing.md lists exactly the checks that the probes of an operator have', async () => {
  const server = await startServer();
  const health = await freePort();
  const env = {
    CHANCERY_API_URL: server.url,
    CHANCERY_HEALTH_PORT: `${health}`,
    CHANCERY_READY_SOURCES: 'true',
    CHANCERY_INSTALL_CRDS: 'true',
    CHANCERY_LEADER_ELECTION: 'true',
    POD_NAMESPACE: 'demo',
  };
  const place = folder();
  const operator = shell('chancery run journal.ts', place, env);
  await eventually(() => textOf(operator.stderr).includes('manager started'));
  const checksAt = async (endpoint: string): Promise<string[]> => {
    const answer = await fetch(`http://127.0.0.1:${health}${endpoint}?verbose`);
    const names = [...(await answer.text()).matchAll(/^\[.\](\S+)/gm)];
    return names
      .map(([, name = '']) => `${endpoint} ${name}`)
      .filter((row) => row !== '/readyz ping');
  };

  const live = await checksAt('/healthz');
  const ready = await checksAt('/readyz');

  const probes = observing.split('## Probes')[1]?.split('## Status page')[0] ?? '';
  const rows = rowsOf(probes).filter(([endpoint]) => endpoint?.startsWith('`/'));
  const shown = rows.map(([endpoint = '', check = '']) =>
    `${endpoint} ${check}`.replaceAll('`', ''),
  );
  // The module declares no webhook, and the page names the check of those that do.
  expect(shown.toSorted()).toEqual([...live, ...ready, '/readyz webhooks'].toSorted());
});

test('running.md shows exactly what a dry run prints', async () => {
  const server = await startServer();
  server.create(configMap('settings', { namespace: 'demo', data: { value: '1' } }));
  const module = fileURLToPath(new URL('modules/shop.ts', import.meta.url));
  const env = { CHANCERY_API_URL: server.url, WATCH_NAMESPACE: 'demo' };

  const { exit, stdout } = shell(`chancery run --dry-run ${module}`, folder(), env);

  expect(await exit).toBe(0);
  const [, shown = ''] = /\n\n((?: {4}.*\n)+)/.exec(running.split('## Dry run')[1] ?? '') ?? [];
  expect(comparable(textOf(stdout))).toEqual(comparable(shown.replaceAll(/^ {4}/gm, '')));
});

function textOf({ lines }: Child['stdout']): string {
  return `${lines.join('\n')}\n`;
}

/** Without what is different each time. */
function comparable(diff: string): readonly string[] {
  const lines = diff
    .replaceAll(/uid: .*/g, 'uid')
    .replaceAll(/^@@.*/gm, '@@')
    .split('\n');
  return lines.filter((line) => line !== '');
}
