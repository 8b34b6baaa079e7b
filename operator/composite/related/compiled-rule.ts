import type { Source } from '../../controller/source.ts';
import { messageOf, OperatorError } from '../../core/errors.ts';
import type { Entry } from '../../model/entry.ts';
import { type KubernetesObject, objectKey, splitKey } from '../../model/object.ts';
import { apiVersionOf, type Resource, resourceName } from '../../model/resource.ts';
import {
  formatSelector,
  type LabelSelector,
  matchesSelector,
  type Selector,
  selectorFromObject,
} from '../../model/selector.ts';
import { byNamespace, type IndexFunction } from '../../store/indices.ts';
import type { Store } from '../../store/store.ts';

/**
 * Selects the objects that are related to a parent. `names` cannot be combined with `labelSelector` and
 * `namespaceSelector`, nor `namespace` with `namespaceSelector`. Without any of these, all objects are
 * related.
 */
export interface RelatedRule {
  readonly resource: Resource;
  readonly labelSelector?: LabelSelector;
  readonly namespace?: string;
  readonly names?: readonly string[];
  readonly namespaceSelector?: LabelSelector;
}

/** A checked rule, applied to one parent. Every member that is set must match. */
export interface CompiledRule {
  readonly resource: Resource;
  /** If false, this parent gets no object of the resource. */
  readonly selectsAny: boolean;
  readonly namespace: string | undefined;
  readonly names: ReadonlySet<string> | undefined;
  readonly labels: Selector;
  /** Selects by the labels of the object's namespace. */
  readonly namespaceLabels: Selector | undefined;
  /** Equal rules have equal strings, so that parents can share a rule. */
  readonly text: string;
}

/** Returns the labels of a namespace; undefined when the namespace does not exist. */
export type NamespaceLabels = (namespace: string) => Readonly<Record<string, string>> | undefined;

/** Identifies the resource of a rule. Two versions of a resource count as two resources. */
export function relatedName(resource: Resource): string {
  return `${apiVersionOf(resource)}/${resource.plural}`;
}

/**
 * Checks a rule and applies it to a parent.
 *
 * @param ownNamespaceOnly - if true, a namespaced parent gets only objects of its own namespace.
 * @throws OperatorError `USER_CODE` with the members of the rule that cannot be combined.
 */
export function compileRule(
  rule: RelatedRule,
  parent: KubernetesObject,
  ownNamespaceOnly: boolean,
): CompiledRule {
  const { resource } = rule;
  const { namespaced } = resource;
  const own = ownNamespaceOnly ? parent.metadata.namespace : undefined;
  requireParts(rule, own);
  // A cluster-scoped object has no namespace, so the rule's namespace is ignored.
  const namespace = namespaced ? (own ?? nonEmpty(rule.namespace)) : undefined;
  const names = hasNames(rule) ? new Set(rule.names) : undefined;
  const labels = selectorOf(rule, 'labelSelector') ?? [];
  const namespaceLabels = selectorOf(rule, 'namespaceSelector');
  const selectsAny = namespaced || own === undefined;
  const text = JSON.stringify([
    relatedName(resource),
    selectsAny,
    namespace ?? null,
    names === undefined ? null : [...names].sort(),
    formatSelector(labels),
    namespaceLabels === undefined ? null : formatSelector(namespaceLabels),
  ]);
  return { resource, selectsAny, namespace, names, labels, namespaceLabels, text };
}

/**
 * @param own - the only namespace whose objects can be related. If undefined, objects of every namespace can
 * be related.
 */
function requireParts(rule: RelatedRule, own: string | undefined): void {
  const { resource, labelSelector, namespaceSelector } = rule;
  const namespace = nonEmpty(rule.namespace);
  if (hasNames(rule) && isGiven(labelSelector)) {
    throw unusable(rule, 'has names and a labelSelector: use one of them');
  }
  if (hasNames(rule) && isGiven(namespaceSelector)) {
    throw unusable(rule, 'has names and a namespaceSelector: use one of them');
  }
  if (namespace !== undefined && isGiven(namespaceSelector)) {
    throw unusable(rule, 'has a namespace and a namespaceSelector: use one of them');
  }
  if (isGiven(namespaceSelector) && !resource.namespaced) {
    throw unusable(rule, 'has a namespaceSelector, and its objects have no namespace');
  }
  if (own === undefined) return;
  if (isGiven(namespaceSelector)) {
    throw unusable(rule, 'has a namespaceSelector, and the parent may only use its own namespace');
  }
  if (resource.namespaced && namespace !== undefined && namespace !== own) {
    throw unusable(rule, 'names another namespace than that of the parent', { namespace, own });
  }
}

/** True when a rule selects the object of `entry`. Reads the metadata only for a rule with labels. */
export function selectsEntry(
  { selectsAny, namespace, names, labels, namespaceLabels }: CompiledRule,
  entry: Pick<Entry, 'key' | 'metadata'>,
  labelsOf: NamespaceLabels,
): boolean {
  if (!selectsAny) return false;
  const place = splitKey(entry.key);
  if (namespace !== undefined && place.namespace !== namespace) return false;
  if (names !== undefined && !names.has(place.name)) return false;
  if (labels.length > 0 && !matchesSelector(labels, entry.metadata.labels)) return false;
  if (namespaceLabels === undefined) return true;
  const known = labelsOf(place.namespace ?? '');
  return known !== undefined && matchesSelector(namespaceLabels, known);
}

const NAME_INDEX = 'chancery.dev/related-name';
const NAMESPACE_INDEX = 'chancery.dev/related-namespace';

const byName: IndexFunction = ({ metadata }) => [metadata.name];

/** Adds to `source` the indices by which rules find their objects. */
export function withRelatedIndexes(source: Source): Source {
  const indexes = { ...source.indexes, [NAME_INDEX]: byName, [NAMESPACE_INDEX]: byNamespace };
  return Object.freeze({ ...source, indexes });
}

/**
 * The objects that a rule selects.
 *
 * @param namespaces - the cache of namespaces, for a rule that selects by namespace labels.
 * @throws OperatorError in the same cases as `Store.list`.
 */
export function objectsOf(
  rule: CompiledRule,
  store: Store<KubernetesObject>,
  namespaces: Store<KubernetesObject> | undefined,
): readonly KubernetesObject[] {
  const { namespace, names, labels, namespaceLabels, resource } = rule;
  if (names !== undefined) {
    const hasPlace = namespace !== undefined || !resource.namespaced;
    return [...names].flatMap((name) =>
      hasPlace ? (store.get(objectKey(namespace, name)) ?? []) : store.byIndex(NAME_INDEX, name),
    );
  }
  if (namespaceLabels === undefined || namespaces === undefined) {
    return store.list({ ...(namespace !== undefined && { namespace }), selector: labels });
  }
  return namespaces
    .list({ selector: namespaceLabels })
    .flatMap(({ metadata }) => store.byIndex(NAMESPACE_INDEX, metadata.name))
    .filter(({ metadata }) => matchesSelector(labels, metadata.labels));
}

function selectorOf(
  rule: RelatedRule,
  part: 'labelSelector' | 'namespaceSelector',
): Selector | undefined {
  const selector = rule[part];
  if (!isGiven(selector)) return undefined;
  try {
    return selectorFromObject(selector);
  } catch (error) {
    throw unusable(rule, `has an unusable ${part}: ${messageOf(error)}`, {}, error);
  }
}

/** An empty list of names is treated as no list. */
function hasNames({ names = [] }: RelatedRule): boolean {
  return names.length > 0;
}

/** True for a selector that is set, even an empty one. JSON may contain null for an omitted selector. */
function isGiven(selector: LabelSelector | null | undefined): selector is LabelSelector {
  return selector !== undefined && selector !== null;
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}

function unusable(
  { resource }: RelatedRule,
  problem: string,
  context: Readonly<Record<string, string>> = {},
  cause?: unknown,
): OperatorError {
  const name = resourceName(resource);
  return new OperatorError(`the rule for related ${name} ${problem}`, {
    code: 'USER_CODE',
    layer: 'user-code',
    ...(cause !== undefined && { cause }),
    context: { resource: name, ...context },
  });
}
