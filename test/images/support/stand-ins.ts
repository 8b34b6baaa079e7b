/**
 * Base images from what is on this machine, for where no registry can be reached: a kubectl, the Node
 * of this checkout with the libraries that it is linked with, and npm with the few programs that the
 * build stage runs. What they lack is what the real ones have besides: certificates, time zones, users.
 */
import { execFile } from 'node:child_process';
import {
  copyFile,
  glob,
  link,
  mkdir,
  readFile,
  realpath,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { pathOf } from '../../tools/tools.ts';
import type { Builder } from './builder.ts';

const run = promisify(execFile);

/** What the build stages run: `RUN` needs a shell, and npm's first line env. */
const PROGRAMS = ['sh', 'chmod', 'env', 'find', 'mkdir', 'mv', 'rm'];

/** What the bundler brings of machine code, for the C libraries that it is linked with. */
const BUNDLER = fileURLToPath(
  new URL('../../../node_modules/@rolldown/binding-*/*.node', import.meta.url),
);

export const STAND_IN_KUBECTL = 'stand-in-kubectl';

/** In the place of registry.k8s.io/kubectl. Resolves to the image's name. */
export async function standInKubectl(builder: Builder, folder: string): Promise<string> {
  const root = join(folder, 'kubectl');
  await put(pathOf('kubectl'), join(root, 'bin/kubectl'));
  return commit(builder, root, STAND_IN_KUBECTL);
}

/** What the build stage of the gate runs. */
const GATE_PROGRAMS = ['sh', 'chmod', 'cp', 'mkdir', 'sed'];

/** In the place of nginx:…-trixie: nginx where Debian has it, and a shell. Resolves to the image's name. */
export async function standInNginx(builder: Builder, folder: string): Promise<string> {
  const root = join(folder, 'nginx');
  await putProgram(pathOf('nginx'), root, '/usr/sbin/nginx');
  for (const program of GATE_PROGRAMS) {
    await putProgram(await find(program), root, `/usr/bin/${program}`);
  }
  await symlink('usr/bin', join(root, 'bin'));
  return commit(builder, root, 'stand-in-nginx', ['ENV PATH=/usr/bin']);
}

/** Arguments that put stand-ins in the place of the base images of a Dockerfile that builds with npm and runs on Node. */
export async function nodeBases(builder: Builder, folder: string): Promise<readonly string[]> {
  const { name, volumes } = await standInBuild(builder, folder);
  return [
    `--build-arg=BUILD_IMAGE=${name}`,
    `--build-arg=RUNTIME_IMAGE=${await standInRuntime(builder, folder)}`,
    ...volumes.map((volume) => `--volume=${volume}`),
  ];
}

export const STAND_IN_RUNTIME = 'stand-in-runtime';

/** In the place of gcr.io/distroless/nodejs: node, and what it is linked with. */
async function standInRuntime(builder: Builder, folder: string): Promise<string> {
  const root = join(folder, 'runtime-base');
  await putProgram(process.execPath, root, '/nodejs/bin/node');
  return commit(builder, root, STAND_IN_RUNTIME);
}

/**
 * In the place of node:…-slim: a shell, node and npm, with npm's cache of this machine instead of the
 * network. What is large is no part of it but mounted while it runs.
 */
async function standInBuild(builder: Builder, folder: string): Promise<BuildBase> {
  const root = join(folder, 'build-base');
  await putLibraries(process.execPath, root);
  for (const program of PROGRAMS)
    await putProgram(await find(program), root, `/usr/bin/${program}`);
  for await (const binding of glob(BUNDLER)) await putLibraries(binding, root);
  await symlink('usr/bin', join(root, 'bin'));
  await symlink('/npm/bin/npm-cli.js', join(root, 'usr/bin/npm'));
  await mkdir(join(root, 'tmp'));
  const name = await commit(builder, root, 'stand-in-build', [
    'ENV PATH=/node:/usr/bin NPM_CONFIG_CACHE=/npm-cache NPM_CONFIG_PREFER_OFFLINE=true',
  ]);
  return {
    name,
    volumes: [
      `${dirname(process.execPath)}:/node:ro`,
      `${join(dirname(await npmCli()), '..')}:/npm:ro`,
      `${await npmCache()}:/npm-cache`,
    ],
  };
}

interface BuildBase {
  readonly name: string;
  /** `FOLDER:TARGET`, for what runs in it. */
  readonly volumes: readonly string[];
}

/** Where npm on this machine keeps what it has downloaded. */
async function npmCache(): Promise<string> {
  const { stdout } = await run('npm', ['config', 'get', 'cache'], { encoding: 'utf8' });
  const folder = stdout.trim();
  await mkdir(folder, { recursive: true });
  return folder;
}

/** The npm that runs these tests, or the one on the PATH. */
async function npmCli(): Promise<string> {
  const { npm_execpath: running = '' } = process.env;
  return realpath(running.endsWith('npm-cli.js') ? running : await find('npm'));
}

/** Resolves to the name of an image of the files in `root`. */
export async function commit(
  builder: Builder,
  root: string,
  name: string,
  more: readonly string[] = [],
): Promise<string> {
  const dockerfile = `${root}.Dockerfile`;
  await writeFile(dockerfile, ['FROM scratch', 'COPY . /', ...more, ''].join('\n'));
  await builder.build(name, dockerfile, root);
  return `localhost/${name}`;
}

async function putProgram(program: string, root: string, target: string): Promise<void> {
  await put(program, join(root, target));
  await putLibraries(program, root);
}

async function putLibraries(program: string, root: string): Promise<void> {
  const { stdout } = await run('ldd', [program]).catch(() => ({ stdout: '' })); // a static one has none
  for (const library of stdout.match(/\/\S+/g) ?? []) await put(library, join(root, library));
}

/** The file behind `source`; without a copy where a link to it will do. */
export async function put(source: string, target: string): Promise<void> {
  const file = await realpath(source);
  await mkdir(dirname(target), { recursive: true });
  await link(file, target).catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') await copyFile(file, target);
  });
}

async function find(program: string): Promise<string> {
  for (const folder of (process.env.PATH ?? '').split(delimiter)) {
    const path = join(folder, program);
    if (
      await readFile(path).then(
        () => true,
        () => false,
      )
    )
      return path;
  }
  throw new Error(`the stand-in for the build image needs ${program}`);
}
