import { createRequire } from 'node:module';
import { type Clock, ConfigurationError } from 'chancery';
import { NEVER_ABORTED, OneAtATime } from 'chancery/internal';
import type { Jq, JqOutcome } from './jq.ts';
import { JqThread, type ThreadAnswer } from './jq-thread.ts';
import { LimitPauses } from './limit-pauses.ts';

/** The limits of jq programs, and where jq is found. */
export interface JqOptions {
  readonly clock: Clock;
  /**
   * Time limit in milliseconds for running a program on one input. Default 2 s: a usual filter
   * takes well below 10 ms, and other filters have to wait while one filter runs.
   */
  readonly timeLimitMs?: number;
  /** Memory limit of jq in bytes. Default 128 MiB. */
  readonly memoryLimitBytes?: number;
  /** Returns the path of the package `jq-web`. Default: the path that Node resolves. */
  readonly findPackage?: () => string;
}

/**
 * Total length of the inputs in one request to the thread, in UTF-16 units. jq needs about 20 times
 * as much memory.
 */
const CHUNK_LENGTH = 128 * 1024;
/**
 * Maximum number of inputs in one request. When one input reaches a limit, all inputs of the
 * request are run again, one by one.
 */
const CHUNK_INPUTS = 200;
/**
 * Time limit for loading jq and compiling a program. Loading may take long on a slow machine, which
 * is not a fault of the program.
 */
const COMPILE_LIMIT_MS = 30_000;

interface Input {
  readonly text: string;
  readonly group: string;
}

const FAILED: JqOutcome = { failure: 'error', message: 'jq failed' };
const PAUSED: JqOutcome = {
  failure: 'limit',
  message: 'it has reached its limit too often, and is not run for a while',
};

function pauseKey(program: string, group: string): string {
  return `${group}\n${program}`;
}

/** Runs jq programs in one thread. The first program starts the thread. */
export function createJq(options: JqOptions): Jq {
  return new ThreadedJq(options);
}

class ThreadedJq implements Jq {
  readonly #options: Required<JqOptions>;
  readonly #pauses: LimitPauses;
  readonly #closing = new AbortController();
  #thread: JqThread | undefined;
  readonly #queue = new OneAtATime();

  constructor(options: JqOptions) {
    const limits = { timeLimitMs: 2_000, memoryLimitBytes: 128 * 2 ** 20 };
    const findPackage = () => createRequire(import.meta.url).resolve('jq-web');
    this.#options = { ...limits, findPackage, ...options };
    this.#pauses = new LimitPauses(options.clock);
  }

  async check(program: string): Promise<void> {
    await this.#queue.take(() => this.#compile(program), NEVER_ABORTED);
  }

  run(
    program: string,
    inputs: readonly string[],
    signal: AbortSignal,
    groups: readonly string[] = [],
  ): Promise<readonly JqOutcome[]> {
    return this.#queue.take(async () => {
      const outcomes: JqOutcome[] = [];
      const all = inputs.map((text, at) => ({ text, group: groups[at] ?? '' }));
      for (const chunk of chunksOf(all)) {
        signal.throwIfAborted();
        outcomes.push(...(await this.#runChunk(program, chunk)));
      }
      return outcomes;
    }, signal);
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error('jq is closed'));
    await this.#endThread();
  }

  /** Skips the inputs of groups for which the program is paused. */
  async #runChunk(program: string, inputs: readonly Input[]): Promise<readonly JqOutcome[]> {
    const isPaused = inputs.map(({ group }) => this.#pauses.isPaused(pauseKey(program, group)));
    const running = inputs.filter((_, at) => !isPaused[at]);
    const outcomes = running.length > 0 ? [...(await this.#runInputs(program, running))] : [];
    return isPaused.map((paused) => (paused ? PAUSED : (outcomes.shift() ?? FAILED)));
  }

  async #runInputs(program: string, inputs: readonly Input[]): Promise<readonly JqOutcome[]> {
    await this.#compile(program);
    const texts = inputs.map(({ text }) => text);
    const answer = await this.#ask({ program, inputs: texts }, this.#options.timeLimitMs);
    if ('outcomes' in answer) return answer.outcomes;
    if (inputs.length > 1) {
      const outcomes: JqOutcome[] = [];
      for (const input of inputs) outcomes.push(...(await this.#runChunk(program, [input])));
      return outcomes;
    }
    if (!('broken' in answer) || answer.broken === 'error') return [FAILED];
    this.#pauses.reached(pauseKey(program, inputs[0]?.group ?? ''));
    return [{ failure: 'limit', message: 'it took too long or too much memory' }];
  }

  /**
   * @throws ConfigurationError `CONFIG` when `program` cannot be compiled, or when jq is not
   * installed.
   */
  async #compile(program: string): Promise<void> {
    if (program === '.' || this.#thread?.compiled.has(program)) return;
    const answer = await this.#ask({ program }, COMPILE_LIMIT_MS);
    if ('absent' in answer) throw missing();
    if (!('problem' in answer)) throw new ConfigurationError('jq cannot compile the program');
    const { problem } = answer;
    if (problem === undefined) {
      this.#thread?.compiled.add(program);
      return;
    }
    await this.#endThread(); // the compiler may have used up the thread's memory
    throw new ConfigurationError(`not a jq program: ${problem}`);
  }

  async #ask(request: Parameters<JqThread['ask']>[0], limitMs: number): Promise<ThreadAnswer> {
    const { clock, memoryLimitBytes } = this.#options;
    this.#closing.signal.throwIfAborted();
    this.#thread ??= new JqThread({
      clock,
      packagePath: this.#packagePath(),
      maxMemoryBytes: memoryLimitBytes,
    });
    const answer = await this.#thread.ask(request, limitMs);
    this.#closing.signal.throwIfAborted();
    // WebAssembly never gives memory back, so the thread is replaced.
    const isUsedUp = !('memory' in answer) || answer.memory > memoryLimitBytes / 2;
    if (isUsedUp) await this.#endThread();
    return answer;
  }

  async #endThread(): Promise<void> {
    const thread = this.#thread;
    this.#thread = undefined;
    await thread?.end();
  }

  #packagePath(): string {
    try {
      return this.#options.findPackage();
    } catch {
      return ''; // not needed for the program `.`
    }
  }
}

function missing(): ConfigurationError {
  return new ConfigurationError(
    'a jq filter needs the optional package "jq-web": install it with "npm install jq-web@0.6.2"',
  );
}

function* chunksOf(inputs: readonly Input[]): Generator<readonly Input[], void, undefined> {
  let chunk: Input[] = [];
  let length = 0;
  for (const input of inputs) {
    if (
      chunk.length === CHUNK_INPUTS ||
      (length > 0 && length + input.text.length > CHUNK_LENGTH)
    ) {
      yield chunk;
      chunk = [];
      length = 0;
    }
    chunk.push(input);
    length += input.text.length;
  }
  if (chunk.length > 0) yield chunk;
}
