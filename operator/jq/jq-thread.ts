import { Worker } from 'node:worker_threads';
import type { Clock } from '../core/clock.ts';
import { textFiles } from '../core/text-files.ts';
import type { JqOutcome } from './jq.ts';

/** Asks for the outcomes of `inputs`. Without them the program is only compiled. */
export interface ThreadRequest {
  readonly program: string;
  readonly inputs?: readonly string[];
}

/** What the thread answers, and what is found instead of an answer. */
export type ThreadAnswer =
  | { readonly outcomes: readonly JqOutcome[]; readonly memory: number }
  /** Why the program cannot be compiled. Undefined: it can. */
  | { readonly problem: string | undefined; readonly memory: number }
  /** The thread cannot be used any more. */
  | { readonly broken: 'error' | 'limit' }
  /** The package of jq cannot be loaded. */
  | { readonly absent: string };

interface JqThreadOptions {
  readonly clock: Clock;
  /** The file of the package's entry. Empty: only the program `.` works. */
  readonly packagePath: string;
  /** Of jq. The heap of the thread has a limit of its own. */
  readonly maxMemoryBytes: number;
}

/** Of the thread itself, which holds one message and its answer. A larger heap is only cleaned up later. */
const HEAP = { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 16 } as const;

const files = textFiles(new URL('./thread/', import.meta.url));

/** A thread with jq in it. It answers one request at a time. */
export class JqThread {
  /** Programs that it has compiled. */
  readonly compiled: Set<string> = new Set();
  readonly #clock: Clock;
  readonly #worker: Worker;
  #settle: (answer: ThreadAnswer) => void = () => {};

  constructor({ clock, packagePath, maxMemoryBytes }: JqThreadOptions) {
    this.#clock = clock;
    this.#worker = new Worker(files('jq-thread.cjs'), {
      eval: true,
      env: {},
      workerData: { packagePath, maxMemoryBytes },
      resourceLimits: HEAP,
    });
    this.#worker.unref();
    this.#worker.on('message', (answer: ThreadAnswer) => this.#settle(answer));
    this.#worker.on('error', (error: NodeJS.ErrnoException) =>
      this.#settle({ broken: error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'limit' : 'error' }),
    );
    this.#worker.on('exit', () => this.#settle({ broken: 'error' }));
  }

  /** The answer. `limit`: there is none within `limitMs`. */
  async ask(request: ThreadRequest, limitMs: number): Promise<ThreadAnswer> {
    const answer = Promise.withResolvers<ThreadAnswer>();
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

  /** Ends it, also in the middle of a program. A request under way is answered as broken. */
  async end(): Promise<void> {
    await this.#worker.terminate();
  }
}
