/** Packages as `npm publish` would send them, installed in a project outside the repository. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { lockedPackages } from '../images/support/locked-packages.ts';
import { manifestOf } from './packed.ts';
import { type PackedPackage, packedOnce } from './packed-once.ts';

const run = promisify(execFile);
const repository = fileURLToPath(new URL('../../', import.meta.url));

/** The folders of the packages that are installed. */
const FOLDERS = [
  'packages/certificates',
  'packages/hooks',
  'packages/metacontroller',
  'packages/packaging',
  'testing',
  '.',
] as const;
type Folder = (typeof FOLDERS)[number];

export interface InstalledPackages {
  /** By the folder of the package in the repository. */
  readonly packed: Readonly<Record<Folder, PackedPackage>>;
  /** The folder of the project. */
  readonly installed: string;
  /** The folder of `chancery` in its `node_modules`. */
  readonly toolkit: string;
  remove(): Promise<void>;
}

/** Installs all packages but `create-chancery`. Packages of others are links to those of the repository. */
export async function installPackages(): Promise<InstalledPackages> {
  const installed = await realpath(await mkdtemp(join(tmpdir(), 'chancery-built-')));
  const dependencies: Record<string, string> = {};
  const packages: Partial<Record<Folder, PackedPackage>> = {};
  const others = new Set((await lockedPackages()).map(({ name }) => name));
  for (const folder of FOLDERS) {
    const each = await packedOnce(folder);
    dependencies[(await manifestOf(folder)).name] = `file:${each.archive}`;
    packages[folder] = each;
    for (const name of await packagesOf(folder)) others.add(name);
  }
  // With these no registry is asked.
  const overrides = Object.fromEntries(
    [...others]
      .filter((name) => dependencies[name] === undefined)
      .map((name) => [name, `file:${join(repository, 'node_modules', name)}`]),
  );
  const text = JSON.stringify({ private: true, dependencies, overrides });
  await writeFile(join(installed, 'package.json'), text);
  const flags = ['--offline', '--ignore-scripts', '--no-audit', '--no-fund'];
  await run('npm', ['install', ...flags], { cwd: installed });
  return {
    packed: packages as Record<Folder, PackedPackage>,
    installed,
    toolkit: join(installed, 'node_modules/chancery'),
    remove: () => rm(installed, { recursive: true, force: true }),
  };
}

/** The packages that a package of ours depends on, and those that these depend on, as the lock file has them. */
async function packagesOf(folder: string): Promise<readonly string[]> {
  const lock = JSON.parse(await readFile(join(repository, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, Dependencies | undefined>>;
  };
  const dependenciesOf = (path: string): readonly string[] => {
    const { dependencies, optionalDependencies } = lock.packages[path] ?? {};
    return Object.keys({ ...dependencies, ...optionalDependencies });
  };
  const names = new Set(dependenciesOf(folder === '.' ? '' : folder));
  // A set visits what is added while it is walked.
  for (const name of names)
    for (const each of dependenciesOf(`node_modules/${name}`)) names.add(each);
  return [...names];
}

interface Dependencies {
  readonly dependencies?: object;
  readonly optionalDependencies?: object;
}
