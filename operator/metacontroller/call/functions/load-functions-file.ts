import { constants } from 'node:fs';
import { access, readFile, stat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import { ConfigurationError, messageOf } from '../../../core/errors.ts';
import type { HookName } from '../../spec.ts';
import type { FunctionEntry, FunctionsFile } from '../functions-file.ts';
import { loadExport } from './module-function.ts';
import { parseFunctions } from './parse-functions.ts';

/**
 * Reads a file of functions, and finds each program and each module that it names: a mistake is found at the start,
 * and not with the first parent. The file is not read again when it changes.
 *
 * @throws ConfigurationError `CONFIG` that names the entry.
 */
export async function loadFunctionsFile(path: string): Promise<FunctionsFile> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    throw new ConfigurationError(`cannot read ${path}: ${messageOf(error)}`, { cause: error });
  }
  const file = parseFunctions(text, path);
  for (const { kind, name, hooks } of file.controllers) {
    for (const [hook, entry] of Object.entries(hooks)) {
      await requireThere(entry, hook as HookName, `${path}: ${hook} of ${kind} ${name}`);
    }
  }
  return file;
}

async function requireThere({ run }: FunctionEntry, hook: HookName, place: string): Promise<void> {
  try {
    if ('module' in run) await loadExport({ ...run, hook });
    else await requireProgram(run.exec[0]);
  } catch (error) {
    throw new ConfigurationError(`${place}: ${messageOf(error)}`, { cause: error });
  }
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
