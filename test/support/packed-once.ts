import { join } from 'node:path';
import { inject } from 'vitest';
import { once } from './once.ts';
import { packed } from './packed.ts';
import './run-folder.ts';

/** A package before it is installed. */
export interface PackedPackage {
  /** The folder whose files are in the archive, and others that are not published. Write nothing into it. */
  readonly folder: string;
  readonly archive: string;
}

/** A package of this repository, built and packed once in a run of tests. @param folder - from the repository's root. */
export function packedOnce(folder: string): Promise<PackedPackage> {
  const place = join(inject('runFolder'), `packed-${folder.replaceAll(/\W/g, '-')}`);
  return once(place, async () => {
    const archive = await packed(folder, place);
    return { folder: join(place, folder), archive: archive.replace('file:', '') };
  });
}
