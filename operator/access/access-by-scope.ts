import type { Declared } from '../controller/access-declaration.ts';
import { definedResources } from '../controller/controller.ts';
import type { CustomResourceDefinition } from '../model/custom-resource-definition.ts';
import { type AccessRule, mergeAccess } from './merge-access.ts';
import type { Placement } from './placement.ts';
import { accessOf, accessOfElectionOnly } from './required-access.ts';

/**
 * The access that the declarations of an operator require, derived once per scope. A scope is the set of
 * watched namespaces, or all namespaces. Roles, filters, manifests, charts and bundles are all generated from
 * this object.
 */
export class AccessByScope {
  readonly declared: readonly Declared[];
  readonly #installCrds: boolean;
  /** The access rules for each scope. A key is the list of the watched namespaces as JSON, or `"all"`. */
  readonly #scopes = new Map<string, readonly AccessRule[]>();
  #definitions: readonly CustomResourceDefinition[] | undefined;

  /** @param installCrds - true if the operator installs the definitions of its resources. */
  constructor(declared: readonly Declared[], installCrds: boolean) {
    this.declared = declared;
    this.#installCrds = installCrds;
  }

  /**
   * The access in a scope, except for the access that the election requires. It is merged and sorted: see
   * `accessOf`.
   *
   * @throws ConfigurationError `CONFIG` in the same cases as `accessOf`.
   */
  within(namespaces: Placement['namespaces']): readonly AccessRule[] {
    const scope = JSON.stringify(namespaces ?? 'all');
    const known = this.#scopes.get(scope);
    if (known !== undefined) return known;
    const accesses = accessOf(this.declared, { namespaces, installCrds: this.#installCrds });
    this.#scopes.set(scope, accesses);
    return accesses;
  }

  /**
   * Only the access for the election, which is the same in every scope. Empty without an election.
   */
  ofElection({ leaderElection }: Pick<Placement, 'leaderElection'>): readonly AccessRule[] {
    return accessOfElectionOnly(this.declared, leaderElection);
  }

  /** All access of the process in one scope, including the access for the election. */
  withElection(
    namespaces: Placement['namespaces'],
    election: Pick<Placement, 'leaderElection'>,
  ): readonly AccessRule[] {
    return mergeAccess([...this.within(namespaces), ...this.ofElection(election)]);
  }

  /** The names of the definitions whose versions the operator converts. */
  get conversions(): readonly string[] {
    return this.definitions
      .filter(({ spec }) => spec.conversion !== undefined)
      .map(({ metadata }) => metadata.name);
  }

  /**
   * The definitions of the declared resources, sorted by name.
   *
   * @throws ConfigurationError `CONFIG` when two different definitions declare the same resource.
   */
  get definitions(): readonly CustomResourceDefinition[] {
    this.#definitions ??= definedResources(this.declared).map(({ definition }) => definition);
    return this.#definitions;
  }
}
