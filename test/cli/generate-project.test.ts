/** `chancery generate manifests` in a project: its Dockerfile, and the module's path in the image. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { parseYamlDocuments } from '../../operator/core/yaml.ts';
import { projectImageFiles } from '../../operator/generate/image/project-image.ts';
import { invoke } from './invocation.ts';

const OPERATOR = `
import { controller, source } from 'chancery';
import { configMaps } from 'chancery/kubernetes';
export default controller({ name: 'one', for: source(configMaps), reconcile: async () => {} });`;

const PROJECT = {
  'package.json': '{ "type": "module", "dependencies": { "chancery": "^0.1.0" } }',
  'src/operator.ts': OPERATOR,
};

/** A folder with these files, and `generate manifests` for its modules into `deploy` there. */
function setUp(files: Readonly<Record<string, string>>) {
  const folder = mkdtempSync(join(tmpdir(), 'chancery-project-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const read = (path: string): string => readFileSync(join(folder, path), 'utf8');
  const generate = async (modules: readonly string[], ...options: readonly string[]) => {
    const words = ['generate', 'manifests', ...modules.map((module) => join(folder, module))];
    const output = ['-o', join(folder, 'deploy'), '--name', 'one', ...options];
    const { exit, stdout, stderr } = invoke([...words, ...output]);
    return { exit: await exit, stdout: stdout.lines, stderr: stderr.lines };
  };
  return { folder, read, generate };
}

/** The arguments of the operator in the Deployment. */
function operatorArguments(deployment: string): readonly string[] | undefined {
  const [object] = parseYamlDocuments(deployment) as {
    readonly spec: {
      readonly template: {
        readonly spec: {
          readonly containers: readonly { readonly name: string; readonly args?: string[] }[];
        };
      };
    };
  }[];
  return object?.spec.template.spec.containers.find(({ name }) => name === 'operator')?.args;
}

test('[I-1] `generate` writes a Dockerfile if there is none, with the same module path as the Deployment', async () => {
  const { read, generate } = setUp(PROJECT);

  const { exit, stdout } = await generate(['src/operator.ts']);

  expect(exit).toBe(0);
  expect(stdout.filter((line) => /\/(Dockerfile|\.dockerignore)$/.test(line))).toHaveLength(2);
  for (const { path, text } of projectImageFiles()) expect(read(path)).toBe(text);
  expect(operatorArguments(read('deploy/base/deployment.yaml'))).toEqual(['/app/src/operator.ts']);
  expect(read('Dockerfile')).toContain('\nCMD ["/app/src/operator.ts"]\n');
});

test.each([
  'Dockerfile',
  'Containerfile',
])('[I-2] an existing %s is neither changed nor compared, and gets no .dockerignore', async (name) => {
  const { folder, read, generate } = setUp({ ...PROJECT, [name]: 'FROM mine\n' });

  const first = await generate(['src/operator.ts']);
  const check = await generate(['src/operator.ts'], '--check');

  expect(first.exit).toBe(0);
  expect(check).toMatchObject({ exit: 0, stdout: [] });
  expect(read(name)).toBe('FROM mine\n');
  expect(readdirSync(folder).toSorted()).toEqual(
    [name, 'deploy', 'package.json', 'src'].toSorted(),
  );
});

test('[I-2] `--check` accepts a generated Dockerfile that was edited or deleted', async () => {
  const { folder, read, generate } = setUp(PROJECT);
  await generate(['src/operator.ts']);
  writeFileSync(join(folder, 'Dockerfile'), `${read('Dockerfile')}LABEL mine=1\n`);
  const edited = read('Dockerfile');

  const again = await generate(['src/operator.ts']);
  const check = await generate(['src/operator.ts'], '--check');
  rmSync(join(folder, 'Dockerfile'));
  const without = await generate(['src/operator.ts'], '--check');

  expect(again).toMatchObject({ exit: 0, stdout: [] });
  expect(check).toMatchObject({ exit: 0, stdout: [] });
  expect(without).toMatchObject({ exit: 0, stdout: [] });
  expect(edited).toContain('LABEL mine=1');
  expect(existsSync(join(folder, 'Dockerfile'))).toBe(false);
});

test('an existing .dockerignore is kept when the Dockerfile is written', async () => {
  const { read, generate } = setUp({ ...PROJECT, '.dockerignore': 'mine\n' });

  await generate(['src/operator.ts']);

  expect(read('.dockerignore')).toBe('mine\n');
  expect(read('Dockerfile')).toContain('COPY src src\n');
});

test('[I-1] if the module is in the root folder, the image contains all files there that have the same extension', async () => {
  const { read, generate } = setUp({ ...PROJECT, 'op.ts': OPERATOR });

  const { exit } = await generate(['op.ts', 'src/operator.ts']);

  expect(exit).toBe(0);
  expect(read('Dockerfile')).toMatch(/^COPY \*\.ts \.\/\nCOPY src src$/m);
  expect(read('Dockerfile')).toContain('\nCMD ["/app/op.ts", "/app/src/operator.ts"]\n');
  expect(read('.dockerignore')).toContain('\n!*.ts\n!src\n');
  expect(operatorArguments(read('deploy/base/deployment.yaml'))).toEqual([
    '/app/op.ts',
    '/app/src/operator.ts',
  ]);
});

test.each<[string, Readonly<Record<string, string>>]>([
  ['has no package.json', { 'src/operator.ts': OPERATOR }],
  [
    'has chancery only as a development dependency',
    { ...PROJECT, 'package.json': '{ "type": "module", "devDependencies": { "chancery": "*" } }' },
  ],
])('if a project %s, no Dockerfile is written, and the Deployment uses chancery-operator', async (_, files) => {
  const { folder, read, generate } = setUp(files);

  const { exit } = await generate(['src/operator.ts']);

  expect(exit).toBe(0);
  expect(existsSync(join(folder, 'Dockerfile'))).toBe(false);
  expect(operatorArguments(read('deploy/base/deployment.yaml'))).toEqual([
    '/operators/operator.ts',
  ]);
});

test("no Dockerfile is written if `--module-path` is outside of the project's image", async () => {
  const { folder, generate } = setUp(PROJECT);

  const { exit } = await generate(['src/operator.ts'], '--module-path', '/elsewhere/operator.ts');

  expect(exit).toBe(0);
  expect(existsSync(join(folder, 'Dockerfile'))).toBe(false);
});

test('`generate` prints what the gate needs, unless `--gate-image` is set or there are no webhooks', async () => {
  const webhook = `
import { validatingWebhook } from 'chancery';
export default [one, validatingWebhook({ name: 'one.example.com', resource: configMaps, validate: () => {} })];`;
  const { generate } = setUp({
    ...PROJECT,
    'src/operator.ts': `${OPERATOR.replace('export default', 'const one =')}${webhook}`,
    'src/plain.ts': OPERATOR,
  });
  const needs = (lines: readonly string[]) =>
    lines.filter((line) => line.includes('the gate needs'));

  const plain = await generate(['src/plain.ts']);
  const first = await generate(['src/operator.ts']);
  const chancery = await generate(['src/operator.ts'], '--certificates', 'chancery');
  const named = await generate(['src/operator.ts'], '--gate-image', 'registry.example/gate:1');

  expect([plain, first, chancery, named].map(({ exit }) => exit)).toEqual([0, 0, 0, 0]);
  expect(needs(first.stderr)).toEqual([
    expect.stringMatching(
      /the gate needs the image chancery-gate:\S+, which Dockerfile\.gate .*, and cert-manager/,
    ),
  ]);
  expect(needs(chancery.stderr)).toEqual([expect.stringContaining('--certificates-image')]);
  expect([...needs(plain.stderr), ...needs(named.stderr)]).toEqual([]);
});
