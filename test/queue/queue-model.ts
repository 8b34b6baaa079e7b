/** What a key waits for, in the model. */
interface Waiting {
  priority: number;
  dueAtMs: number;
  /** Its place in line; keys that became ready at the same moment share one. Undefined: not in line. */
  order: number | undefined;
  inClassAtMs: number;
}

/** Whom the queue may hand out next: the rules of the queue over plain arrays, as slow as they are. */
export class QueueModel {
  readonly #agingLimitMs: number;
  readonly waiting = new Map<string, Waiting>();
  readonly held = new Map<string, number>();
  nowMs = 0;
  state: 'open' | 'draining' | 'closed' = 'open';
  #order = 0;
  #takesSinceAged = Number.POSITIVE_INFINITY;

  constructor(agingLimitMs: number) {
    this.#agingLimitMs = agingLimitMs;
  }

  get isEnded(): boolean {
    return this.state !== 'open' && this.waiting.size === 0;
  }

  get ready(): [string, Waiting][] {
    return [...this.waiting].filter(([, { order }]) => order !== undefined);
  }

  ask(key: string, delayMs: number, priority: number): void {
    if (this.state !== 'open') return;
    const dueAtMs = this.nowMs + Math.max(delayMs, 0);
    const known = this.waiting.get(key);
    if (known === undefined) {
      this.waiting.set(key, { priority, dueAtMs, order: undefined, inClassAtMs: 0 });
    } else {
      if (priority > known.priority && known.order !== undefined) {
        known.order = ++this.#order;
        known.inClassAtMs = this.nowMs;
      }
      known.priority = Math.max(known.priority, priority);
      known.dueAtMs = Math.min(known.dueAtMs, dueAtMs);
    }
    this.#lineUp();
  }

  advance(ms: number): void {
    this.nowMs += ms;
    this.#lineUp();
  }

  /** Answers what the queue may have handed out, and goes on as if `key` had been it. */
  take(key: string): string[] {
    const aged = this.#takesSinceAged >= 3 ? this.#aged() : [];
    this.#takesSinceAged = aged.length > 0 ? 0 : this.#takesSinceAged + 1;
    const allowed = aged.length > 0 ? aged : first(this.#top());
    this.held.set(key, this.waiting.get(key)?.priority ?? Number.NaN);
    this.waiting.delete(key);
    return allowed;
  }

  done(key: string): void {
    this.held.delete(key);
    this.#lineUp();
  }

  drain(): void {
    if (this.state !== 'open') return;
    this.state = 'draining';
    for (const [key, { dueAtMs }] of this.waiting) {
      if (dueAtMs > this.nowMs) this.waiting.delete(key);
    }
  }

  close(): void {
    this.state = 'closed';
    this.waiting.clear();
  }

  #lineUp(): void {
    const order = ++this.#order;
    for (const [key, waiting] of this.waiting) {
      const isReady = waiting.dueAtMs <= this.nowMs && !this.held.has(key);
      if (!isReady || waiting.order !== undefined) continue;
      waiting.order = order;
      waiting.inClassAtMs = this.nowMs;
    }
  }

  #top(): [string, Waiting][] {
    const highest = Math.max(...this.ready.map(([, { priority }]) => priority));
    return this.ready.filter(([, { priority }]) => priority === highest);
  }

  /** The first of each class below the top that have waited longest, and too long. */
  #aged(): string[] {
    const top = new Set(this.#top().map(([key]) => key));
    const lower = this.ready.filter(([key]) => !top.has(key));
    const sinceMs = Math.min(...lower.map(([, { inClassAtMs }]) => inClassAtMs));
    if (!(this.nowMs - sinceMs >= this.#agingLimitMs)) return [];
    const classes = Map.groupBy(lower, ([, { priority }]) => priority).values();
    return [...classes]
      .filter((each) => each.some(([, { inClassAtMs }]) => inClassAtMs === sinceMs))
      .flatMap(first);
  }
}

/** The keys that stand first in their class: more than one only of those that came together. */
function first(ofClass: [string, Waiting][]): string[] {
  const least = Math.min(...ofClass.map(([, { order }]) => order ?? Number.NaN));
  return ofClass.filter(([, { order }]) => order === least).map(([key]) => key);
}
