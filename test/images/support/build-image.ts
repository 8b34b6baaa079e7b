import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { inject } from 'vitest';
import { once } from '../../support/once.ts';
import { Builder } from './builder.ts';
import { putNode, standInDebian } from './debian-base.ts';
import { filesBelow } from './files-below.ts';
import {
  nodeBases,
  STAND_IN_KUBECTL,
  STAND_IN_RUNTIME,
  standInKubectl,
  standInNginx,
} from './stand-ins.ts';
import '../../support/run-folder.ts';

export type Dockerfile =
  | 'Dockerfile.proxy'
  | 'Dockerfile.gate'
  | 'Dockerfile.operator'
  | 'Dockerfile.apiserver';

export interface BuiltImage {
  /** The digest of its configuration, and so of all that is in it. */
  readonly id: string;
  /** The image's files in a folder, for all test files of the run: mount it read-only, write nothing. */
  readonly rootfs: string;
  readonly config: {
    readonly Entrypoint: readonly string[];
    readonly Cmd: readonly string[];
    /** `NAME=value`. */
    readonly Env: readonly string[];
    readonly User: string;
    readonly WorkingDir: string;
    readonly Labels: Readonly<Record<string, string>>;
  };
  /** Bytes in all its files. */
  readonly size: number;
  /** How long it took, stand-in base images included. */
  readonly buildMs: number;
}

const repository = fileURLToPath(new URL('../../../', import.meta.url));

/** How long to wait for an image: two cores that others use as well, and npm without its cache. */
export const BUILD_TIMEOUT_MS = 900_000;

/**
 * The image of a Dockerfile of this repository, built from base images of this machine. The first who
 * asks builds it, for all test files of the run.
 *
 * @throws Error with the builder's own words when the build fails.
 */
export async function buildImage(dockerfile: Dockerfile): Promise<BuiltImage> {
  const folder = join(inject('runFolder'), dockerfile);
  return once(folder, async () => {
    const startedAt = performance.now();
    const builder = new Builder(folder);
    const args = await ARGUMENTS[dockerfile](builder, folder);
    await builder.build(nameOf(dockerfile), join(repository, dockerfile), repository, ...args);
    return unpack(builder, nameOf(dockerfile), startedAt);
  });
}

/** A target of Dockerfile.operator for one command. */
export type Target = 'hooks' | 'metacontroller' | 'certificates';

/** The image of such a target; those for programs are on a Debian whose apt really runs. Made once in a run. */
export async function buildTarget(target: Target): Promise<BuiltImage> {
  await buildImage('Dockerfile.operator'); // in whose storage the build stage is
  const folder = join(inject('runFolder'), target);
  return once(folder, async () => {
    const startedAt = performance.now();
    const hasPrograms = target !== 'certificates';
    const base = hasPrograms
      ? `--build-arg=PROGRAMS_IMAGE=${await debianBase()}`
      : `--build-arg=RUNTIME_IMAGE=localhost/${STAND_IN_RUNTIME}`;
    const builder = new Builder(join(inject('runFolder'), 'Dockerfile.operator'));
    const dockerfile = join(repository, 'Dockerfile.operator');
    const args = [`--target=${target}`, base, FROM_BUILT];
    await builder.build(`chancery-${target}`, dockerfile, repository, ...args);
    const image = await unpack(builder, `chancery-${target}`, startedAt);
    const added = hasPrograms ? await putNode(image.rootfs) : 0;
    return { ...image, size: image.size + added };
  });
}

/** What stands in for Debian, in the storage of Dockerfile.operator. Made once in a run. */
function debianBase(): Promise<string> {
  const folder = join(inject('runFolder'), 'debian');
  return once(folder, () => {
    const builder = new Builder(join(inject('runFolder'), 'Dockerfile.operator'));
    return standInDebian(builder, folder);
  });
}

/** The ambassador's image once more, from the stand-in that it was built from. */
export async function buildProxyAgain(): Promise<BuiltImage> {
  await buildImage('Dockerfile.proxy');
  const startedAt = performance.now();
  const builder = new Builder(join(inject('runFolder'), 'Dockerfile.proxy'));
  const argument = `--build-arg=KUBECTL_IMAGE=localhost/${STAND_IN_KUBECTL}`;
  await builder.build(
    'again',
    join(repository, 'Dockerfile.proxy'),
    repository,
    '--no-cache',
    argument,
  );
  return unpack(builder, 'again', startedAt);
}

/** An image with `/bin/kubectl` that would start something else by itself, and as root. */
export async function buildStock(): Promise<BuiltImage> {
  await buildImage('Dockerfile.proxy');
  const startedAt = performance.now();
  const folder = join(inject('runFolder'), 'Dockerfile.proxy');
  const dockerfile = join(folder, 'stock.Dockerfile');
  await writeFile(dockerfile, `FROM localhost/${STAND_IN_KUBECTL}\nENTRYPOINT ["/bin/sh"]\n`);
  const builder = new Builder(folder);
  await builder.build('stock', dockerfile, folder);
  return unpack(builder, 'stock', startedAt);
}

/** An image of files in `context` on top of the operator's, for its two lines: FROM and COPY. */
export async function deriveImage(dockerfile: string, context: string): Promise<BuiltImage> {
  await buildImage('Dockerfile.operator');
  const startedAt = performance.now();
  const builder = new Builder(join(inject('runFolder'), 'Dockerfile.operator'));
  await builder.build('derived', dockerfile, context);
  return unpack(builder, 'derived', startedAt);
}

/**
 * The image of a project outside this repository, from the Dockerfile in its folder and the same base images
 * as Dockerfile.operator.
 *
 * @param packages - a folder of archives, which the build sees beside the project's folder, as `../packages`.
 */
export async function buildProject(project: string, packages: string): Promise<BuiltImage> {
  const folder = join(inject('runFolder'), 'project');
  return once(folder, async () => {
    const startedAt = performance.now();
    const builder = new Builder(folder);
    const bases = await nodeBases(builder, folder);
    const volume = `--volume=${packages}:/packages:ro`;
    await builder.build('project', join(project, 'Dockerfile'), project, ...bases, volume);
    return unpack(builder, 'project', startedAt);
  });
}

function nameOf(dockerfile: Dockerfile): string {
  return dockerfile.replace('Dockerfile.', 'chancery-');
}

/** The stage `build` as an image of its own, for every target that takes files from it. */
const BUILT = 'chancery-build';
const FROM_BUILT = `--build-context=build=container-image://localhost/${BUILT}`;

const ARGUMENTS: Readonly<
  Record<Dockerfile, (builder: Builder, folder: string) => Promise<readonly string[]>>
> = {
  'Dockerfile.proxy': async (builder, folder) => [
    `--build-arg=KUBECTL_IMAGE=${await standInKubectl(builder, folder)}`,
  ],
  'Dockerfile.gate': async (builder, folder) => [
    `--build-arg=NGINX_IMAGE=${await standInNginx(builder, folder)}`,
    '--build-arg=HANDSHAKE=', // Debian's nginx may be older than the image's
  ],
  'Dockerfile.operator': async (builder, folder) => {
    const bases = await nodeBases(builder, folder);
    const dockerfile = join(repository, 'Dockerfile.operator');
    await builder.build(BUILT, dockerfile, repository, '--target=build', ...bases);
    return [...bases, FROM_BUILT];
  },
  'Dockerfile.apiserver': nodeBases,
};

/** With the driver vfs the files of a container are a plain folder, which needs no mount to stay. */
async function unpack(builder: Builder, name: string, startedAt: number): Promise<BuiltImage> {
  const container = await builder.run('from', '--pull=never', `localhost/${name}`);
  const rootfs = await builder.run('mount', container);
  const { OCIv1, FromImageID } = JSON.parse(
    await builder.run('inspect', '--type', 'image', `localhost/${name}`),
  );
  const files = await filesBelow(rootfs);
  return {
    id: FromImageID,
    rootfs,
    config: {
      Cmd: [],
      Entrypoint: [],
      Env: [],
      User: '',
      WorkingDir: '',
      Labels: {},
      ...OCIv1.config,
    },
    size: files.reduce((sum, { size }) => sum + size, 0),
    buildMs: performance.now() - startedAt,
  };
}
