import { type Controller, controller, type Permission } from 'chancery';
import {
  type ConfigMap,
  configMaps,
  daemonSets,
  deployments,
  events,
  pods,
  replicaSets,
  statefulSets,
} from 'chancery/kubernetes';
import { configMapSource } from './config-map-source.ts';
import { customResources } from './front-ends/custom-resource.ts';
import { watcherMappings } from './front-ends/front-ends.ts';
import { createReconciler } from './reconcile.ts';

/** Everything that is done besides watching the sources. */
const permissions: readonly Permission[] = [
  { resource: configMaps, verbs: ['get', 'create', 'patch'] }, // the content, the state, the statuses
  { resource: pods, verbs: ['get', 'list', 'delete'] },
  { resource: pods, subresource: 'eviction', verbs: ['create'] },
  { resource: replicaSets, verbs: ['get'] },
  { resource: deployments, verbs: ['get', 'patch'] },
  { resource: statefulSets, verbs: ['get', 'patch'] },
  { resource: daemonSets, verbs: ['get', 'patch'] },
  { resource: events, verbs: ['create'] },
  ...customResources.flatMap((resource): Permission[] => [
    { resource, verbs: ['get'] },
    { resource, subresource: 'status', verbs: ['patch'] },
  ]),
];

/** Restarts Pods when a ConfigMap changes: one reconciler behind four ways to ask for it, with a memory of its own. */
export function configRestart(): Controller<ConfigMap> {
  return controller({
    name: 'config-restart',
    for: configMapSource,
    watches: watcherMappings,
    permissions,
    maxConcurrentReconciles: 4, // a slow eviction of one ConfigMap's Pods must not hold up the others
    ...createReconciler(),
  });
}

export default configRestart();
