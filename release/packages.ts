/** The packages of this repository that are published, as their manifests describe them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The fields of a package.json that a release reads. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly private?: boolean;
  readonly repository?: string | { readonly url?: string; readonly directory?: string };
  readonly homepage?: string;
  readonly bugs?: string | { readonly url?: string; readonly email?: string };
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly workspaces?: readonly string[];
}

export interface PublishedPackage {
  /** From the root of the repository; `.` for the root itself. */
  readonly folder: string;
  readonly manifest: Manifest;
}

/** The root's package and every workspace that is not private, in the order in which they are published. */
export function readPackages(root: string): readonly PublishedPackage[] {
  const main = read(root, '.');
  const workspaces = (main.manifest.workspaces ?? []).map((folder) => read(root, folder));
  return [main, ...workspaces].filter(({ manifest }) => manifest.private !== true);
}

/** What a package needs when it runs, by name. */
export function productionDependencies(
  manifest: Pick<Manifest, 'dependencies' | 'optionalDependencies'>,
): Readonly<Record<string, string>> {
  return { ...manifest.dependencies, ...manifest.optionalDependencies };
}

function read(root: string, folder: string): PublishedPackage {
  const text = readFileSync(join(root, folder, 'package.json'), 'utf8');
  return { folder, manifest: JSON.parse(text) as Manifest };
}
