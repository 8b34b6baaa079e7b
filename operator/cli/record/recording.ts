import { SecretValues } from '../../model/masks/secret-values.ts';
import { maskedExchange } from './masked-exchange.ts';
import type { Omission, RecordedExchange, RecordLimits } from './recorded-exchange.ts';
import type { RecordingFile } from './recording-file.ts';

/** Events of a recording. Each is reported at most once. */
interface RecordingEvents {
  /** Called when a line could not be written. Nothing more is recorded. */
  failed(error: unknown): void;
  /** Called when a limit is reached. */
  full(): void;
}

const FULL: Omission = 'beyond the limits of a recording';

/** Writes exchanges as lines of a file, without secrets and within limits. */
export class Recording {
  readonly #file: Pick<RecordingFile, 'path' | 'append' | 'finish' | 'abandon'>;
  readonly #limits: RecordLimits;
  readonly #events: RecordingEvents;
  readonly #values = new SecretValues();
  readonly #omitted = new Map<Omission, number>();
  #count = 0;
  #bytes = 0;
  #failure: unknown;
  /** Settles when all lines are written. */
  #written: Promise<void> = Promise.resolve();

  constructor(
    file: Pick<RecordingFile, 'path' | 'append' | 'finish' | 'abandon'>,
    limits: RecordLimits,
    events: RecordingEvents,
  ) {
    this.#file = file;
    this.#limits = limits;
    this.#events = events;
  }

  add(exchange: RecordedExchange | Omission): void {
    if (this.#failure !== undefined) return;
    const masked = typeof exchange === 'string' ? exchange : this.#masked(exchange);
    if (typeof masked === 'string') {
      this.#omit(masked);
      return;
    }
    const line = JSON.stringify(masked);
    const bytes = Buffer.byteLength(line) + 1;
    if (this.#bytes + bytes > this.#limits.fileBytes) {
      this.#omit(FULL);
      return;
    }
    this.#count += 1;
    this.#bytes += bytes;
    const written = this.#file.append(line).catch((error: unknown) => {
      if (this.#failure !== undefined) return;
      this.#failure = error;
      this.#events.failed(error);
    });
    this.#written = Promise.all([this.#written, written]).then(() => {});
  }

  /**
   * Ends the recording. An exchange may have been recorded before a value of a Secret was known, so
   * all lines are masked once more. Then the file is moved to its final path.
   *
   * @throws OperatorError `CONFIG` when a line, or the file, could not be written.
   */
  async end(): Promise<void> {
    await this.#written;
    if (this.#failure === undefined) {
      await this.#file.finish((line) => {
        const masked = maskedExchange(JSON.parse(line) as RecordedExchange, this.#values);
        return typeof masked === 'string' ? '' : JSON.stringify(masked);
      });
      return;
    }
    await this.#file.abandon();
    throw this.#failure;
  }

  /** A summary for users: the recorded and the omitted exchanges. */
  summary(): string {
    const all = [...this.#omitted];
    const total = all.reduce((sum, [, count]) => sum + count, 0);
    const reasons = all.map(([why, count]) => `${count} ${why}`).join(', ');
    const left = total === 0 ? '' : `; ${total} left out: ${reasons}`;
    const recorded = `${this.#count} ${this.#count === 1 ? 'exchange' : 'exchanges'}`;
    const place = this.#count === 0 ? 'nothing was recorded' : `${this.#file.path}: ${recorded}`;
    return `${place}${left}\n`;
  }

  #masked(exchange: RecordedExchange): RecordedExchange | Omission {
    const { exchanges, secretValues } = this.#limits;
    if (this.#count >= exchanges || this.#values.size > secretValues) {
      return FULL;
    }
    return maskedExchange(exchange, this.#values);
  }

  #omit(why: Omission): void {
    if (why === FULL && !this.#omitted.has(why)) this.#events.full();
    this.#omitted.set(why, (this.#omitted.get(why) ?? 0) + 1);
  }
}
