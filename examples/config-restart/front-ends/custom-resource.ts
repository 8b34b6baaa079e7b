import {
  defineResource,
  type KubernetesObject,
  type Resource,
  resourceName,
  type Source,
  source,
} from 'chancery';
import { STATE_NAME } from '../own-objects.ts';
import { demandOfSpec, isConfigMapName, specFields } from '../spec.ts';
import { type Demand, Refused, readWatcher, type Watcher } from '../watcher.ts';

/** A custom resource that asks for restarts. Its `spec` is checked by hand: old schemas are lax. */
export interface WatcherObject extends KubernetesObject {
  readonly spec?: unknown;
  readonly status?: object;
}

const watcherNames = { version: 'v1', namespaced: true } as const;

/** `ConfigWatcher` as the book has it. */
export const bookWatchers: Resource<WatcherObject> = defineResource({
  ...watcherNames,
  group: 'k8spatterns.io',
  plural: 'configwatchers',
  kind: 'ConfigWatcher',
});

/** `ConfigWatcher` as the book's example repository has it. */
export const repositoryWatchers: Resource<WatcherObject> = defineResource({
  ...watcherNames,
  group: 'k8spatterns.com',
  plural: 'configwatchers',
  kind: 'ConfigWatcher',
});

export const configMonitors: Resource<WatcherObject> = defineResource({
  ...watcherNames,
  group: 'magalix.com',
  plural: 'configmonitors',
  kind: 'ConfigMonitor',
});

export const customResources: readonly Resource<WatcherObject>[] = [
  bookWatchers,
  repositoryWatchers,
  configMonitors,
];

/** One for each custom resource; optional, because the annotations work without any of them. */
export const customSources: readonly Source<WatcherObject>[] = customResources.map((resource) =>
  source(resource, { optional: true }),
);

/** The watcher that `object` declares. */
export function customWatcher(resource: Resource<WatcherObject>, object: WatcherObject): Watcher {
  const names = namesIn(object.spec);
  const declared = {
    frontEnd: resourceName(resource),
    declaredBy: object,
    configMap: names.length === 1 ? names[0] : undefined,
  };
  return readWatcher(declared, () => demandOf(object.spec, names));
}

/**
 * What a `spec` asks for, once it names one ConfigMap.
 *
 * @throws Refused that says what was expected.
 */
export function demandOf(spec: unknown, names: readonly string[]): Demand {
  const fields = specFields(spec);
  const demand = demandOfSpec(fields);
  if (names.length > 1) {
    throw new Refused('InvalidSpec', 'configMap and configmap name different ConfigMaps');
  }
  if (names.length === 0) {
    throw new Refused('InvalidSpec', `configMap must name a ConfigMap other than ${STATE_NAME}`);
  }
  return demand;
}

/**
 * The ConfigMaps that a `spec` names: none, one, or two when its spellings contradict each other.
 * `configmap` is how the article's sample and program spell it; its schema says `configMap`.
 */
export function namesIn(spec: unknown): readonly string[] {
  if (typeof spec !== 'object' || spec === null) return [];
  const { configMap, configmap } = spec as Record<string, unknown>;
  const names = [configMap, configmap].filter(isConfigMapName);
  return [...new Set(names)].filter((name) => name !== STATE_NAME);
}
