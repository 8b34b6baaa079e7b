import type { Source } from '../../controller/source.ts';
import { type KubernetesObject, keyOf, type ObjectKey, objectKey } from '../../model/object.ts';
import { matchesSelector } from '../../model/selector.ts';
import { byNamespace, type IndexFunction } from '../../store/indices.ts';
import type { Store } from '../../store/store.ts';
import type { CompiledRule } from './compiled-rule.ts';

const NAME_INDEX = 'chancery.dev/related-name';
const NAMESPACE_INDEX = 'chancery.dev/related-namespace';

const byName: IndexFunction = ({ metadata }) => [metadata.name];

/** `source` with the indices by which rules find their objects. */
export function withRelatedIndexes(source: Source): Source {
  const indexes = { ...source.indexes, [NAME_INDEX]: byName, [NAMESPACE_INDEX]: byNamespace };
  return Object.freeze({ ...source, indexes });
}

/**
 * The objects that a rule selects.
 *
 * @param namespaces - the cache of namespaces; called only for a rule that selects by their labels.
 * @throws OperatorError as `Store.list`.
 */
export function objectsOf(
  rule: CompiledRule,
  store: Store<KubernetesObject>,
  namespaces: () => Store<KubernetesObject>,
): readonly KubernetesObject[] {
  const { selectsAny, namespace, names, labels, namespaceLabels, resource } = rule;
  if (!selectsAny) return [];
  if (names !== undefined) {
    const hasPlace = namespace !== undefined || !resource.namespaced;
    return [...names].flatMap((name) =>
      hasPlace ? (store.get(objectKey(namespace, name)) ?? []) : store.byIndex(NAME_INDEX, name),
    );
  }
  if (namespaceLabels === undefined) {
    return store.list({ ...(namespace !== undefined && { namespace }), selector: labels });
  }
  return namespaces()
    .list({ selector: namespaceLabels })
    .flatMap(({ metadata }) => store.byIndex(NAMESPACE_INDEX, metadata.name))
    .filter(({ metadata }) => matchesSelector(labels, metadata.labels));
}

/** Each object once, in the order of their keys: a function that is called again gets the same. */
export function unique(objects: readonly KubernetesObject[]): readonly KubernetesObject[] {
  const byKey = new Map<ObjectKey, KubernetesObject>(
    objects.map((object) => [keyOf(object), object]),
  );
  return [...byKey].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, object]) => object);
}
