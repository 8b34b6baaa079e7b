import process from 'node:process';
import type { Clock } from '../../core/clock.ts';

/** How often the parent is looked for. */
const INTERVAL_MS = 1_000;

/**
 * Aborts when this process runs below npm and its parent is gone. npm starts a shell, which starts this
 * process; a signal to npm may end the shell alone. Nobody could stop this process any more.
 *
 * @returns `cancel` ends the search.
 */
export function parentGone(
  clock: Clock,
  env: Readonly<Record<string, string | undefined>>,
  parentId: () => number = () => process.ppid,
): { readonly signal: AbortSignal; readonly cancel: () => void } {
  const gone = new AbortController();
  if (env.npm_lifecycle_event === undefined) return { signal: gone.signal, cancel: () => {} };
  const parent = parentId();
  let cancel = (): void => {};
  const check = (): void => {
    if (parentId() === parent) cancel = clock.schedule(INTERVAL_MS, check);
    else gone.abort(new Error('the process that started this one is gone'));
  };
  check();
  return { signal: gone.signal, cancel: () => cancel() };
}
