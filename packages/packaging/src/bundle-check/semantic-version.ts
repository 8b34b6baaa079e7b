/** A semantic version (semver.org). */
export interface SemanticVersion {
  readonly numbers: readonly [number, number, number];
  /** The identifiers of a prerelease. Empty for a release. */
  readonly prerelease: readonly string[];
}

const NUMBER = '(0|[1-9][0-9]*)';
const IDENTIFIER = '(?:0|[1-9][0-9]*|[0-9]*[a-zA-Z-][0-9a-zA-Z-]*)';
const VERSION = new RegExp(
  `^${NUMBER}\\.${NUMBER}\\.${NUMBER}(?:-(${IDENTIFIER}(?:\\.${IDENTIFIER})*))?(?:\\+[0-9a-zA-Z-]+(?:\\.[0-9a-zA-Z-]+)*)?$`,
);

/** Parses a semantic version. Undefined for any other text, such as `1.2` or `v1.2.3`. */
export function semanticVersion(text: string): SemanticVersion | undefined {
  const match = VERSION.exec(text);
  if (match === null) return undefined;
  const [, major, minor, patch, prerelease] = match;
  return {
    numbers: [Number(major), Number(minor), Number(patch)],
    prerelease: prerelease === undefined ? [] : prerelease.split('.'),
  };
}

/** Parses the common formats of a Kubernetes version: `1.30`, `v1.30.2`, `1.30.0`. */
export function kubernetesVersion(text: string): SemanticVersion | undefined {
  const short = /^v?([0-9]+\.[0-9]+)$/.exec(text);
  return semanticVersion(short === null ? text.replace(/^v/, '') : `${short[1]}.0`);
}

/** Below 0 when `a` is older than `b`, above 0 when `a` is newer. */
export function compareVersions(a: SemanticVersion, b: SemanticVersion): number {
  for (const [at, number] of a.numbers.entries()) {
    const difference = number - (b.numbers[at] ?? 0);
    if (difference !== 0) return difference;
  }
  // A release comes after its prereleases.
  if (a.prerelease.length === 0 || b.prerelease.length === 0) {
    return b.prerelease.length - a.prerelease.length;
  }
  return comparePrereleases(a.prerelease, b.prerelease);
}

function comparePrereleases(a: readonly string[], b: readonly string[]): number {
  for (const [at, left] of a.entries()) {
    const right = b[at];
    if (right === undefined) return 1;
    const difference = compareIdentifiers(left, right);
    if (difference !== 0) return difference;
  }
  return a.length - b.length;
}

function compareIdentifiers(a: string, b: string): number {
  if (a === b) return 0;
  const [aIsNumber, bIsNumber] = [/^[0-9]+$/.test(a), /^[0-9]+$/.test(b)];
  if (aIsNumber && bIsNumber) return Number(a) - Number(b);
  if (aIsNumber !== bIsNumber) return aIsNumber ? -1 : 1;
  return a < b ? -1 : 1;
}
