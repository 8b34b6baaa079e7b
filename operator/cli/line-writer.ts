import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { linkedAbort } from '../core/abort.ts';

/**
 * Number of characters that are written at once. A pipe holds about as much, and larger strings
 * waste memory.
 */
const CHUNK_LENGTH = 64 * 1024;

/**
 * Writes lines to a stream, no faster than the other side reads them.
 *
 * `signal` aborts when the parent signal aborts, and when the reader closes the stream. Afterwards
 * nothing more is written. The caller must dispose the writer; the stream stays open.
 */
export class LineWriter implements Disposable {
  readonly #out: Writable;
  readonly #abort: ReturnType<typeof linkedAbort>;
  #failure: Error | undefined;

  constructor(out: Writable, parent: AbortSignal) {
    this.#out = out;
    this.#abort = linkedAbort(parent);
    out.on('error', this.#onError);
    out.on('close', this.#onClose);
    if (out.destroyed) this.#onClose();
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /**
   * The reason why writing failed. Undefined when nothing failed, or when only the reader has
   * closed the stream.
   */
  get failure(): Error | undefined {
    return this.#failure !== undefined && isReaderGone(this.#failure) ? undefined : this.#failure;
  }

  /** Writes every line. Resolves when the stream accepts more, or when `signal` has aborted. */
  async write(lines: Iterable<string>): Promise<void> {
    let chunk = '';
    for (const line of lines) {
      if (this.signal.aborted) return;
      chunk += `${line}\n`;
      if (chunk.length < CHUNK_LENGTH) continue;
      await this.#send(chunk);
      await setImmediate(); // a fast reader must not delay signals and sockets
      chunk = '';
    }
    if (chunk !== '') await this.#send(chunk);
  }

  async #send(chunk: string): Promise<void> {
    if (this.#out.write(chunk)) return;
    const { signal } = this;
    await once(this.#out, 'drain', { signal }).catch(() => {}); // closed or aborted: see `signal`
  }

  readonly #onError = (error: Error): void => {
    this.#failure ??= error;
    this.#onClose();
  };

  readonly #onClose = (): void => this.#abort.abort(new Error('the output was closed'));

  [Symbol.dispose](): void {
    this.#out.off('close', this.#onClose);
    this.#out.off('error', this.#onError);
    this.#abort[Symbol.dispose]();
  }
}

function isReaderGone(error: Error): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'EPIPE' || code === 'ECONNRESET' || code === 'ERR_STREAM_DESTROYED';
}
