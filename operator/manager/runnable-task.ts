import type { Log } from '../controller/reconciler.ts';
import { messageOf, OperatorError } from '../core/errors.ts';
import type { Runnable } from './runnable.ts';
import type { Task } from './tasks.ts';

/** A runnable as a task of a manager: its own failures have its name. */
export function runnableTask(runnable: Runnable, log: Log): Task {
  const { name, needsLeaderElection = true, stopPhase = 'others' } = runnable;
  return {
    name,
    phase: stopPhase,
    guarded: needsLeaderElection,
    async run(stop: AbortSignal): Promise<void> {
      try {
        await runnable.run(stop);
      } catch (error) {
        if (stop.aborted) {
          // Most reject with the reason of their signal, or an error that somebody made of it.
          log.debug({ runnable: name, err: error }, 'runnable rejected when it was stopped');
          return;
        }
        const failure = new OperatorError(`runnable ${name} failed: ${messageOf(error)}`, {
          code: 'USER_CODE',
          layer: 'user-code',
          cause: error,
          context: { runnable: name },
        });
        log.error({ runnable: name, err: failure }, 'runnable failed, the manager stops');
        throw failure;
      }
    },
  };
}
