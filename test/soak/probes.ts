import { Agent, get } from 'node:http';

/** Between two questions. A kubelet asks every few seconds; the soak has minutes only. */
const ASK_EVERY_MS = 50;

/** A kubelet waits for 1 s by default; more than that is written down, up to this. */
const GIVE_UP_MS = 10_000;

/** With the codes that count: while faults last, the operator may be unready, and must be alive. */
const PROBES = [
  { path: '/healthz', codes: [200] },
  { path: '/readyz', codes: [200, 500] },
] as const;

/** What came of the probes of one run. */
export interface ProbeFigures {
  readonly asked: number;
  readonly answered: number;
  /** The 99th percentile of the time to the end of an answer; undefined without an answer. */
  readonly p99Ms: number | undefined;
}

/** Counts probes and how long they took. */
export class ProbeTally {
  #asked = 0;
  readonly #tookMs: number[] = [];

  asked(): void {
    this.#asked++;
  }

  answered(tookMs: number): void {
    this.#tookMs.push(tookMs);
  }

  get figures(): ProbeFigures {
    const sorted = this.#tookMs.toSorted((left, right) => left - right);
    return {
      asked: this.#asked,
      answered: sorted.length,
      p99Ms: sorted[Math.ceil(sorted.length * 0.99) - 1],
    };
  }
}

/** Asks the health port of an operator as a kubelet does: a new connection for each probe. */
export class Probes {
  readonly #port: number;
  readonly #all = new ProbeTally();
  readonly #besidePeers = new ProbeTally();
  readonly #open = new Set<Promise<void>>();
  readonly #agent = new Agent({ keepAlive: false });
  #timer: NodeJS.Timeout | undefined;
  #count = 0;
  #crowds = 0;

  constructor(port: number) {
    this.#port = port;
  }

  /** Of all probes. */
  get figures(): ProbeFigures {
    return this.#all.figures;
  }

  /** Of the probes that were asked beside a crowd of peers. */
  get besidePeers(): ProbeFigures {
    return this.#besidePeers.figures;
  }

  start(): void {
    this.#timer = setInterval(() => this.ask(), ASK_EVERY_MS);
  }

  /** Resolves when every probe was answered or given up. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(this.#open);
    this.#agent.destroy();
  }

  /** Counts the probes of the meantime as beside peers. @returns the end of it. */
  crowded(): () => void {
    this.#crowds++;
    return () => void this.#crowds--;
  }

  ask(): void {
    const tallies = this.#crowds > 0 ? [this.#all, this.#besidePeers] : [this.#all];
    for (const tally of tallies) tally.asked();
    const { path, codes } = PROBES[this.#count++ % PROBES.length] ?? PROBES[0];
    const startedAt = performance.now();
    const probe = this.#answer(path, codes).then((isAnswered) => {
      this.#open.delete(probe);
      if (!isAnswered) return;
      for (const tally of tallies) tally.answered(performance.now() - startedAt);
    });
    this.#open.add(probe);
  }

  /** Whether there was a whole answer with one of these codes. */
  #answer(path: string, codes: readonly number[]): Promise<boolean> {
    return new Promise((resolve) => {
      const options = { host: '127.0.0.1', port: this.#port, path, agent: this.#agent };
      const request = get(options, (response) => {
        response.resume();
        response.once('end', () => resolve(codes.includes(response.statusCode ?? 0)));
        response.once('error', () => resolve(false));
      });
      request.setTimeout(GIVE_UP_MS, () => request.destroy());
      request.once('error', () => resolve(false));
      request.once('close', () => resolve(false));
    });
  }
}
