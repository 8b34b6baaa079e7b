import { type RequestPath, requestPath } from '../../../access/request-path.ts';
import { jsonOf } from '../../../core/json/json-of.ts';
import { isMapping } from '../../../core/mapping.ts';
import type { AnswerLine, ChunkLine, EndedLine, RequestLine } from '../../record-line.ts';
import { learnAnswer, learnedName } from '../objects/learned-answer.ts';
import type { Moment, ObjectHistories } from '../objects/object-histories.ts';
import { yamlLines } from '../objects/object-lines.ts';
import type { PackedTexts } from '../objects/packed-texts.ts';
import type { RecordedSources } from '../objects/recorded-sources.ts';
import type { TimelineItem } from '../timeline-data.ts';
import { callItem, type FinishedCall, isWrite } from './call-item.ts';
import { SourceChanges } from './source-changes.ts';
import type { StateBars } from './state-bars.ts';
import type { TimelineItems } from './timeline-items.ts';
import { WatchItems } from './watch-items.ts';

export interface ExchangeParts {
  readonly items: TimelineItems;
  readonly histories: ObjectHistories;
  readonly sources: RecordedSources;
  readonly texts: PackedTexts;
  readonly bars: StateBars;
  /** The time when the record begins. */
  readonly from: number;
}

/** A request whose answer is not complete yet. */
interface OpenCall {
  readonly request: RequestLine;
  readonly path: RequestPath | undefined;
  readonly query: URLSearchParams;
  /** The object of a write, in the state that was known when the write was sent. */
  readonly before: Moment | undefined;
  readonly chunks: string[];
  leftOut: number;
  status: number | undefined;
}

/**
 * Handles requests and answers. Each call results in an item. The objects in answers and watches result in
 * states of these objects.
 */
export class ExchangeItems {
  readonly #parts: ExchangeParts;
  readonly #calls = new Map<number, OpenCall>();
  readonly #watches: WatchItems;
  readonly #changes: SourceChanges;

  constructor(parts: ExchangeParts) {
    this.#parts = parts;
    this.#changes = new SourceChanges(parts);
    this.#watches = new WatchItems({ ...parts, changes: this.#changes });
  }

  get changes(): SourceChanges {
    return this.#changes;
  }

  request(request: RequestLine): void {
    const [pathname = '', search = ''] = request.path.split('?', 2);
    const path = requestPath(pathname);
    const query = new URLSearchParams(search);
    if (request.purpose === 'watch') {
      this.#watches.opened(request, path, query);
      return;
    }
    const before = isWrite(request, path, query) ? this.#target(request, path) : undefined;
    this.#calls.set(request.id, {
      request,
      path,
      query,
      before,
      chunks: [],
      leftOut: 0,
      status: undefined,
    });
  }

  answer(line: AnswerLine): void {
    const call = this.#calls.get(line.id);
    if (call === undefined) this.#watches.answered(line);
    else call.status = line.status;
  }

  chunk(line: ChunkLine): void {
    const call = this.#calls.get(line.id);
    if (call === undefined) {
      this.#watches.received(line);
      return;
    }
    call.chunks.push(line.text);
    call.leftOut += line.leftOut ?? 0;
  }

  ended(line: EndedLine): void {
    const call = this.#calls.get(line.id);
    if (call === undefined) {
      this.#watches.ended(line);
      return;
    }
    this.#calls.delete(line.id);
    this.#finish(call, { to: line.at, error: line.error });
  }

  /** Handles the end of the record. Calls without an answer become open items. */
  finish(to: number): void {
    for (const call of this.#calls.values()) {
      this.#finish(call, { to: Math.max(to, call.request.at), error: undefined, open: true });
    }
  }

  #finish(call: OpenCall, end: Pick<FinishedCall, 'to' | 'error' | 'open'>): void {
    const { request, path, query, status, leftOut } = call;
    const answer = jsonOf(call.chunks.join(''));
    const finished = { request, path, query, status, leftOut, answer, ...end };
    const item = callItem(finished, this.#nameOfTarget(call, answer));
    this.#parts.items.add({
      ...item,
      row: this.#rowOf(call),
      ...this.#stateOf(call, finished, item),
      ...this.#sent(request),
      ...(request.by && { attempt: request.by.id }),
    });
  }

  /** The state of the object that a call caused or returned, and the previous state. */
  #stateOf(
    call: OpenCall,
    finished: FinishedCall,
    item: Pick<TimelineItem, 'kind'>,
  ): Partial<TimelineItem> {
    const { request, path, query, before } = call;
    const { answer, status, to } = finished;
    const isGood = status !== undefined && status < 300 && finished.open !== true;
    if (isGood && request.by === undefined && path?.name === undefined && item.kind === 'read') {
      if (path !== undefined) this.#changes.listed(path, query, answer, to);
      return {};
    }
    const learned =
      isGood && !query.has('dryRun') ? learnAnswer(this.#parts.histories, answer, to) : undefined;
    if (before === undefined) return learned ?? {};
    const earlier = before.version;
    const { before: _, ...made } = learned ?? { object: before.object };
    const isSame = learned === undefined || learned.object === before.object;
    const compared = isSame && earlier !== undefined && { before: earlier };
    return { ...made, ...compared };
  }

  #rowOf({ request, path, query }: OpenCall): number {
    const { items, sources } = this.#parts;
    if (request.by) return items.key(request.by.controller, request.by.key);
    if (request.purpose === 'election') return items.process('Leases');
    const isList = request.method === 'GET' && path !== undefined && path.name === undefined;
    const source = isList ? sources.ofCollection(path, query) : undefined;
    return source === undefined ? items.process('Requests') : items.source(source.id);
  }

  /** The object of a write, in its state before the write. */
  #target(request: RequestLine, path: RequestPath | undefined): Moment | undefined {
    const { histories, sources } = this.#parts;
    const name = learnedName(sources, path, jsonOf(request.body ?? ''));
    return name && histories.now(histories.refer(name));
  }

  #nameOfTarget({ request, path }: OpenCall, answer: unknown): string {
    const { sources } = this.#parts;
    const name =
      learnedName(sources, path, jsonOf(request.body ?? '')) ?? learnedName(sources, path, answer);
    if (name !== undefined) return `${name.kind} ${name.key}`;
    if (path === undefined) return request.path.split('?', 1)[0] ?? '';
    const place = path.namespace === undefined ? '' : ` in ${path.namespace}`;
    return `${path.plural}${place}`;
  }

  #sent({ body }: RequestLine): Partial<TimelineItem> {
    if (body === undefined || body === '') return {};
    const value = jsonOf(body);
    const sent = this.#parts.texts.add(
      isMapping(value) || Array.isArray(value) ? yamlLines(value) : body.split('\n'),
    );
    return sent === undefined ? {} : { sent };
  }
}
