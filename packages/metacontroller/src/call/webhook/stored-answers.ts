import type { Clock } from 'chancery';

/** An answer with the tag that the hook gave it. */
export interface StoredAnswer {
  readonly etag: string;
  readonly text: string;
}

interface Stored extends StoredAnswer {
  /** `clock.monotonic()`. */
  readonly storedAt: number;
}

/** Most stored answers of a hook, and most characters of all of them. Beyond them the oldest are forgotten. */
const MAX_ENTRIES = 10_000;
const MAX_CHARS = 16 * 1024 * 1024;

/** Longest tag that is stored. A tag is sent back as a header. */
const MAX_ETAG_CHARS = 1_024;

interface StoredAnswersOptions {
  /** An older answer does not count any more. Undefined: answers do not grow old. */
  readonly cacheTimeoutMs: number | undefined;
  /** How often answers that do not count any more are removed. Undefined: with `cacheTimeoutMs`, as often. */
  readonly cacheCleanupMs: number | undefined;
  readonly clock: Clock;
}

/** The answers of one hook that carry an `ETag`, by what was asked. */
export class StoredAnswers {
  readonly #options: StoredAnswersOptions;
  /** In the order in which they were stored. */
  readonly #answers = new Map<string, Stored>();
  #chars = 0;
  #cleanedAt: number;

  constructor(options: StoredAnswersOptions) {
    this.#options = options;
    this.#cleanedAt = options.clock.monotonic();
  }

  get size(): number {
    return this.#answers.size;
  }

  get(subject: string): StoredAnswer | undefined {
    this.#clean();
    const stored = this.#answers.get(subject);
    return stored === undefined || this.#isOld(stored) ? undefined : stored;
  }

  /** Stores an answer, unless its tag cannot be sent back or its text can be no answer. */
  put(subject: string, { etag, text }: StoredAnswer): void {
    this.forget(subject);
    if (!isTag(etag) || !isObjectText(text) || text.length > MAX_CHARS) return;
    this.#answers.set(subject, { etag, text, storedAt: this.#options.clock.monotonic() });
    this.#chars += text.length;
    for (const oldest of this.#answers.keys()) {
      if (this.#answers.size <= MAX_ENTRIES && this.#chars <= MAX_CHARS) break;
      this.forget(oldest);
    }
  }

  forget(subject: string): void {
    this.#chars -= this.#answers.get(subject)?.text.length ?? 0;
    this.#answers.delete(subject);
  }

  #isOld({ storedAt }: Stored): boolean {
    const { cacheTimeoutMs, clock } = this.#options;
    return cacheTimeoutMs !== undefined && clock.monotonic() - storedAt >= cacheTimeoutMs;
  }

  #clean(): void {
    const { cacheTimeoutMs, cacheCleanupMs = cacheTimeoutMs, clock } = this.#options;
    const now = clock.monotonic();
    if (cacheCleanupMs === undefined || now - this.#cleanedAt < cacheCleanupMs) return;
    this.#cleanedAt = now;
    for (const [subject, stored] of this.#answers) {
      if (!this.#isOld(stored)) break; // the others are younger
      this.forget(subject);
    }
  }
}

/** Visible ASCII and blanks: what a header may carry. */
function isTag(etag: string): boolean {
  return etag.length <= MAX_ETAG_CHARS && /^[ -~]+$/.test(etag);
}

/** A page of a proxy, or a text that was cut off, must not be used again. */
function isObjectText(text: string): boolean {
  const trimmed = text.trim();
  return /^[{[]/.test(trimmed) && /[}\]]$/.test(trimmed);
}
