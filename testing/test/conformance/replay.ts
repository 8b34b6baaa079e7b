import { setImmediate as turn } from 'node:timers/promises';
import type { RecordedExchange } from '../../../test/support/recorded-stream.ts';
import { Names } from './names.ts';
import type { Chapter, World } from './session.ts';

/** What the server answered to a recorded request. */
export interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly retryAfter: string | null;
  /** The whole body; of a watch everything until it ended. */
  readonly body: string;
  /** The connection broke before the body was whole. */
  readonly cut: boolean;
}

/** Headers that belong to one connection, not to what is asked. */
const OF_CONNECTION = [
  'host',
  'connection',
  'content-length',
  'accept-encoding',
  'transfer-encoding',
  'sec-fetch-mode',
];

/** What the program called itself that made the recordings; Node's fetch does not record it. */
const USER_AGENT = 'operator-recording/1';

/** Rounds through the server after which an answer that is not there waits for the clock. */
const ROUNDS = 4;

/**
 * Sends recorded requests to another server at the times of the recording, on a clock that the
 * replay moves: what took the real server a minute takes none here, and happens in the same order.
 */
export class Replay {
  readonly #world: World;
  /** Where requests go: the server, or a proxy before it. */
  #url = '';
  readonly #names = new Names();

  constructor(world: World) {
    this.#world = world;
  }

  /**
   * @param url - where the requests go: the server, or a proxy before it.
   * @returns the answer to each exchange, in the order of `exchanges`.
   */
  async chapter(
    chapter: Chapter,
    exchanges: readonly RecordedExchange[],
    url: string,
  ): Promise<readonly Answer[]> {
    this.#url = url;
    const { clock, server } = this.#world;
    const startMs = Math.max(Date.parse(chapter.startedAt), clock.now());
    const pending: Promise<Answer>[] = [];
    const unanswered = new Set<RecordedExchange>();
    const send = async (exchange: RecordedExchange, left: AbortSignal): Promise<void> => {
      await chapter.before?.[exchange.id]?.(this.#world);
      unanswered.add(exchange);
      const answer = this.#send(chapter, exchange, left);
      pending.push(answer.finally(() => unanswered.delete(exchange)));
      // A watch is answered when it ends.
      if (exchange.response.chunks !== undefined) unanswered.delete(exchange);
    };
    for (const { atMs, act } of steps(exchanges, send)) {
      await this.#answeredBy(startMs + atMs, unanswered);
      await act();
      await this.#rounds();
    }
    await this.#answeredBy(clock.now(), unanswered);
    server.closeWatches('clean');
    return Promise.all(pending);
  }

  /** Moves the clock to `timeMs`, and on for as long as an answer waits for it. */
  async #answeredBy(timeMs: number, unanswered: ReadonlySet<RecordedExchange>): Promise<void> {
    const { clock } = this.#world;
    while (clock.now() < timeMs || unanswered.size > 0) {
      const nextMs = clock.nextInMs;
      const leftMs = timeMs - clock.now();
      if (nextMs !== undefined && (nextMs <= leftMs || leftMs <= 0)) clock.advance(nextMs);
      else if (leftMs > 0) clock.advance(leftMs);
      else await turn(); // the answer is on its way
      await this.#rounds();
    }
  }

  async #send(chapter: Chapter, exchange: RecordedExchange, left: AbortSignal): Promise<Answer> {
    const { id, request, response } = exchange;
    const headers = new Headers(request.headers as Record<string, string>);
    for (const name of OF_CONNECTION) headers.delete(name);
    if (!headers.has('user-agent')) headers.set('user-agent', USER_AGENT);
    for (const [name, value] of Object.entries(chapter.headers?.[id] ?? {})) {
      headers.set(name, value);
    }
    const body = chapter.bodies?.[id]?.() ?? request.body;
    const bodied = request.method !== 'GET' && request.method !== 'HEAD';
    const answer = await fetch(this.#url + this.#names.translated(request.path), {
      method: request.method,
      headers,
      signal: left,
      ...(bodied && body !== undefined ? { body: this.#names.translated(body) } : {}),
    });
    const { text, cut } = await textOf(answer, left);
    this.#names.learn(response.body ?? '', text);
    return {
      status: answer.status,
      contentType: answer.headers.get('content-type') ?? '',
      retryAfter: answer.headers.get('retry-after'),
      body: text,
      cut,
    };
  }

  /** Lets the server do all that it can do without the clock. */
  async #rounds(): Promise<void> {
    for (let round = 0; round < ROUNDS; round++) {
      await fetch(`${this.#world.server.url}/version`).then(
        (answer) => answer.text(),
        () => '', // the server is down in this part of the recording
      );
      await turn();
    }
  }
}

/** What came, also of an answer that was cut, as some recorded watches were. */
async function textOf(
  { body }: Response,
  left: AbortSignal,
): Promise<{ text: string; cut: boolean }> {
  const decoder = new TextDecoder();
  let text = '';
  try {
    for await (const bytes of body ?? []) text += decoder.decode(bytes, { stream: true });
    return { text, cut: false };
  } catch {
    return { text, cut: !left.aborted };
  }
}

interface Step {
  /** Since the beginning of the recording. */
  readonly atMs: number;
  readonly act: () => void | Promise<void>;
}

/** What the recorded clients did, in the order of time: they sent requests, and left watches. */
function steps(
  exchanges: readonly RecordedExchange[],
  send: (exchange: RecordedExchange, left: AbortSignal) => Promise<void>,
): readonly Step[] {
  const all = exchanges.flatMap((exchange): Step[] => {
    const leaving = new AbortController();
    const { end } = exchange.response;
    return [
      { atMs: exchange.at, act: () => send(exchange, leaving.signal) },
      ...(end === undefined
        ? []
        : [{ atMs: end.at, act: () => end.how === 'client closed' && leaving.abort() } as Step]),
    ];
  });
  return all.toSorted((a, b) => a.atMs - b.atMs);
}
