import {
  type ControllerOptions,
  type GoneContext,
  isConflict,
  messageOf,
  type ObjectKey,
  type Outcome,
  splitKey,
} from 'chancery';
import type { ConfigMap } from 'chancery/kubernetes';
import { complain } from './complain.ts';
import { watchersOf } from './front-ends/front-ends.ts';
import { Memory } from './memory.ts';
import { observe } from './observe.ts';
import { isOwnConfigMap } from './own-objects.ts';
import type { Pass, PassResult } from './pass.ts';
import { report } from './report.ts';

/**
 * Restarts Pods when the content of a ConfigMap changes, for whoever asked for it. A ConfigMap that is gone is
 * a state like others: it is told to those who watch it.
 */
export function createReconciler(): Required<
  Pick<ControllerOptions<ConfigMap>, 'reconcile' | 'gone'>
> {
  const memory = new Memory();
  const run = async (
    key: ObjectKey,
    configMap: ConfigMap | undefined,
    context: GoneContext,
  ): Promise<Outcome> => {
    const pass = passFor(key, configMap, context);
    if (pass === undefined) return; // ConfigMaps have namespaces: not one of ours
    complain(pass, memory);
    const end = await observe(pass, memory).catch((error: unknown) =>
      reportFailure(pass, memory, error),
    );
    await report(pass, end, memory);
    return end.result;
  };
  return {
    reconcile: (configMap, context) => run(context.key, configMap, context),
    gone: (key, context) => run(key, undefined, context),
  };
}

/** What this operator itself writes does not exist for those who watch. */
function passFor(
  key: ObjectKey,
  cached: ConfigMap | undefined,
  context: GoneContext,
): Pass | undefined {
  const { namespace, name } = splitKey(key);
  if (namespace === undefined) return undefined;
  const configMap = isOwnConfigMap(name, cached) ? undefined : cached;
  const watchers = watchersOf(key, configMap, context);
  const accepted = watchers.filter((watcher) => watcher.accepted);
  return { key, namespace, name, configMap, watchers, accepted, context };
}

/** Shows a failure in the status of the watchers, and passes it on. A lost race is none. */
async function reportFailure(pass: Pass, memory: Memory, error: unknown): Promise<PassResult> {
  if (isConflict(error) || pass.context.signal.aborted) throw error;
  const outcome: PassResult = { phase: 'failed', failure: messageOf(error), result: undefined };
  await report(pass, outcome, memory).catch((second: unknown) =>
    pass.context.log.debug({ err: second }, 'failure not reported in status'),
  );
  throw error;
}
