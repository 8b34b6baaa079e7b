import type { Plan } from './schedule.ts';
import type { Outcome, Trouble } from './status.ts';

/** Whether the Deployment is on its way to what the schedule says, and where it is. */
export function progress(plan: Plan, outcome: Outcome): Trouble & { readonly isTrue: boolean } {
  const { deployment, trouble, isSuspended, isAutoscaled } = outcome;
  if (isSuspended === true) return still('Suspended', 'nothing is written: spec.suspend is true');
  if (trouble !== undefined) return { ...trouble, isTrue: false };
  if (deployment === undefined) return still('NoDeployment', 'there is no Deployment');
  const wanted = deployment.spec.replicas ?? 1;
  if (isAutoscaled !== true && wanted !== plan.replicas) {
    return moving('Ramping', `${wanted} replicas for now, ${plan.replicas} in the end`);
  }
  const { updatedReplicas = 0, replicas = 0, observedGeneration = 0 } = deployment.status ?? {};
  const isSeen = observedGeneration >= (deployment.metadata.generation ?? 0);
  const message = `${updatedReplicas} of ${wanted} replicas are up to date`;
  return isSeen && updatedReplicas === wanted && replicas === wanted
    ? still('AsScheduled', message)
    : moving('RollingOut', message);
}

function still(reason: string, message: string): Trouble & { readonly isTrue: boolean } {
  return { reason, message, isTrue: false };
}

function moving(reason: string, message: string): Trouble & { readonly isTrue: boolean } {
  return { reason, message, isTrue: true };
}
