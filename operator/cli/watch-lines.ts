import type { KubernetesObject } from '../model/object.ts';
import { apiVersionOf, type Resource } from '../model/resource.ts';
import { INITIAL_EVENTS_END } from '../model/watch-event.ts';
import type { Change } from '../store/cache.ts';
import { shellSafeJson } from './shell-safe-json.ts';

const TYPES = { add: 'ADDED', update: 'MODIFIED', delete: 'DELETED' } as const;

/** Changes → lines of a watch, made one at a time as they are asked for. */
export function* watchLines(
  changes: readonly Change<KubernetesObject>[],
): Generator<string, void, undefined> {
  for (const { type, object } of changes) {
    yield shellSafeJson({ type: TYPES[type], object });
  }
}

/** The line that ends the first list, as a server writes it at the end of a streaming list. */
export function syncMarkerLine(resource: Resource, resourceVersion: string): string {
  return shellSafeJson({
    type: 'BOOKMARK',
    object: {
      kind: resource.kind,
      apiVersion: apiVersionOf(resource),
      metadata: { resourceVersion, annotations: { [INITIAL_EVENTS_END]: 'true' } },
    },
  });
}
