import { POD_NAMESPACE } from '../placement.ts';
import { type PathPattern, pathPattern } from './path-pattern.ts';
import { elementsOf, type ProxyFlags } from './proxy-flags.ts';

/** What stands for the Pod's namespace where the manifests do not say it. */
const UNNAMED = 'the-namespace-of-the-pod';

/** The namespace that the Pod, and what names none, will be in. */
export function homeOf({ namespace }: { readonly namespace: string | undefined }): string {
  return namespace ?? UNNAMED;
}

/** An element of `--accept-paths` with what it lets through, or with what is wrong with it. */
export interface AcceptedPath {
  readonly element: string;
  readonly pattern: PathPattern | string;
}

/** Each element, as it is in a Pod in the namespace `home`. */
export function acceptedPaths({ given }: ProxyFlags, home: string): readonly AcceptedPath[] {
  return elementsOf(given.get('accept-paths')?.value ?? '').map((element) => ({
    element,
    pattern: pathPattern(element.replaceAll(POD_NAMESPACE, home)),
  }));
}

/** The elements that can be read. */
export function readable(accepted: readonly AcceptedPath[]): readonly PathPattern[] {
  return accepted.map(({ pattern }) => pattern).filter((pattern) => typeof pattern !== 'string');
}
