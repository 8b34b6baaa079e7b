import type { WatchEvent } from '../../operator/model/entry.ts';
import { Entry } from '../../operator/model/entry.ts';
import type { KubernetesObject } from '../../operator/model/object.ts';
import type { ListWatch } from '../../operator/watch/list-watch.ts';

/** `source`, with its objects in another namespace. */
export function inNamespace<T extends KubernetesObject>(
  source: ListWatch<T>,
  namespace: string,
): ListWatch<T> {
  const moved = ({ object }: Entry<T>): Entry<T> =>
    Entry.of({ ...object, metadata: { ...object.metadata, namespace } });
  return {
    async listPage({ known: _, ...request }) {
      const page = await source.listPage(request);
      return { ...page, items: page.items.map(moved) };
    },
    async watch(request) {
      return movedEvents(await source.watch(request), moved);
    },
  };
}

async function* movedEvents<T extends KubernetesObject>(
  batches: AsyncIterable<readonly WatchEvent<T>[]>,
  moved: (entry: Entry<T>) => Entry<T>,
): AsyncGenerator<readonly WatchEvent<T>[], void, undefined> {
  for await (const batch of batches) {
    yield batch.map((event) =>
      event.type === 'BOOKMARK' ? event : { ...event, entry: moved(event.entry) },
    );
  }
}
