import type { Clock } from 'chancery';
import { BoundedThread, type BrokenThread, textFiles } from 'chancery/internal';
import type { JqOutcome } from './jq.ts';

/** A request for the outcomes of `inputs`. Without inputs, the program is only compiled. */
export interface ThreadRequest {
  readonly program: string;
  readonly inputs?: readonly string[];
}

/** The answer of the thread, or the reason why there is none. */
export type ThreadAnswer =
  | { readonly outcomes: readonly JqOutcome[]; readonly memory: number }
  /** The reason why the program cannot be compiled. Undefined when the program was compiled. */
  | { readonly problem: string | undefined; readonly memory: number }
  | BrokenThread
  /** The answer when the package of jq cannot be loaded. */
  | { readonly absent: string };

interface JqThreadOptions {
  readonly clock: Clock;
  /** The path of the package's entry file. If empty, only the program `.` works. */
  readonly packagePath: string;
  /** Memory limit of jq. The heap of the thread has a separate limit. */
  readonly maxMemoryBytes: number;
}

/**
 * Heap of the thread itself, which holds one message and its answer. With a larger heap, garbage
 * would only be collected later.
 */
const HEAP = { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 16 } as const;

const files = textFiles(new URL('./thread/', import.meta.url));

/** A thread that runs jq. It answers one request at a time. */
export class JqThread extends BoundedThread<ThreadRequest, ThreadAnswer> {
  /** Programs that this thread has compiled. */
  readonly compiled: Set<string> = new Set();

  constructor({ clock, packagePath, maxMemoryBytes }: JqThreadOptions) {
    const data = { packagePath, maxMemoryBytes };
    super({ clock, script: files('jq-thread.cjs'), data, heap: HEAP });
  }
}
