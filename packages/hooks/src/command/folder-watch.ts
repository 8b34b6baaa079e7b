import { type Clock, type Log, messageOf } from 'chancery';
import { exponentialBackoff, sleep } from 'chancery/internal';
import type { Hook } from '../hook.ts';
import { folderState } from './folder-state.ts';

/** Milliseconds between two checks. The kubelet takes up to a minute to deliver a new ConfigMap. */
const LOOK_MS = 5_000;

/**
 * If a hook fails with `--config`, all hooks are started again after this delay, because a time
 * limit may have been the reason.
 */
const AGAIN = { initialMs: 5_000, maxMs: 300_000 } as const;

export interface FolderWatchOptions {
  readonly dir: string;
  /** The hooks as they were read at startup. */
  readonly hooks: readonly Hook[];
  /** The result of `folderState` before the hooks were read. */
  readonly state: string | undefined;
  /** Reads the hooks of the folder again. */
  readonly load: (signal: AbortSignal) => Promise<readonly Hook[]>;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Checks the folder of hooks until the declarations of the hooks change. Resolves with a
 * description of the change when a hook was added or removed, or when the answer of a hook to
 * `--config` or the rights file of a hook has changed. The caller must then read everything again.
 *
 * Any other change of a script is only logged, because it takes effect at the next start of the
 * hook. A folder that cannot be read or used is logged once per state of the folder, and is read
 * again later.
 *
 * @throws `signal.reason` when aborted.
 */
export async function untilHooksChange(
  { dir, hooks, load, clock, log, ...before }: FolderWatchOptions,
  signal: AbortSignal,
): Promise<string> {
  const known = new Map(hooks.map((hook) => [hook.name, declarationOf(hook)]));
  let { state } = before;
  const again = exponentialBackoff(AGAIN);
  let againAt = Number.POSITIVE_INFINITY;
  for (;;) {
    await sleep(clock, LOOK_MS, signal);
    const now = await folderState(dir).catch(() => undefined);
    const isNew = now !== state;
    if (!isNew && clock.monotonic() < againAt) continue;
    state = now;
    if (isNew) again.reset();
    try {
      const change = changeOf(known, await load(signal));
      if (change !== undefined) return change;
      againAt = Number.POSITIVE_INFINITY;
      log.info({ dir }, 'hooks have changed; the changes apply from the next start');
    } catch (error) {
      signal.throwIfAborted();
      againAt = clock.monotonic() + again.nextMs();
      if (!isNew) continue;
      log.error(
        { dir, reason: messageOf(error) },
        'changed hooks cannot be used; the old ones stay',
      );
    }
  }
}

/** The declarations of a hook that take effect only when the process starts. */
function declarationOf({ config, rights }: Hook): string {
  return JSON.stringify([config, rights ?? null], (_, value: unknown) =>
    value instanceof Set ? [...value] : value,
  );
}

function changeOf(known: ReadonlyMap<string, string>, hooks: readonly Hook[]): string | undefined {
  const gone = new Set(known.keys());
  for (const hook of hooks) {
    const before = known.get(hook.name);
    if (before === undefined) return `${hook.name} is new`;
    if (before !== declarationOf(hook)) return `${hook.name} has another configuration`;
    gone.delete(hook.name);
  }
  const [first] = gone;
  return first === undefined ? undefined : `${first} is gone`;
}
