import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import { ConfigurationError } from 'chancery';
import type { HookName } from '../../spec.ts';
import type { FunctionEntry } from '../functions-file.ts';
import { loadExport } from './module-function.ts';

/**
 * Checks that the program or the module function of an entry exists. For this check, the module is
 * loaded.
 *
 * @throws ConfigurationError `CONFIG` when the function does not exist.
 */
export async function requireFunction({ run }: FunctionEntry, hook: HookName): Promise<void> {
  if ('module' in run) await loadExport({ ...run, hook });
  else await requireProgram(run.exec[0]);
}

/**
 * Checks a program with an absolute path. A name without a path is not checked here: it is searched
 * when the program is started, because programs may have another `PATH`.
 */
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
