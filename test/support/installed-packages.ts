/** Packages as `npm publish` would send them, installed in a project outside the repository. */
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { lockedPackages } from '../images/support/locked-packages.ts';

const run = promisify(execFile);
const repository = fileURLToPath(new URL('../../', import.meta.url));

/** The folders of the packages that are installed. The root is last: its archive is made in the folder that has the others. */
const FOLDERS = [
  'packages/certificates',
  'packages/hooks',
  'packages/metacontroller',
  'packages/packaging',
  'testing',
  '.',
] as const;
type Folder = (typeof FOLDERS)[number];

/** A package before it is installed. */
export interface PackedPackage {
  /** The folder whose files are in the archive. */
  readonly folder: string;
  readonly archive: string;
}

export interface InstalledPackages {
  /** By the folder of the package in the repository. */
  readonly packed: Readonly<Record<Folder, PackedPackage>>;
  /** The folder of the project. */
  readonly installed: string;
  /** The folder of `chancery` in its `node_modules`. */
  readonly toolkit: string;
  remove(): Promise<void>;
}

/** Builds, packs and installs all packages but `create-chancery`. Packages of others are links to those of the repository. */
export async function installPackages(): Promise<InstalledPackages> {
  const archives = await mkdtemp(join(tmpdir(), 'chancery-packed-'));
  const installed = await realpath(await mkdtemp(join(tmpdir(), 'chancery-built-')));
  const dependencies: Record<string, string> = {};
  const packages: Partial<Record<Folder, PackedPackage>> = {};
  const others = new Set((await lockedPackages()).map(({ name }) => name));
  for (const folder of FOLDERS) {
    const archive = await packed(folder, archives);
    dependencies[(await manifestOf(folder)).name] = archive;
    packages[folder] = { folder: join(archives, folder), archive: archive.replace('file:', '') };
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
    async remove() {
      for (const each of [installed, archives]) await rm(each, { recursive: true, force: true });
    },
  };
}

/**
 * The archive that `npm publish` would send, made of a new build. What it is made of stays in `archives`.
 *
 * @param folder - of the package, from the root of the repository. @returns the archive as `file:PATH`.
 */
export async function packed(folder: string, archives: string): Promise<string> {
  const from = join(repository, folder);
  const to = join(archives, folder);
  const { files = [] } = await manifestOf(folder);
  for (const file of ['package.json', 'README.md', ...files]) {
    if (file === 'dist' || file.startsWith('!')) continue;
    await cp(join(from, file), join(to, file));
  }
  await cp(join(repository, 'LICENSE'), join(to, 'LICENSE'));
  const build = ['build/main.ts', '--out-dir', join(to, 'dist'), folder];
  await run(process.execPath, build, { cwd: repository });
  const args = ['pack', '--ignore-scripts', '--json', '--pack-destination', archives];
  const { stdout } = await run('npm', args, { cwd: to });
  const [{ filename }] = JSON.parse(stdout) as [{ readonly filename: string }];
  return `file:${join(archives, filename)}`;
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

async function manifestOf(folder: string): Promise<{
  readonly name: string;
  readonly files?: readonly string[];
}> {
  return JSON.parse(await readFile(join(repository, folder, 'package.json'), 'utf8'));
}
