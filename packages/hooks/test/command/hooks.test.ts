import { chmod, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { eventually, FakeClock } from '@chancery/testing';
import { expect, test, vi } from 'vitest';
import { HOOKS } from '../../../../operator/cli/hooks/table.ts';
import { command } from '../../../../operator/cli/table-command.ts';
import { type Clock, systemClock } from '../../../../operator/core/clock.ts';
import { invoke } from '../../../../test/cli/invocation.ts';
import { configMap } from '../../../../test/cli/printed.ts';
import { startServer } from '../../../../test/cli/server.ts';
import { hooks } from '../../src/command/hooks.ts';
import { CRD_NAME, converting, crontabs } from '../support/crontabs.ts';
import { hooksFolder, writeHook } from '../support/place.ts';

const CONFIG =
  'configVersion: v1\nkubernetes:\n- { name: all, kind: ConfigMap, executeHookOnEvent: [Added] }';
const NO_PORTS = {
  CHANCERY_HEALTH_PORT: '0',
  CHANCERY_METRICS_PORT: '0',
  CHANCERY_WEBHOOK_LISTEN: '127.0.0.1:0',
};

/** `chancery hooks` by a clock of the test, and a server that has the ConfigMap `a`. */
async function runHooks(
  {
    dir,
    args = [],
    env = {},
  }: {
    readonly dir: string;
    readonly args?: readonly string[];
    readonly env?: Readonly<Record<string, string>>;
  },
  clock: Clock = new FakeClock(),
) {
  const server = await startServer();
  server.create({ ...configMap('a'), metadata: { name: 'a', namespace: 'demo' } } as never);
  const run = invoke(['hooks', dir, `--tmp-dir=${join(dir, '..', 'tmp')}`, ...args], {
    commands: [command(HOOKS, async () => (given, io) => hooks(given, io, { clock }))],
    env: { ...NO_PORTS, CHANCERY_API_URL: server.url, PATH: process.env.PATH ?? '', ...env },
  });
  return { server, run };
}

test('the runner watches every namespace, holds no election outside a Pod, and exits with 0 when stopped', async () => {
  const { dir, hook } = await hooksFolder({ recorders: { 'a.sh': CONFIG } });
  const { server, run } = await runHooks({ dir });

  const [[first] = []] = await hook('a.sh').started(1);
  run.stop();

  expect(await run.exit).toBe(0);
  expect(first?.objects?.map(({ object }) => object?.metadata.namespace)).toContain('demo');
  expect(server.requests.filter(({ path }) => path.includes('/leases'))).toEqual([]);
});

test('hooks cannot be sharded among replicas: startup fails before any request, and the error suggests a remedy', async () => {
  const { dir, hook } = await hooksFolder({ recorders: { 'a.sh': CONFIG } });
  const { server, run } = await runHooks({ dir, env: { CHANCERY_SHARDS: '16' } });

  expect(await run.exit).toBe(2);
  expect(run.stderr.lines.join('\n')).toMatch(
    /CHANCERY_SHARDS does not divide .* hooks .*: unset it/,
  );
  expect(server.requests).toEqual([]);
  expect(await hook('a.sh').runs()).toEqual([]);
});

test('an edited script is used at its next run, and the process ends if the answer to `--config` has changed', async () => {
  const { dir, hook } = await hooksFolder({
    recorders: { 'a.sh': CONFIG },
    files: { 'b.mjs': '#!/usr/bin/env node\nconsole.log("configVersion: v1\\nonStartup: 1")' },
  });
  const clock = new FakeClock();
  const { run } = await runHooks({ dir }, clock);
  await hook('a.sh').started(1);

  await writeHook(
    join(dir, 'b.mjs'),
    '#!/usr/bin/env node\nconsole.log("onStartup: 1\\nconfigVersion: v1")',
  );
  await eventually(() => {
    clock.advance(1_000);
    return run.stderr.lines.some((line) => line.includes('the changes apply from the next start'));
  });
  await hook('a.sh').configure(`${CONFIG}\n- { name: more, kind: Secret }`);
  await writeHook(
    join(dir, 'b.mjs'),
    '#!/usr/bin/env node\n\nconsole.log("onStartup: 1\\nconfigVersion: v1")',
  );
  await eventually(() => {
    clock.advance(1_000);
    return run.stderr.lines.some((line) => line.includes('a.sh has another configuration'));
  });

  expect(await run.exit).toBe(0);
});

test('the runner notices when the kubelet swaps the folder of a ConfigMap', async () => {
  const { dir, hook } = await hooksFolder({ recorders: { 'a.sh': CONFIG } });
  await writeHook(
    join(dir, '..data-1', 'z.sh'),
    '#!/bin/sh\necho "configVersion: v1\nonStartup: 1"',
  );
  await symlink('..data-1', join(dir, '..data'));
  await symlink('..data/z.sh', join(dir, 'z.sh'));
  const clock = new FakeClock();
  const { run } = await runHooks({ dir }, clock);
  await hook('a.sh').started(1);

  await writeHook(
    join(dir, '..data-2', 'z.sh'),
    '#!/bin/sh\necho "configVersion: v1\nonStartup: 2"',
  );
  await symlink('..data-2', join(dir, '..data_tmp'));
  await rename(join(dir, '..data_tmp'), join(dir, '..data'));
  await eventually(() => {
    clock.advance(1_000);
    return run.stderr.lines.some((line) => line.includes('z.sh has another configuration'));
  });

  expect(await run.exit).toBe(0);
});

test('the runner logs once that it cannot read the folder, and reads it again as soon as it can', async () => {
  const { dir, hook } = await hooksFolder({ recorders: { 'a.sh': CONFIG } });
  const clock = new FakeClock();
  const { run } = await runHooks({ dir }, clock);
  await hook('a.sh').started(1);
  const logged = (text: string) =>
    eventually(() => {
      clock.advance(1_000);
      return run.stderr.lines.some((line) => line.includes(text));
    });

  await rename(dir, `${dir}-away`);
  await logged('cannot be read');
  await rename(`${dir}-away`, dir);
  await logged('the changes apply from the next start');
  run.stop();

  expect(await run.exit).toBe(0);
  expect(run.stderr.lines.filter((line) => line.includes('cannot be read'))).toHaveLength(1);
});

test('the runner notices a change in the folder even if its first check after the change failed', async () => {
  const { dir, hook } = await hooksFolder({ recorders: { 'a.sh': CONFIG } });
  const clock = new FakeClock();
  const { run } = await runHooks({ dir }, clock);
  await hook('a.sh').started(1);
  const logged = (text: string) =>
    eventually(() => {
      clock.advance(1_000);
      return run.stderr.lines.some((line) => line.includes(text));
    });
  const outside = join(dir, '..', 'ready');

  await writeHook(
    join(dir, 'b.sh'),
    `#!/bin/sh\ntest -e ${outside} && echo 'configVersion: v1\nonStartup: 1'`,
  );
  await logged('the old ones stay');
  await writeFile(outside, '');
  await logged('b.sh is new');

  expect(await run.exit).toBe(0);
});

test('the runner notices a hook that changes while it is being read', async () => {
  const answer = (place: number) => `console.log("configVersion: v1\\nonStartup: ${place}")`;
  const next = `#!/usr/bin/env node\n${answer(2)}`;
  const itself = `(await import('node:fs')).writeFileSync(process.argv[1], ${JSON.stringify(next)})`;
  const { dir, hook } = await hooksFolder({
    recorders: { 'a.sh': CONFIG },
    files: { 'b.mjs': `#!/usr/bin/env node\n${itself}\n${answer(1)}` },
  });
  const clock = new FakeClock();
  const { run } = await runHooks({ dir }, clock);
  await hook('a.sh').started(1);

  await eventually(() => {
    clock.advance(1_000);
    return run.stderr.lines.some((line) => line.includes('b.mjs has another configuration'));
  });

  expect(await run.exit).toBe(0);
});

test('an unusable hook makes startup fail, or is omitted with the option `--skip-broken-hooks`', async () => {
  const { dir, hook } = await hooksFolder({ recorders: { 'a.sh': CONFIG } });
  await writeFile(join(dir, 'b.sh'), '#!/bin/sh\n');
  await chmod(join(dir, 'b.sh'), 0o644);
  const webhook =
    'kubernetesValidating:\n- { name: a.b.c, rules: [{ apiGroups: [""], apiVersions: [v1], resources: ["*"], operations: [CREATE] }] }';
  await writeHook(
    join(dir, 'c.sh'),
    `#!/bin/sh\ncat <<'END'\nconfigVersion: v1\n${webhook}\nEND\n`,
  );

  const refused = await runHooks({ dir });
  const exitCode = await refused.run.exit;
  const { run } = await runHooks({ dir, args: ['--skip-broken-hooks'] });
  await hook('a.sh').started(1);

  expect(exitCode).toBe(2);
  expect(refused.run.stderr.lines.join('\n')).toContain('b.sh');
  const log = run.stderr.lines.join('\n');
  expect(log).toContain('b.sh');
  expect(log).toContain('kubernetesValidating[0].rules[0].resources[0]: is a wildcard');
});

test('[hooks 26] [hooks 27] the runner listens on a port if hooks answer the API server, and refuses a conversion hook without a definition', async () => {
  const webhook =
    'kubernetesValidating:\n- { name: a.b.c, rules: [{ apiGroups: [""], apiVersions: [v1], resources: [pods], operations: [CREATE] }] }';
  const conversion = JSON.stringify(converting('v1beta1 v1'));
  const { dir } = await hooksFolder({
    files: {
      'a.sh': '#!/bin/sh\n',
      'a.sh.yaml': `configVersion: v1\n${webhook}\n`,
      'b.sh': '#!/bin/sh\n',
      'b.sh.yaml': conversion.replace('{', '{"configVersion": "v1", '),
    },
  });

  const refused = await runHooks({ dir });
  const exitCode = await refused.run.exit;
  await writeHook(join(dir, 'crds/crontabs.yaml'), JSON.stringify(crontabs('v1beta1', 'v1')));
  const { run } = await runHooks({ dir });
  const listens = await eventually(() =>
    run.stderr.records.find(({ msg }) => msg === 'webhooks are answered'),
  );
  run.stop();

  expect(exitCode).toBe(2);
  expect(refused.run.stderr.lines.join('\n')).toContain(
    `b.sh: kubernetesCustomResourceConversion[0].crdName: the definition ${CRD_NAME} is not known: put its`,
  );
  expect(listens).toMatchObject({ paths: ['/validate/a.b.c', '/convert'] });
  expect(await run.exit).toBe(0);
});

test('startup fails if the folder in `--tmp-dir` is not writable', async () => {
  const { dir } = await hooksFolder({ recorders: { 'a.sh': CONFIG } });

  const { run } = await runHooks({ dir, args: ['--tmp-dir=/dev/null/x'] });

  expect(await run.exit).toBe(2);
  expect(run.stderr.lines.join(' ')).toContain('--tmp-dir: no files can be made in /dev/null/x');
});

test('`--check` prints what each hook declares, and runs no hook for its bindings', async () => {
  const { dir, hook } = await hooksFolder({ recorders: { 'a.sh': CONFIG } });
  const { run } = await runHooks({ dir, args: ['--check'] });

  expect(await run.exit).toBe(0);
  expect(run.stdout.records).toMatchObject([
    { hook: 'a.sh', schedules: [], kubernetes: [{ name: 'all', kind: 'ConfigMap' }], rights: [] },
  ]);
  expect(await hook('a.sh').runs()).toEqual([]);
});

test('[hooks 18] hooks also run in the mode that saves memory', async () => {
  const { dir } = await hooksFolder({ recorders: { 'a.sh': CONFIG } });
  const saveMemory = vi.fn();

  const { exit } = invoke(['hooks', dir, '--check', `--tmp-dir=${join(dir, '..', 'tmp')}`], {
    commands: [command(HOOKS, async () => hooks)],
    env: { PATH: process.env.PATH ?? '' },
    saveMemory,
  });

  expect(await exit).toBe(0);
  expect(saveMemory).toHaveBeenCalledOnce();
});

test('`--dry-run` runs the hooks once, prints what they would write, and writes nothing', async () => {
  const { dir, hook } = await hooksFolder({
    recorders: { 'a.sh': CONFIG },
    files: {
      'a.sh.rights.yaml': 'rules:\n- { apiGroups: [""], resources: [configmaps], verbs: [create] }',
    },
  });
  const made = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'made', namespace: 'demo' },
  };
  await hook('a.sh').answer({ patches: [{ operation: 'Create', object: made }] });
  const { server, run } = await runHooks({ dir, args: ['--dry-run'] }, systemClock);

  expect(await run.exit).toBe(0);
  expect(run.stderr.lines.at(-1)).toBe(
    'dry run: 1 write to 1 object in 1 runnable; nothing was written',
  );
  expect(run.stdout.lines).toContain('# create configmaps demo/made by hooks');
  expect(server.get('v1', 'ConfigMap', 'demo', 'made')).toBeUndefined();
});

test('`--dry-run` exits with 1 after a failed hook, and does not retry the hook', async () => {
  const { dir, hook } = await hooksFolder({ recorders: { 'a.sh': CONFIG } });
  await hook('a.sh').answer({ exitCode: 7 });
  const { run } = await runHooks({ dir, args: ['--dry-run'] }, systemClock);

  expect(await run.exit).toBe(1);
  expect(await hook('a.sh').runs()).toHaveLength(1);
});

test('[found 11] the log reports a helper file beside the hooks, and the hooks start', async () => {
  const { dir, hook } = await hooksFolder({ recorders: { 'a.sh': CONFIG } });
  await writeHook(join(dir, 'functions.sh'), 'greet() { echo hello; }\n');
  await chmod(join(dir, 'functions.sh'), 0o644);

  const { run } = await runHooks({ dir });
  await hook('a.sh').started(1);
  run.stop();

  expect(await run.exit).toBe(0);
  const said = run.stderr.lines.filter((line) => line.includes('functions.sh'));
  expect(said).toEqual([expect.stringContaining('without an execute bit and without a #! line')]);
});

test.runIf(process.platform === 'linux')(
  "[found 4] in a Pod, a warning says that hooks can read the runner's environment unless the image prevents it",
  async () => {
    const { dir } = await hooksFolder({ recorders: { 'a.sh': CONFIG } });
    const check = (env: Readonly<Record<string, string>>) =>
      invoke(['hooks', dir, '--check'], {
        commands: [command(HOOKS, async () => hooks)],
        env: { ...NO_PORTS, ...env },
      });

    const inPod = check({ POD_NAMESPACE: 'farm', PATH: process.env.PATH ?? '' });
    const outside = check({ PATH: process.env.PATH ?? '' });

    expect([await inPod.exit, await outside.exit]).toEqual([0, 0]);
    expect(inPod.stderr.lines.join('\n')).toContain('programs can read variables');
    expect(outside.stderr.lines.join('\n')).not.toContain('programs can read variables');
  },
);
