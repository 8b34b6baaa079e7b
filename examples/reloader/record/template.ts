import { DEFAULT_ANNOTATIONS } from '../contract/annotations.ts';
import type { ResourceType } from '../contract/resource-type.ts';
import type { PodTemplate } from '../workloads/kind.ts';

/** The annotation that the original writes to the Pod template under `--reload-strategy=annotations`. */
export const LAST_RELOADED_FROM: string = DEFAULT_ANNOTATIONS.lastReloadedFrom;

/** Every variable that the original or this operator writes begins so. */
const PREFIX = 'STAKATER_';

/** One variable of a Pod template. */
export interface MarkedVariable {
  readonly container: string;
  readonly value: string;
}

/** What a Pod template says about the contents that its Pods were started with. */
export interface TemplateRecords {
  /** By the name of the variable, in the order of the containers. */
  readonly variables: ReadonlyMap<string, readonly MarkedVariable[]>;
  /** The resource that the last restart was for, under `--reload-strategy=annotations`. */
  readonly last: LastReloaded | undefined;
}

export interface LastReloaded {
  /** `CONFIGMAP`, `SECRET` or `SECRETPROVIDERCLASS`, as it was written. */
  readonly type: string;
  readonly name: string;
  readonly hash: string;
}

export function templateRecords({ metadata, spec }: PodTemplate): TemplateRecords {
  const variables = new Map<string, MarkedVariable[]>();
  for (const { name: container, env } of spec.containers) {
    for (const { name, value = '' } of env ?? []) {
      if (!name.startsWith(PREFIX)) continue;
      const marked = variables.get(name);
      if (marked === undefined) variables.set(name, [{ container, value }]);
      else marked.push({ container, value });
    }
  }
  return { variables, last: lastReloaded(metadata?.annotations?.[LAST_RELOADED_FROM]) };
}

/** Undefined for a text that is not what the original writes: it is then no record. */
function lastReloaded(text: string | undefined): LastReloaded | undefined {
  if (text === undefined) return undefined;
  try {
    const { type, name, hash } = JSON.parse(text) as Partial<Record<keyof LastReloaded, unknown>>;
    if (typeof type !== 'string' || typeof name !== 'string' || typeof hash !== 'string') return;
    return { type, name, hash };
  } catch {
    return undefined;
  }
}

/** The text of `last-reloaded-from`: compact, with the fields in the order of the original. */
export function formatLastReloaded(
  { type, name, hash }: LastReloaded & { readonly type: ResourceType },
  namespace: string,
  container: string,
  nowMs: number,
): string {
  const observedAt = Math.floor(nowMs / 1_000);
  return JSON.stringify({ type, name, namespace, hash, containerRefs: [container], observedAt });
}
