import type { RequestPath } from '../../../access/request-path.ts';
import { mappingOf } from '../../../core/mapping.ts';
import { INITIAL_EVENTS_END } from '../../../model/entry.ts';
import type {
  AnswerLine,
  ChunkLine,
  EndedLine,
  RecordedSource,
  RequestLine,
} from '../../record-line.ts';
import { WatchedLines, watchedEvent } from '../../watched-lines.ts';
import type { RecordedSources } from '../objects/recorded-sources.ts';
import type { Fact } from '../timeline-data.ts';
import type { SourceChanges } from './source-changes.ts';
import type { StateBars } from './state-bars.ts';
import type { TimelineItems } from './timeline-items.ts';

interface WatchParts {
  readonly items: TimelineItems;
  readonly sources: RecordedSources;
  readonly changes: SourceChanges;
  readonly bars: StateBars;
  /** The time when the record begins. */
  readonly from: number;
}

interface OpenWatch {
  readonly source: RecordedSource | undefined;
  readonly namespace: string | undefined;
  readonly row: number;
  readonly lines: WatchedLines;
  status: number | undefined;
}

/** The state of a source whose watch was open when the record began. */
const WATCHING = {
  kind: 'watch',
  summary: 'watching',
  tone: 'good',
} as const;

/** Handles the requests of watches: the events that they deliver, and their ends. */
export class WatchItems {
  readonly #parts: WatchParts;
  readonly #watches = new Map<number, OpenWatch>();

  constructor(parts: WatchParts) {
    this.#parts = parts;
  }

  opened(request: RequestLine, path: RequestPath | undefined, query: URLSearchParams): void {
    const { items, sources, changes, bars, from } = this.#parts;
    const source = path && sources.ofCollection(path, query);
    const namespace = path?.namespace;
    const row = source === undefined ? items.process('Requests') : items.source(source.id);
    this.#watches.set(request.id, {
      source,
      namespace,
      row,
      lines: new WatchedLines(),
      status: undefined,
    });
    const isStream = query.get('sendInitialEvents') === 'true' && request.carried !== true;
    if (source === undefined) return;
    if (isStream) changes.streaming(source, namespace);
    if (request.carried) bars.enter(row, from, WATCHING);
  }

  answered({ id, status, at }: AnswerLine): void {
    const watch = this.#watches.get(id);
    if (watch === undefined) return;
    watch.status = status;
    if (status >= 400) this.#failed(watch, at, `watch was refused: ${status}`, []);
  }

  received({ id, text, at }: ChunkLine): void {
    const watch = this.#watches.get(id);
    if (watch === undefined || (watch.status ?? 200) >= 400) return;
    for (const line of watch.lines.add(text)) this.#event(watch, line, at);
  }

  ended({ id, at, error }: EndedLine): void {
    const watch = this.#watches.get(id);
    this.#watches.delete(id);
    if (watch === undefined || error === undefined || error.code === 'ABORTED') return;
    this.#failed(watch, at, `watch broke off: ${error.code}`, [
      ['Error', `${error.code}: ${error.message}`],
    ]);
  }

  #event(watch: OpenWatch, line: string, at: number): void {
    const event = watchedEvent(line);
    const { source, namespace } = watch;
    if (event === undefined || source === undefined) return;
    const { type, object } = event;
    if (type === 'ERROR') {
      const { code = '', reason = '', message = '' } = mappingOf(object);
      const facts = [['Message', `${message}`]] as const;
      this.#failed(watch, at, `watch was ended by the server: ${code} ${reason}`, facts);
    } else if (type !== 'BOOKMARK') {
      this.#parts.changes.watched(source, namespace, type, object, at);
    } else if (line.includes(INITIAL_EVENTS_END)) {
      this.#parts.changes.streamed(source, namespace, at);
    }
  }

  #failed({ row }: OpenWatch, at: number, summary: string, facts: readonly Fact[]): void {
    this.#parts.items.add({ kind: 'watch', row, at, failed: true, tone: 'bad', summary, facts });
  }
}
