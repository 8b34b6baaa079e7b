import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { packedOnce } from '../../support/packed-once.ts';

const run = promisify(execFile);
const repository = fileURLToPath(new URL('../../../', import.meta.url));

/** A project outside the repository that has installed the packages of this checkout. */
export interface OutsideProject {
  readonly folder: string;
  /** The archives of both packages. */
  readonly packages: string;
  /** Runs the installed `chancery` in the project. @throws Error when it ends with another code than 0. */
  chancery(args: readonly string[], stdin?: string): Promise<string>;
  remove(): Promise<void>;
}

interface Entry {
  readonly version: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
}

/**
 * Packs both packages, and installs them with `npm ci` in a new project that has these files. Its lock has the
 * versions and digests of this repository's lock, so that npm finds every package in its cache.
 */
export async function outsideProject(
  files: Readonly<Record<string, string>>,
): Promise<OutsideProject> {
  const root = await mkdtemp(join(tmpdir(), 'chancery-outside-'));
  const [folder, packages] = [join(root, 'project'), join(root, 'packages')];
  await mkdir(packages);
  const chancery = await archive('.', packages);
  const kit = await archive('testing', packages);
  const manifest = {
    name: 'outside',
    version: '1.0.0',
    private: true,
    type: 'module',
    dependencies: { chancery },
    devDependencies: { '@chancery/testing': kit },
  };
  const lock = await lockOf(manifest, chancery, kit);
  for (const [path, text] of Object.entries({
    'package.json': JSON.stringify(manifest, undefined, 2),
    'package-lock.json': JSON.stringify(lock, undefined, 2),
    ...files,
  })) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text, { mode: 0o600 });
  }
  const flags = ['--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund'];
  await run('npm', ['ci', ...flags], { cwd: folder });
  return {
    folder,
    packages,
    async chancery(args, stdin = '') {
      const script = join(folder, 'node_modules/chancery/operator/cli/chancery.js');
      const child = run(process.execPath, [script, ...args], { cwd: folder, maxBuffer: 1 << 26 });
      child.child.stdin?.end(stdin);
      return (await child).stdout;
    },
    remove: () => rm(root, { recursive: true, force: true }),
  };
}

/** Puts the archive of a package into `packages`. @returns its spec from a folder beside that. */
async function archive(folder: string, packages: string): Promise<string> {
  const { archive: path } = await packedOnce(folder);
  await copyFile(path, join(packages, basename(path)));
  return `file:../packages/${basename(path)}`;
}

/** The lock that npm would write: our packages from their archives, and all that they depend on. */
async function lockOf(manifest: object, chancery: string, kit: string): Promise<object> {
  const { packages } = JSON.parse(
    await readFile(join(repository, 'package-lock.json'), 'utf8'),
  ) as { readonly packages: Readonly<Record<string, Entry>> };
  const toolkit = packages[''] as Entry;
  const testing = packages.testing as Entry;
  const found: Record<string, object> = {
    '': manifest,
    'node_modules/chancery': archived(toolkit, chancery),
    'node_modules/@chancery/testing': { ...archived(testing, kit), dev: true },
  };
  const add = ({ dependencies = {}, optionalDependencies = {} }: Entry, mark: object): void => {
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const path = `node_modules/${name}`;
      const entry = packages[path];
      if (entry === undefined) throw new Error(`the lock has no ${path}`);
      if (found[path] !== undefined) continue;
      const { dev: _, peer: __, ...rest } = entry;
      found[path] = { ...rest, ...mark };
      add(entry, mark);
    }
  };
  add(toolkit, {});
  add(testing, { dev: true });
  return { name: 'outside', version: '1.0.0', lockfileVersion: 3, requires: true, packages: found };
}

function archived(
  { version, dependencies, optionalDependencies, engines, bin }: Entry,
  resolved: string,
): object {
  return { version, resolved, dependencies, optionalDependencies, engines, bin };
}
