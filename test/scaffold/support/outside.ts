/** Projects outside the repository, made from packed archives by the npm and the Node of the system. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { copyFile, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, delimiter, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { packedOnce } from '../../support/packed-once.ts';
import { folderWithTools } from '../../tools/links.ts';

const REPOSITORY = fileURLToPath(new URL('../../../', import.meta.url));
/** What `chancery init` adds to a project, but for packages of this repository. */
const THIRD_PARTY = ['@types/node', 'node', 'typescript'] as const;

/** A folder with an archive of each package, as `CHANCERY_PACKAGES` names it. */
export interface Archives {
  readonly folder: string;
  /** The archive of `create-chancery`. */
  readonly creator: string;
  remove(): Promise<void>;
}

export async function packArchives(): Promise<Archives> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'chancery-archives-')));
  const put = async (name: string): Promise<string> => {
    const { archive } = await packedOnce(name);
    const path = join(folder, basename(archive));
    await copyFile(archive, path);
    return path;
  };
  await put('testing');
  await put('.');
  return {
    folder,
    creator: await put('create-chancery'),
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

/** An environment without what `npm test` has put into this one: the first Node is that of the system. */
export function systemEnvironment(): Readonly<Record<string, string>> {
  const own = Object.entries(process.env).filter(
    ([name]) => !/^(?:npm_|NODE|VITEST|CHANCERY_|INIT_CWD|TEST$)/i.test(name),
  );
  const path = (process.env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => !folder.includes('node_modules'));
  const tools = folderWithTools('kubectl');
  return {
    ...(Object.fromEntries(own) as Record<string, string>),
    PATH: [tools, ...path].join(delimiter),
    // Nothing is asked of a registry: what is not here is a failure.
    npm_config_offline: 'true',
    npm_config_update_notifier: 'false',
    NO_COLOR: '1',
  };
}

/** A shell line in a folder. Resolves to what it wrote. @throws Error with all of it when it fails. */
export async function shell(
  line: string,
  folder: string,
  env: Readonly<Record<string, string>>,
): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)('sh', ['-c', line], {
      cwd: folder,
      env: { ...env },
      maxBuffer: 1 << 26,
    });
    return stdout;
  } catch (error) {
    const { stdout, stderr } = error as { readonly stdout: string; readonly stderr: string };
    throw new Error(`${line}\n${stdout}\n${stderr}`, { cause: error });
  }
}

/**
 * Links the packages of others to those of the repository, so that an installation needs no registry. Two
 * things differ from an ordinary installation: no scripts run, and these packages are not unpacked.
 */
export function linkThirdParty(project: string): void {
  const file = join(project, 'package.json');
  const manifest = JSON.parse(readFileSync(file, 'utf8'));
  const linked = (name: string): string => `file:${join(REPOSITORY, 'node_modules', name)}`;
  for (const name of THIRD_PARTY) manifest.devDependencies[name] = linked(name);
  const names = closureOf([...THIRD_PARTY, 'chancery', '@chancery/testing']).filter(
    (name) => !(name in manifest.dependencies) && !(name in manifest.devDependencies),
  );
  manifest.overrides = Object.fromEntries(names.map((name) => [name, linked(name)]));
  writeFileSync(file, JSON.stringify(manifest, null, 2));
}

/** These packages, and all that they depend on and that is installed here. */
function closureOf(packages: readonly string[]): readonly string[] {
  const names = new Set(packages);
  // A set visits what is added while it is walked.
  for (const name of names) {
    const file = join(REPOSITORY, 'node_modules', name, 'package.json');
    const { dependencies, optionalDependencies } = JSON.parse(readFileSync(file, 'utf8'));
    for (const each of Object.keys({ ...dependencies, ...optionalDependencies })) {
      if (existsSync(join(REPOSITORY, 'node_modules', each))) names.add(each);
    }
  }
  return [...names];
}

/** A program that goes on until it is stopped. */
export interface Background {
  /** What it has written so far. */
  text(): string;
  /** Ctrl-C in its terminal: its whole process group is interrupted. Resolves when its output has ended. */
  interrupt(): Promise<void>;
}

export function background(
  line: string,
  folder: string,
  env: Readonly<Record<string, string>>,
): Background {
  const child = spawn('sh', ['-c', line], { cwd: folder, env: { ...env }, detached: true });
  const closed = once(child, 'close');
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
  }
  return {
    text: () => text,
    async interrupt() {
      if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) {
        process.kill(-child.pid, 'SIGINT');
      }
      await closed;
    },
  };
}
