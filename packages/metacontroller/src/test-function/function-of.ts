import { dirname, extname, resolve } from 'node:path';
import { type Clock, ConfigurationError } from 'chancery';
import type { TestHookArguments } from 'chancery/internal';
import { createHookFunctions, type HookSurroundings } from '../call/create-hook-functions.ts';
import { loadFunctionsFile } from '../call/functions/load-functions-file.ts';
import { requireFunction } from '../call/functions/require-function.ts';
import type { FunctionEntry, FunctionsFile } from '../call/functions-file.ts';
import type { KeyReader } from '../call/key-reader.ts';
import { DEFAULT_FUNCTION_TIMEOUT_MS } from '../call/limits.ts';
import { HookError } from '../hook-error.ts';
import type { HookFunction } from '../hook-function.ts';
import type { ControllerSpec } from '../spec.ts';
import type { FunctionRequest } from './function-request.ts';

const MODULES: ReadonlySet<string> = new Set(['.ts', '.mts', '.js', '.mjs', '.cjs']);

export interface FunctionParts {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly apiUrl: string;
  readonly clock: Clock;
}

/**
 * The function on the command line, created in the same way as by `chancery metacontroller`.
 *
 * @throws ConfigurationError `CONFIG` when the function does not exist.
 */
export async function functionOf(
  asked: TestHookArguments,
  request: FunctionRequest,
  parts: FunctionParts,
): Promise<HookFunction> {
  const { hook } = request;
  const { spec, file } = await declared(asked, request);
  const made = createHookFunctions(spec, file, surroundings(asked, parts))[hook];
  if (made !== undefined) return made;
  throw new ConfigurationError(`${asked.functions} has no ${hook} of ${spec.kind} ${spec.name}`);
}

async function declared(
  asked: TestHookArguments,
  { hook, spec }: FunctionRequest,
): Promise<{ readonly spec: ControllerSpec; readonly file: FunctionsFile | undefined }> {
  const given = spec.hooks[hook];
  if (asked.url !== undefined) {
    const { version = 'v1', answers = 'loose' } = given ?? {};
    const webhook = {
      url: asked.url,
      timeoutMs: asked.hookTimeout ?? DEFAULT_FUNCTION_TIMEOUT_MS,
      connection: {},
    };
    return { spec: { ...spec, hooks: { [hook]: { version, answers, webhook } } }, file: undefined };
  }
  const hooks = given === undefined ? {} : { [hook]: { ...given, webhook: undefined } };
  if (asked.functions !== undefined) {
    const { kind = spec.kind, name = spec.name } = asked;
    return {
      spec: { ...spec, hooks, kind, name } as ControllerSpec,
      file: await loadFunctionsFile(asked.functions),
    };
  }
  const entry = entryOf(asked);
  await requireFunction(entry, hook);
  const functions = { kind: spec.kind, name: spec.name, hooks: { [hook]: entry }, related: [] };
  return {
    spec: { ...spec, hooks },
    file: { controllers: [functions], functionsFor: () => functions },
  };
}

function entryOf({ file = '', export: name, hookTimeout }: TestHookArguments): FunctionEntry {
  const path = resolve(file);
  const isModule = MODULES.has(extname(path));
  if (!isModule && name !== undefined) {
    throw new ConfigurationError(`--export is for a module, and ${file} is a program`);
  }
  return {
    run: isModule ? { module: path, export: name } : { exec: [path] },
    timeoutMs: hookTimeout ?? DEFAULT_FUNCTION_TIMEOUT_MS,
    version: undefined,
    folder: dirname(path),
  };
}

function surroundings(
  { hookEnv }: TestHookArguments,
  { environment, apiUrl, clock }: FunctionParts,
): HookSurroundings {
  return { keys: NO_KEYS, apiUrl, ownPorts: () => [], environment, hookEnv, clock };
}

/** A key reader that always fails, because a test has no cluster from which keys can be read. */
const NO_KEYS: KeyReader = {
  async read() {
    throw new HookError('a test has no cluster to read credentials from', {
      reason: 'MissingCredentials',
    });
  },
  close() {},
};
