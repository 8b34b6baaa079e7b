/** Every file of tests is in one lane, and `npm test` has a test of each example. */
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import config from '../../vitest.config.ts';

interface Project {
  readonly name: string;
  readonly include: readonly string[];
  readonly exclude?: readonly string[];
}

interface Manifest {
  readonly scripts: Readonly<Record<string, string>>;
  readonly workspaces?: readonly string[];
}

const root = fileURLToPath(new URL('../../', import.meta.url));
/** Projects that run the files of other lanes once more. */
const AGAIN = ['kubectl-proxy', 'again-properties'];
const lanes = (config.test?.projects ?? [])
  .map((project) => (project as { readonly test: Project }).test)
  .filter(({ name }) => !AGAIN.includes(name));

function filesOf({ include, exclude = [] }: Project): readonly string[] {
  return globSync([...include], { cwd: root, exclude: [...exclude] });
}

test('every file of tests is in exactly one lane', () => {
  const all = globSync('{test,testing,packages,examples,bench}/**/*.test.ts', {
    cwd: root,
    exclude: ['**/node_modules/**'],
  });
  const found = lanes.flatMap(filesOf);

  expect(all.length).toBeGreaterThan(900);
  expect(found.toSorted()).toEqual(all.toSorted());
});

test('npm test has the test of each example whose operator has one', () => {
  const tested = filesOf(lanes.find(({ name }) => name === 'node') ?? expect.unreachable());
  const without = ['demo', 'testing', 'try']; // what starts examples, and what their tests share

  const examples = readdirSync(`${root}examples`, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !without.includes(entry.name))
    .map(({ name }) => `examples/${name}/test/operator.test.ts`);

  expect(tested.filter((file) => file.startsWith('examples/')).toSorted()).toEqual(
    examples.toSorted(),
  );
});

test('every lane that an npm script names is there', () => {
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
