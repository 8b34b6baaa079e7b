import { execFile } from 'node:child_process';
import { copyFile, cp, link, mkdir, readFile, realpath, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { buildImage, type Dockerfile } from '../../images/support/build-image.ts';
import { lockedPackages } from '../../images/support/locked-packages.ts';
import { pathOf, stateOf, toolNamed } from '../../tools/tools.ts';
import type { ImageConfig } from './container-plan.ts';

const run = promisify(execFile);
const repository = fileURLToPath(new URL('../../../', import.meta.url));

export interface Image {
  readonly rootfs: string;
  readonly config: ImageConfig;
}

export type Images = Readonly<
  Record<'chancery-proxy' | 'chancery-operator', Image> & Record<string, Image>
>;

/** Both images, as a builder builds them; where there is none, their last stages laid out in `folder`. */
export async function images(
  folder: string,
  isBuilt = stateOf(toolNamed('buildah')).state === 'found',
): Promise<Images> {
  const image = (dockerfile: Dockerfile): Promise<Image> =>
    isBuilt ? buildImage(dockerfile) : layOut(dockerfile, join(folder, dockerfile));
  return {
    'chancery-proxy': await image('Dockerfile.proxy'),
    'chancery-operator': await image('Dockerfile.operator'),
  };
}

/**
 * The image of an example whose Dockerfile bundles it on top of `chancery-operator`, laid out in `folder` by that
 * Dockerfile's commands.
 */
export async function bundledExample(name: string, base: Image, folder: string): Promise<Image> {
  const text = await readFile(join(repository, 'examples', name, 'Dockerfile'), 'utf8');
  const rootfs = join(folder, name);
  await run('cp', ['-a', base.rootfs, rootfs]);
  const [, words = ''] = /^RUN \S+\/rolldown (.+) --file \S+$/m.exec(text) ?? [];
  const [, target = ''] = /^COPY --from=build \S+ (\S+)$/m.exec(text) ?? [];
  const rolldown = join(repository, 'node_modules/.bin/rolldown');
  const args = [rolldown, ...words.split(' '), '--file', join(rootfs, target)];
  await run(process.execPath, args, { cwd: repository });
  const { Entrypoint, Cmd } = configOf(text.slice(text.lastIndexOf('\nFROM ')));
  return { rootfs, config: { ...base.config, Entrypoint, Cmd } };
}

/** The image `chancery-operator` with the modules of an example, laid out in `folder` where its manifests name them. */
export async function exampleModule(name: string, base: Image, folder: string): Promise<Image> {
  const rootfs = join(folder, name);
  await run('cp', ['-a', base.rootfs, rootfs]);
  const isModule = (path: string): boolean => !/\/(test|manifests|sample)(\/|$)/.test(path);
  const target = join(rootfs, 'operators', name);
  await cp(join(repository, 'examples', name), target, { recursive: true, filter: isModule });
  return { rootfs, config: base.config };
}

/** The last stage of a Dockerfile without a builder: what the stages before it bring comes from this machine. */
async function layOut(dockerfile: Dockerfile, rootfs: string): Promise<Image> {
  const text = (await readFile(join(repository, dockerfile), 'utf8'))
    .replace(/^#.*\n/gm, '')
    .replaceAll('\\\n', '');
  const stage = text.slice(text.lastIndexOf('\nFROM '));
  await mkdir(rootfs, { recursive: true });
  if (!stage.startsWith('\nFROM scratch')) await putNode(rootfs);
  for (const [, , from = '', to = ''] of stage.matchAll(/^COPY ((?:--\S+ )*)(\S+) (\S+)$/gm)) {
    await bring(from, join(rootfs, to));
  }
  return { rootfs, config: configOf(stage) };
}

async function bring(from: string, target: string): Promise<void> {
  if (from === '/bin/kubectl') return put(pathOf('kubectl'), target);
  if (from === '/src/operators') return void (await mkdir(target, { recursive: true }));
  if (from === '/src/dist') return compile(target);
  if (from === '/src/node_modules') return installed(target);
  const source = join(repository, from.replace(/^\/src\//, ''));
  await cp(source, target, { recursive: true, filter: (path) => !path.includes('/test/') });
}

/** As the Dockerfile does. */
async function compile(target: string): Promise<void> {
  const args = ['build/main.ts', '--image', '--out-dir', target, '.'];
  await run(process.execPath, args, { cwd: repository });
}

/** What the Dockerfile has npm install, from what is installed here. */
async function installed(target: string): Promise<void> {
  for (const { path } of await lockedPackages()) {
    await cp(join(repository, path), join(target, '..', path), { recursive: true });
  }
}

/** Node and what it is linked with, where the image has them. */
async function putNode(root: string): Promise<void> {
  await put(process.execPath, join(root, 'nodejs/bin/node'));
  const { stdout } = await run('ldd', [process.execPath]);
  for (const library of stdout.match(/\/\S+/g) ?? []) await put(library, join(root, library));
}

/** The file behind `source`; without a copy where a link to it will do. */
async function put(source: string, target: string): Promise<void> {
  const file = await realpath(source);
  await mkdir(dirname(target), { recursive: true });
  if ((await stat(target).catch(() => undefined)) !== undefined) return;
  await link(file, target).catch(() => copyFile(file, target));
}

function configOf(stage: string): ImageConfig {
  const words = (instruction: string): readonly string[] =>
    JSON.parse(new RegExp(`^${instruction} (\\[.*\\])$`, 'm').exec(stage)?.[1] ?? '[]');
  const [, Env = ''] = /^ENV (.*)$/m.exec(stage) ?? [];
  return {
    Entrypoint: words('ENTRYPOINT'),
    Cmd: words('CMD'),
    Env: Env.trim().split(/\s+/),
    User: /^USER (\S+)$/m.exec(stage)?.[1] ?? '',
    WorkingDir: /^WORKDIR (\S+)$/m.exec(stage)?.[1] ?? '/',
  };
}
