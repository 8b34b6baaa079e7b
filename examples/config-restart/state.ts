import { isNotFound, type ReconcileContext } from 'chancery';
import { type ConfigMap, configMaps } from 'chancery/kubernetes';
import type { Target } from 'chancery/low-level';
import { type Entry, isForgotten, parseEntry } from './entry.ts';
import { STATE_LABELS, STATE_NAME } from './own-objects.ts';

type Access = Pick<ReconcileContext, 'client' | 'clock' | 'log' | 'signal'>;

/** The entries of one namespace, as they were when read. */
export type Entries = ReadonlyMap<string, Entry>;

/** Every entry of `namespace`, read from the API server: a cache may lag behind our own writes. */
export async function readEntries(namespace: string, access: Access): Promise<Entries> {
  const { client, log, signal } = access;
  const state = await client.find(configMaps, target(namespace), { signal });
  const entries = new Map<string, Entry>();
  for (const [name, text] of Object.entries(state?.data ?? {})) {
    const entry = parseEntry(text);
    if (entry === undefined) log.warn({ configMap: name }, 'state entry is damaged and ignored');
    else entries.set(name, entry);
  }
  return entries;
}

/**
 * Writes or, with undefined, removes the entry of one ConfigMap, and removes those of ConfigMaps
 * long gone. Entries of others are not touched, so that reconciles may write side by side.
 */
export async function writeEntry(
  { namespace, name }: { namespace: string; name: string },
  entry: Entry | undefined,
  entries: Entries,
  access: Access,
): Promise<void> {
  const { client, clock, signal } = access;
  const data: Record<string, string | null> = {};
  for (const [other, candidate] of entries) {
    if (isForgotten(candidate, clock.now())) data[other] = null;
  }
  data[name] = entry === undefined ? null : JSON.stringify(entry);
  try {
    const body = { data };
    await client.patch(configMaps, target(namespace), { type: 'merge', body }, { signal });
  } catch (error) {
    if (!isNotFound(error)) throw error;
    if (entry === undefined) return;
    await client.create(configMaps, freshState(namespace, name, entry), { signal });
  }
}

function target(namespace: string): Target {
  return { namespace, name: STATE_NAME };
}

function freshState(namespace: string, name: string, entry: Entry): ConfigMap {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: STATE_NAME, namespace, labels: STATE_LABELS },
    data: { [name]: JSON.stringify(entry) },
  };
}
