/** One version for all packages, in every file that names it. */
import { join } from 'node:path';
import { type PublishedPackage, productionDependencies } from '../packages.ts';

/** Semantic Versioning 2.0.0, without build metadata: npm leaves that out of comparisons. */
const SEMVER = /^(?:0|[1-9]\d*)(?:\.(?:0|[1-9]\d*)){2}(?:-[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?$/;

export interface VersionedFiles {
  readonly packages: readonly PublishedPackage[];
  /** package-lock.json, as text. */
  readonly lock: string;
  /** The tag that the release runs for; undefined when it runs for none. */
  readonly tag?: string | undefined;
}

export function versionRefusals({ packages, lock, tag }: VersionedFiles): readonly string[] {
  const [main] = packages;
  if (main === undefined) return ['package.json: nothing is published'];
  const { version } = main.manifest;
  const locked = (JSON.parse(lock) as Lock).packages;
  return [
    ...(SEMVER.test(version) ? [] : [`package.json: ${version} is no semantic version`]),
    ...(tag === undefined || tag === `v${version}`
      ? []
      : [`the tag is ${tag}, and package.json has version ${version}`]),
    ...packages.flatMap((each) => packageRefusals(each, packages, version)),
    ...packages.flatMap((each) => lockRefusals(each, locked)),
  ];
}

interface Lock {
  readonly packages: Readonly<Record<string, { readonly version?: string } | undefined>>;
}

function packageRefusals(
  { folder, manifest }: PublishedPackage,
  packages: readonly PublishedPackage[],
  version: string,
): readonly string[] {
  const file = join(folder, 'package.json');
  const own = new Set(packages.map(({ manifest: { name } }) => name));
  const ranges = Object.entries(productionDependencies(manifest)).filter(([name]) => own.has(name));
  return [
    ...(manifest.version === version
      ? []
      : [`${file}: version ${manifest.version}, not ${version}`]),
    ...ranges
      .filter(([, range]) => range !== version && range !== `^${version}`)
      .map(([name, range]) => `${file}: depends on ${name} ${range}, not ^${version}`),
  ];
}

function lockRefusals(
  { folder, manifest: { version } }: PublishedPackage,
  locked: Lock['packages'],
): readonly string[] {
  const found = locked[folder === '.' ? '' : folder]?.version;
  return found === version
    ? []
    : [
        `package-lock.json: ${folder} has version ${found ?? 'none'}, and its package.json ${version}`,
      ];
}
