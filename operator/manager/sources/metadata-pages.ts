import type { MetadataPages, SweptObject } from '../../controller/finalizers/sweep.ts';
import type { Source } from '../../controller/source.ts';
import type { KubernetesObject } from '../../model/object.ts';
import type { ListWatch } from '../../watch/list-watch.ts';
import { type Scope, scopeOf } from './scope.ts';

/** Objects in a page, as in client-go. */
const PAGE_SIZE = 500;

interface MetadataPagesOptions {
  readonly listWatchFor: (scope: Scope) => ListWatch<KubernetesObject>;
  /** Of sources that leave it to the settings; undefined for all. */
  readonly namespaces: readonly string[] | undefined;
}

/** Lists the metadata of what is where a source looks, past its selectors. */
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
