import {
  enqueueMapped,
  type KubernetesObject,
  type Mapping,
  type ObjectKey,
  objectKey,
  type ReconcileContext,
  resourceName,
} from 'chancery';
import type { ConfigMap } from 'chancery/kubernetes';
import type { Watcher } from '../watcher.ts';
import { annotationWatchers } from './annotation.ts';
import { documentSource, documentWatcher } from './config-map.ts';
import { customSources, customWatcher } from './custom-resource.ts';

/** What makes a change of a watcher reconcile the ConfigMap that it names. */
export const watcherMappings: readonly Mapping[] = [
  ...customSources.map((source) =>
    enqueueMapped(source, (object) => [keyFor(customWatcher(source.resource, object))]),
  ),
  enqueueMapped(documentSource, (object) => [keyFor(documentWatcher(object))]),
];

/** Every watcher of the ConfigMap at `key`, obeyed or refused, through all front ends. */
export function watchersOf(
  key: ObjectKey,
  configMap: ConfigMap | undefined,
  context: Pick<ReconcileContext, 'store'>,
): readonly Watcher[] {
  const custom = customSources.flatMap((source) =>
    listed(source, context).map((object) => customWatcher(source.resource, object)),
  );
  const documents = listed(documentSource, context).map(documentWatcher);
  return [
    ...(configMap === undefined ? [] : annotationWatchers(configMap)),
    ...[...custom, ...documents].filter((watcher) => keyFor(watcher) === key),
  ];
}

/** Names of the front ends whose watchers are not known: not installed, or not listed yet. */
export function unknownFrontEnds(context: Pick<ReconcileContext, 'store'>): ReadonlySet<string> {
  const unsynced = customSources.filter((source) => !context.store(source).synced);
  return new Set(unsynced.map(({ resource }) => resourceName(resource)));
}

function listed<T extends KubernetesObject>(
  source: Parameters<typeof enqueueMapped<T>>[0],
  context: Pick<ReconcileContext, 'store'>,
): readonly T[] {
  const store = context.store(source);
  return store.synced ? store.list() : [];
}

/** The key that reports on a watcher: its ConfigMap's, or its own name's when it names none. */
function keyFor({ configMap, declaredBy }: Watcher): ObjectKey {
  const { namespace, name } = declaredBy.metadata;
  return objectKey(namespace, configMap ?? name);
}
