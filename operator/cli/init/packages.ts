import { resolve } from 'node:path';
import { ConfigurationError } from '../../core/errors.ts';
import { VERSION } from '../../core/version.ts';
import { namesIn } from '../files/new-files.ts';

/** The packages that a new project installs, each with its version range or path for package.json. */
export interface PackageSpecs {
  readonly chancery: string;
  readonly testing: string;
  readonly typesNode: string;
  readonly node: string;
  readonly typescript: string;
}

/**
 * Development dependencies of a new project, in the versions with which this repository is tested.
 */
const DEVELOPMENT = {
  typesNode: '^24.19.2',
  node: '^24.21.0',
  typescript: '^7.0.2',
} as const;

/**
 * The packages of a new project.
 *
 * @param folder - a folder with tarballs that `npm pack` has created. The project then installs the
 * packages from these tarballs. If undefined or empty, it installs the published packages of this
 * version.
 * @throws ConfigurationError `CONFIG` when the folder has no tarball of this version.
 */
export async function packageSpecs(folder: string | undefined): Promise<PackageSpecs> {
  if (folder === undefined || folder === '') {
    return { chancery: `^${VERSION}`, testing: `^${VERSION}`, ...DEVELOPMENT };
  }
  const names = await namesIn(folder);
  const spec = (file: string): string => {
    if (names.includes(file)) return `file:${resolve(folder, file)}`;
    throw new ConfigurationError(
      `CHANCERY_PACKAGES is ${folder}, which has no ${file}: npm pack writes it`,
    );
  };
  return {
    chancery: spec(`chancery-${VERSION}.tgz`),
    testing: spec(`chancery-testing-${VERSION}.tgz`),
    ...DEVELOPMENT,
  };
}
