import type { CarriedLine } from './kept-line.ts';
import { sizeOf } from './kept-line.ts';
import type { AnswerLine, BeginLine, RequestLine } from './record-line.ts';

/** An attempt that has begun but not ended. */
export interface OpenAttempt {
  readonly begin: BeginLine;
  /** The lines of the attempt and of its requests since it began. */
  lines: CarriedLine[];
  bytes: number;
}

/** A request whose answer has not ended. */
export interface OpenExchange {
  readonly request: RequestLine;
  /** The attempt that made the request. */
  readonly attempt: OpenAttempt | undefined;
  answer: AnswerLine | undefined;
  /**
   * For a watch, the data that its reader has not taken yet, and the incomplete line. For any other request,
   * the whole body.
   */
  lines: CarriedLine[];
  bytes: number;
  /** The number of bytes that have arrived and that the reader has not taken yet. */
  unread: () => number;
}

const LINE_BREAK = 0x0a;

/**
 * Attempts and requests that have begun but not ended. If a segment begins in the middle of an attempt or a
 * request, the previous lines of the attempt or request are repeated in the segment. So a record can be
 * replayed from the beginning of any segment.
 */
export class OpenWork {
  readonly #attempts = new Map<number, OpenAttempt>();
  readonly #exchanges = new Map<number, OpenExchange>();
  /** Maximum memory in bytes of the lines that are kept for later segments, for one attempt or one answer. */
  readonly #limitBytes: number;

  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes;
  }

  beganAttempt(begin: BeginLine): OpenAttempt {
    const attempt = { begin, lines: [begin], bytes: 0 };
    this.#attempts.set(begin.id, attempt);
    return attempt;
  }

  endedAttempt(id: number): void {
    this.#attempts.delete(id);
  }

  beganExchange(request: RequestLine, attempt: OpenAttempt | undefined): OpenExchange {
    const exchange: OpenExchange = {
      ...{ request, attempt, answer: undefined, lines: [], bytes: 0 },
      unread: () => 0,
    };
    this.#exchanges.set(request.id, exchange);
    this.#keepForAttempt(exchange, request);
    return exchange;
  }

  /** Adds the headers of an answer, a chunk of its body, or its end. */
  add(exchange: OpenExchange, line: CarriedLine): void {
    this.#keepForAttempt(exchange, line);
    if (line.kind === 'answer') exchange.answer = line;
    if (line.kind === 'ended') this.#exchanges.delete(exchange.request.id);
    if (line.kind !== 'chunk') return;
    if (exchange.request.purpose !== 'watch') this.#keep(exchange, line);
    else {
      if (exchange.unread() === 0) dropWholeLines(exchange);
      exchange.lines.push(line);
    }
  }

  /** The lines with which a segment begins. */
  carried(): readonly CarriedLine[] {
    const lines: CarriedLine[] = [];
    for (const attempt of this.#attempts.values()) lines.push(...attempt.lines);
    for (const exchange of this.#exchanges.values()) {
      if (exchange.request.purpose === 'watch' && exchange.unread() === 0) dropWholeLines(exchange);
      const { request, attempt, answer, lines: body } = exchange;
      if (attempt !== undefined && this.#attempts.has(attempt.begin.id)) continue;
      lines.push(request, ...(answer === undefined ? [] : [answer]), ...body);
    }
    return lines.map((line) => ({ ...line, carried: true as const })).sort((a, b) => a.at - b.at);
  }

  #keepForAttempt({ attempt }: OpenExchange, line: CarriedLine): void {
    if (attempt !== undefined) this.#keep(attempt, line);
  }

  #keep(kept: { lines: CarriedLine[]; bytes: number }, line: CarriedLine): void {
    kept.bytes += sizeOf(line);
    if (kept.bytes <= this.#limitBytes) kept.lines.push(line);
    else {
      kept.lines = kept.lines.flatMap((each) =>
        each.kind === 'begin' ? [{ ...each, incomplete: true }] : [],
      );
    }
  }
}

/**
 * Removes the complete lines of a watch. If its reader has taken everything, only the data after the last
 * line break are still needed.
 */
function dropWholeLines(exchange: OpenExchange): void {
  const { lines } = exchange;
  const last = lines.findLastIndex(
    (line) => line.kind === 'chunk' && line.bytes.includes(LINE_BREAK),
  );
  const line = lines[last];
  if (line?.kind !== 'chunk') return;
  const rest = line.bytes.subarray(line.bytes.lastIndexOf(LINE_BREAK) + 1);
  exchange.lines = [
    ...(rest.length > 0 ? [{ ...line, bytes: rest }] : []),
    ...lines.slice(last + 1),
  ];
}
