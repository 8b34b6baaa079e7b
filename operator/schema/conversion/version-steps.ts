import { definitionError } from '../field-path.ts';
import type { Conversion } from './conversion.ts';

/** One step of a conversion, between neighbouring versions. */
export interface ConversionStep {
  readonly from: string;
  readonly to: string;
  /** Converts from `from` to `to`. */
  readonly there: (object: never) => unknown;
  /** Converts from `to` to `from`. */
  readonly back: (object: never) => unknown;
}

/**
 * The only path from one version to another, which may lead through further versions. Empty if there is no
 * path.
 */
export function stepsBetween(
  conversions: readonly Conversion[],
  from: string,
  to: string,
): readonly ConversionStep[] {
  return shortestWay((version) => stepsFrom(conversions, version), from, to);
}

/**
 * The shortest path from one version to another; empty when there is no path. Of two paths with the same
 * number of steps, the path whose steps were declared first is returned.
 *
 * @param stepsOf - the steps that begin at a version.
 */
export function shortestWay<Step extends { readonly to: string }>(
  stepsOf: (version: string) => readonly Step[],
  from: string,
  to: string,
): readonly Step[] {
  const seen = new Set([from]);
  let ways: readonly (readonly Step[])[] = [[]];
  while (ways.length > 0) {
    ways = ways.flatMap((way) =>
      stepsOf(way.at(-1)?.to ?? from)
        .filter((step) => !seen.has(step.to))
        .map((step) => [...way, step]),
    );
    const arrived = ways.find((way) => way.at(-1)?.to === to);
    if (arrived !== undefined) return arrived;
    for (const way of ways) seen.add(way.at(-1)?.to ?? from);
  }
  return [];
}

function stepsFrom(conversions: readonly Conversion[], from: string): readonly ConversionStep[] {
  return conversions.flatMap(({ older, newer, up, down }) => [
    ...(older === from ? [{ from, to: newer, there: up, back: down }] : []),
    ...(newer === from ? [{ from, to: older, there: down, back: up }] : []),
  ]);
}

/** The name of an annotation may have 63 characters after its prefix, and `only-in-` takes 8 of them. */
const MAX_VERSION_CHARS = 55;

/**
 * Throws unless there is exactly one path of conversions from every version to every other version.
 *
 * @param versions - the versions, with the storage version first.
 * @throws ConfigurationError `CONFIG`
 */
export function requireOneWay(
  conversions: readonly Conversion[],
  versions: readonly string[],
): void {
  for (const [at, { older, newer }] of conversions.entries()) {
    const path = `convert[${at}]`;
    const unknown = [older, newer].find((version) => !versions.includes(version));
    if (unknown !== undefined) {
      throw definitionError(
        path,
        `${unknown} is no version of the resource`,
        'declare it in otherVersions',
      );
    }
    if (older === newer) {
      throw definitionError(path, `leads from ${older} to itself`, 'name two versions');
    }
    if (stepsBetween(conversions.slice(0, at), older, newer).length > 0) {
      const problem = `is a second way between ${older} and ${newer}`;
      throw definitionError(path, problem, 'leave one out');
    }
  }
  const long = versions.find(({ length }) => length > MAX_VERSION_CHARS);
  if (long !== undefined) {
    const problem = `${long} has more than ${MAX_VERSION_CHARS} characters, so that no annotation can be named after it`;
    throw definitionError('convert', problem, 'give the version a shorter name');
  }
  const [stored = '', ...others] = versions;
  const apart = others.find((version) => stepsBetween(conversions, stored, version).length === 0);
  if (apart === undefined) return;
  const problem = `no conversion leads from ${apart} to ${stored}`;
  throw definitionError('convert', problem, `add one between ${apart} and its neighbour`);
}
