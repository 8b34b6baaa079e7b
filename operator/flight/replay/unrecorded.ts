import { showsAll } from '../../controller/children/applied-memory.ts';
import type { Clock } from '../../core/clock.ts';
import { jsonOf } from '../../core/json/json-of.ts';
import { isMapping, mappingOf } from '../../core/mapping.ts';
import type { KubernetesObject } from '../../model/object.ts';
import { matcherOf } from '../../model/selection.ts';
import type { TransportRequest } from '../../transport/transport.ts';
import type { Departures } from './departures.ts';
import { listAnswer } from './recorded/first-lists.ts';
import { asObject, collectionOf, type RecordedObjects } from './recorded/recorded-objects.ts';
import { answeredText, type RecordedExchange, type RecordedRun } from './recorded/recorded-run.ts';
import type { ReplayCluster, StartReplayCluster } from './recorded/replay-cluster.ts';
import type { ReplayedExchange } from './recorded/replayed-exchange.ts';
import {
  idOf,
  isMetadataOnly,
  metadataOf,
  type ReplayedWatches,
  type WatchedLine,
} from './recorded/replayed-watches.ts';
import { objectIdOf, type RequestTarget, requestTarget } from './recorded/request-target.ts';
import { objectsInAnswer } from './recorded/seen-answers.ts';
import { isHandOver, isOfEvents } from './replayed-attempt.ts';

interface UnrecordedOptions {
  readonly run: RecordedRun;
  readonly objects: RecordedObjects;
  readonly departures: Departures;
  readonly clock: Clock;
  readonly watches: ReplayedWatches;
  /**
   * Starts the cluster. If undefined, reads that the record does not contain can be answered, but writes
   * cannot.
   */
  readonly startCluster: StartReplayCluster | undefined;
  readonly definitions: readonly KubernetesObject[];
}

/** Milliseconds between the answer to a write and its event in a watch, as in a fast cluster. */
const WATCH_DELAY_MS = 1;

/**
 * The difference between the newest resourceVersion in the record and the first resourceVersion of the
 * cluster.
 */
const VERSION_GAP = 1_000_000n;

/**
 * Answers requests that are not in the record. Reads are answered from the objects that are known from the
 * record until now. The first write starts a cluster, which also gets the recorded changes, and answers all
 * such requests from then on.
 */
export class Unrecorded {
  readonly #options: UnrecordedOptions;
  #cluster: Promise<ReplayCluster> | undefined;
  #started: ReplayCluster | undefined;
  readonly #underWay = new Set<Promise<void>>();
  #failure: { readonly error: unknown } | undefined;

  constructor(options: UnrecordedOptions) {
    this.#options = options;
  }

  /** True when a cluster answers the requests. */
  get hasCluster(): boolean {
    return this.#cluster !== undefined;
  }

  /**
   * The cluster; undefined while it does not exist. At the end, its objects are the objects at the end of the
   * replay.
   */
  get cluster(): ReplayCluster | undefined {
    return this.#started;
  }

  /**
   * True for an apply or a merge patch that contains only values that the object already has, and for a
   * hand-over of fields. A process that has just started makes such writes, because it does not remember what
   * it applied before.
   */
  isWithoutEffect(request: TransportRequest, target: RequestTarget | undefined): boolean {
    if (request.method !== 'PATCH' || this.#unchanged(request, target) === undefined) return false;
    return true;
  }

  /**
   * Call this when the replay does not make a recorded write. From now on the record no longer describes the
   * object of the write correctly.
   */
  notMade(exchange: RecordedExchange): void {
    const { departures } = this.#options;
    const target = requestTarget(exchange.request.path);
    if (target === undefined) return;
    if (target.name !== undefined) departures.leaveObject(objectIdOf(target));
    const answer = asObject(jsonOf(answeredText(exchange)));
    if (answer !== undefined) departures.leaveObject(idOf(target.collection, answer));
  }

  answer(exchange: ReplayedExchange, target: RequestTarget | undefined): void {
    const { request } = exchange;
    if (target !== undefined && isOfEvents(target) && request.method !== 'GET') {
      exchange.answer(request.method === 'POST' ? 201 : 200, request.body ?? '{}');
      return;
    }
    if (this.#cluster === undefined) {
      const unchanged = this.#unchanged(request, target);
      if (unchanged !== undefined) {
        exchange.answer(200, unchanged);
        return;
      }
      if (request.method === 'GET' && this.#read(exchange, target)) return;
    }
    this.#later(this.#byCluster(exchange, target));
  }

  /** Handles a recorded answer, which contains a state of the API server. */
  answered(exchange: RecordedExchange): void {
    const { departures, objects } = this.#options;
    for (const { collection, object } of objectsInAnswer(exchange)) {
      if (departures.hasObjectLeft(collection, object)) continue;
      objects.put(collection, object);
      if (exchange.request.method !== 'GET') this.#changed(collection, 'MODIFIED', object);
    }
  }

  /** Handles a line of a recorded watch. */
  watched(collection: string, { object, type, resourceVersion }: WatchedLine): void {
    const { departures, objects } = this.#options;
    objects.saw(resourceVersion);
    if (object === undefined || departures.hasObjectLeft(collection, object)) return;
    if (type === 'DELETED') objects.delete(collection, object);
    else objects.put(collection, object);
    this.#changed(collection, type, object);
  }

  #changed(collection: string, type: string, object: KubernetesObject): void {
    if (this.#cluster === undefined) return;
    this.#later(
      this.#cluster.then((cluster) => {
        if (type === 'DELETED') cluster.remove(collection, object);
        else cluster.put(collection, object);
      }),
    );
  }

  /** Resolves when no request is in progress. @throws the error that keeps the cluster from answering. */
  async settled(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  get isUnderWay(): boolean {
    return this.#underWay.size > 0 || this.#failure !== undefined;
  }

  async close(): Promise<void> {
    await this.#started?.close();
  }

  #later(work: Promise<void>): void {
    const done = work
      .catch((error) => {
        this.#failure ??= { error };
      })
      .finally(() => this.#underWay.delete(done));
    this.#underWay.add(done);
  }

  /**
   * The object to which the request refers, if the request would not change it. Undefined if the request may
   * change something.
   */
  #unchanged(
    { method, headers, body }: TransportRequest,
    target: RequestTarget | undefined,
  ): KubernetesObject | undefined {
    if (method !== 'PATCH' || target?.name === undefined) return undefined;
    if (isHandOver({ method, body })) {
      return this.#options.objects.get(target.collection, target.namespace, target.name);
    }
    const type = headers?.['content-type'] ?? '';
    if (!type.includes('apply-patch') && !type.includes('merge-patch')) return undefined;
    const { objects } = this.#options;
    const object = objects.get(target.collection, target.namespace, target.name);
    const stated = jsonOf(body);
    if (object === undefined || !isMapping(stated)) return undefined;
    const { apiVersion: _, kind: __, ...fields } = stated;
    const { managedFields: ___, ...metadata } = mappingOf(fields.metadata);
    return showsAll(object, { ...fields, metadata }) ? object : undefined;
  }

  /** Answers a read from the record. Returns false when the record does not contain the answer. */
  #read(exchange: ReplayedExchange, target: RequestTarget | undefined): boolean {
    const { run, objects } = this.#options;
    const { request } = exchange;
    if (target === undefined || !objects.has(target.collection)) return false;
    const { collection, namespace, name, subresource, query } = target;
    if (subresource !== undefined) return false;
    const source = run.header.sources.find((each) => collectionOf(each) === collection);
    if (name === undefined) {
      if (source === undefined) return false;
      const [labelSelector, fieldSelector] = ['labelSelector', 'fieldSelector'].map(
        (each) => query.get(each) ?? undefined,
      );
      const match = matcherOf({ namespaces: undefined, labelSelector, fieldSelector });
      const found = objects
        .list(collection, namespace)
        .filter((each) => match(each) === 'selected');
      const isBare = isMetadataOnly(request);
      exchange.answer(200, listAnswer(source, found, objects.resourceVersion, isBare));
      return true;
    }
    const object = objects.get(collection, namespace, name);
    if (object !== undefined) {
      exchange.answer(200, isMetadataOnly(request) ? metadataOf(object) : object);
    } else exchange.answer(404, notFound(collection, name));
    return true;
  }

  async #byCluster(exchange: ReplayedExchange, target: RequestTarget | undefined): Promise<void> {
    const cluster = await this.#start();
    const { method, path, headers = {}, body } = exchange.request;
    const answer = await cluster.send({ method, path, headers: { ...headers }, body });
    const { departures, clock, watches, objects } = this.#options;
    for (const change of cluster.changes()) {
      const { collection, object, type } = change;
      if (type === 'DELETED') objects.delete(collection, object);
      else objects.put(collection, object);
      departures.leaveObject(idOf(change.collection, change.object));
      clock.schedule(WATCH_DELAY_MS, () => watches.send(change));
    }
    if (target?.name !== undefined && method !== 'GET') departures.leaveObject(objectIdOf(target));
    exchange.head(answer.status, answer.headers);
    exchange.text(answer.body);
    exchange.end();
  }

  async #start(): Promise<ReplayCluster> {
    this.#cluster ??= this.#begun();
    this.#started = await this.#cluster;
    return this.#started;
  }

  #begun(): Promise<ReplayCluster> {
    const { startCluster, clock, objects, run, definitions } = this.#options;
    if (startCluster === undefined) {
      return Promise.reject(new Error('the replay has left the record, and no cluster answers it'));
    }
    return startCluster({
      clock,
      sources: run.header.sources,
      definitions,
      objects: new Map(objects.all()),
      resourceVersion: String(newestVersion(run) + VERSION_GAP),
    });
  }
}

/** The newest resourceVersion in the whole record. */
function newestVersion({ lines, cached }: RecordedRun): bigint {
  let newest = 0n;
  const saw = (text: string): void => {
    if (/^\d+$/.test(text) && BigInt(text) > newest) newest = BigInt(text);
  };
  for (const { resourceVersion } of cached) saw(resourceVersion ?? '');
  for (const line of lines) {
    if (line.kind !== 'chunk') continue;
    for (const [, version = ''] of line.text.matchAll(/"resourceVersion":\s*"(\d+)"/g))
      saw(version);
  }
  return newest;
}

function notFound(collection: string, name: string): object {
  const [plural = ''] = collection.split('/').slice(-1);
  const group = collection.startsWith('/apis/') ? collection.split('/')[2] : undefined;
  const resource = group === undefined ? plural : `${plural}.${group}`;
  return {
    ...{ kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure' },
    message: `${resource} "${name}" not found`,
    reason: 'NotFound',
    details: { name, ...(group !== undefined && { group }), kind: plural },
    code: 404,
  };
}
