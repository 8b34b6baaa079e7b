import {
  type Controller,
  controller,
  generationChanged,
  or,
  source,
  statusChanged,
} from 'chancery';
import { type appsV1, deployments, horizontalPodAutoscalers, services } from 'chancery/kubernetes';
import { autoscalerChanges } from './autoscaler.ts';
import { reconciler, type TDSetOptions } from './reconcile.ts';
import { type TDSet, tdsets } from './resource.ts';

/** What the status is made of; a Deployment reports much more than that. */
const countsChanged = statusChanged<appsV1.DeploymentStatus>((status) => [
  status?.observedGeneration,
  status?.replicas,
  status?.updatedReplicas,
  status?.availableReplicas,
]);

/** The controller of TDSets. What it may do of Services is in its rights only if it is to make them. */
export function tdset(options: TDSetOptions): Controller<TDSet> {
  return controller({
    name: 'tdset',
    for: tdsets,
    predicate: generationChanged,
    owns: [
      { source: source(deployments), predicate: or(generationChanged, countsChanged) },
      ...(options.createServices ? [services] : []),
    ],
    watches: [autoscalerChanges],
    permissions: [
      { resource: horizontalPodAutoscalers, verbs: ['patch'] }, // spec.adjustHPA
      ...(options.createServices ? [{ resource: services, verbs: ['delete'] } as const] : []),
    ],
    reconcile: reconciler(options),
  });
}
