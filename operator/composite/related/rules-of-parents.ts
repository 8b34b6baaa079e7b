import type { Entry } from '../../model/entry.ts';
import type { ObjectKey } from '../../model/object.ts';
import type { Resource } from '../../model/resource.ts';
import {
  type CompiledRule,
  type NamespaceLabels,
  relatedName,
  selectsEntry,
} from './compiled-rule.ts';

/** The answer to the question for a parent's rules. */
export interface AskedRules {
  readonly uid: string | undefined;
  readonly generation: number | undefined;
  /** By the clock that only grows. */
  readonly askAgainAt: number;
  readonly rules: readonly CompiledRule[];
}

/** One rule, and the parents that have it. */
interface SharedRule {
  readonly rule: CompiledRule;
  readonly parents: Set<ObjectKey>;
}

/**
 * The rules of all parents, and the way back: from a changed object to the parents that select it. It holds the rules
 * of each parent until that is forgotten; equal rules are held once.
 */
export class RulesOfParents {
  readonly #byParent = new Map<ObjectKey, AskedRules>();
  readonly #byResource = new Map<string, RulesOfResource>();

  get(parent: ObjectKey): AskedRules | undefined {
    return this.#byParent.get(parent);
  }

  set(parent: ObjectKey, asked: AskedRules): void {
    this.forget(parent);
    this.#byParent.set(parent, asked);
    for (const rule of asked.rules) {
      const name = relatedName(rule.resource);
      const known = this.#byResource.get(name) ?? new RulesOfResource();
      this.#byResource.set(name, known);
      known.add(rule, parent);
    }
  }

  forget(parent: ObjectKey): void {
    for (const rule of this.#byParent.get(parent)?.rules ?? []) {
      const name = relatedName(rule.resource);
      const known = this.#byResource.get(name);
      known?.remove(rule, parent);
      if (known?.isEmpty === true) this.#byResource.delete(name);
    }
    this.#byParent.delete(parent);
  }

  clear(): void {
    this.#byParent.clear();
    this.#byResource.clear();
  }

  /** The parents of which a rule selects the object. */
  selecting(
    resource: Resource,
    entry: Pick<Entry, 'key' | 'metadata'>,
    labelsOf: NamespaceLabels,
  ): ReadonlySet<ObjectKey> {
    return this.#byResource.get(relatedName(resource))?.selecting(entry, labelsOf) ?? new Set();
  }

  /** True when a rule names the resource. */
  names(resource: Resource): boolean {
    return this.#byResource.has(relatedName(resource));
  }

  /** True when a rule looks at the labels of namespaces. */
  get selectsNamespaces(): boolean {
    return this.#byResource.values().some((rules) => rules.selectsNamespaces);
  }
}

/** The rules for one resource. Those with names are found by name: each parent may name an object of its own. */
class RulesOfResource {
  readonly #shared = new Map<string, SharedRule>();
  readonly #named = new Map<string, Set<SharedRule>>();
  readonly #others = new Set<SharedRule>();

  get isEmpty(): boolean {
    return this.#shared.size === 0;
  }

  get selectsNamespaces(): boolean {
    return this.#others.values().some(({ rule }) => rule.namespaceLabels !== undefined);
  }

  add(rule: CompiledRule, parent: ObjectKey): void {
    const known = this.#shared.get(rule.text);
    if (known !== undefined) {
      known.parents.add(parent);
      return;
    }
    const shared: SharedRule = { rule, parents: new Set([parent]) };
    this.#shared.set(rule.text, shared);
    if (rule.names === undefined) this.#others.add(shared);
    for (const name of rule.names ?? []) {
      const named = this.#named.get(name);
      if (named === undefined) this.#named.set(name, new Set([shared]));
      else named.add(shared);
    }
  }

  remove({ text }: CompiledRule, parent: ObjectKey): void {
    const shared = this.#shared.get(text);
    shared?.parents.delete(parent);
    if (shared === undefined || shared.parents.size > 0) return;
    this.#shared.delete(text);
    this.#others.delete(shared);
    for (const name of shared.rule.names ?? []) {
      const named = this.#named.get(name);
      named?.delete(shared);
      if (named?.size === 0) this.#named.delete(name);
    }
  }

  selecting(
    entry: Pick<Entry, 'key' | 'metadata'>,
    labelsOf: NamespaceLabels,
  ): ReadonlySet<ObjectKey> {
    const found = new Set<ObjectKey>();
    const name = entry.key.slice(entry.key.indexOf('/') + 1);
    for (const shared of [...(this.#named.get(name) ?? []), ...this.#others]) {
      if (!selectsEntry(shared.rule, entry, labelsOf)) continue;
      for (const parent of shared.parents) found.add(parent);
    }
    return found;
  }
}
