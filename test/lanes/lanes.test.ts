/** Every file of tests is in one lane, and `npm test` has a test of each example. */
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startExample } from '../../examples/testing/place.ts';
import { controller } from '../../operator/controller/controller.ts';
import { configMaps } from '../../operator/model/builtin.ts';
import config from '../../vitest.config.ts';

interface Project {
  readonly name: string;
  readonly include: readonly string[];
  readonly exclude?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

interface Manifest {
  readonly scripts: Readonly<Record<string, string>>;
  readonly workspaces?: readonly string[];
}

const root = fileURLToPath(new URL('../../', import.meta.url));
/** Projects that run the files of other lanes once more. */
const AGAIN = ['kubectl-proxy', 'again-properties'];
const projectsOf = ({ test: { projects = [] } = {} }: typeof config): readonly Project[] =>
  projects.map((project) => (project as { readonly test: Project }).test);
const lanes = projectsOf(config).filter(({ name }) => !AGAIN.includes(name));

function filesOf({ include, exclude = [] }: Project): readonly string[] {
  return globSync([...include], { cwd: root, exclude: [...exclude] });
}

test('every test file is in exactly one lane', () => {
  const all = globSync('{test,testing,packages,examples,bench}/**/*.test.ts', {
    cwd: root,
    exclude: ['**/node_modules/**'],
  });
  const found = lanes.flatMap(filesOf);

  expect(all.length).toBeGreaterThan(900);
  expect(found.toSorted()).toEqual(all.toSorted());
});

test('admission policies are bound in each lane with a real kubectl proxy, and in no other lane', () => {
  const projects = projectsOf(config);
  const bound = projects.filter(({ env }) => env?.CHANCERY_TEST_POLICIES === 'bound');
  const real = projects.filter(({ env }) => env?.CHANCERY_TEST_AMBASSADOR === 'kubectl');

  expect(bound.length).toBeGreaterThan(1);
  expect(bound).toEqual(real);
});

test('the lane kubectl-proxy does not repeat the exploration tests', () => {
  const behind = projectsOf(config).filter(({ name }) => name === 'kubectl-proxy');
  const explorations = globSync('examples/*/test/exploration.test.ts', { cwd: root });

  expect(explorations.length).toBeGreaterThan(10);
  expect(behind.flatMap(filesOf).filter((file) => explorations.includes(file))).toEqual([]);
});

test('startExample refuses to run in a file of another lane, where the policies of the example would not be bound', async () => {
  const idle = controller({ name: 'idle', for: configMaps, reconcile: () => {} });

  await expect(startExample({ name: 'idle', controllers: [idle] })).rejects.toThrow(
    /name it \*\.ambassador\.test\.ts/,
  );
});

test('the lanes of tools set no `exclude`, because that would override the option --exclude', () => {
  const ofTools = projectsOf(config).filter(({ name }) => name.startsWith('tools'));

  // An `exclude` of a project wins over --exclude.
  expect(ofTools.map(({ name, exclude }) => [name, exclude])).toEqual([
    ['tools', undefined],
    ['tools-alone', undefined],
  ]);
});

test('each test file that `test:all` leaves out of a lane runs in a later lane', async () => {
  vi.stubEnv('LATER_LANES', AGAIN.join(' '));
  onTestFinished(() => void vi.unstubAllEnvs());
  const again = `${root}vitest.config.ts?later`;
  const { default: later } = (await import(again)) as { readonly default: typeof config };
  const leftOut = projectsOf(later).map(({ name, exclude = [] }) => {
    const before = projectsOf(config).find((project) => project.name === name)?.exclude ?? [];
    return { name, patterns: exclude.filter((pattern) => !before.includes(pattern)) };
  });

  const inLater = projectsOf(later)
    .filter(({ name }) => AGAIN.includes(name))
    .flatMap(({ include }) => include);
  const patterns = leftOut.flatMap((project) => project.patterns);
  expect(patterns.length).toBeGreaterThan(100);
  expect(patterns.filter((pattern) => !inLater.includes(pattern))).toEqual([]);
  // npm test keeps all of its files.
  const ofNpmTest = ['node', 'whole-process', ...AGAIN];
  const from = leftOut.filter((project) => project.patterns.length > 0).map(({ name }) => name);
  expect(from.filter((name) => ofNpmTest.includes(name))).toEqual([]);
});

test('npm test runs the operator test of each example', () => {
  const tested = filesOf(lanes.find(({ name }) => name === 'node') ?? expect.unreachable());
  const without = ['demo', 'testing', 'try']; // what starts examples, and what their tests share

  const examples = readdirSync(`${root}examples`, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !without.includes(entry.name))
    .map(({ name }) => `examples/${name}/test/operator.test.ts`);

  expect(tested.filter((file) => file.startsWith('examples/')).toSorted()).toEqual(
    examples.toSorted(),
  );
});

test('every lane that an npm script refers to exists', () => {
  const manifest = (folder: string): Manifest =>
    JSON.parse(readFileSync(`${root}${folder}/package.json`, 'utf8'));
  const { workspaces = [] } = manifest('.');
  const lines = ['.', ...workspaces].flatMap((folder) => Object.values(manifest(folder).scripts));
  const named = lines.flatMap((line) =>
    [...line.matchAll(/--project=([\w-]+)/g)].map(([, name = '']) => name),
  );

  expect(named).toEqual(expect.arrayContaining(['node', 'whole-process', 'examples', 'long']));
  expect(named.filter((name) => !lanes.some((lane) => lane.name === name))).toEqual([]);
});
