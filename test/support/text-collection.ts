import { Readable } from 'node:stream';
import { listWatch } from '../../operator/client/source.ts';
import { deepJson } from '../../operator/core/json/deep-json.ts';
import type { WatchEvent } from '../../operator/model/entry.ts';
import { defineResource } from '../../operator/model/resource.ts';
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

type Batches = AsyncIterable<readonly WatchEvent<Thing>[]>;
type TextOf = (object: Thing) => string;

/** A page that is sent as bytes and decoded by the client. */
function listedAsText(
  { items, resourceVersion, continueToken }: ListPage<Thing>,
  request: ListPageRequest<Thing>,
  textOf: TextOf,
): Promise<ListPage<Thing>> {
  const metadata = JSON.stringify({ resourceVersion, continue: continueToken });
  const texts = items.map(({ object }) => textOf(object)).join(',');
  const body = `{"kind":"ThingList","apiVersion":"v1","metadata":${metadata},"items":[${texts}]}`;
  return listWatch(
    cannedTransport(() => ({ body })),
    things,
  ).listPage(request);
}

/** The same for events; a chunk for each batch, as its objects are when it is sent. */
async function watchedAsText(
  batches: Batches,
  request: WatchRequest,
  textOf: TextOf,
): Promise<Batches> {
  const body = Readable.from(chunks(batches, textOf), { objectMode: true });
  // What was never begun would not notice that it is left.
  body.once('close', () => void batches[Symbol.asyncIterator]().return?.());
  const transport = cannedTransport(() => ({ body }));
  try {
    return await listWatch(transport, things).watch(request);
  } catch (error) {
    body.destroy(); // the request was aborted before it was sent
    throw error;
  }
}

async function* chunks(batches: Batches, textOf: TextOf): AsyncGenerator<Buffer> {
  for await (const batch of batches) {
    yield Buffer.from(batch.map((event) => `${lineOf(event, textOf)}\n`).join(''));
  }
}

function lineOf(event: WatchEvent<Thing>, textOf: TextOf): string {
  if (event.type !== 'BOOKMARK') {
    return `{"type":"${event.type}","object":${textOf(event.entry.object)}}`;
  }
  const annotations = event.initialEventsEnd ? { 'k8s.io/initial-events-end': 'true' } : {};
  const metadata = { resourceVersion: event.resourceVersion, annotations };
  const object = { kind: 'Thing', apiVersion: 'v1', metadata };
  return JSON.stringify({ type: 'BOOKMARK', object });
}

/** In the order in which Go writes its structs. */
function plainText({ apiVersion, kind, metadata, ...more }: Thing): string {
  return deepJson({ kind, apiVersion, metadata, ...more }, (_key, value) => value);
}

/** A collection that is sent as bytes, and some of its objects as what is no JSON. */
export class TextCollection extends FakeCollection {
  /** Names of objects whose text is no JSON behind their metadata. */
  readonly broken = new Set<string>();

  override async listPage(request: ListPageRequest<Thing>): Promise<ListPage<Thing>> {
    return listedAsText(await super.listPage({ ...request, known: undefined }), request, (object) =>
      this.textOf(object),
    );
  }

  override async watch(request: WatchRequest): Promise<Batches> {
    return watchedAsText(await super.watch(request), request, (object) => this.textOf(object));
  }

  /** An object as it is sent. */
  protected textOf(object: Thing): string {
    const text = plainText(object);
    return this.broken.has(object.metadata.name) ? `${text.slice(0, -1)},"secret":${HUSH}}` : text;
  }
}
