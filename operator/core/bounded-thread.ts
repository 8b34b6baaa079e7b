import { type ResourceLimits, Worker } from 'node:worker_threads';
import type { Clock } from './clock.ts';

/** What is found instead of an answer. The thread cannot be used any more. `limit`: of its time or its memory. */
export interface BrokenThread {
  readonly broken: 'error' | 'limit';
}

export interface BoundedThreadOptions {
  readonly clock: Clock;
  /** CommonJS. It answers each message of `parentPort` with one message. */
  readonly script: string;
  /** What the script reads as `workerData`. */
  readonly data: object;
  /** A thread whose heap grows over a limit is ended, and this process goes on. */
  readonly heap: ResourceLimits;
}

/**
 * A thread for work that may take any time and memory, because others decide what it works on. It sees no environment,
 * answers one request at a time, and does not keep the process running.
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

  /** The answer. `limit`: there is none within `limitMs`. */
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

  /** Ends it, also in the middle of its work. A request under way is answered as broken. */
  async end(): Promise<void> {
    await this.#worker.terminate();
  }
}
