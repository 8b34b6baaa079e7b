import type { RunnableContext } from 'chancery/internal';
import type { KindResolver } from '../discovery/resolve-kind.ts';
import { HOOK_METRICS } from '../engine/metric-names.ts';
import type { WatchBinding } from './binding-watch.ts';
import type { WatchPlan } from './watch-plan.ts';
import { WatchedBinding } from './watched-binding.ts';

export interface WatchBindingsOptions {
  readonly plan: WatchPlan;
  readonly kinds: KindResolver;
  readonly context: Pick<RunnableContext, 'open' | 'clock' | 'log' | 'meter'>;
}

/** Begins to watch bindings over the shared sources of `plan`. */
export function watchBindings({ plan, kinds, context }: WatchBindingsOptions): WatchBinding {
  const { meter } = context;
  return (hook, binding, listener) => {
    const labels = { hook: hook.name, binding: binding.name, queue: binding.queue };
    return new WatchedBinding({
      ...{ binding, listener, plan, kinds, context },
      counted: (objects) => meter.gauge(HOOK_METRICS.snapshotObjects, labels, objects),
    });
  };
}
