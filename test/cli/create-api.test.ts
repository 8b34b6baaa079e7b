/** `chancery create api`: what it adds to a project, and what it refuses. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { newProject, textsBelow } from '../scaffold/support/project.ts';
import { folderWith } from './child.ts';
import { invoke } from './invocation.ts';

const CACHE = ['--group', 'example.com', '--version', 'v1', '--kind', 'Cache'] as const;

test('`create api` writes a controller, a test and a sample, and adds the controller to the module', async () => {
  const { folder, create } = await newProject('demo');
  const before = textsBelow(folder);

  const { exit, stdout } = create(...CACHE, '--owns', 'deployments.apps,services');

  expect(await exit).toBe(0);
  const after = textsBelow(folder);
  const { 'src/operator.ts': module } = after;
  expect(Object.keys(after).filter((file) => !(file in before))).toEqual([
    'samples/cache.yaml',
    'src/cache.test.ts',
    'src/cache.ts',
  ]);
  const unchanged = { 'src/operator.ts': '', '.chancery.json': '' };
  expect({ ...after, ...unchanged }).toMatchObject({ ...before, ...unchanged });
  expect(module?.split('\n').slice(1)).toEqual([
    "import demoController from './demo.ts';",
    "import cacheController from './cache.ts';",
    '',
    'export default [',
    '  demoController,',
    '  cacheController,',
    '];',
    '',
  ]);
  expect(after['src/cache.ts']).toContain('owns: [deployments, services],');
  expect(stdout.lines.map((line) => line.replace(/ \S*demo\//, ' '))).toEqual([
    'written src/cache.ts',
    'written src/cache.test.ts',
    'written samples/cache.yaml',
    'changed src/operator.ts',
    'changed .chancery.json',
  ]);
});

test('[scaffolding 3] `create api` refuses a kind that already exists', async () => {
  const { folder, create } = await newProject('demo');
  await create(...CACHE).exit;
  const before = textsBelow(folder);

  const { exit, stdout, stderr } = create(...CACHE);

  expect(await exit).toBe(1);
  expect(stdout.lines).toEqual([]);
  expect(stderr.lines).toEqual([
    'chancery create: src/cache.ts defines Cache of example.com already; --force writes only the files that ' +
      'are missing; nothing was written',
  ]);
  expect(textsBelow(folder)).toEqual(before);
});

test('[scaffolding 3] `create api` refuses a kind that another file defines, even with `--force`', async () => {
  const { folder, create } = await newProject('demo');
  writeFileSync(
    join(folder, 'src/stores.ts'),
    "const a = { group: 'example.com', kind: 'Cache' };\n",
  );
  const before = textsBelow(folder);

  const results = [create(...CACHE), create(...CACHE, '--force')];

  expect(await Promise.all(results.map(({ exit }) => exit))).toEqual([1, 1]);
  for (const { stderr } of results)
    expect(stderr.lines[0]).toContain('src/stores.ts defines Cache');
  expect(textsBelow(folder)).toEqual(before);
});

test('[S-2] [scaffolding 18] a second run of `create api` with the same arguments changes nothing', async () => {
  const { folder, create } = await newProject('demo');
  await create(...CACHE, '--owns=configmaps').exit;
  const before = textsBelow(folder);

  const again = create(...CACHE, '--owns=configmaps');
  const forced = create(...CACHE, '--owns=configmaps', '--force');

  expect([await again.exit, await forced.exit]).toEqual([1, 0]);
  expect(forced.stdout.lines).toEqual([]);
  expect(forced.stderr.lines).toEqual([
    'chancery create: Cache of example.com is complete; nothing was written',
  ]);
  expect(textsBelow(folder)).toEqual(before);
});

test('`create api --force` writes only missing files', async () => {
  const { folder, create } = await newProject('demo');
  const module = join(folder, 'src/operator.ts');
  const unlisted = readFileSync(module, 'utf8');
  await create(...CACHE).exit;
  const whole = textsBelow(folder);
  writeFileSync(module, unlisted);
  writeFileSync(join(folder, 'src/cache.ts'), `${whole['src/cache.ts']}// mine\n`);
  rmSync(join(folder, 'samples/cache.yaml'));

  const { exit } = create(...CACHE, '--force');

  expect(await exit).toBe(0);
  expect(textsBelow(folder)).toEqual({
    ...whole,
    'src/cache.ts': `${whole['src/cache.ts']}// mine\n`,
  });
});

test('`create api` writes nothing if it cannot change the module safely', async () => {
  const { folder, create } = await newProject('demo');
  const module = join(folder, 'src/operator.ts');
  writeFileSync(module, "import demo from './demo.ts';\nexport default demo;\n");
  const before = textsBelow(folder);

  const { exit, stderr } = create(...CACHE);

  expect(await exit).toBe(1);
  expect(stderr.lines).toEqual([
    expect.stringMatching(
      /src\/operator\.ts cannot be changed safely, because it has no `export default \[ … \];`: make .*`import cacheController from '\.\/cache\.ts';`; nothing was written$/,
    ),
  ]);
  expect(textsBelow(folder)).toEqual(before);
});

test('`create api` writes nothing if a file already exists, and the error contains its path', async () => {
  const { folder, create } = await newProject('demo');
  writeFileSync(join(folder, 'src/cache.ts'), 'mine');
  const before = textsBelow(folder);

  const { exit, stderr } = create(...CACHE);

  expect(await exit).toBe(1);
  expect(stderr.lines[0]).toContain('src/cache.ts would be overwritten; --force writes only');
  expect(textsBelow(folder)).toEqual(before);
});

test("if a kind's file would have the module's file name, it gets a different name", async () => {
  const { folder, create } = await newProject('demo');

  const { exit } = create('--group=example.com', '--version=v1', '--kind=Operator');

  expect(await exit).toBe(0);
  expect(readFileSync(join(folder, 'src/operator.ts'), 'utf8')).toContain(
    "import operatorController from './operator-controller.ts';",
  );
});

test('outside a project, `create api` says where to run it', async () => {
  const module = join(folderWith({}), 'operator.ts');

  const { exit, stderr } = invoke(['create', 'api', ...CACHE, '--module', module]);

  expect(await exit).toBe(2);
  expect(stderr.lines).toEqual([
    expect.stringMatching(
      /cannot read \S+: there is no such file; run this command in the folder of/,
    ),
  ]);
});

test('`create api` without arguments prints its help', async () => {
  const { exit, stderr } = invoke(['create']);

  expect(await exit).toBe(2);
  expect(stderr.lines[0]).toMatch(/^Usage: chancery create api --group GROUP/);
});

const options = (changes: Readonly<Record<string, string>>): readonly string[] =>
  Object.entries({ group: 'example.com', version: 'v1', kind: 'Cache', ...changes }).map(
    ([name, value]) => `--${name}=${value}`,
  );

test.each<[string, readonly string[], RegExp]>([
  [
    'an empty group',
    options({ group: '' }),
    /the group without a name belongs to Kubernetes; write a/,
  ],
  [
    'a group without a dot',
    options({ group: 'demo' }),
    /must be a domain in lower case with a dot/,
  ],
  ['a group in capitals', options({ group: 'Example.com' }), /must be a domain in lower case/],
  [
    'a group that belongs to Kubernetes',
    options({ group: 'demo.k8s.io' }),
    /belongs to the Kubernetes project/,
  ],
  [
    'a version that does not begin with v',
    options({ version: '1' }),
    /such as v1, v1beta1 or v2alpha1, not "1"$/,
  ],
  ['a version with a dot', options({ version: 'v1.2' }), /must be a version of an API/],
  [
    'a kind with dashes',
    options({ kind: 'my-http-cache' }),
    /in CamelCase .*did you mean MyHttpCache\?$/,
  ],
  ['a kind in lower case', options({ kind: 'cache' }), /in CamelCase .*did you mean Cache\?$/],
  [
    'a kind that begins with a digit',
    options({ kind: '3Cache' }),
    /in CamelCase .*did you mean Cache\?$/,
  ],
  ['a long kind', options({ kind: `C${'a'.repeat(63)}` }), /of at most 63 letters and digits/],
  [
    'a long plural',
    options({ kind: `C${'a'.repeat(62)}` }),
    /plural of the kind would be .* --plural/,
  ],
  [
    'a plural in capitals',
    options({ plural: 'Caches' }),
    /--plural must be at most 63 of a-z, 0-9/,
  ],
  ['an unknown child', options({ owns: 'deploymets' }), /did you mean deployments\.apps\?$/],
  ['a child without a template', options({ owns: 'ingresses' }), /known: configmaps, .* by hand$/],
  ['two scopes', [...options({}), '--namespaced', '--cluster-scoped'], /got both$/],
  [
    'children of a cluster-scoped kind',
    [...options({ owns: 'services' }), '--cluster-scoped'],
    /leave one of/,
  ],
  ['no kind', ['--group=example.com', '--version=v1'], /missing: --kind$/],
  [
    'a word',
    [...options({}), 'Cache'],
    /api takes options only, such as --kind Cache; got "Cache"$/,
  ],
])('[scaffolding 4] `create api` exits with 2 for %s, and prints in one line what is expected', async (_, args, message) => {
  const { exit, stdout, stderr } = invoke(['create', 'api', ...args]);

  expect(await exit).toBe(2);
  expect(stdout.lines).toEqual([]);
  expect(stderr.lines).toEqual([expect.stringMatching(message)]);
});

test.each([
  [[], /expected api or hook; got nothing$/],
  [['reconciler'], /cannot create "reconciler"; expected api or hook$/],
  [['apis'], /cannot create "apis"; did you mean api\?$/],
])('the arguments %s of `create` are refused', async (words, message) => {
  const { exit, stderr } = invoke(['create', ...words, '--force']);

  expect(await exit).toBe(2);
  expect(stderr.lines).toEqual([expect.stringMatching(message)]);
});
