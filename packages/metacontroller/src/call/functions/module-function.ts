import { stat } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { type Clock, ConfigurationError, messageOf, withTimeout } from 'chancery';
import { HookError } from '../../hook-error.ts';
import type { HookAnswer, HookCall, HookRequest } from '../../hook-function.ts';
import type { HookName } from '../../spec.ts';

/** The second argument of a function in a module. */
type CallContext = Pick<HookCall, 'signal' | 'log'>;

/** A function of a module. It may be asynchronous. */
export type ModuleExport = (request: HookRequest['value'], context: CallContext) => unknown;

interface ModuleFunctionOptions {
  /** The absolute path of the module. */
  readonly module: string;
  /**
   * The name of the export. If undefined, the export with the name of the hook is used, or else the
   * default export.
   */
  readonly export: string | undefined;
  readonly hook: HookName;
  readonly timeoutMs: number;
  readonly clock: Clock;
}

/** A message contains at most this number of characters of a thrown error's message. */
const SHOWN_CHARS = 2_048;

/**
 * A hook that is a function in a module, called in this process. A function that never returns
 * blocks the whole process. If its promise never settles, the call fails at the time limit.
 */
export class ModuleFunction {
  readonly description: string;
  readonly #options: ModuleFunctionOptions;
  #loaded: ModuleExport | undefined;

  constructor(options: ModuleFunctionOptions) {
    this.#options = options;
    this.description = options.module;
  }

  /**
   * Calls the function.
   *
   * @throws HookError; `signal.reason` when aborted.
   */
  async call(request: HookRequest, { signal, log }: HookCall): Promise<HookAnswer> {
    const { timeoutMs, clock } = this.#options;
    const tooLate = (): Error =>
      new HookError(`${this.description} has not answered within ${timeoutMs / 1_000} s`, {
        reason: 'Timeout',
        context: { hook: this.description },
      });
    return await withTimeout({ clock, signal, timeoutMs, tooLate }, async (limited) => {
      try {
        this.#loaded ??= await loadExport(this.#options);
        return { value: await this.#loaded(frozen(request.value), { signal: limited, log }) };
      } catch (error) {
        limited.throwIfAborted();
        throw this.#failed(error);
      }
    });
  }

  /** Does nothing, because between calls there is nothing to close. */
  async close(): Promise<void> {}

  #failed(error: unknown): HookError {
    const thrown = messageOf(error).slice(0, SHOWN_CHARS);
    const message =
      error instanceof ConfigurationError ? thrown : `${this.description} failed: ${thrown}`;
    return new HookError(message, {
      reason: 'ModuleFailed',
      cause: error,
      context: { hook: this.description },
    });
  }
}

/**
 * The function that a module exports under the name in `export`. If `export` is undefined, it is
 * the export with the name of the hook, or else the default export.
 *
 * @throws ConfigurationError `CONFIG` when there is no such function, or when the module cannot be
 * loaded.
 */
export async function loadExport({
  module,
  hook,
  export: name,
}: Pick<ModuleFunctionOptions, 'module' | 'hook' | 'export'>): Promise<ModuleExport> {
  // The loader reports a missing file and a missing import with the same message.
  const found = await stat(module).catch(() => undefined);
  if (found?.isFile() !== true) throw new ConfigurationError(`${module}: no such file`);
  const exports = await imported(module);
  const names = name === undefined ? [hook, 'default'] : [name];
  for (const each of names) {
    const value = Object.hasOwn(exports, each) ? exports[each] : undefined;
    if (typeof value === 'function') return value as ModuleExport;
  }
  throw new ConfigurationError(
    `${module} exports no function ${names.map((each) => JSON.stringify(each)).join(' or ')}`,
  );
}

async function imported(module: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return await import(pathToFileURL(module).href);
  } catch (error) {
    throw new ConfigurationError(`${module} cannot be loaded: ${messageOf(error)}`, {
      cause: error,
    });
  }
}

/** Freezes a value deeply. Cached objects are already frozen and are skipped. */
function frozen<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  for (const child of Object.values(value)) frozen(child);
  return Object.freeze(value);
}
