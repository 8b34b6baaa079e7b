import { type ResourceLimits, Worker } from 'node:worker_threads';
import type { Clock } from './clock.ts';

/**
 * The result if there is no answer. The thread cannot be used any more. `limit`: the request exceeded its
 * time limit, or the thread exceeded its memory limit. `error`: the thread has failed or ended.
 */
export interface BrokenThread {
  readonly broken: 'error' | 'limit';
}

export interface BoundedThreadOptions {
  readonly clock: Clock;
  /** A CommonJS script. It answers each message of `parentPort` with one message. */
  readonly script: string;
  /** The value that the script reads as `workerData`. */
  readonly data: object;
  /** Limits of the thread's heap. A thread that exceeds them is ended, and this process continues. */
  readonly heap: ResourceLimits;
}

/**
 * A thread for work whose time and memory cannot be predicted, because the input comes from other people. The
 * thread has no environment variables, and answers one request at a time. It does not prevent the process
 * from ending.
 */
export class BoundedThread<Request, Answer> {
  readonly #clock: Clock;
  readonly #worker: Worker;
  #settle: (answer: Answer | BrokenThread) => void = () => {};

  constructor({ clock, script, data, heap }: BoundedThreadOptions) {
    this.#clock = clock;
    this.#worker = new Worker(script, {
      eval: true,
      env: {},
      workerData: data,
      resourceLimits: heap,
    });
    this.#worker.unref();
    this.#worker.on('message', (answer: Answer) => this.#settle(answer));
    this.#worker.on('error', (error: NodeJS.ErrnoException) =>
      this.#settle({ broken: error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'limit' : 'error' }),
    );
    this.#worker.on('exit', () => this.#settle({ broken: 'error' }));
  }

  /**
   * Sends a request and resolves to the answer of the script. If no answer arrives within `limitMs`
   * milliseconds, the result is a BrokenThread with `limit`.
   */
  async ask(request: Request, limitMs: number): Promise<Answer | BrokenThread> {
    const answer = Promise.withResolvers<Answer | BrokenThread>();
    this.#settle = answer.resolve;
    const cancel = this.#clock.schedule(limitMs, () => answer.resolve({ broken: 'limit' }));
    this.#worker.ref();
    try {
      this.#worker.postMessage(request);
      return await answer.promise;
    } finally {
      cancel();
      this.#worker.unref();
    }
  }

  /** Ends the thread, even in the middle of a request. That request then resolves to a BrokenThread. */
  async end(): Promise<void> {
    await this.#worker.terminate();
  }
}
