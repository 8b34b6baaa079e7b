import type { Clock } from '../../core/clock.ts';
import type { HookFunction } from '../hook-function.ts';
import type { ControllerSpec, HookName } from '../spec.ts';
import type { FunctionsFile } from './functions-file.ts';
import type { KeyReader } from './key-reader.ts';

/** What hooks need of the process that calls them. */
export interface HookSurroundings {
  /** One for each controller. Whoever made it closes it after the functions. */
  readonly keys: KeyReader;
  /** The ambassador: `http://127.0.0.1:8001` or `unix:/path`. No webhook may have its address. */
  readonly apiUrl: string;
  /** Ports on which this process listens: health, metrics, status page. Read before each connection. */
  readonly ownPorts: () => readonly number[];
  /** Of this process. Programs get what an allow-list names. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
}

/**
 * The functions of a controller's hooks. An entry of the file replaces the hook of the object. Hooks with neither an
 * entry nor a webhook are left out. Nothing is connected, started or loaded before the first call. The caller must
 * close each of them.
 */
export function createHookFunctions(
  _spec: ControllerSpec,
  _functions: FunctionsFile | undefined,
  _surroundings: HookSurroundings,
): Readonly<Partial<Record<HookName, HookFunction>>> {
  return {}; // the skeleton of the next commits
}
