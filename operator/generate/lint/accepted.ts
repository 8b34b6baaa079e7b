import { POD_NAMESPACE } from '../access.ts';
import type { Installation } from './installation.ts';
import { type PathPattern, pathPattern } from './path-pattern.ts';
import { elementsOf } from './proxy-flags.ts';

/** What stands for the Pod's namespace where the manifests do not say it. */
const UNNAMED = 'the-namespace-of-the-pod';

/** The namespace that the Pod, and what names none, will be in. */
export function homeOf({ namespace }: Pick<Installation, 'namespace'>): string {
  return namespace ?? UNNAMED;
}

/** Each element of `--accept-paths` with what it lets through, or with what is wrong with it. */
export function acceptedPaths(
  installation: Installation,
): readonly { readonly element: string; readonly pattern: PathPattern | string }[] {
  const value = installation.flags.given.get('accept-paths')?.value ?? '';
  return elementsOf(value).map((element) => ({
    element,
    pattern: pathPattern(element.replaceAll(POD_NAMESPACE, homeOf(installation))),
  }));
}

/** The elements that can be read. */
export function patternsOf(installation: Installation): readonly PathPattern[] {
  return acceptedPaths(installation)
    .map(({ pattern }) => pattern)
    .filter((pattern) => typeof pattern !== 'string');
}

/** Expressions of a list flag; those that nobody can read are left out. */
export function expressionsOf(elements: readonly string[]): readonly RegExp[] {
  return elements.flatMap((element) => {
    try {
      return [new RegExp(element)];
    } catch {
      return [];
    }
  });
}
