import type { MetadataPages, SweptObject } from '../../controller/finalizers/sweep.ts';
import type { PreparedSource, Source } from '../../controller/source.ts';
import type { Labels } from '../../core/metrics.ts';
import type { Prepare, Transform } from '../../model/entry.ts';
import type { KubernetesObject } from '../../model/object.ts';
import { type Resource, resourceName } from '../../model/resource.ts';
import type { Informer } from '../../store/informer.ts';
import type { ListWatch } from '../../watch/list-watch.ts';
import type { NamedSlotting } from '../sharding/slotting.ts';

/** A source that can be limited to the objects in the slots of this replica. */
export interface ShardableSource extends PreparedSource {
  /** How objects are divided into slots. Default: every replica caches all objects of the source. */
  readonly slotting?: NamedSlotting | undefined;
}

/** A source in one namespace, as it is listed and watched. */
export interface Scope {
  readonly resource: Resource;
  /** Undefined for all namespaces, or if the resource is cluster-scoped. */
  readonly namespace: string | undefined;
  readonly labelSelector: string | undefined;
  readonly fieldSelector: string | undefined;
  /** Omitted if whole objects are listed. */
  readonly metadataOnly?: true;
}

/** A list and watch, with the informer that runs it. */
export interface ScopeActivity {
  readonly scope: Scope;
  /** A string that is the same for all namespaces of a source, and for equal sources. */
  readonly group: string;
  /** How much of each object the cache holds. `transformed`: what the transform of the source returns. */
  readonly form: 'full' | 'metadata' | 'transformed';
  readonly informer: Informer<KubernetesObject>;
}

/** The scope of a source. `configured` is treated as all namespaces. */
export function scopeOf(source: Source): Scope {
  const { resource, namespace, labelSelector, fieldSelector, metadataOnly } = source;
  const isNamed = resource.namespaced && typeof namespace === 'object';
  return {
    resource,
    namespace: isNamed ? namespace.name : undefined,
    labelSelector,
    fieldSelector,
    ...(metadataOnly === true && { metadataOnly }),
  };
}

/** Fields of log lines about a scope. */
export function scopeFacts({ resource, namespace, labelSelector }: Scope): object {
  return {
    resource: resourceName(resource),
    namespace: namespace ?? '*',
    ...(labelSelector !== undefined && { labelSelector }),
  };
}

/** Labels for the metrics of a scope. */
export function scopeLabels({ resource, namespace }: Scope): Labels {
  const { group, version, plural } = resource;
  return { group, version, resource: plural, namespace: namespace ?? '' };
}

/**
 * Gives equal scopes the same identity. Two functions of sources are equal only if they are the same
 * function.
 */
export class ScopeIdentities {
  readonly #functions = new Map<Transform | Prepare, number>();

  of(
    scope: Scope,
    {
      transform,
      onUnserved,
      relistIntervalMs,
      prepare,
      slotting,
    }: Pick<
      ShardableSource,
      'transform' | 'onUnserved' | 'relistIntervalMs' | 'prepare' | 'slotting'
    >,
  ): string {
    const { group, version, plural } = scope.resource;
    const { namespace, labelSelector, fieldSelector, metadataOnly } = scope;
    return JSON.stringify([
      group,
      version,
      plural,
      namespace ?? null,
      labelSelector ?? null,
      fieldSelector ?? null,
      metadataOnly ?? false,
      transform === undefined ? 0 : this.#numberOf(transform),
      prepare === undefined ? 0 : this.#numberOf(prepare),
      onUnserved ?? 'retain',
      relistIntervalMs ?? null,
      slotting?.name ?? null,
    ]);
  }

  #numberOf(given: Transform | Prepare): number {
    const number = this.#functions.get(given) ?? this.#functions.size + 1;
    this.#functions.set(given, number);
    return number;
  }
}

/** Objects per page, as in client-go. */
const PAGE_SIZE = 500;

interface MetadataPagesOptions {
  readonly listWatchFor: (scope: Scope) => ListWatch<KubernetesObject>;
  /** The namespaces for sources with `namespace: 'configured'`; undefined for all namespaces. */
  readonly namespaces: readonly string[] | undefined;
}

/** Lists the metadata of all objects in the namespaces of a source, without its selectors. */
export function metadataPages({ listWatchFor, namespaces }: MetadataPagesOptions): MetadataPages {
  return async function* pages(source: Source, signal: AbortSignal) {
    const { labelSelector: _, fieldSelector: __, ...unselected } = source;
    const scope: Scope = { ...scopeOf({ ...unselected }), metadataOnly: true };
    const isConfigured = source.namespace === 'configured' && source.resource.namespaced;
    for (const namespace of (isConfigured ? namespaces : undefined) ?? [scope.namespace]) {
      yield* pagesOf(listWatchFor({ ...scope, namespace }), signal);
    }
  };
}

async function* pagesOf(
  list: ListWatch<KubernetesObject>,
  signal: AbortSignal,
): AsyncGenerator<readonly SweptObject[], void, undefined> {
  let continueToken: string | undefined;
  do {
    const page = await list.listPage({
      consistency: { kind: 'latest' },
      limit: PAGE_SIZE,
      signal,
      ...(continueToken !== undefined && { continueToken }),
    });
    yield page.items;
    continueToken = page.continueToken;
  } while (continueToken !== undefined);
}
