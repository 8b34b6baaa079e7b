import { stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Controller, isController } from '../controller/controller.ts';
import { ConfigurationError } from '../core/errors.ts';

/**
 * The controllers that the module at `path` exports as its default: one, or an array of them.
 *
 * @throws ConfigurationError `CONFIG` in one line with file and reason, when the module cannot be
 *   loaded or exports anything else. The cause has the stack.
 */
export async function loadControllers(path: string): Promise<readonly Controller[]> {
  const file = resolve(path);
  await requireFile(path, file);
  let loaded: { readonly default?: unknown };
  try {
    loaded = await import(pathToFileURL(file).href);
  } catch (error) {
    throw new ConfigurationError(`cannot load ${path}: ${reasonOf(error)}`, { cause: error });
  }
  const exported = loaded.default;
  const controllers: readonly unknown[] = Array.isArray(exported) ? exported : [exported];
  if (controllers.length > 0 && controllers.every(isController)) return controllers;
  throw new ConfigurationError(
    `${path} exports no controller: expected controller({...}) or an array of them as the default ` +
      `export, got ${kindOf(exported)}`,
  );
}

/** Asked first: the loader's own message for a missing file does not tell it from a missing import. */
async function requireFile(path: string, file: string): Promise<void> {
  const found = await stat(file).catch(() => undefined);
  if (found?.isFile()) return;
  const problem = found === undefined ? 'no such file' : 'not a file';
  throw new ConfigurationError(`cannot load ${path}: ${problem}`);
}

/** The message, and for a syntax error the place, which only the stack has. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return `it throws ${JSON.stringify(error) ?? String(error)}`;
  const text = `${error.name}: ${error.message}`;
  const [, place] = /^(?:file:\/\/)?(\/[^\n]*:\d+)\n/.exec(error.stack ?? '') ?? [];
  return place === undefined ? text : `${text} at ${place}`;
}

function kindOf(value: unknown): string {
  if (value === undefined) return 'none';
  if (Array.isArray(value)) {
    if (value.length === 0) return 'an empty array';
    const at = value.findIndex((item) => !isController(item));
    return `an array whose item ${at} is ${kindOf(value[at])}`;
  }
  return value === null ? 'null' : `${typeof value}`;
}
