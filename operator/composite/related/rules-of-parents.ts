import type { Entry } from '../../model/entry.ts';
import { namespaces } from '../../model/kubernetes/resources.ts';
import { type ObjectKey, splitKey } from '../../model/object.ts';
import type { Resource } from '../../model/resource.ts';
import {
  type CompiledRule,
  type NamespaceLabels,
  relatedName,
  selectsEntry,
} from './compiled-rule.ts';

/** The last requested rules of a parent. */
export interface AskedRules {
  readonly uid: string | undefined;
  readonly generation: number | undefined;
  /** When to request the rules again, on the monotonic clock. */
  readonly askAgainAt: number;
  readonly rules: readonly CompiledRule[];
}

/** One rule, and the parents that have it. */
interface SharedRule {
  readonly rule: CompiledRule;
  readonly parents: Set<ObjectKey>;
}

/**
 * The rules of all parents. This class also finds the parents whose rules select a changed object. The rules
 * of a parent are kept until the parent is forgotten; equal rules are stored once.
 */
export class RulesOfParents {
  readonly #byParent = new Map<ObjectKey, AskedRules>();
  /** The rules, keyed by `CompiledRule.text`. */
  readonly #shared = new Map<string, SharedRule>();
  /**
   * The rules, by the key with which they are looked up for a changed object. Rules with names are looked up
   * by name, because each parent may select another name.
   */
  readonly #byPlace = new Map<string, Set<SharedRule>>();

  get(parent: ObjectKey): AskedRules | undefined {
    return this.#byParent.get(parent);
  }

  set(parent: ObjectKey, asked: AskedRules): void {
    this.forget(parent);
    this.#byParent.set(parent, asked);
    for (const rule of asked.rules) {
      const known = this.#shared.get(rule.text);
      known?.parents.add(parent);
      if (known !== undefined) continue;
      const shared: SharedRule = { rule, parents: new Set([parent]) };
      this.#shared.set(rule.text, shared);
      for (const place of placesOf(rule)) {
        const found = this.#byPlace.get(place) ?? new Set();
        this.#byPlace.set(place, found.add(shared));
      }
    }
  }

  forget(parent: ObjectKey): void {
    for (const { text } of this.#byParent.get(parent)?.rules ?? []) {
      const shared = this.#shared.get(text);
      shared?.parents.delete(parent);
      if (shared === undefined || shared.parents.size > 0) continue;
      this.#shared.delete(text);
      for (const place of placesOf(shared.rule)) {
        const found = this.#byPlace.get(place);
        found?.delete(shared);
        if (found?.size === 0) this.#byPlace.delete(place);
      }
    }
    this.#byParent.delete(parent);
  }

  clear(): void {
    this.#byParent.clear();
    this.#shared.clear();
    this.#byPlace.clear();
  }

  /** The parents with a rule that selects the object. */
  selecting(
    resource: Resource,
    entry: Pick<Entry, 'key' | 'metadata'>,
    labelsOf: NamespaceLabels,
  ): ReadonlySet<ObjectKey> {
    const found = new Set<ObjectKey>();
    for (const place of [placeOf(resource), placeOf(resource, splitKey(entry.key).name)]) {
      for (const { rule, parents } of this.#byPlace.get(place) ?? []) {
        if (!selectsEntry(rule, entry, labelsOf)) continue;
        for (const parent of parents) found.add(parent);
      }
    }
    return found;
  }

  /**
   * True when a rule contains the resource. For the resource of namespaces, also true when a rule selects by
   * namespace labels.
   */
  names(resource: Resource): boolean {
    const name = relatedName(resource);
    const isNamespaces = name === relatedName(namespaces);
    return this.#shared
      .values()
      .some(
        ({ rule }) =>
          relatedName(rule.resource) === name ||
          (isNamespaces && rule.namespaceLabels !== undefined),
      );
  }
}

function placesOf({ resource, names }: CompiledRule): readonly string[] {
  return names === undefined
    ? [placeOf(resource)]
    : [...names].map((name) => placeOf(resource, name));
}

/** No name contains a space. */
function placeOf(resource: Resource, name: string = ''): string {
  return `${relatedName(resource)} ${name}`;
}
