import { type Runnable, runnable, source } from 'chancery';
import { linkedAbort, type RunnableContext } from 'chancery/internal';
import { SUPERVISOR_ACCESS } from '../rights/supervisor-access.ts';
import { childWriterOf } from './child-writer-of.ts';
import type { MetacontrollerOptions } from './options.ts';
import { Supervisor } from './supervisor.ts';

export { METACONTROLLER_DEFAULTS, type MetacontrollerOptions } from './options.ts';

/**
 * Runs the controllers that CompositeControllers and DecoratorControllers in the cluster declare.
 * Controllers start and stop when these objects change.
 */
export function metacontrollerRunnable(options: MetacontrollerOptions): Runnable {
  const { targetLabelSelector: labelSelector } = options;
  const { name, definitions = [], permissions = [] } = SUPERVISOR_ACCESS;
  const sources = SUPERVISOR_ACCESS.sources.map(({ resource }) =>
    source(resource, { ...(labelSelector !== undefined && { labelSelector }) }),
  );
  let supervisor: Supervisor | undefined;
  return runnable({
    name,
    stopPhase: 'controllers', // stops together with the declared controllers
    sources,
    permissions,
    definitions,
    idle: () => supervisor?.idle ?? false,
    status: () => ({ controllers: supervisor?.states() ?? [] }),
    async run(signal, context) {
      using stop = linkedAbort(signal);
      const current = new Supervisor(options, context, sharedParts(options, context), stop.signal);
      supervisor = current;
      try {
        await Promise.all(
          sources.map((each) => context.start(current.controllerOf(each), stop.signal)),
        );
      } finally {
        stop.abort(signal.reason);
        await current.close();
      }
    },
  });
}

/** The objects and settings that all controllers share. */
function sharedParts(options: MetacontrollerOptions, { self }: RunnableContext) {
  const { workers, resyncPeriodMs, emptyChildren, extensions, managedFields } = options;
  return {
    ...{ workers, resyncPeriodMs, emptyChildren, extensions, managedFields },
    writer: childWriterOf(options),
    revisionsNamespace: self.namespace,
  };
}
