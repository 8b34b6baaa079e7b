import { NotReadyError } from '../../controller/errors.ts';
import type { ReconcileContext } from '../../controller/reconciler.ts';
import { OperatorError } from '../../core/errors.ts';
import { namespaces } from '../../model/kubernetes/resources.ts';
import { type KubernetesObject, keyOf, type ObjectKey } from '../../model/object.ts';
import { type Resource, resourceName } from '../../model/resource.ts';
import type { Store } from '../../store/store.ts';
import { inOrder } from '../child.ts';
import {
  type CompiledRule,
  compileRule,
  objectsOf,
  type RelatedRule,
  relatedName,
} from './compiled-rule.ts';
import { noFirstList, RelatedCaches, type RelatedSources } from './related-caches.ts';
import { RulesOfParents } from './rules-of-parents.ts';

export interface RelatedOptions {
  /** Name of the controller, for messages. */
  readonly controller: string;
  /** Returns the rules of a parent. */
  readonly rules: (
    parent: KubernetesObject,
    context: ReconcileContext,
  ) => Promise<readonly RelatedRule[]>;
  /**
   * True: a namespaced parent has related objects only in its own namespace, like version v1 of a customize
   * hook. Default false.
   */
  readonly ownNamespaceOnly?: boolean;
  /**
   * How many milliseconds the rules for one generation of a parent are kept before they are requested again.
   * Default 20 minutes; with 0 they are requested each time. An answer without rules is not kept.
   */
  readonly rulesKeptMs?: number;
  readonly sources: RelatedSources;
}

/** How long the rules for one generation are kept. It is the same time as in Metacontroller. */
const RULES_KEPT_MS = 20 * 60_000;

/** A function that returns more rules than this must have a bug. */
const MAX_RULES = 100;

export interface RelatedObjects {
  readonly resource: Resource;
  readonly objects: readonly KubernetesObject[];
}

/**
 * The related objects of the parents of one controller: which objects are related, and which parents are
 * reconciled when an object changes.
 */
export class Related {
  readonly wiring: RelatedCaches['wiring'];
  readonly #options: RelatedOptions;
  readonly #rules = new RulesOfParents();
  readonly #caches: RelatedCaches;

  constructor(options: RelatedOptions) {
    this.#options = options;
    this.#caches = new RelatedCaches({ ...options, rules: this.#rules });
    this.wiring = this.#caches.wiring;
  }

  /**
   * The objects that the parent's rules select, keyed by the name of their resource. The rules are requested
   * once per generation of a parent. If the answer has no rules, they are requested again each time.
   *
   * @throws NotReadyError (retried without a report) while one of its resources has no first list.
   */
  async of(
    parent: KubernetesObject,
    context: ReconcileContext,
  ): Promise<ReadonlyMap<string, RelatedObjects>> {
    // The rules are stored before a cache is read, so that a later change enqueues the parent.
    const rules = await this.#rulesOf(parent, context);
    const failures: unknown[] = [];
    // Requests all caches before it fails because of one, so that all of them are opened.
    const storeOf = (resource: Resource): Store<KubernetesObject> | undefined => {
      try {
        return this.#caches.storeOf(resource, keyOf(parent), context);
      } catch (error) {
        failures.push(error);
        return undefined;
      }
    };
    const asked = rules.map((rule) => ({
      rule,
      store: rule.selectsAny ? storeOf(rule.resource) : undefined,
      places: rule.selectsAny && rule.namespaceLabels ? storeOf(namespaces) : undefined,
    }));
    if (failures.length > 0) {
      throw failures.find((error) => !(error instanceof NotReadyError)) ?? failures[0];
    }
    const found = new Map<string, { resource: Resource; objects: KubernetesObject[] }>();
    for (const { rule, store, places } of asked) {
      const { resource } = rule;
      const name = nameIn(found, resource);
      const group = found.get(name) ?? { resource, objects: [] };
      found.set(name, group);
      if (store !== undefined) group.objects.push(...selectedBy(rule, store, places));
    }
    const sorted = Array.from(found, ([name, { resource, objects }]) => {
      return [name, { resource, objects: inOrder(objects) }] as const;
    });
    return new Map(sorted);
  }

  /** Forgets a parent that is gone, of which only the key is known. */
  forget(key: ObjectKey): void {
    this.#rules.forget(key);
  }

  async #rulesOf(
    parent: KubernetesObject,
    context: ReconcileContext,
  ): Promise<readonly CompiledRule[]> {
    const { ownNamespaceOnly = false, rulesKeptMs = RULES_KEPT_MS } = this.#options;
    const key = keyOf(parent);
    const { uid, generation } = parent.metadata;
    const known = this.#rules.get(key);
    const now = context.clock.monotonic();
    const isKnown = known?.uid === uid && known?.generation === generation;
    if (known !== undefined && isKnown && now < known.askAgainAt) return known.rules;
    const answer: unknown = await this.#options.rules(parent, context);
    const rules = requireRules(answer, this.#options.controller).map((rule) =>
      compileRule(rule, parent, ownNamespaceOnly),
    );
    // An empty list of rules may be a temporary mistake, and nothing would enqueue the parent afterwards, so
    // it is not kept.
    const keptMs = rules.length === 0 ? 0 : rulesKeptMs;
    this.#rules.set(key, { uid, generation, rules, askAgainAt: now + keptMs });
    return rules;
  }
}

/** Checks the rules for callers that do not check types. */
function requireRules(answer: unknown, controller: string): readonly RelatedRule[] {
  const problem = Array.isArray(answer)
    ? answer.length > MAX_RULES
      ? `at most ${MAX_RULES} rules for related objects, got ${answer.length}`
      : answer.some((rule) => typeof rule?.resource?.plural !== 'string')
        ? 'each rule for related objects must name its resource'
        : undefined
    : 'rules for related objects must be a list';
  if (problem === undefined) return answer as readonly RelatedRule[];
  throw new OperatorError(problem, {
    code: 'USER_CODE',
    layer: 'user-code',
    context: { controller },
  });
}

function selectedBy(
  rule: CompiledRule,
  store: Store<KubernetesObject>,
  places: Store<KubernetesObject> | undefined,
): readonly KubernetesObject[] {
  try {
    return objectsOf(rule, store, places);
  } catch (error) {
    // An index is still being built, or an informer is stopping.
    const isUnsynced = error instanceof OperatorError && error.code === 'NOT_SYNCED';
    throw isUnsynced ? noFirstList(rule.resource) : error;
  }
}

/**
 * The name under which the objects are returned. If a resource occurs in a second version, that version gets
 * a different name.
 */
function nameIn(
  found: ReadonlyMap<string, { readonly resource: Resource }>,
  resource: Resource,
): string {
  const name = resourceName(resource);
  const known = found.get(name)?.resource.version;
  return known === undefined || known === resource.version ? name : relatedName(resource);
}
