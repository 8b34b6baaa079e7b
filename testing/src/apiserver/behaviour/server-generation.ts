import { ConfigurationError } from 'chancery/internal-objects';
import { ADDITIONS, DIFFERENCES, type Difference, type ServerGates } from './differences.ts';
import { REMOVALS, removalWarning } from './removals.ts';

/** A release of Kubernetes whose API server can be imitated, as far as clients notice a difference. */
export type ServerGeneration = '1.24' | '1.30' | '1.33' | '1.35' | '1.36' | '1.37' | '1.38';

/** The build of a release that `/version` reports. */
interface Build {
  readonly patch: number;
  readonly gitCommit: string;
  readonly buildDate: string;
  readonly goVersion: string;
}

/**
 * The builds of the releases, oldest first. Each is the build of the release's first patch version, except
 * for 1.36, whose build is that of the recorded server. 1.38 is not released yet, so its build has the values
 * of a build from source.
 */
const BUILDS: Readonly<Record<ServerGeneration, Build>> = {
  '1.24': {
    patch: 0,
    gitCommit: '4ce5a8954017644c5420bae81d72b09b735c21f0',
    buildDate: '2022-05-03T13:38:19Z',
    goVersion: 'go1.18.1',
  },
  '1.30': {
    patch: 0,
    gitCommit: '7c48c2bd72b9bf5c44d21d7338cc7bea77d0ad2a',
    buildDate: '2024-04-17T17:27:03Z',
    goVersion: 'go1.22.2',
  },
  '1.33': {
    patch: 0,
    gitCommit: '60a317eadfcb839692a68eab88b2096f4d708f4f',
    buildDate: '2025-04-23T13:00:14Z',
    goVersion: 'go1.24.2',
  },
  '1.35': {
    patch: 0,
    gitCommit: '66452049f3d692768c39c797b21b793dce80314e',
    buildDate: '2025-12-17T12:32:07Z',
    goVersion: 'go1.25.5',
  },
  '1.36': {
    patch: 2,
    gitCommit: '98b35193b2ac7a23a673325f5e9b830ecd5ba406',
    buildDate: '2026-08-21T11:29:11Z',
    goVersion: 'go1.26.10',
  },
  '1.37': {
    patch: 0,
    gitCommit: 'f54c212e3a2f75d674b717a9b29052b20b60aefc',
    buildDate: '2026-08-26T10:44:25Z',
    goVersion: 'go1.26.6',
  },
  '1.38': {
    patch: 0,
    gitCommit: '0000000000000000000000000000000000000000',
    buildDate: '1970-01-01T00:00:00Z',
    goVersion: 'go1.27.1',
  },
};

export const DEFAULT_GENERATION: ServerGeneration = '1.36';

export const SERVER_GENERATIONS: readonly ServerGeneration[] = Object.keys(
  BUILDS,
) as ServerGeneration[];

/** @throws ConfigurationError `CONFIG` for a release that is not imitated. */
export function gatesOf(generation: ServerGeneration): ServerGates {
  if (!SERVER_GENERATIONS.includes(generation)) {
    const known = `${SERVER_GENERATIONS.slice(0, -1).join(', ')} or ${SERVER_GENERATIONS.at(-1)}`;
    throw new ConfigurationError(
      `the embedded API server answers as Kubernetes ${known}, not as ${JSON.stringify(generation)}`,
    );
  }
  const gates = Object.entries(DIFFERENCES).map(([gate, difference]) => [
    gate,
    valueIn(difference as Difference<unknown>, generation),
  ]);
  return Object.fromEntries(gates) as ServerGates;
}

function valueIn<Value>({ before, steps }: Difference<Value>, generation: ServerGeneration): Value {
  return steps.findLast(({ since }) => isFrom(generation, since))?.value ?? before;
}

/**
 * The resources and subresources that a release does not serve yet, or does not serve any more. Each resource
 * is written as `group/version/plural`.
 */
export function unservedIn(generation: ServerGeneration): ReadonlySet<string> {
  const later = ADDITIONS.filter(({ since }) => !isFrom(generation, since));
  const others = REMOVALS.filter(
    ({ since, removedIn }) => !isFrom(generation, since) || isFrom(generation, removedIn),
  );
  return new Set([
    ...later.flatMap(({ resources }) => resources),
    ...others.map(({ resource }) => resource),
  ]);
}

/** The warnings of a release for requests to certain resources, keyed by `group/version/plural`. */
export function warningsIn(
  generation: ServerGeneration,
  { warnsOfEndpoints }: ServerGates,
): ReadonlyMap<string, string> {
  const removals = REMOVALS.filter(({ deprecatedIn }) => isFrom(generation, deprecatedIn));
  const endpoints = 'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice';
  return new Map([
    ['v1/componentstatuses', 'v1 ComponentStatus is deprecated in v1.19+'],
    ...(warnsOfEndpoints ? [['v1/endpoints', endpoints] as const] : []),
    ...removals.map((removal) => [removal.resource, removalWarning(removal)] as const),
  ]);
}

/** True if a release is `since` or a later release. */
export function isFrom(generation: ServerGeneration, since: string): boolean {
  return minorOf(generation) >= minorOf(since);
}

function minorOf(release: string): number {
  return Number(release.slice('1.'.length));
}

/**
 * From this release on, servers report the releases that they can emulate and stay compatible with.
 */
const COMPATIBILITY_SINCE = '1.33';

/** The body of `/version`. */
export function versionOf(generation: ServerGeneration): Readonly<Record<string, string>> {
  const { patch, ...build } = BUILDS[generation];
  const minor = minorOf(generation);
  const compatibility = {
    emulationMajor: '1',
    emulationMinor: String(minor),
    minCompatibilityMajor: '1',
    minCompatibilityMinor: String(minor - 1),
  };
  return {
    major: '1',
    minor: String(minor),
    ...(isFrom(generation, COMPATIBILITY_SINCE) ? compatibility : {}),
    gitVersion: `v${generation}.${patch}`,
    gitCommit: build.gitCommit,
    gitTreeState: 'clean',
    buildDate: build.buildDate,
    goVersion: build.goVersion,
    compiler: 'gc',
    platform: 'linux/amd64',
  };
}
