import { counted } from '../../core/text/counted.ts';
import type { FlightRecord } from '../read-record.ts';
import type { HeaderLine, LogLine, RecordLine, StateLine } from '../record-line.ts';
import { aboutRecord, REASONS } from './about-record.ts';
import { ExchangeItems } from './items/exchange-items.ts';
import { ReconcileItems } from './items/reconcile-items.ts';
import { StateBars } from './items/state-bars.ts';
import { TimelineItems } from './items/timeline-items.ts';
import { WallClock } from './items/wall-clock.ts';
import { ObjectHistories } from './objects/object-histories.ts';
import { PackedTexts } from './objects/packed-texts.ts';
import { RecordedSources } from './objects/recorded-sources.ts';
import type { Fact, TimelineData } from './timeline-data.ts';

/**
 * Limits of a page. Items and lines beyond the limits are omitted, and the page says how much was omitted.
 */
export interface TimelineLimits {
  /**
   * Maximum number of items. Default 100,000, because a chart with more is unreadable. The oldest are
   * omitted.
   */
  readonly items?: number;
  /** Maximum number of lines in all texts together. Default 4,000,000, which is about 20 MB of JSON. */
  readonly lineNumbers?: number;
}

/** Creates the data of the page for a record. */
export function timelineOf(record: FlightRecord, limits: TimelineLimits = {}): TimelineData {
  const reading = new RecordReading(record.header, limits);
  for (const line of record.lines) reading.add(line);
  return reading.timeline(record);
}

/** A function for each kind of line, except for the header, which is read before all lines. */
type Readers = {
  readonly [Kind in RecordLine['kind']]?: (line: Extract<RecordLine, { kind: Kind }>) => void;
};

class RecordReading {
  readonly #readers: Readers;
  readonly #limits: TimelineLimits;
  readonly #items = new TimelineItems();
  readonly #texts: PackedTexts;
  readonly #histories: ObjectHistories;
  readonly #bars: StateBars;
  readonly #reconciles: ReconcileItems;
  readonly #exchanges: ExchangeItems;
  readonly #walls: WallClock;
  #segments = 0;
  /** The time of the last line that was read. A record that was cut off ends at this time. */
  #at: number;

  constructor(header: HeaderLine, limits: TimelineLimits) {
    this.#limits = limits;
    this.#at = header.from;
    this.#texts = new PackedTexts(limits.lineNumbers);
    this.#histories = new ObjectHistories(this.#texts);
    const [items, texts, histories] = [this.#items, this.#texts, this.#histories];
    const sources = new RecordedSources(header);
    this.#bars = new StateBars(items);
    this.#reconciles = new ReconcileItems({ items, histories, sources });
    this.#exchanges = new ExchangeItems({
      ...{ items, histories, sources, texts, bars: this.#bars },
      from: header.from,
    });
    this.#walls = new WallClock(header.began, items);
    this.#readers = this.#readersOf(header);
  }

  add(line: RecordLine): void {
    if ('carried' in line && line.carried && this.#segments > 1) return; // the record has it already
    if ('at' in line) this.#at = Math.max(this.#at, line.at);
    const read = this.#readers[line.kind] as ((line: RecordLine) => void) | undefined;
    read?.(line);
  }

  timeline({ header, cutOff, unknownLines }: FlightRecord): TimelineData {
    const to = cutOff === undefined ? Math.max(header.to, this.#at) : this.#at;
    this.#reconciles.finish(to);
    this.#exchanges.finish(to);
    this.#bars.finish(to);
    const headings = header.controllers.map(({ name }) => name);
    const { rows, items, leftOut } = this.#items.ordered(headings, this.#limits.items);
    return {
      title: `${headings.join(', ') || 'operator'}: ${REASONS[header.reason] ?? header.reason}`,
      warnings: warningsOf({
        'The record was cut off': cutOff,
        'The record covers less than it should': header.truncated,
        'Left out':
          [
            leftOut > 0
              ? `the ${counted(leftOut, 'oldest event')}, because the page has room for ${items.length}`
              : '',
            this.#texts.omitted > 0
              ? `${counted(this.#texts.omitted, 'state')} of objects, because the page would be too large`
              : '',
            unknownLines > 0
              ? `${counted(unknownLines, 'line')} of a kind that this version does not know`
              : '',
          ]
            .filter(Boolean)
            .join('; ') || undefined,
      }),
      about: aboutRecord(header),
      from: Math.min(header.from, to),
      to,
      walls: this.#walls.times,
      rows,
      items,
      objects: this.#histories.objects,
      lines: this.#texts.lines,
      texts: this.#texts.texts,
    };
  }

  #readersOf({ from }: HeaderLine): Readers {
    const [bars, reconciles, exchanges] = [this.#bars, this.#reconciles, this.#exchanges];
    return {
      state: (line) => this.#segment(line),
      clock: (line) => this.#walls.clock(line),
      cached: (line) => exchanges.changes.cached(line),
      queued: (line) => {
        if (this.#segments < 2) reconciles.queued(line);
      },
      request: (line) => exchanges.request(line),
      answer: (line) => exchanges.answer(line),
      chunk: (line) => exchanges.chunk(line),
      ended: (line) => exchanges.ended(line),
      wake: (line) => reconciles.wake(line),
      begin: (line) => reconciles.begin(line),
      outcome: (line) => reconciles.outcome(line, from),
      held: (line) => reconciles.held(line),
      watch: (line) => bars.watch(line),
      leader: (line) => bars.leader(line),
      log: (line) => this.#log(line),
    };
  }

  #segment({ at, leads }: StateLine): void {
    this.#segments++;
    if (this.#segments === 1) this.#bars.leads(at, leads);
  }

  #log({ at, level, message, fields }: LogLine): void {
    const { controller, key } = fields;
    const row =
      typeof controller === 'string' && typeof key === 'string'
        ? this.#items.key(controller, key)
        : this.#items.process('Log');
    const facts = Object.entries(fields).map(([name, value]): Fact => [name, textOf(value)]);
    this.#items.add({
      kind: 'log',
      row,
      at,
      summary: `${level === 'warn' ? 'warning' : level}: ${message}`,
      facts: [['Level', level], ['Message', message], ...facts],
      ...(level === 'warn' ? { tone: 'waiting' } : { failed: true, tone: 'bad' }),
    });
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}

function warningsOf(texts: Readonly<Record<string, string | undefined>>): readonly string[] {
  return Object.entries(texts).flatMap(([title, text]) => (text ? `${title}: ${text}.` : []));
}
