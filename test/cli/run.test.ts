import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runModules } from '../../operator/cli/run/run.ts';
import { RUN } from '../../operator/cli/run/table.ts';
import { command } from '../../operator/cli/table-command.ts';
import { chancery, folderWith, freePort } from './child.ts';
import { invoke } from './invocation.ts';
import { configMap } from './printed.ts';
import { startServer } from './server.ts';

/** A module as somebody writes it: typed, and importing both entries by name. */
const HELLO = `
import { controller, source } from 'chancery';
import { type ConfigMap, configMaps, pods } from 'chancery/kubernetes';
import { FakeClock } from '@chancery/testing';

const year: number = new FakeClock(2026).now();

export default controller<ConfigMap>({
  name: 'hello',
  for: source(configMaps, { labelSelector: 'app=x' }),
  reads: [source(configMaps, { labelSelector: 'app=y' })],
  permissions: [{ resource: pods, verbs: ['delete'] }],
  async reconcile(configMap, { log }) {
    log.info({ year, value: configMap.data?.k }, 'greeted');
  },
});`;

const DECLARATION = {
  controller: 'hello',
  for: {
    apiVersion: 'v1',
    plural: 'configmaps',
    kind: 'ConfigMap',
    namespace: 'configured',
    labelSelector: 'app=x',
  },
  watches: [],
  reads: [
    {
      apiVersion: 'v1',
      plural: 'configmaps',
      kind: 'ConfigMap',
      namespace: 'configured',
      labelSelector: 'app=y',
    },
  ],
  permissions: [{ apiVersion: 'v1', plural: 'pods', kind: 'Pod', verbs: ['delete'] }],
  maxConcurrentReconciles: 1,
  needsLeaderElection: true,
  owns: [],
};

test('[D-5] `run` starts the controllers of a module in a ConfigMap volume, and stops at a signal', async () => {
  const server = await startServer();
  server.create({
    ...configMap('a'),
    metadata: { name: 'a', namespace: 'demo', labels: { app: 'x' } },
  } as never);
  // The layout that the kubelet makes: the file is a link into a folder that is itself a link.
  const folder = folderWith({});
  mkdirSync(join(folder, '..2026_01_01'));
  writeFileSync(join(folder, '..2026_01_01', 'hello.ts'), HELLO);
  symlinkSync('..2026_01_01', join(folder, '..data'));
  symlinkSync(join('..data', 'hello.ts'), join(folder, 'hello.ts'));

  const child = chancery(['run', join(folder, 'hello.ts')], {
    CHANCERY_API_URL: server.url,
    POD_NAMESPACE: 'demo',
  });
  await child.stderr.until(() => child.stderr.lines.some((line) => line.includes('greeted')));
  child.kill('SIGTERM');

  expect(await child.exit).toBe(0);
  expect(child.stdout.lines).toEqual([]);
  expect(child.stderr.records.find(({ msg }) => msg === 'greeted')).toMatchObject({
    level: 'info',
    controller: 'hello',
    year: 2026,
    value: '1',
  });
  expect(child.stderr.records.at(-1)).toMatchObject({ msg: 'stopped' });
});

test('`run --check` prints the declarations, and sends no request', async () => {
  const array = HELLO.replace('export default', 'const one =').replace("'hello'", "'second'");
  const folder = folderWith({ 'one.ts': HELLO, 'array.ts': `${array}\nexport default [one];` });

  const { exit, stdout, stderr } = invoke(
    ['run', '--check', join(folder, 'one.ts'), join(folder, 'array.ts')],
    { env: { CHANCERY_API_URL: 'http://127.0.0.1:1' } },
  );

  expect(await exit).toBe(0);
  expect(stdout.records).toEqual([DECLARATION, { ...DECLARATION, controller: 'second' }]);
  expect(stderr.lines).toEqual([]);
});

test.each([
  ['gone.ts', undefined, 'no such file'],
  ['broken.ts', 'const a = 1;\nexport default 3 +;', 'broken.ts:2'],
  ['enum.ts', 'enum A { B }\nexport default A.B;', 'TypeScript enum is not supported'],
  ['throws.mjs', 'throw new Error("no luck");', 'Error: no luck'],
  ['import.mjs', 'import "not-installed";', "Cannot find package 'not-installed'"],
  ['export.mjs', 'import { nope } from "chancery";', "does not provide an export named 'nope'"],
])('[D-5] `run` exits with 2 if %s does not load, and prints file and reason in one line', async (name, code, reason) => {
  const folder = folderWith(code === undefined ? {} : { [name]: code });

  const child = chancery(['run', join(folder, name)]);

  expect(await child.exit).toBe(2);
  expect(child.stdout.lines).toEqual([]);
  expect(child.stderr.lines).toHaveLength(1);
  expect(child.stderr.lines[0]).toMatch(`chancery run: cannot load ${join(folder, name)}: `);
  expect(child.stderr.lines[0]).toContain(reason);
});

test.each([
  ['export const a = 1;', 'none'],
  ['export default 3;', 'number'],
  ['export default null;', 'null'],
  ['export default [];', 'an empty array'],
  ['export default [{ name: "x", reconcile() {} }];', 'an array whose item 0 is object'],
])('`run` exits with 2 and prints one line if a module is %s, which exports no controller', async (code, got) => {
  const path = join(folderWith({ 'module.mjs': code }), 'module.mjs');

  const { exit, stderr } = invoke(['run', path]);

  expect(await exit).toBe(2);
  expect(stderr.lines).toEqual([
    `chancery run: ${path} exports no controller: expected controller({...}), runnable({...}), a ` +
      `webhook or an array of them as the default export, got ${got}`,
  ]);
});

const BESIDE = `
import { runnable } from 'chancery';
import hello from './hello.ts';

export const healthChecks = { ready: [{ name: 'warm', ok: () => process.env.WARM === 'yes' }] };
export default [hello, runnable({
  name: 'beside',
  needsLeaderElection: false,
  run: (signal) => new Promise((done) => signal.addEventListener('abort', () => {
    console.log('beside ended');
    done(undefined);
  })),
})];`;

test('[M-3] a module may export runnables and health checks in addition to controllers', async () => {
  const server = await startServer();
  const folder = folderWith({ 'hello.ts': HELLO, 'beside.mjs': BESIDE });
  const path = join(folder, 'beside.mjs');
  const port = await freePort();

  const declared = invoke(['run', '--check', path]);
  const child = chancery(['run', path], {
    CHANCERY_API_URL: server.url,
    CHANCERY_HEALTH_PORT: `${port}`,
    CHANCERY_HEALTH_HOST: '127.0.0.1',
  });
  await child.stderr.until(() => child.stderr.lines.some((line) => line.includes('is healthy')));
  const response = await fetch(`http://127.0.0.1:${port}/readyz`);
  child.kill('SIGTERM');

  expect(await declared.exit).toBe(0);
  expect(declared.stdout.records.slice(1)).toEqual([
    { runnable: 'beside', needsLeaderElection: false, stopPhase: 'others' },
  ]);
  expect([response.status, await response.text()]).toEqual([
    500,
    expect.stringContaining('[-]warm failed'),
  ]);
  expect(await child.exit).toBe(0);
  expect(child.stdout.lines).toEqual(['beside ended']);
});

test.each([
  'null',
  '{ live: {} }',
  '{ alive: [] }',
  '{ ready: [{ name: "x" }] }',
  '{ ready: [{ name: "", ok() {} }] }',
])('`run` exits with 2 and prints one line if `healthChecks` is %s', async (checks) => {
  const code = BESIDE.replace(/= \{ ready.*$/m, `= ${checks};`);
  const folder = folderWith({ 'hello.ts': HELLO, 'beside.mjs': code });
  const path = join(folder, 'beside.mjs');

  const { exit, stderr } = invoke(['run', '--check', path]);

  expect(await exit).toBe(2);
  expect(stderr.lines).toEqual([expect.stringContaining(`${path} exports unusable healthChecks`)]);
});

test('a module imports the toolkit of the running command, even if its own folder has another copy', async () => {
  const folder = folderWith({ 'hello.ts': HELLO });
  const copy = join(folder, 'node_modules', 'chancery');
  mkdirSync(copy, { recursive: true });
  writeFileSync(join(copy, 'index.js'), 'throw new Error("the other copy");');

  const child = chancery(['run', '--check', join(folder, 'hello.ts')]);

  expect(await child.exit).toBe(0);
  expect(child.stdout.records).toEqual([DECLARATION]);
  expect(child.stderr.lines).toEqual([]);
});

test("the stack of a module's load error is logged at level debug", async () => {
  const folder = folderWith({ 'throws.mjs': '\nthrow new Error("no luck");' });

  const { exit, stderr } = invoke(['run', join(folder, 'throws.mjs')], {
    env: { CHANCERY_LOG_LEVEL: 'debug' },
  });

  expect(await exit).toBe(2);
  expect(stderr.lines).toHaveLength(2);
  expect(JSON.parse(stderr.lines[0] ?? '')).toMatchObject({
    level: 'debug',
    stack: expect.stringContaining('throws.mjs:2'),
  });
});

test.each([
  [[], {}, 'expected at least one MODULE'],
  [['--chec', 'x.ts'], {}, "unknown option '--chec'; did you mean --check?"],
  [['x.ts'], { CHANCERY_HEALTH_PORT: 'x' }, 'CHANCERY_HEALTH_PORT must be'],
])('`run` with the arguments %j is refused', async (args, env, message) => {
  const { exit, stderr } = invoke(['run', ...args], { env });

  expect(await exit).toBe(2);
  expect(stderr.lines).toEqual([expect.stringContaining(message)]);
});

test('`run --check` also reports two controllers with the same name, and an unusable URL', async () => {
  const folder = folderWith({ 'a.ts': HELLO, 'b.ts': HELLO });
  const check = (env: Readonly<Record<string, string>>, ...names: readonly string[]) =>
    invoke(['run', '--check', ...names.map((name) => join(folder, name))], { env });

  const twice = check({}, 'a.ts', 'b.ts');
  const tls = check({ CHANCERY_API_URL: 'https://10.0.0.1' }, 'a.ts');

  expect(await twice.exit).toBe(2);
  expect(twice.stderr.lines).toEqual([
    `chancery run: two controllers have the same name: ${join(folder, 'a.ts')} and ` +
      `${join(folder, 'b.ts')}; rename one (controller "hello")`,
  ]);
  expect(await tls.exit).toBe(2);
  expect(tls.stderr.lines).toEqual([expect.stringContaining('unusable API URL')]);
});

const NOWHERE = {
  CHANCERY_API_URL: 'http://127.0.0.1:1',
  CHANCERY_HEALTH_PORT: '0',
  CHANCERY_METRICS_PORT: '0',
  CHANCERY_INSECURE_ALLOW_TOKEN: 'false',
};

/** What a module does when it is loaded, and the folder of a token that it should never see. */
function beside(token: Readonly<Record<string, string>>) {
  const mounted = folderWith(token);
  const module = join(folderWith({ 'loads.mjs': `throw new Error('was loaded');` }), 'loads.mjs');
  const hello = join(folderWith({ 'hello.ts': HELLO }), 'hello.ts');
  return {
    mounted,
    module,
    hello,
    commands: [
      command(RUN, async () => (given, io) => runModules(given, io, { tokenFolders: [mounted] })),
    ],
  };
}

test.each([
  [[]],
  [['--dry-run']],
])('[security 2] [D-5] if a ServiceAccount token is readable, `run` %s exits with 3 and loads no module', async (flags) => {
  const { mounted, module, commands } = beside({ token: 'secret' });

  const { exit, stdout, stderr } = invoke(['run', ...flags, module], { env: NOWHERE, commands });

  expect(await exit).toBe(3);
  expect(stdout.lines).toEqual([]);
  expect(stderr.lines).toEqual([
    `chancery run: a ServiceAccount token is visible at ${mounted}/token: an operator behind an ` +
      'ambassador must hold no credentials. Set automountServiceAccountToken: false in the ' +
      'ServiceAccount and in the Pod, and mount the projected token volume in the proxy container ' +
      'only; or run with --insecure-allow-token (CHANCERY_INSECURE_ALLOW_TOKEN=true)',
  ]);
});

test('`run --check` works even if a token is readable, because it sends no requests', async () => {
  const { hello, commands } = beside({ token: 'secret' });

  const { exit, stdout } = invoke(['run', '--check', hello], { env: NOWHERE, commands });

  expect(await exit).toBe(0);
  expect(stdout.records).toEqual([DECLARATION]);
});

test.each([
  ['no token', {}, [], {}, []],
  ['a token, and the flag', { token: 's' }, ['--insecure-allow-token'], {}, ['warn']],
  [
    'a token, and the variable',
    { token: 's' },
    [],
    { CHANCERY_INSECURE_ALLOW_TOKEN: 'true' },
    ['warn'],
  ],
])('`run` starts with %s: token folder %o, options %o', async (_, token, flags, variables, levels) => {
  const { hello, mounted, commands } = beside(token);

  const running = invoke(['run', ...flags, hello], { env: { ...NOWHERE, ...variables }, commands });
  await running.stderr.until(() =>
    running.stderr.lines.some((line) => line.includes('waiting for the ambassador')),
  );
  running.stop();

  expect(await running.exit).toBe(0);
  const warnings = running.stderr.records.filter(({ msg }) => String(msg).includes('token'));
  expect(warnings.map(({ level, path }) => [level, path])).toEqual(
    levels.map((level) => [level, join(mounted, 'token')]),
  );
});
