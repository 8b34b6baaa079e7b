import type { Clock } from 'chancery';
import { ProgramError, type ProgramResult } from 'chancery/internal';
import { runProgram } from 'chancery/low-level';
import { HookError, type HookErrorReason } from '../../hook-error.ts';
import type { HookAnswer, HookCall, HookRequest } from '../../hook-function.ts';
import { MAX_ANSWER_BYTES } from '../limits.ts';
import { lineLog } from './line-log.ts';

interface ProgramFunctionOptions {
  readonly program: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment of the program. */
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly clock: Clock;
}

const REASONS: Readonly<Record<ProgramError['reason'], HookErrorReason>> = {
  'not-started': 'ProgramFailed',
  timeout: 'Timeout',
  'output-limit': 'TooLarge',
  survivors: 'ProgramFailed',
};

/**
 * A hook that is a program. It reads the request from standard input, and writes the answer to
 * standard output.
 */
export class ProgramFunction {
  readonly description: string;
  readonly #options: ProgramFunctionOptions;

  constructor(options: ProgramFunctionOptions) {
    this.#options = options;
    this.description = options.program;
  }

  /**
   * Starts the program once. Its lines on standard error become lines of the log.
   *
   * @throws HookError; `signal.reason` when aborted.
   */
  async call(request: HookRequest, { signal, log }: HookCall): Promise<HookAnswer> {
    const { exitCode, stdout, stderrEnd } = await this.#run(request, signal, log);
    if (exitCode === 0) return { text: stdout };
    // Standard error is where the author of the program explains a failure.
    const message = stderrEnd.trim();
    throw new HookError(
      `${this.description} ended with exit code ${exitCode}${message === '' ? '' : `: ${message}`}`,
      { reason: 'ProgramFailed', context: { hook: this.description, exitCode } },
    );
  }

  /** Does nothing, because between calls there is nothing to close. */
  async close(): Promise<void> {}

  async #run(
    request: HookRequest,
    signal: AbortSignal,
    log: HookCall['log'],
  ): Promise<ProgramResult> {
    const onLine = lineLog(log, { hook: this.description });
    try {
      return await runProgram({
        ...this.#options,
        input: await request.text(),
        outputLimitBytes: MAX_ANSWER_BYTES,
        keepsStdout: true,
        onLine: (_stream, line) => onLine(line),
        signal,
      });
    } catch (error) {
      if (!(error instanceof ProgramError)) throw error;
      throw new HookError(error.message, {
        reason: REASONS[error.reason],
        cause: error,
        context: { hook: this.description },
      });
    }
  }
}
