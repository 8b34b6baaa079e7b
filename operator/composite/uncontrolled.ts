import { controllerOf, type KubernetesObject } from '../model/object.ts';
import { matchesSelector, type Selector } from '../model/selector.ts';
import type { IndexFunction } from '../store/indices.ts';
import type { Store } from '../store/store.ts';

/**
 * The index that finds objects without a controller by each of their labels. Most objects have a controller, so a
 * parent need not look at all objects of its namespace to see what it may adopt.
 */
export const UNCONTROLLED_INDEX = 'chancery.dev/uncontrolled';

export const byLabelIfUncontrolled: IndexFunction = ({ metadata }) => {
  if (controllerOf({ metadata }) !== undefined) return [];
  const { namespace } = metadata;
  return Object.entries(metadata.labels ?? {}).flatMap(([label, value]) => {
    const anywhere = indexValue(undefined, label, value);
    return namespace === undefined ? [anywhere] : [anywhere, indexValue(namespace, label, value)];
  });
};

/** Neither namespaces nor labels have spaces. */
function indexValue(namespace: string | undefined, label: string, value: string): string {
  return `${namespace ?? ''} ${label} ${value}`;
}

/** Objects without a controller that match, in the namespace of `parent` if it has one. */
export function uncontrolledMatching<C extends KubernetesObject>(
  selector: Selector,
  { metadata: { namespace } }: KubernetesObject,
  store: Pick<Store<C>, 'byIndex' | 'list'>,
): readonly C[] {
  const indexed = selector.find(({ operator }) => operator === 'in');
  if (indexed === undefined) {
    const all = store.list(namespace === undefined ? { selector } : { selector, namespace });
    return all.filter((object) => controllerOf(object) === undefined);
  }
  const { key, values } = indexed;
  return [...values]
    .flatMap((value) => store.byIndex(UNCONTROLLED_INDEX, indexValue(namespace, key, value)))
    .filter(({ metadata: { labels } }) => matchesSelector(selector, labels));
}
