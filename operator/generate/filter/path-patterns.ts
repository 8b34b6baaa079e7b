import { collectionPattern, type OpenedPaths, objectPattern, rootPattern } from './opened-paths.ts';

/**
 * Anchored patterns that match these paths and no other. Namespaces where a resource is used in the
 * same way share one.
 */
export function pathPatterns(opened: readonly OpenedPaths[]): readonly string[] {
  // What is open in every namespace is not open in one besides, so that those two are never alike.
  const alike = Map.groupBy(opened, ({ namespace: _, resource, ...paths }) =>
    JSON.stringify([rootPattern(resource), resource.plural, paths]),
  );
  return [...new Set([...alike.values()].flatMap(patternsOf))];
}

/** @param places - alike but for their namespaces. */
function patternsOf(places: readonly OpenedPaths[]): readonly string[] {
  const [paths] = places;
  if (paths === undefined) return [];
  const { resource, collection, objects, acrossNamespaces, discovery } = paths;
  const inPlaces = collectionPattern(
    resource,
    places.map(({ namespace }) => namespace),
  );
  const object = objects.length === 0 ? '' : objectPattern(paths, objects);
  return [
    ...(discovery ? [`${rootPattern(resource)}$`] : []),
    ...(acrossNamespaces ? [`${rootPattern(resource)}/${resource.plural}$`] : []),
    ...(collection || object !== ''
      ? [`${inPlaces}${collection && object !== '' ? `(${object})?` : object}$`]
      : []),
  ];
}
