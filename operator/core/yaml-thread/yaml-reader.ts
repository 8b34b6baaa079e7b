import { BoundedThread, type BrokenThread } from '../bounded-thread.ts';
import type { Cancel, Clock } from '../clock.ts';
import { OneAtATime } from '../one-at-a-time.ts';
import { textFiles } from '../text/text-files.ts';
import type { YamlAnswer, YamlRequest } from './yaml-work.ts';

/** Reads YAML that other people have written, in another thread, with limits on time and memory. */
export interface YamlReader {
  /** @throws `signal.reason` when aborted. It throws nothing else, whatever the YAML contains. */
  read(request: YamlRequest, signal: AbortSignal): Promise<YamlAnswer>;
  /** Ends the thread of the reader. */
  close(): Promise<void>;
}

export interface YamlReaderOptions {
  readonly clock: Clock;
  /** Milliseconds for one request. Default 10 s: 1 MB of YAML takes 1 to 2 s. */
  readonly timeLimitMs?: number;
  /** Maximum heap of the thread in MiB. Default 160: YAML takes up to 100 times its size. */
  readonly memoryLimitMb?: number;
}

/**
 * Milliseconds after which a thread without work is ended. It is kept for this time, because starting a
 * thread takes 0.1 s.
 */
const IDLE_MS = 5_000;

/**
 * The module that the thread loads. The build makes it a separate entry, because only entries keep the names
 * of their exports.
 */
const WORK = new URL(
  import.meta.url.endsWith('.ts') ? './yaml-work.ts' : '../core/yaml-thread/yaml-work.js',
  import.meta.url,
);

const files = textFiles(new URL('./thread/', import.meta.url));

/** Reads texts one after the other, in a thread that starts with the first text. */
export function createYamlReader(options: YamlReaderOptions): YamlReader {
  return new ThreadedReader(options);
}

class ThreadedReader implements YamlReader {
  readonly #options: Required<YamlReaderOptions>;
  readonly #queue = new OneAtATime();
  readonly #closing = new AbortController();
  #thread: BoundedThread<YamlRequest, YamlAnswer> | undefined;
  #cancelEnd: Cancel = () => {};

  constructor(options: YamlReaderOptions) {
    this.#options = { timeLimitMs: 10_000, memoryLimitMb: 160, ...options };
  }

  read(request: YamlRequest, signal: AbortSignal): Promise<YamlAnswer> {
    return this.#queue.take(() => this.#read(request), signal);
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error('the reader of YAML is closed'));
    this.#cancelEnd();
    await this.#endThread();
  }

  async #read(request: YamlRequest): Promise<YamlAnswer> {
    const { clock, timeLimitMs, memoryLimitMb } = this.#options;
    this.#closing.signal.throwIfAborted();
    this.#cancelEnd();
    this.#thread ??= new BoundedThread({
      clock,
      script: files('yaml-thread.cjs'),
      data: { module: WORK.href },
      heap: { maxOldGenerationSizeMb: memoryLimitMb, maxYoungGenerationSizeMb: 16 },
    });
    const answer = await this.#thread.ask(request, timeLimitMs);
    if (isBroken(answer)) await this.#endThread();
    this.#closing.signal.throwIfAborted();
    this.#cancelEnd = clock.schedule(IDLE_MS, () => void this.#endThread());
    if (!isBroken(answer)) return answer;
    const limits = `${timeLimitMs / 1_000} s or ${memoryLimitMb} MiB`;
    const problem =
      answer.broken === 'limit'
        ? `takes more than ${limits} to be read as YAML: write JSON`
        : 'cannot be read as YAML';
    return { document: undefined, problem };
  }

  async #endThread(): Promise<void> {
    const thread = this.#thread;
    this.#thread = undefined;
    await thread?.end();
  }
}

function isBroken(answer: YamlAnswer | BrokenThread): answer is BrokenThread {
  return 'broken' in answer;
}
