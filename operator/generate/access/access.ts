import type { Controller } from '../../controller/controller.ts';
import type { Resource } from '../../model/resource.ts';
import type { Placement } from '../placement.ts';
import { declaredAccess } from './declared-access.ts';
import { mergeAccess } from './merge-access.ts';
import { refuseUnusableNames } from './usable-names.ts';
import type { Verb } from './verbs.ts';

export { type Placement, POD_NAMESPACE } from '../placement.ts';
export type { Verb } from './verbs.ts';

/** What is done to one resource in one place. */
export interface Access {
  readonly resource: Resource;
  readonly subresource: string | undefined;
  /** A name or `POD_NAMESPACE`; undefined for every namespace, or a cluster-scoped resource. */
  readonly namespace: string | undefined;
  /** Sorted as `VERBS`, each once. */
  readonly verbs: readonly Verb[];
  /** Sorted, each once, at least one. Left out: every object. */
  readonly resourceNames?: readonly string[];
  /** True when no request is made, and admission only asks whether one would be allowed. */
  readonly unrequested?: boolean;
}

/**
 * Everything that controllers do at the API server: get, list and watch of their sources, the writes
 * that follow from `owns`, `finalizer` and a status, their permissions, the Events that the toolkit
 * records for them, and what election and installation need. Merged and sorted, so that equal
 * declarations give equal answers, in whatever order they come; of their order only the name of the
 * Lease is made, see `leaseNameOf`. A verb that is there for every object is not repeated for some,
 * and one for every namespace not for one.
 *
 * A source whose field selector names its one object is that object alone: so are its reads and what
 * is written to it.
 *
 * Objects that carry the finalizer and are no longer selected are looked for where the source looks,
 * past its selectors: what lists the source may do that, too.
 *
 * A permission holds where its controller looks: in the namespaces of its namespaced sources, and in
 * all of them when it has none.
 *
 * @throws ConfigurationError `CONFIG` for a name that could mean more than itself in a path pattern,
 *   and for a list of names or namespaces with nothing in it, which Kubernetes takes for all.
 */
export function accessOf(
  controllers: readonly Controller[],
  placement: Placement,
): readonly Access[] {
  const declared = declaredAccess(controllers, placement);
  for (const access of declared) refuseUnusableNames(access);
  return mergeAccess(declared);
}
