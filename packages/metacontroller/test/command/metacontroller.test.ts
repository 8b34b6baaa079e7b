/** `chancery metacontroller` from its command line to a child, on an embedded API server. */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ApiServer, eventually } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import { METACONTROLLER } from '../../../../operator/cli/metacontroller/table.ts';
import { command } from '../../../../operator/cli/table-command.ts';
import type { KubernetesObject } from '../../../../operator/index.ts';
import { invoke } from '../../../../test/cli/invocation.ts';
import { compositeControllers, decoratorControllers } from '../../src/definitions/resources.ts';
import { composite, parent, parentDefinition } from '../supervisor/world.ts';

const NO_PORTS = { CHANCERY_HEALTH_PORT: '0', CHANCERY_METRICS_PORT: '0' };

const MODULE = `
export function sync({ parent }) {
  const metadata = { name: parent.metadata.name + '-plan' };
  return { status: {}, children: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata }] };
}
`;

async function start(
  args: readonly string[],
  {
    env = {},
    sync,
  }: { readonly env?: Readonly<Record<string, string>>; readonly sync?: string } = {},
) {
  const server = await ApiServer.start();
  onTestFinished(() => server.close());
  for (const { definition } of [compositeControllers, decoratorControllers]) {
    server.create(definition as KubernetesObject);
  }
  server.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'farm' } });
  server.create(parentDefinition('Orchard'));
  server.create(composite('orchards', 'orchards', undefined));
  server.create(parent('Orchard', 'north'));
  const run = invoke(['metacontroller', ...(await withFunctions(args, sync))], {
    env: { ...NO_PORTS, CHANCERY_API_URL: server.url, ...env },
  });
  return { server, run };
}

async function withFunctions(
  args: readonly string[],
  sync = '{ module: plan.mjs, export: sync }',
): Promise<readonly string[]> {
  const folder = await mkdtemp(join(tmpdir(), 'functions-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'plan.mjs'), MODULE);
  const file = join(folder, 'functions.yaml');
  await writeFile(file, `- kind: CompositeController\n  name: orchards\n  sync: ${sync}\n`);
  return [`--functions=${file}`, ...args];
}

test('the command runs a module as the hook of a controller, until it is stopped', async () => {
  const { server, run } = await start([]);

  await eventually(() => server.get('v1', 'ConfigMap', 'farm', 'north-plan'));
  run.stop();

  expect(await run.exit).toBe(0);
  expect(server.requests.filter(({ path }) => path.includes('/leases'))).toEqual([]);
});

test('controllers of Metacontroller cannot be sharded among replicas: startup fails before any request, and the error suggests a remedy', async () => {
  const { server, run } = await start([], { env: { CHANCERY_SHARDS: '16' } });

  expect(await run.exit).toBe(2);
  expect(run.stderr.lines.join('\n')).toMatch(
    /CHANCERY_SHARDS does not divide .* Metacontroller's controllers: unset it/,
  );
  expect(server.requests).toEqual([]);
});

test('`--check` prints the functions, without any request to the API server', async () => {
  const { server, run } = await start(['--check']);

  expect(await run.exit).toBe(0);
  expect(run.stdout.lines.map((line) => JSON.parse(line))).toMatchObject([
    { kind: 'CompositeController', name: 'orchards', hook: 'sync', export: 'sync' },
  ]);
  expect(server.requests).toEqual([]);
});

test('`--dry-run` prints the writes that would happen, and writes nothing', async () => {
  const { server, run } = await start(['--dry-run']);

  expect(await run.exit).toBe(0);
  expect(run.stdout.lines.join('\n')).toContain('north-plan');
  expect(server.get('v1', 'ConfigMap', 'farm', 'north-plan')).toBeUndefined();
});

test('if a token is readable, the command refuses to start before it loads any user code', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'token-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'token'), 'secret');
  const { metacontroller } = await import('../../src/command/metacontroller.ts');
  const tokenFolders = [folder];

  const run = invoke(['metacontroller', '--functions=/absent.yaml'], {
    commands: [
      command(
        METACONTROLLER,
        async () => (given, io) => metacontroller(given, io, { tokenFolders }),
      ),
    ],
    env: { ...NO_PORTS, CHANCERY_INSECURE_ALLOW_TOKEN: 'false' },
  });

  expect(await run.exit).toBe(3);
  expect(run.stderr.lines.join()).not.toContain('absent.yaml');
});

test.runIf(process.platform === 'linux')(
  '[found 4] in a Pod, a warning says that programs can read the environment unless the image prevents it, and modules cause no warning',
  async () => {
    const env = { POD_NAMESPACE: 'farm' };
    const said = 'programs can read variables';

    const { run: programs } = await start(['--no-leader-election'], {
      env,
      sync: '{ exec: [cat] }',
    });
    await eventually(() => programs.stderr.lines.some((line) => line.includes(said)));
    programs.stop();
    const { server, run: modules } = await start(['--no-leader-election'], { env });
    await eventually(() => server.get('v1', 'ConfigMap', 'farm', 'north-plan'));
    modules.stop();

    expect([await programs.exit, await modules.exit]).toEqual([0, 0]);
    expect(modules.stderr.lines.join('\n')).not.toContain(said);
  },
);
