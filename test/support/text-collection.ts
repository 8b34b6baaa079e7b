import { Readable } from 'node:stream';
import { listWatch } from '../../operator/client/list-watch.ts';
import { defineResource } from '../../operator/model/resource.ts';
import type { WatchEvent } from '../../operator/model/watch-event.ts';
import type { ListPage, ListPageRequest, WatchRequest } from '../../operator/watch/list-watch.ts';
import { cannedTransport } from '../client/canned-transport.ts';
import { FakeCollection, type Thing } from './fake-collection.ts';

/** Stands in every text that is no JSON: it must not show in an error or a log. */
export const HUSH = 'hush-hush';

const things = defineResource<Thing>({
  group: '',
  version: 'v1',
  plural: 'things',
  kind: 'Thing',
  namespaced: true,
});

/** A collection that is sent as bytes and decoded by the client: objects are held until they are read. */
export class TextCollection extends FakeCollection {
  /** Names of objects that are sent as text that is no JSON, behind their metadata. */
  readonly broken = new Set<string>();

  override async listPage(request: ListPageRequest): Promise<ListPage<Thing>> {
    const { items, resourceVersion, continueToken } = await super.listPage(request);
    const metadata = JSON.stringify({ resourceVersion, continue: continueToken });
    const texts = items.map((item) => this.#textOf(item)).join(',');
    const body = `{"kind":"ThingList","apiVersion":"v1","metadata":${metadata},"items":[${texts}]}`;
    return listWatch(
      cannedTransport(() => ({ body })),
      things,
    ).listPage(request);
  }

  override async watch(
    request: WatchRequest,
  ): Promise<AsyncIterable<readonly WatchEvent<Thing>[]>> {
    const batches = await super.watch(request);
    const body = Readable.from(this.#chunks(batches), { objectMode: true });
    return listWatch(
      cannedTransport(() => ({ body })),
      things,
    ).watch(request);
  }

  /** A chunk for each batch, as its objects are when it is sent. */
  async *#chunks(batches: AsyncIterable<readonly WatchEvent<Thing>[]>): AsyncGenerator<Buffer> {
    for await (const batch of batches) {
      yield Buffer.from(batch.map((event) => `${this.#lineOf(event)}\n`).join(''));
    }
  }

  #lineOf(event: WatchEvent<Thing>): string {
    if (event.type !== 'BOOKMARK') {
      return `{"type":"${event.type}","object":${this.#textOf(event.object)}}`;
    }
    const annotations = event.initialEventsEnd ? { 'k8s.io/initial-events-end': 'true' } : {};
    const metadata = { resourceVersion: event.resourceVersion, annotations };
    const object = { kind: 'Thing', apiVersion: 'v1', metadata };
    return JSON.stringify({ type: 'BOOKMARK', object });
  }

  #textOf({ apiVersion, kind, metadata, ...more }: Thing): string {
    const text = JSON.stringify({ kind, apiVersion, metadata, ...more });
    return this.broken.has(metadata.name) ? `${text.slice(0, -1)},"secret":${HUSH}}` : text;
  }
}
