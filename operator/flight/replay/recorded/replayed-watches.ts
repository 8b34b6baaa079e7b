import { mappingOf } from '../../../core/mapping.ts';
import { type KubernetesObject, objectKey } from '../../../model/object.ts';
import { matcherOf } from '../../../model/selection.ts';
import type { TransportRequest } from '../../../transport/transport.ts';
import { WatchedLines, watchedEvent } from '../../watched-lines.ts';
import { asObject } from './recorded-objects.ts';
import type { RecordedExchange, RecordedRun, ReplyLine } from './recorded-run.ts';
import type { ClusterChange } from './replay-cluster.ts';
import { ReplayedExchange } from './replayed-exchange.ts';
import { collectionIdOf, type RequestTarget, requestTarget } from './request-target.ts';

/** One line of a watch. */
export interface WatchedLine {
  readonly type: string;
  /** Undefined for a line without an object. */
  readonly object: KubernetesObject | undefined;
  /** The resourceVersion of the object or of the bookmark. */
  readonly resourceVersion: string | undefined;
}

interface WatchesOptions {
  readonly run: RecordedRun;
  /** Called for each recorded line, even if no watch of the replay is open. */
  readonly seen: (collection: string, line: WatchedLine) => void;
  /**
   * Returns true for an object that the record no longer describes correctly. Its recorded events are not
   * replayed.
   */
  readonly hasLeft: (collection: string, object: KubernetesObject) => boolean;
}

/** A recorded watch, and the corresponding watch of the replay. */
class RecordedWatch {
  readonly target: RequestTarget;
  readonly #options: WatchesOptions;
  /** The recorded lines before the time when the replay opened its watch. */
  readonly #before: ReplyLine[] = [];
  readonly #text = new WatchedLines();
  #open: ReplayedExchange | undefined;
  #answer: ReplyLine | undefined;
  #hasEnded = false;

  constructor(target: RequestTarget, options: WatchesOptions) {
    this.target = target;
    this.#options = options;
  }

  /**
   * True when a watch of the replay gets the lines of this recorded watch. It becomes false again if the
   * replay closes its watch before the recorded watch has ended. The next watch of the replay then gets the
   * remaining lines.
   */
  get isTaken(): boolean {
    return this.#open !== undefined && (this.#hasEnded || !this.#open.isOver);
  }

  take(open: ReplayedExchange): void {
    if (this.#open !== undefined && this.#answer !== undefined) open.replay(this.#answer);
    this.#open = open;
    for (const line of this.#before.splice(0)) open.replay(line);
  }

  replay(line: ReplyLine): void {
    const whole = line.kind === 'chunk' ? { ...line, text: this.#lines(line.text) } : line;
    if (line.kind === 'answer') this.#answer = line;
    if (line.kind === 'ended') this.#hasEnded = true;
    if (this.#open === undefined) this.#before.push(whole);
    else this.#open.replay(whole);
  }

  /**
   * The lines that are complete with `text`, without lines about objects that the record no longer describes
   * correctly.
   */
  #lines(text: string): string {
    const { seen, hasLeft } = this.#options;
    const { collection } = this.target;
    const kept = this.#text.add(text).filter((each) => {
      const line = watchedLine(each);
      seen(collection, line);
      return line.object === undefined || !hasLeft(collection, line.object);
    });
    return kept.map((line) => `${line}\n`).join('');
  }
}

/** The watches of a replay. Each corresponds to the next recorded watch of the same collection. */
export class ReplayedWatches {
  readonly #recorded = new Map<RecordedExchange, RecordedWatch>();
  readonly #byCollection = new Map<string, RecordedWatch[]>();
  readonly #open: { readonly target: RequestTarget; readonly exchange: ReplayedExchange }[] = [];

  constructor(options: WatchesOptions) {
    for (const exchange of options.run.exchanges.values()) {
      const { purpose, path } = exchange.request;
      const target = purpose === 'watch' ? requestTarget(path) : undefined;
      if (target === undefined) continue;
      const watch = new RecordedWatch(target, options);
      this.#recorded.set(exchange, watch);
      const id = collectionIdOf(target);
      this.#byCollection.set(id, [...(this.#byCollection.get(id) ?? []), watch]);
    }
  }

  /** Opens a watch. If it was not recorded, it is accepted, and delivers only changes in the cluster. */
  open(request: TransportRequest, target: RequestTarget): ReplayedExchange {
    const exchange = new ReplayedExchange(request);
    this.#open.push({ target, exchange });
    const free = this.#byCollection.get(collectionIdOf(target))?.find(({ isTaken }) => !isTaken);
    if (free !== undefined) free.take(exchange);
    else exchange.head(200, { 'content-type': 'application/json' });
    return exchange;
  }

  /** Handles a line of the record. Returns false when the line does not belong to a watch. */
  replay(exchange: RecordedExchange, line: ReplyLine): boolean {
    const watch = this.#recorded.get(exchange);
    watch?.replay(line);
    return watch !== undefined;
  }

  /** Sends a change in the cluster to the watches that select the object. */
  send({ collection, type, object }: ClusterChange): void {
    for (const { target, exchange } of this.#open) {
      if (exchange.isOver || target.collection !== collection) continue;
      const { namespace } = target;
      if (namespace !== undefined && namespace !== object.metadata.namespace) continue;
      const isSelected = matches(target, object);
      const shownType = isSelected ? type : 'DELETED';
      const shown = isMetadataOnly(exchange.request) ? metadataOf(object) : object;
      exchange.text(`${JSON.stringify({ type: shownType, object: shown })}\n`);
    }
  }
}

function matches({ query }: RequestTarget, object: KubernetesObject): boolean {
  const match = matcherOf({
    namespaces: undefined,
    labelSelector: query.get('labelSelector') ?? undefined,
    fieldSelector: query.get('fieldSelector') ?? undefined,
  });
  return match(object) === 'selected';
}

/** True for a request that requests only metadata. */
export function isMetadataOnly({ headers }: Pick<TransportRequest, 'headers'>): boolean {
  return (headers?.accept ?? '').includes('as=PartialObjectMetadata');
}

/** The object in the format in which an API server returns it if only metadata are requested. */
export function metadataOf({ metadata }: KubernetesObject): object {
  return { apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata', metadata };
}

function watchedLine(text: string): WatchedLine {
  const { type = '', object } = watchedEvent(text) ?? {};
  const { resourceVersion: version } = mappingOf(mappingOf(object).metadata);
  return {
    type,
    object: type === 'BOOKMARK' || type === 'ERROR' ? undefined : asObject(object),
    resourceVersion: typeof version === 'string' ? version : undefined,
  };
}

/** Identifies an object among the objects of all collections. */
export function idOf(collection: string, { metadata }: KubernetesObject): string {
  return `${collection} ${objectKey(metadata.namespace, metadata.name)}`;
}
