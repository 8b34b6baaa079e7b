/** Base images out of what this machine has, for a dry run where no registry of images can be reached. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Builder } from '../../test/images/support/builder.ts';
import { standInDebian } from '../../test/images/support/debian-base.ts';
import { nodeBases, standInKubectl } from '../../test/images/support/stand-ins.ts';
import type { ImageDeclaration } from './image-declarations.ts';

/** Arguments of a build that put other images in the place of those that a Dockerfile names. */
export interface Bases {
  readonly args: readonly string[];
}

/**
 * @param storage - where the images are built. What stands in for Debian has no Node, which no step of the build of
 *   that image needs.
 */
export async function standInBases(storage: string, image: ImageDeclaration): Promise<Bases> {
  const builder = new Builder(storage);
  const folder = join(storage, 'stand-ins', image.name);
  await mkdir(folder, { recursive: true });
  if (image.dockerfile === 'Dockerfile.proxy')
    return { args: [`--build-arg=KUBECTL_IMAGE=${await standInKubectl(builder, folder)}`] };
  const args = await nodeBases(builder, folder);
  if (image.target !== 'hooks') return { args };
  return { args: [...args, `--build-arg=HOOKS_IMAGE=${await standInDebian(builder, folder)}`] };
}
