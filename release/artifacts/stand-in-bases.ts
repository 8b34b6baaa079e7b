/** Base images out of what this machine has, for a dry run where no registry of images can be reached. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Builder } from '../../test/images/support/builder.ts';
import { standInDebian } from '../../test/images/support/debian-base.ts';
import { nodeBases, standInKubectl, standInNginx } from '../../test/images/support/stand-ins.ts';
import type { ImageDeclaration } from './image-declarations.ts';

/** Arguments of a build that put other images in the place of those that a Dockerfile names. */
export interface Bases {
  readonly args: readonly string[];
}

/** Makes each of them once, when the first image needs it. */
export class StandIns {
  readonly #folder: string;
  readonly #builder: Builder;
  #node: Promise<readonly string[]> | undefined;
  #debian: Promise<string> | undefined;

  /** @param storage - where the images are built. @param driver - that of the storage. */
  constructor(storage: string, driver: string) {
    this.#folder = join(storage, 'stand-ins');
    this.#builder = new Builder(storage, driver);
  }

  /** What stands in for Debian has no Node, which no step of the build of that image needs. */
  async basesOf(image: ImageDeclaration): Promise<Bases> {
    await mkdir(this.#folder, { recursive: true });
    if (image.dockerfile === 'Dockerfile.proxy') {
      const kubectl = await standInKubectl(this.#builder, this.#folder);
      return { args: [`--build-arg=KUBECTL_IMAGE=${kubectl}`] };
    }
    if (image.dockerfile === 'Dockerfile.gate') {
      const nginx = await standInNginx(this.#builder, this.#folder);
      return { args: [`--build-arg=NGINX_IMAGE=${nginx}`, '--build-arg=HANDSHAKE='] };
    }
    this.#node ??= nodeBases(this.#builder, this.#folder);
    const args = await this.#node;
    if (image.target === undefined) return { args };
    this.#debian ??= standInDebian(this.#builder, this.#folder);
    return { args: [...args, `--build-arg=PROGRAMS_IMAGE=${await this.#debian}`] };
  }
}
