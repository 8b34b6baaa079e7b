import { jsonOf } from '../../core/json/json-of.ts';
import { isMapping, mappingOf } from '../../core/mapping.ts';
import { INITIAL_EVENTS_END } from '../../model/entry.ts';
import type { KubernetesObject } from '../../model/object.ts';
import type { FlightRecord } from '../read-record.ts';
import type { BeginLine, ChunkLine, RecordedSource, RecordLine } from '../record-line.ts';
import { WatchedLines, watchedEvent } from '../watched-lines.ts';
import { asObject, collectionOf } from './recorded/recorded-objects.ts';
import {
  answeredText,
  type RecordedExchange,
  type RecordedRun,
  recordedRun,
} from './recorded/recorded-run.ts';
import { idOf } from './recorded/replayed-watches.ts';
import { objectIdOf, requestTarget } from './recorded/request-target.ts';
import { objectsInAnswer } from './recorded/seen-answers.ts';
import { Relations } from './relations.ts';

/** If there are at most this many objects, all of them are kept, because they do not distract a reader. */
const FEW_OBJECTS = 20;

const NEEDED_SETTINGS: ReadonlySet<string> = new Set([
  'WATCH_NAMESPACE',
  'POD_NAMESPACE',
  'CHANCERY_LEADER_ELECTION',
]);

/**
 * The part of a record that is about one key: its attempts, the objects that are related to it, and the watch
 * events of these objects. Most settings, other keys, logs, and fields that record who wrote what are
 * omitted.
 *
 * @param until - milliseconds since the recorder began. Later lines are omitted.
 */
export function incidentOf(record: FlightRecord, key: string, until: number): FlightRecord {
  const run = recordedRun(record);
  const kept = new Kept(run, key);
  const lines: RecordLine[] = [];
  const { header, state } = run;
  const shift = state.at;
  const at = (line: { readonly at: number }): number => Math.round(line.at - shift);
  lines.push({ ...state, at: 0, segment: 0 }, { kind: 'clock', at: 0, wall: Math.round(run.wall) });
  for (const cached of run.cached) {
    const objects = cached.objects.filter((object) => kept.hasObject(cached.source, object));
    lines.push({ ...cached, at: 0, objects: objects.map(plain) });
  }
  for (const queued of run.queued) if (queued.key === key) lines.push({ ...queued, at: 0 });
  for (const line of run.lines) {
    if (!('at' in line) || line.at > until) continue;
    const one = kept.line(line);
    if (one !== undefined) lines.push({ ...one, at: at(one as { at: number }) } as RecordLine);
  }
  const { pid: _, why: __, truncated: ___, ...facts } = header;
  const settings = Object.entries(header.settings).filter(([name]) => NEEDED_SETTINGS.has(name));
  const span = { from: 0, to: Math.round(until - shift) };
  const began = new Date(run.wall).toISOString();
  return {
    header: { ...facts, ...span, began, modules: [], settings: Object.fromEntries(settings) },
    lines,
    unknownLines: 0,
  };
}

/**
 * The key for which the record was probably made: the key of the last attempt that wrote or failed. If no
 * attempt did so, it is the key of the first attempt. Undefined when the record has no attempt.
 */
export function likelyKey(record: FlightRecord): string | undefined {
  let found: BeginLine | undefined;
  for (const { begin, exchanges, outcome } of recordedRun(record).attempts.values()) {
    const isNoteworthy =
      exchanges.some(({ request }) => request.method !== 'GET') || outcome?.error !== undefined;
    if (found === undefined || isNoteworthy) found = begin;
  }
  return found?.key;
}

/** Selects the lines of a record that are related to a key. */
class Kept {
  readonly #run: RecordedRun;
  readonly #key: string;
  readonly #sources: ReadonlyMap<string, RecordedSource>;
  readonly #relations = new Relations();
  readonly #ids: ReadonlySet<string> | undefined;
  /** The lines of each watch, keyed by the id of its request. */
  readonly #texts = new Map<number, WatchedLines>();

  constructor(run: RecordedRun, key: string) {
    this.#run = run;
    this.#key = key;
    this.#sources = new Map(run.header.sources.map((source) => [source.id, source]));
    for (const [collection, object] of this.#objects()) this.#relations.add(collection, object);
    this.#ids =
      this.#relations.size <= FEW_OBJECTS ? undefined : this.#relations.from(this.#begun());
  }

  hasObject(source: string, value: unknown): boolean {
    const found = this.#sources.get(source);
    const object = asObject(value);
    return found !== undefined && object !== undefined && this.#has(collectionOf(found), object);
  }

  /** The line, reduced to the data that are kept. Undefined when nothing is kept. */
  line(line: RecordLine): RecordLine | undefined {
    switch (line.kind) {
      case 'begin':
      case 'outcome':
        return line.key === this.#key ? line : undefined;
      case 'request':
        return this.#isKept(line.id) ? line : undefined;
      case 'answer':
        return this.#isKept(line.id) ? { ...line, headers: contentType(line.headers) } : undefined;
      case 'ended':
        return this.#isKept(line.id) ? line : undefined;
      case 'chunk':
        return this.#isKept(line.id) ? this.#chunk(line) : undefined;
      case 'clock':
      case 'leader':
        return line;
      default:
        return undefined;
    }
  }

  #isKept(id: number): boolean {
    const exchange = this.#run.exchanges.get(id);
    if (exchange === undefined) return false;
    const { purpose, by } = exchange.request;
    return purpose === 'watch' || by?.key === this.#key || this.#listOf(exchange) !== undefined;
  }

  /**
   * The collection of a list that fills a cache; undefined for any other request. Such lists are kept.
   * Without them, the watches of a replay would not begin where the recorded watches began.
   */
  #listOf({ request }: RecordedExchange): string | undefined {
    const { by, method, path, purpose } = request;
    if (by !== undefined || purpose !== 'call' || method !== 'GET') return undefined;
    const target = requestTarget(path);
    const isOfSource = [...this.#sources.values()].some(
      (source) => collectionOf(source) === target?.collection,
    );
    return isOfSource && target?.name === undefined ? target?.collection : undefined;
  }

  #chunk(line: ChunkLine): RecordLine | undefined {
    const exchange = this.#run.exchanges.get(line.id);
    const request = exchange?.request;
    const target = requestTarget(request?.path ?? '');
    if (request?.purpose !== 'watch' || target === undefined) {
      const list = exchange && this.#listOf(exchange);
      if (exchange !== undefined && list !== undefined) return this.#page(line, exchange, list);
      const answer = jsonOf(line.text);
      return answer === undefined ? line : { ...line, text: JSON.stringify(plain(answer)) };
    }
    const watched = this.#texts.get(line.id) ?? new WatchedLines();
    this.#texts.set(line.id, watched);
    const kept = watched.add(line.text).flatMap((text) => {
      const event = watchedEvent(text);
      const object = asObject(event?.object);
      if (event?.type === 'BOOKMARK') return text.includes(INITIAL_EVENTS_END) ? [text] : [];
      if (object === undefined) return [text];
      if (!this.#has(target.collection, object)) return [];
      return [JSON.stringify({ type: event?.type, object: plain(object) })];
    });
    return kept.length === 0
      ? undefined
      : { ...line, text: kept.map((each) => `${each}\n`).join('') };
  }

  /** A page of a list, reduced to the kept objects. It replaces the chunks of the answer. */
  #page(line: ChunkLine, exchange: RecordedExchange, collection: string): RecordLine | undefined {
    const answer = jsonOf(answeredText(exchange));
    if (!isMapping(answer) || !Array.isArray(answer.items)) return line;
    if (exchange.reply.find(({ kind }) => kind === 'chunk') !== line) return undefined;
    const items = itemsOf(answer).filter((item) => this.#has(collection, item));
    return { ...line, text: JSON.stringify({ ...answer, items: items.map(plain) }) };
  }

  #has(collection: string, object: KubernetesObject): boolean {
    return this.#ids?.has(idOf(collection, object)) ?? true;
  }

  /**
   * The objects from which the search for related objects begins: the object of the key, and the objects that
   * its attempts requested.
   */
  #begun(): ReadonlySet<string> {
    const ids = new Set<string>();
    for (const controller of this.#run.header.controllers) {
      const source = this.#sources.get(controller.for);
      if (source !== undefined) ids.add(`${collectionOf(source)} ${this.#key}`);
    }
    for (const exchange of this.#run.exchanges.values()) {
      if (exchange.request.by?.key !== this.#key) continue;
      const target = requestTarget(exchange.request.path);
      if (target?.name !== undefined) ids.add(objectIdOf(target));
      for (const { collection, object } of objectsInAnswer(exchange))
        ids.add(idOf(collection, object));
    }
    return ids;
  }

  *#objects(): Generator<readonly [collection: string, object: KubernetesObject]> {
    for (const { source, objects } of this.#run.cached) {
      const found = this.#sources.get(source);
      for (const value of objects) {
        const object = asObject(value);
        if (found !== undefined && object !== undefined) yield [collectionOf(found), object];
      }
    }
    for (const exchange of this.#run.exchanges.values()) {
      const list = this.#listOf(exchange);
      if (list !== undefined) {
        for (const item of itemsOf(jsonOf(answeredText(exchange)))) yield [list, item];
      }
      const { request } = exchange;
      const target = requestTarget(request.path);
      if (request.purpose !== 'watch' || target === undefined) continue;
      for (const line of answeredText(exchange).split('\n')) {
        const object = asObject(watchedEvent(line)?.object);
        if (object !== undefined) yield [target.collection, object];
      }
    }
  }
}

function contentType(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const type = headers['content-type'];
  return type === undefined ? {} : { 'content-type': type };
}

/** The items of a list that have a name. The items themselves have no `kind`. */
function itemsOf(list: unknown): readonly KubernetesObject[] {
  const { items } = mappingOf(list);
  if (!Array.isArray(items)) return [];
  return items.filter((item) => typeof mappingOf(mappingOf(item).metadata).name === 'string');
}

/**
 * An object, or an item of a list, without the fields in which `kubectl` and API servers record who wrote
 * what.
 */
function plain(value: unknown): unknown {
  if (!isMapping(value) || !isMapping(value.metadata)) return value;
  const { managedFields: _, annotations, ...metadata } = value.metadata;
  const { [LAST_APPLIED]: __, ...others } = mappingOf(annotations);
  const kept = Object.keys(others).length > 0 ? { annotations: others } : {};
  return { ...value, metadata: { ...metadata, ...kept } };
}

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';
