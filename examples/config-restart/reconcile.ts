import {
  AWAIT_CHANGE,
  isConflict,
  messageOf,
  type ObjectKey,
  type ReconcileContext,
  type Reconciler,
  splitKey,
} from 'chancery';
import type { ConfigMap } from 'chancery/kubernetes';
import { complain } from './complain.ts';
import { watchersOf } from './front-ends/front-ends.ts';
import { Memory } from './memory.ts';
import { observe } from './observe.ts';
import { isOwnConfigMap } from './own-objects.ts';
import type { Outcome, Pass } from './pass.ts';
import { report } from './report.ts';

/** Restarts Pods when the content of a ConfigMap changes, for whoever asked for it. */
export function createReconciler(): Reconciler<ConfigMap> {
  const memory = new Memory();
  return async (key, configMap, context) => {
    const pass = passFor(key, configMap, context);
    if (pass === undefined) return AWAIT_CHANGE; // ConfigMaps have namespaces: not one of ours
    complain(pass, memory);
    const outcome = await observe(pass, memory).catch((error: unknown) =>
      reportFailure(pass, memory, error),
    );
    await report(pass, outcome, memory);
    return outcome.result;
  };
}

/** What this operator itself writes does not exist for those who watch. */
function passFor(
  key: ObjectKey,
  cached: ConfigMap | undefined,
  context: ReconcileContext,
): Pass | undefined {
  const { namespace, name } = splitKey(key);
  if (namespace === undefined) return undefined;
  const configMap = isOwnConfigMap(name, cached) ? undefined : cached;
  const watchers = watchersOf(key, configMap, context);
  const accepted = watchers.filter((watcher) => watcher.accepted);
  return { key, namespace, name, configMap, watchers, accepted, context };
}

/** Shows a failure in the status of the watchers, and passes it on. A lost race is none. */
async function reportFailure(pass: Pass, memory: Memory, error: unknown): Promise<Outcome> {
  if (isConflict(error) || pass.context.signal.aborted) throw error;
  const outcome: Outcome = { phase: 'failed', failure: messageOf(error), result: AWAIT_CHANGE };
  await report(pass, outcome, memory).catch((second: unknown) =>
    pass.context.log.debug({ err: second }, 'failure not reported in status'),
  );
  throw error;
}
