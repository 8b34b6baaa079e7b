import { isDeepStrictEqual } from 'node:util';
import { type Condition, childName, objectKey, type ReconcileContext } from 'chancery';
import { type ConfigMap, configMaps } from 'chancery/kubernetes';
import { configMapSource } from '../config-map-source.ts';
import { isStatusConfigMap, STATUS_LABELS } from '../own-objects.ts';
import { type Facts, nextStatus, type WatcherStatus } from '../status.ts';

type Access = Pick<ReconcileContext, 'client' | 'clock' | 'events' | 'signal' | 'store'>;

/** The name of the ConfigMap beside the document `name` that holds its status. */
export function statusNameFor(name: string): string {
  return childName(name, { suffix: 'status' });
}

/**
 * Brings the status beside a document up to date: created with the document as its owner, so that
 * both go together. A ConfigMap of that name that is not ours is left alone, and an Event says so.
 */
export async function writeDocumentStatus(facts: Facts, access: Access): Promise<void> {
  const { client, clock, store, signal } = access;
  const { declaredBy } = facts.watcher;
  const { namespace } = declaredBy.metadata;
  const name = statusNameFor(declaredBy.metadata.name);
  const dataFor = (object: ConfigMap | undefined): Record<string, string> =>
    dataOf(nextStatus(statusOf(object), facts, clock.now()), facts);
  const isUpToDate = (object: ConfigMap): boolean =>
    isDeepStrictEqual(dataFor(object), object.data);

  const cached = store(configMapSource).get(objectKey(namespace, name));
  if (cached && isStatusConfigMap(cached) && isUpToDate(cached)) return;
  const live = await client.find(configMaps, { namespace, name }, { signal });
  if (live === undefined) {
    await client.create(configMaps, freshStatus(name, declaredBy, dataFor(live)), { signal });
  } else if (!isStatusConfigMap(live)) {
    const note = `its status is not written: ConfigMap ${name} belongs to somebody else`;
    const warning = { type: 'Warning', reason: 'StatusNotOwned', action: 'WriteStatus' } as const;
    access.events.record({ ...warning, regarding: declaredBy, note });
  } else if (!isUpToDate(live)) {
    const body = { metadata: { uid: live.metadata.uid }, data: dataFor(live) };
    await client.patch(configMaps, { namespace, name }, { type: 'merge', body }, { signal });
  }
}

function freshStatus(
  name: string,
  { apiVersion, kind, metadata }: Facts['watcher']['declaredBy'],
  data: Record<string, string>,
): ConfigMap {
  const owner = {
    apiVersion,
    kind,
    name: metadata.name,
    uid: metadata.uid ?? '',
    controller: true,
  };
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name,
      labels: STATUS_LABELS,
      ownerReferences: [owner],
      ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
    },
    data,
  };
}

/** A ConfigMap holds text only. */
function dataOf(status: WatcherStatus, { watcher }: Facts): Record<string, string> {
  const { conditions = [], observedHash, lastRestartTime, lastRestartedPods } = status;
  return {
    valid: String(watcher.accepted),
    message: conditions.find(({ type }) => type === 'Ready')?.message ?? '',
    conditions: JSON.stringify(conditions),
    ...(observedHash === undefined ? {} : { observedHash }),
    ...(lastRestartTime === undefined ? {} : { lastRestartTime }),
    ...(lastRestartedPods === undefined
      ? {}
      : { lastRestartedPods: JSON.stringify(lastRestartedPods) }),
  };
}

function statusOf(object: ConfigMap | undefined): WatcherStatus {
  const { conditions, lastRestartedPods, observedHash, lastRestartTime } = object?.data ?? {};
  return {
    conditions: parsed<readonly Condition[]>(conditions) ?? [],
    ...(observedHash === undefined ? {} : { observedHash }),
    ...(lastRestartTime === undefined ? {} : { lastRestartTime }),
    ...(lastRestartedPods === undefined
      ? {}
      : { lastRestartedPods: parsed<readonly string[]>(lastRestartedPods) ?? [] }),
  };
}

/** Undefined for text that somebody has damaged: it is written anew. */
function parsed<T extends readonly unknown[]>(text: string | undefined): T | undefined {
  try {
    const value: unknown = JSON.parse(text ?? '');
    return Array.isArray(value) ? (value as unknown as T) : undefined;
  } catch {
    return undefined;
  }
}
