import { type KubernetesObject, type Resource, resourceName, type Source, source } from 'chancery';
import type { Entry } from 'chancery/internal';
import { isBuiltInGroup, type KnownKinds, type Labels } from 'chancery/internal';
import { namespaces } from 'chancery/kubernetes';
import type { Hook, KubernetesBinding } from '../hook.ts';
import { type Selection, selectionsOf } from './binding-selection.ts';
import type { BindingObject } from './binding-watch.ts';

/** The data that one binding needs of each object of a source. */
export interface Want {
  /** Labels for metrics about the binding: hook, binding and queue. */
  readonly labels: Labels;
  readonly filter?: string;
  readonly keepsFullObjects: boolean;
}

/** A source that keeps only the data that bindings need. */
export interface FilteredSource {
  readonly source: Source;
  /** Returns what a binding with this filter keeps of an object. */
  bindingObject(entry: Entry, filter: string | undefined): BindingObject;
}

/** Creates the source of one selection for all bindings that use it. */
export type MakeSource = (
  resource: Resource,
  selection: Selection & Pick<Source, 'optional' | 'relistIntervalMs'>,
  wants: readonly Want[],
) => FilteredSource;

interface Member {
  readonly hook: Hook;
  readonly binding: KubernetesBinding;
}

/**
 * Plans the sources that the bindings of all hooks need. Bindings that select the same objects
 * share one source, even with different filters. A kind that is not known yet gets its sources when
 * it is resolved.
 */
export class WatchPlan {
  readonly #members: readonly Member[];
  readonly #known: KnownKinds;
  readonly #make: MakeSource;
  readonly #made = new Map<string, FilteredSource>();

  constructor(hooks: readonly Hook[], known: KnownKinds, make: MakeSource) {
    this.#members = hooks.flatMap((hook) =>
      hook.config.kubernetes.map((binding) => ({ hook, binding })),
    );
    this.#known = known;
    this.#make = make;
  }

  /** The sources of the known kinds, including the sources for namespaces. */
  get sources(): readonly Source[] {
    return [...new Set(this.#members.flatMap(({ binding }) => this.knownSourcesOf(binding)))];
  }

  /** The same as `sources`, for one binding. */
  knownSourcesOf(binding: KubernetesBinding): readonly Source[] {
    const resource = this.#known(binding.kind, binding.apiVersion);
    const own =
      resource === undefined ? [] : this.sourcesOf(binding, resource).map((each) => each.source);
    return [...own, namespacesOf(binding) ?? []].flat();
  }

  /** The sources of a binding whose kind is `resource`. */
  sourcesOf(binding: KubernetesBinding, resource: Resource): readonly FilteredSource[] {
    return selectionsOf(binding, resource).map((selection) => {
      const identity = `${identityOf(resource, selection)} ${this.#wordsOf(binding)}`;
      const known = this.#made.get(identity) ?? this.#makeFor(binding, resource, selection);
      this.#made.set(identity, known);
      return known;
    });
  }

  #makeFor(binding: KubernetesBinding, resource: Resource, selection: Selection): FilteredSource {
    const identity = identityOf(resource, selection);
    const alike = this.#members.filter(
      ({ binding: other }) =>
        other === binding ||
        (this.#isOf(other, binding, resource) &&
          selectionsOf(other, resource).some((each) => identityOf(resource, each) === identity)),
    );
    const periods = alike.flatMap((member) => member.binding.resyncPeriodMs ?? []);
    const options = {
      ...selection,
      // The definition may be created later, and nothing else must wait for it.
      optional: !isBuiltInGroup(resource),
      ...(periods.length > 0 && { relistIntervalMs: Math.min(...periods) }),
    };
    return this.#make(resource, options, alike.map(wantOf));
  }

  #isOf(other: KubernetesBinding, binding: KubernetesBinding, resource: Resource): boolean {
    const known = this.#known(other.kind, other.apiVersion);
    const isPossible = known === undefined || sameResource(known, resource);
    return isPossible && this.#wordsOf(other) === this.#wordsOf(binding);
  }

  /**
   * The words with which a binding refers to a kind that is not known. Empty for known kinds. Until
   * the kind is served, nobody can tell whether different words mean the same kind. So bindings
   * share a source only if they use the same words.
   */
  #wordsOf({ kind, apiVersion }: KubernetesBinding): string {
    if (this.#known(kind, apiVersion) !== undefined) return '';
    return [kind.toLowerCase(), apiVersion].join(' ');
  }
}

/**
 * The source of the namespaces that a binding selects by labels. Undefined for a binding without
 * such a selector.
 */
export function namespacesOf({ namespaces: selected }: KubernetesBinding): Source | undefined {
  const labelSelector = selected?.labelSelector;
  return labelSelector === undefined
    ? undefined
    : source<KubernetesObject>(namespaces, { labelSelector, metadataOnly: true });
}

function wantOf({ hook, binding }: Member): Want {
  const { jqFilter, keepsFullObjects } = binding;
  const labels = { hook: hook.name, binding: binding.name, queue: binding.queue };
  return { labels, keepsFullObjects, ...(jqFilter !== undefined && { filter: jqFilter }) };
}

function identityOf(resource: Resource, selection: Selection): string {
  const { namespace, labelSelector, fieldSelector } = selection;
  return JSON.stringify([
    resourceName(resource),
    resource.version,
    namespace,
    labelSelector ?? null,
    fieldSelector ?? null,
  ]);
}

function sameResource(one: Resource, other: Resource): boolean {
  return resourceName(one) === resourceName(other) && one.version === other.version;
}
