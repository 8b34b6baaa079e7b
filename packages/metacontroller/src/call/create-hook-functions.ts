import type { Clock } from 'chancery';
import { programEnvironment } from 'chancery/internal';
import type { HookFunction } from '../hook-function.ts';
import type { ControllerSpec, HookName, HookSpec } from '../spec.ts';
import { ModuleFunction } from './functions/module-function.ts';
import { ProgramFunction } from './functions/program-function.ts';
import type { FunctionEntry, FunctionsFile } from './functions-file.ts';
import type { KeyReader } from './key-reader.ts';
import { OwnAddresses } from './webhook/own-addresses.ts';
import { Webhook } from './webhook/webhook.ts';

/** The values that hooks need from the calling process. */
export interface HookSurroundings {
  /**
   * The key reader of the controller. The caller that created it must close it after the functions.
   */
  readonly keys: KeyReader;
  /**
   * The ambassador: `http://127.0.0.1:8001` or `unix:/path`. Webhooks with its address are refused.
   */
  readonly apiUrl: string;
  /**
   * Returns the ports on which this process listens: health, metrics, status page. Called before
   * each connection.
   */
  readonly ownPorts: () => readonly number[];
  /** The environment of this process. Programs get only the variables on an allow-list. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Names of additional variables that programs get. Default: none. */
  readonly hookEnv?: readonly string[];
  readonly clock: Clock;
}

const HOOKS: readonly HookName[] = ['sync', 'finalize', 'customize'];

/** The members that do not depend on whether the hook is a webhook, a program or a function. */
type Callable = Pick<HookFunction, 'description' | 'call' | 'close'>;

/**
 * The functions of a controller's hooks. If the file of functions has an entry for a hook, the
 * entry is used instead of the hook in the object. A hook that has neither an entry nor a webhook
 * is not in the result. No connection is opened, and no program or module is started, before the
 * first call. The caller must close each function.
 */
export function createHookFunctions(
  { kind, name, hooks }: ControllerSpec,
  functions: FunctionsFile | undefined,
  surroundings: HookSurroundings,
): Readonly<Partial<Record<HookName, HookFunction>>> {
  const entries = functions?.functionsFor(kind, name)?.hooks ?? {};
  const made: Partial<Record<HookName, HookFunction>> = {};
  for (const hook of HOOKS) {
    const entry = entries[hook];
    const spec = hooks[hook];
    if (entry !== undefined) made[hook] = ofEntry(entry, hook, spec, surroundings);
    else if (spec?.webhook !== undefined) {
      made[hook] = functionOf('webhook', spec, new Webhook(spec.webhook, partsOf(surroundings)));
    }
  }
  return made;
}

function ofEntry(
  entry: FunctionEntry,
  hook: HookName,
  spec: HookSpec | undefined,
  { environment, hookEnv, clock }: HookSurroundings,
): HookFunction {
  const version = entry.version ?? spec?.version ?? 'v2';
  const answers = spec?.version === version ? spec.answers : version === 'v2' ? 'strict' : 'loose';
  const { run, timeoutMs } = entry;
  if ('module' in run) {
    const made = new ModuleFunction({ ...run, hook, timeoutMs, clock });
    return functionOf('module', { version, answers }, made);
  }
  const [program, ...args] = run.exec;
  const env = programEnvironment(environment, hookEnv);
  const made = new ProgramFunction({ program, args, cwd: entry.folder, env, timeoutMs, clock });
  return functionOf('exec', { version, answers }, made);
}

function partsOf({ keys, apiUrl, ownPorts, clock }: HookSurroundings) {
  return { keys, ownAddresses: new OwnAddresses({ apiUrl, ownPorts }), clock };
}

function functionOf(
  mode: HookFunction['mode'],
  { version, answers }: Pick<HookSpec, 'version' | 'answers'>,
  made: Callable,
): HookFunction {
  return {
    mode,
    version,
    answers,
    description: made.description,
    call: (request, call) => made.call(request, call),
    close: () => made.close(),
  };
}
