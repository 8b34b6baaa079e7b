import type { Clock } from 'chancery';
import { BoundedThread, type BrokenThread, textFiles } from 'chancery/internal';
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
  | BrokenThread
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
export class JqThread extends BoundedThread<ThreadRequest, ThreadAnswer> {
  /** Programs that it has compiled. */
  readonly compiled: Set<string> = new Set();

  constructor({ clock, packagePath, maxMemoryBytes }: JqThreadOptions) {
    const data = { packagePath, maxMemoryBytes };
    super({ clock, script: files('jq-thread.cjs'), data, heap: HEAP });
  }
}
