/**
 * The images as OCI layouts in the folder of the release, an index with every architecture for each. An image has its
 * digest before anything is pushed, and `skopeo copy --preserve-digests` pushes it with that digest.
 */
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import process from 'node:process';
import { parseDockerfile } from '../../test/images/support/dockerfile.ts';
import { findProgram, output } from '../program.ts';
import { IMAGES, type ImageDeclaration, PLATFORMS } from './image-declarations.ts';
import { type Bases, StandIns } from './stand-in-bases.ts';

export interface ReleasedImage {
  readonly name: string;
  /** Of the index: what the image has in every registry that it is pushed to. */
  readonly digest: string;
  /** `linux/amd64` and so on: those that were built. */
  readonly platforms: readonly string[];
  /** The folder of its OCI layout, from the folder of the release. */
  readonly layout: string;
}

export interface Built {
  readonly images: readonly ReleasedImage[];
  readonly refusals: readonly string[];
}

export interface ImagesOptions {
  readonly root: string;
  /** Of the release: images are written to `images/` in it. */
  readonly folder: string;
  readonly declarations?: readonly ImageDeclaration[];
  /**
   * Builds on what this machine has where a base image cannot be pulled, to show that the Dockerfiles can be built.
   * Each such image is refused.
   */
  readonly mayStandIn: boolean;
  readonly env?: NodeJS.ProcessEnv;
}

/** Builds all images. A failed image becomes a refusal, and the other images are still built. */
export async function buildImages(options: ImagesOptions): Promise<Built> {
  const { root, folder, declarations = IMAGES, env = process.env } = options;
  const buildah = findProgram('buildah', env);
  if (buildah === undefined) {
    const refusals = declarations.map(
      ({ name }) => `image ${name}: not built, buildah is not here`,
    );
    return { images: [], refusals };
  }
  const storage = join(folder, '.storage');
  const layouts = join(folder, 'images');
  await mkdir(layouts, { recursive: true });
  const builder = new ImageBuilder(buildah, root, storage, options);
  const images: ReleasedImage[] = [];
  const refusals: string[] = [];
  try {
    for (const image of declarations) {
      const outcome = await builder.build(image, join(layouts, image.name));
      if (outcome.image !== undefined) images.push(outcome.image);
      refusals.push(...outcome.problems.map((problem) => `image ${image.name}: ${problem}`));
    }
  } finally {
    await builder.remove();
  }
  return { images, refusals };
}

interface Outcome {
  readonly image?: ReleasedImage;
  readonly problems: readonly string[];
}

/** buildah with a storage of its own, so that nothing of this machine gets into an image, and nothing stays. */
class ImageBuilder {
  readonly #buildah: string;
  readonly #root: string;
  readonly #storage: string;
  readonly #options: ImagesOptions;
  readonly #driver: string;
  readonly #standIns: StandIns;
  /** By reference: why it could not be pulled; undefined when it is here. */
  readonly #pulled = new Map<string, string | undefined>();
  readonly #built = new Set<string>();

  constructor(buildah: string, root: string, storage: string, options: ImagesOptions) {
    this.#buildah = buildah;
    this.#root = root;
    this.#storage = storage;
    this.#options = options;
    this.#driver = (options.env ?? process.env).STORAGE_DRIVER ?? 'vfs'; // needs no mounts and no settings
    this.#standIns = new StandIns(storage, this.#driver);
  }

  async build(image: ImageDeclaration, layout: string): Promise<Outcome> {
    if (image.on !== undefined && !this.#built.has(image.on.image))
      return { problems: [`not built, because ${image.on.image} was not`] };
    const missing = await this.#missingBases(image);
    if (missing.length > 0 && !this.#options.mayStandIn)
      return { problems: missing.map((problem) => `not built: ${problem}`) };
    try {
      const bases: Bases | undefined =
        missing.length > 0 ? await this.#standIns.basesOf(image) : undefined;
      const built = await this.#buildAndWrite(image, layout, bases);
      this.#built.add(image.name);
      return { image: built, problems: problemsOf(built, missing) };
    } catch (error) {
      return { problems: [...missing, `not built: ${(error as Error).message}`] };
    }
  }

  async remove(): Promise<void> {
    await rm(this.#storage, { recursive: true, force: true });
  }

  async #buildAndWrite(
    { name, dockerfile, target, on }: ImageDeclaration,
    layout: string,
    bases: Bases | undefined,
  ): Promise<ReleasedImage> {
    // One after another: buildah lists platforms of one build in the order in which they end.
    for (const platform of bases === undefined ? PLATFORMS : [undefined]) {
      await this.#run('bud', [
        ...['--isolation=chroot', '--timestamp=0', '--manifest', `localhost/${name}`],
        ...(platform === undefined ? [] : [`--platform=${platform}`]),
        ...(bases === undefined ? [] : ['--pull=never', ...bases.args]),
        ...(target === undefined ? [] : [`--target=${target}`]),
        ...(on === undefined ? [] : [`--build-arg=${on.argument}=localhost/${on.image}`]),
        ...['--file', join(this.#root, dockerfile), this.#root],
      ]);
    }
    await this.#run('manifest', ['push', '--all', `localhost/${name}`, `oci:${layout}`]);
    return { name, layout: `images/${name}`, ...(await readLayout(layout)) };
  }

  /** Why base images of the Dockerfile cannot be had, a sentence for each. */
  async #missingBases({ dockerfile, target, on }: ImageDeclaration): Promise<readonly string[]> {
    const text = await readFile(join(this.#root, dockerfile), 'utf8');
    const { stages } = parseDockerfile(text);
    const names = new Set(stages.map(({ name }) => name));
    const last =
      target === undefined ? stages.length - 1 : stages.findIndex(({ name }) => name === target);
    const bases = stages
      .slice(0, last + 1)
      .map(({ base }) => base)
      .filter((base) => base !== 'scratch' && base !== on?.image && !names.has(base));
    const problems: string[] = [];
    for (const base of new Set(bases)) {
      const problem = await this.#pull(base);
      if (problem !== undefined) problems.push(`${base} cannot be pulled: ${problem}`);
    }
    return problems;
  }

  async #pull(base: string): Promise<string | undefined> {
    if (!this.#pulled.has(base)) {
      const problem = await this.#run('pull', ['--quiet', base]).then(
        () => undefined,
        (error: Error) => error.message.split(': ').at(-1)?.trim() ?? error.message,
      );
      this.#pulled.set(base, problem);
    }
    return this.#pulled.get(base);
  }

  #run(command: string, args: readonly string[]): Promise<string> {
    const { env = process.env } = this.#options;
    const storage = [
      ...['--root', join(this.#storage, 'storage'), '--runroot', join(this.#storage, 'runtime')],
      `--storage-driver=${this.#driver}`,
    ];
    return output(this.#buildah, [...storage, command, ...args], { cwd: this.#root, env });
  }
}

/** A stand-in has the architecture of this machine alone; nothing needs to be said of that. */
function problemsOf(image: ReleasedImage, missing: readonly string[]): readonly string[] {
  if (missing.length > 0)
    return missing.map((problem) => `built on a stand-in of this machine: ${problem}`);
  const absent = PLATFORMS.filter((platform) => !image.platforms.includes(platform));
  return absent.map((platform) => `not built for ${platform}`);
}

/** What an OCI layout with one index says of it. */
export async function readLayout(
  layout: string,
): Promise<Pick<ReleasedImage, 'digest' | 'platforms'>> {
  const { manifests } = JSON.parse(await readFile(join(layout, 'index.json'), 'utf8')) as Index;
  const [index, ...more] = manifests;
  if (index === undefined || more.length > 0)
    throw new Error(`${layout}: ${manifests.length} images, and not one index`);
  const [algorithm = '', hash = ''] = index.digest.split(':');
  const text = await readFile(join(layout, 'blobs', algorithm, hash), 'utf8');
  const platforms = (JSON.parse(text) as Index).manifests.map(({ platform }) =>
    [platform?.os, platform?.architecture].join('/'),
  );
  return { digest: index.digest, platforms };
}

interface Index {
  readonly manifests: readonly {
    readonly digest: string;
    readonly platform?: { readonly os: string; readonly architecture: string };
  }[];
}
