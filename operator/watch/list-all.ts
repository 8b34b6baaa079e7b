import { type KubernetesObject, keyOf } from '../model/object.ts';
import { isGone } from '../model/status.ts';
import type { ListConsistency, ListPage, ListPageRequest, ListWatch } from './list-watch.ts';

export interface ListAllRequest {
  readonly consistency: ListConsistency;
  /** Objects in a page; 0 for everything at once. */
  readonly pageSize: number;
  readonly signal: AbortSignal;
}

/** Objects in a page, as client-go and kube-rs ask for. */
export const DEFAULT_PAGE_SIZE = 500;

/** Every object of a collection at one resourceVersion. */
export interface CompleteList<T extends KubernetesObject> {
  readonly items: readonly T[];
  /** Of the first page: the only one from which a watch misses nothing. */
  readonly resourceVersion: string;
}

/**
 * All pages as one unit: the caller gets everything or an error, never a part.
 *
 * When the state behind a page token expires, it starts over once without pages. The token that the
 * server offers instead would mix two states, in which deletes could hide.
 */
export async function listAll<T extends KubernetesObject>(
  source: Pick<ListWatch<T>, 'listPage'>,
  request: ListAllRequest,
): Promise<CompleteList<T>> {
  const pages: ListPage<T>[] = [];
  try {
    for await (const page of listPages(source, request)) pages.push(page);
  } catch (error) {
    if (pages.length === 0 || !isGone(error)) throw error;
    const { signal } = request;
    const whole = { consistency: { kind: 'latest' }, limit: 0, signal } as const;
    return complete([await source.listPage(whole)]);
  }
  return complete(pages);
}

/** The pages of a collection, one request each. Fails in the middle when a token expires. */
export async function* listPages<T extends KubernetesObject>(
  source: Pick<ListWatch<T>, 'listPage'>,
  { consistency, pageSize, signal }: ListAllRequest,
): AsyncGenerator<ListPage<T>, void, undefined> {
  let request: ListPageRequest = { consistency, limit: pageSize, signal };
  for (;;) {
    const page = await source.listPage(request);
    yield page;
    if (page.continueToken === undefined) return;
    request = { ...request, continueToken: page.continueToken };
  }
}

/** An object that stands on two pages was written in between; the later is the newer. */
function complete<T extends KubernetesObject>(pages: readonly ListPage<T>[]): CompleteList<T> {
  const objects = new Map(pages.flatMap(({ items }) => items.map((item) => [keyOf(item), item])));
  return { items: [...objects.values()], resourceVersion: pages[0]?.resourceVersion ?? '' };
}
