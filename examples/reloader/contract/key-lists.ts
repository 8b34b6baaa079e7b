/** Keys of ConfigMaps and Secrets: a workload may name those whose changes count. */
import { type Annotations, annotationOf, type Problem } from './annotations.ts';
import { MAX_LOOKED_AT, splitEntries } from './patterns/entries.ts';
import type { ResourceRef } from './resource-type.ts';

/**
 * On workloads or their Pod templates: `configmap/app-config/log.level,secret/db/password`. A resource that is named
 * counts with these keys only, and all others with all their keys. The original has nothing like it.
 */
export const KEYS: string = 'reloader.chancery.dev/keys';

/** The keys that count, by resource. */
export interface KeyLists {
  /** Sorted; undefined: all keys of the resource count. */
  of(resource: ResourceRef): readonly string[] | undefined;
  /** Entries that cannot be used. The others still count. */
  readonly problems: readonly Problem[];
}

/** A longer list belongs into several resources. */
const MAX_ENTRIES = 256;

/** The API server accepts these keys in `data`, with 253 characters at most. */
const ENTRY = /^(configmap|secret)\/([-.a-z0-9]+)\/([-._a-zA-Z0-9]+)$/;
const MAX_QUOTED = 80;

/** Reads the annotation of the workload's metadata, or that of its Pod template if the metadata has none. */
export function keyLists({
  annotations,
  templateAnnotations,
}: {
  readonly annotations: Annotations;
  readonly templateAnnotations: Annotations;
}): KeyLists {
  const text = annotationOf(annotations, KEYS) ?? annotationOf(templateAnnotations, KEYS);
  if (text === undefined) return EVERY_KEY;
  const { entries: all, isCut } = splitEntries(text);
  const entries = [...all];
  const problems: Problem[] = [];
  const lists = new Map<string, Set<string>>();
  for (const entry of entries.slice(0, MAX_ENTRIES)) {
    const [, type = '', name = '', key = ''] = ENTRY.exec(entry) ?? [];
    if (key === '') {
      const shown = JSON.stringify(entry.slice(0, MAX_QUOTED));
      const message = `must have entries as configmap/NAME/KEY or secret/NAME/KEY, not ${shown}`;
      problems.push({ annotation: KEYS, message });
      continue;
    }
    const resource = `${type}/${name}`;
    lists.set(resource, (lists.get(resource) ?? new Set()).add(key));
  }
  if (entries.length > MAX_ENTRIES || isCut) {
    const many = isCut ? `more than ${MAX_LOOKED_AT}` : entries.length;
    const message = `has ${many} entries: only the first ${MAX_ENTRIES} count`;
    problems.push({ annotation: KEYS, message });
  }
  return {
    problems,
    of({ type, name }) {
      const keys = lists.get(`${type.toLowerCase()}/${name}`);
      return keys === undefined ? undefined : [...keys].sort();
    },
  };
}

const EVERY_KEY: KeyLists = { of: () => undefined, problems: [] };
