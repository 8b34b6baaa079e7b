import type { Clock } from 'chancery';

/** The text of an answer, and the `ETag` with which the hook sent the answer. */
export interface StoredAnswer {
  readonly etag: string;
  readonly text: string;
}

interface Stored extends StoredAnswer {
  /** The value of `clock.monotonic()` when the answer was stored. */
  readonly storedAt: number;
}

/**
 * Limits for the stored answers of a hook: their number, and their total characters. Above the
 * limits, the oldest answers are removed.
 */
const MAX_ENTRIES = 10_000;
const MAX_CHARS = 16 * 1024 * 1024;

/** Maximum length of a stored tag. A tag is sent back as a header. */
const MAX_ETAG_CHARS = 1_024;

interface StoredAnswersOptions {
  /** Age from which an answer is no longer used. If undefined, answers do not expire. */
  readonly cacheTimeoutMs: number | undefined;
  /**
   * Interval at which expired answers are removed. If undefined, the value of `cacheTimeoutMs` is
   * used.
   */
  readonly cacheCleanupMs: number | undefined;
  readonly clock: Clock;
}

/** The answers of one hook that have an `ETag`, keyed by the subject of the request. */
export class StoredAnswers {
  readonly #options: StoredAnswersOptions;
  /** Stored answers, oldest first. */
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

  /** Stores an answer, unless its tag cannot be sent back or its text is not a whole JSON value. */
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

/** True for visible ASCII and blanks, which a header may contain. */
function isTag(etag: string): boolean {
  return etag.length <= MAX_ETAG_CHARS && /^[ -~]+$/.test(etag);
}

/**
 * True for a text that looks like a whole JSON value. The page of a proxy, or a truncated text,
 * must not be reused.
 */
function isObjectText(text: string): boolean {
  const trimmed = text.trim();
  return /^[{[]/.test(trimmed) && /[}\]]$/.test(trimmed);
}
