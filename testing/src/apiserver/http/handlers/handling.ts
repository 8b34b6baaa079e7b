import type { Cluster } from '../../cluster/cluster.ts';
import type { Json } from '../../objects/metadata.ts';
import type { StoredObject } from '../../objects/stored-object.ts';
import type { ServedResource } from '../../registry/served-resource.ts';
import type { ListOptions } from '../../request/list-options.ts';
import { parseWriteOptions, type WriteOptions } from '../../request/options.ts';
import { type Exchange, ITEMS_OF_PART } from '../exchange/exchange.ts';
import type { View } from '../exchange/present.ts';
import type { RequestInfo } from '../exchange/request-info.ts';

/** What a handler needs to answer a request. */
export interface Handling {
  readonly cluster: Cluster;
  readonly exchange: Exchange;
  readonly served: ServedResource;
  readonly info: RequestInfo;
  readonly view: View;
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal;
  /** Answers the request with a watch. */
  readonly watch: (options: ListOptions, view: View) => void;
}

/** The options of a write, from the query and the headers. */
export function writeOptions(
  exchange: Exchange,
  kind: 'CreateOptions' | 'UpdateOptions' | 'PatchOptions',
  subresource?: string,
): WriteOptions {
  const options = parseWriteOptions(exchange.query, exchange.userAgent, kind);
  return { ...options, subresource, ...writerOf(exchange) };
}

/** The sender of a request, and the receivers of its warnings and audit annotations. */
export function writerOf(exchange: Exchange): Pick<WriteOptions, 'caller' | 'warn' | 'annotate'> {
  return {
    caller: exchange.caller,
    warn: (text) => exchange.warn(text),
    annotate: (key, value) => exchange.annotate(key, value),
  };
}

/**
 * The object as it is sent in the answer. After a dry run it has no resourceVersion, because it was not
 * stored.
 */
export function asAnswer(object: StoredObject, dryRun: boolean): StoredObject {
  if (!dryRun) return object;
  const { resourceVersion: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

/**
 * Answers with a Status that reports the success of an action. This is used if the answer is not the object
 * itself.
 *
 * @param changed - the object with the resourceVersion of the change; undefined when nothing was
 * written.
 */
export function sendDone({ exchange, cluster }: Handling, changed: StoredObject | undefined): void {
  const metadata = metadataOfDone(cluster, changed);
  exchange.json(201, { kind: 'Status', apiVersion: 'v1', metadata, status: 'Success', code: 201 });
}

/** The `metadata` of the Status that `sendDone` sends. */
export function metadataOfDone({ behaviour }: Cluster, changed: StoredObject | undefined): Json {
  if (changed === undefined || !behaviour.gates.deletionVersions) return {};
  return { resourceVersion: changed.metadata.resourceVersion };
}

/** Sends a value in the requested media type. */
export function send({ exchange, view }: Handling, code: number, value: unknown): void {
  if (view.form.mediaType === 'yaml') exchange.yaml(code, value);
  else exchange.json(code, value);
}

/** Sends a list in the requested media type. A long list is sent in chunks. */
export async function sendList(handling: Handling, code: number, list: Json): Promise<void> {
  const { exchange, view } = handling;
  const field = ['items', 'rows'].find((name) => {
    const items = list[name];
    return Array.isArray(items) && items.length > ITEMS_OF_PART;
  });
  if (field === undefined || view.form.mediaType === 'yaml' || exchange.pretty) {
    send(handling, code, list);
  } else await exchange.jsonList(code, list, field);
}
