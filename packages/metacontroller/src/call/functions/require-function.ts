import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import { ConfigurationError } from 'chancery';
import type { HookName } from '../../spec.ts';
import type { FunctionEntry } from '../functions-file.ts';
import { loadExport } from './module-function.ts';

/**
 * Finds what an entry names: the program, or the function of the module, which is loaded.
 *
 * @throws ConfigurationError `CONFIG` when it is not there.
 */
export async function requireFunction({ run }: FunctionEntry, hook: HookName): Promise<void> {
  if ('module' in run) await loadExport({ ...run, hook });
  else await requireProgram(run.exec[0]);
}

/** A name is looked up when it is started: the `PATH` of programs may be another. */
async function requireProgram(program: string): Promise<void> {
  if (!isAbsolute(program)) return;
  const found = await stat(program).catch(() => undefined);
  if (found?.isFile() !== true) throw new ConfigurationError(`${program}: no such file`);
  try {
    await access(program, constants.X_OK);
  } catch {
    throw new ConfigurationError(`${program} may not be executed: chmod +x ${program}`);
  }
}
