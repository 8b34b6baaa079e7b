import type { KubernetesObject } from 'chancery';

/** An invariant that did not hold. */
export interface Violation {
  /** The name of the invariant. */
  readonly invariant: string;
  /** The description of the problem. */
  readonly message: string;
}

/** Formats an object for messages, such as `Deployment default/demo`. */
export function called({ kind, metadata }: KubernetesObject): string {
  const { namespace, name } = metadata;
  return namespace === undefined ? `${kind} ${name}` : `${kind} ${namespace}/${name}`;
}
