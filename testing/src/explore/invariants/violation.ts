import type { KubernetesObject } from 'chancery';

/** Something that had to hold and did not. */
export interface Violation {
  /** Name of the invariant. */
  readonly invariant: string;
  /** What is wrong, in words. */
  readonly message: string;
}

/** An object in messages: `Deployment default/demo`. */
export function called({ kind, metadata }: KubernetesObject): string {
  const { namespace, name } = metadata;
  return namespace === undefined ? `${kind} ${name}` : `${kind} ${namespace}/${name}`;
}
