import { type Controller, controller, generationChanged } from 'chancery';
import { pods } from 'chancery/kubernetes';
import { type ChaosPlan, chaosPlans } from './chaos-plan.ts';
import { type ChaosOptions, createReconciler } from './reconcile.ts';

/** Evicts random Pods, where a namespace has a ChaosPlan and the Pods have opted in. */
export function chaosController(options: ChaosOptions): Controller<ChaosPlan> {
  return controller({
    name: 'chaos',
    for: chaosPlans,
    predicate: generationChanged,
    // Asked for when a turn has come: nothing of them is kept.
    permissions: [
      { resource: pods, verbs: ['list'] },
      { resource: pods, subresource: 'eviction', verbs: ['create'] },
    ],
    reconcile: createReconciler(options),
  });
}

export default chaosController({ random: Math.random });
