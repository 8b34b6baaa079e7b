import { apiVersionOf, resourceName } from 'chancery/internal-objects';
import type { ResourceName } from '../objects/stored-object.ts';
import type { ServedResource } from './served-resource.ts';

/**
 * The resources that the server serves. The resources of CustomResourceDefinitions are added and removed
 * while the server runs.
 */
export class Registry {
  /** The resources in the order of discovery. */
  readonly #resources: ServedResource[] = [];

  constructor(builtIn: readonly ServedResource[]) {
    this.#resources.push(...builtIn);
  }

  all(): readonly ServedResource[] {
    return this.#resources;
  }

  /** Adds the versions of a resource, in place of all versions that it had before. */
  set(name: ResourceName, versions: readonly ServedResource[]): void {
    this.remove(name);
    this.#resources.push(...versions);
  }

  remove(name: ResourceName): void {
    const kept = this.#resources.filter((served) => resourceName(served) !== name);
    this.#resources.splice(0, this.#resources.length, ...kept);
  }

  /** Whether the group has built-in resources. */
  isBuiltIn(group: string): boolean {
    return this.#resources.some((served) => !served.custom && served.group === group);
  }

  byPath(group: string, version: string, plural: string): ServedResource | undefined {
    return this.#resources.find(
      (served) => served.plural === plural && served.group === group && served.version === version,
    );
  }

  byKind(apiVersion: string, kind: string): ServedResource | undefined {
    return this.#resources.find(
      (served) => served.kind === kind && apiVersionOf(served) === apiVersion,
    );
  }

  /** Like `byKind`, but accepts any version of the group. */
  byGroupKind(apiVersion: string, kind: string): ServedResource | undefined {
    const group = apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '';
    return (
      this.byKind(apiVersion, kind) ??
      this.#resources.find((served) => served.kind === kind && served.group === group)
    );
  }

  /** The resource in its storage version. */
  byName(name: ResourceName): ServedResource | undefined {
    const versions = this.#resources.filter((served) => resourceName(served) === name);
    return versions.find((served) => served.version === served.storageVersion) ?? versions[0];
  }
}
