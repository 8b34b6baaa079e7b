import { dirname, isAbsolute, resolve } from 'node:path';
import { ConfigurationError, messageOf } from 'chancery';
import { duplicateYamlKeys, parseGoDuration } from 'chancery/internal';
import { parseYaml } from 'chancery/low-level';
import { parseReference } from '../../parse/parse-reference.ts';
import type { HookName, ResourceReference } from '../../spec.ts';
import type { ControllerFunctions, FunctionEntry, FunctionsFile } from '../functions-file.ts';
import { DEFAULT_FUNCTION_TIMEOUT_MS } from '../limits.ts';

type Fields = Readonly<Record<string, unknown>>;

const HOOKS: readonly HookName[] = ['sync', 'finalize', 'customize'];
const KINDS: readonly ControllerFunctions['kind'][] = [
  'CompositeController',
  'DecoratorController',
];
const EXAMPLE = '- {kind: CompositeController, name: catset, sync: {exec: [./sync.py]}}';

/**
 * Parses a file of functions. Paths in the file are relative to its folder. A program without `/`
 * is searched in `PATH`.
 *
 * @param path - the path of the file. Messages contain it, and it determines the folder.
 * @throws ConfigurationError `CONFIG` with the entry and the field.
 */
export function parseFunctions(text: string, path: string): FunctionsFile {
  const value = documentOf(text, path) ?? [];
  if (!Array.isArray(value)) {
    throw new ConfigurationError(`${path} must be a list of entries such as ${EXAMPLE}`);
  }
  const folder = dirname(resolve(path));
  const controllers = value.map((entry, at) =>
    controllerOf(entry, `${path}: entry ${at + 1}`, folder),
  );
  const byName = new Map<string, ControllerFunctions>();
  for (const each of controllers) {
    const key = `${each.kind} ${each.name}`;
    if (byName.has(key)) throw new ConfigurationError(`${path} has two entries for ${key}`);
    byName.set(key, each);
  }
  return { controllers, functionsFor: (kind, name) => byName.get(`${kind} ${name}`) };
}

function documentOf(text: string, path: string): unknown {
  let value: unknown;
  try {
    value = parseYaml(text);
  } catch (error) {
    throw new ConfigurationError(`${path}: ${messageOf(error)}`, { cause: error });
  }
  const [duplicate] = duplicateYamlKeys(text);
  if (duplicate === undefined) return value;
  throw new ConfigurationError(`${path}: line ${duplicate.line} repeats ${duplicate.key}`);
}

function controllerOf(value: unknown, place: string, folder: string): ControllerFunctions {
  const fields = fieldsOf(value, place, ['kind', 'name', ...HOOKS, 'related']);
  const kind = KINDS.find((each) => each === fields.kind);
  if (kind === undefined) {
    throw new ConfigurationError(
      `${place}: kind must be ${KINDS.join(' or ')}, not ${shown(fields.kind)}`,
    );
  }
  const name = textOf(fields.name, `${place}: name`);
  const of = `${place} (${name})`;
  const hooks = HOOKS.filter((hook) => fields[hook] !== undefined);
  const { related = [] } = fields;
  if (!Array.isArray(related)) throw new ConfigurationError(`${of}: related must be a list`);
  if (hooks.length === 0 && related.length === 0) {
    throw new ConfigurationError(`${of} has none of ${HOOKS.join(', ')} and no related resources`);
  }
  return {
    kind,
    name,
    hooks: Object.fromEntries(
      hooks.map((hook) => [hook, entryOf(fields[hook], `${of}: ${hook}`, folder)]),
    ),
    related: related.map((each, at) => relatedOf(each, `${of}: related[${at}]`)),
  };
}

function entryOf(value: unknown, place: string, folder: string): FunctionEntry {
  const fields = fieldsOf(value, place, ['exec', 'module', 'export', 'timeout', 'version']);
  return {
    run: runOf(fields, place, folder),
    timeoutMs: timeoutOf(fields.timeout, place),
    version: versionOf(fields.version, place),
    folder,
  };
}

function runOf(fields: Fields, place: string, folder: string): FunctionEntry['run'] {
  const { exec, module, export: name } = fields;
  if ((exec === undefined) === (module === undefined)) {
    throw new ConfigurationError(`${place} must have exec or module, and not both`);
  }
  if (module !== undefined) {
    return {
      module: resolve(folder, textOf(module, `${place}.module`)),
      export: name === undefined ? undefined : textOf(name, `${place}.export`),
    };
  }
  if (name !== undefined) throw new ConfigurationError(`${place}.export is for a module`);
  if (!Array.isArray(exec) || exec.length === 0) {
    throw new ConfigurationError(`${place}.exec must be a list: the program, then its arguments`);
  }
  const [program = '', ...args] = exec.map((word, at) =>
    textOf(word, `${place}.exec[${at}]`, true),
  );
  if (program === '') throw new ConfigurationError(`${place}.exec[0] must name a program`);
  const isPath = program.includes('/') && !isAbsolute(program);
  return { exec: [isPath ? resolve(folder, program) : program, ...args] };
}

function timeoutOf(value: unknown, place: string): number {
  if (value === undefined) return DEFAULT_FUNCTION_TIMEOUT_MS;
  const ms = typeof value === 'string' ? parseGoDuration(value) : undefined;
  if (ms !== undefined && ms > 0) return ms;
  throw new ConfigurationError(
    `${place}.timeout must be a duration above 0, such as 30s, not ${shown(value)}`,
  );
}

function versionOf(value: unknown, place: string): FunctionEntry['version'] {
  if (value === undefined || value === 'v1' || value === 'v2') return value;
  throw new ConfigurationError(`${place}.version must be v1 or v2, not ${shown(value)}`);
}

function relatedOf(value: unknown, place: string): ResourceReference {
  const { apiVersion, resource } = fieldsOf(value, place, ['apiVersion', 'resource']);
  const reference = {
    apiVersion: textOf(apiVersion, `${place}.apiVersion`),
    resource: textOf(resource, `${place}.resource`),
  };
  try {
    return parseReference(reference, place);
  } catch (error) {
    throw new ConfigurationError(messageOf(error), { cause: error });
  }
}

function fieldsOf(value: unknown, place: string, known: readonly string[]): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ConfigurationError(`${place} must have fields: ${known.join(', ')}`);
  }
  const unknown = Object.keys(value).find((name) => !known.includes(name));
  if (unknown === undefined) return value as Fields;
  throw new ConfigurationError(
    `${place} has no field ${JSON.stringify(unknown)}; it may have ${known.join(', ')}`,
  );
}

function textOf(value: unknown, place: string, mayBeEmpty = false): string {
  if (typeof value === 'string' && (mayBeEmpty || value !== '')) return value;
  throw new ConfigurationError(`${place} must be a string, not ${shown(value)}`);
}

function shown(value: unknown): string {
  return value === undefined ? 'absent' : (JSON.stringify(value) ?? typeof value);
}
