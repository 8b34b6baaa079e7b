import {
  AlreadyOwnedError,
  ApiError,
  controllerOf,
  type Deployment,
  deployments,
  type HorizontalPodAutoscaler,
  isNamespaceTerminating,
  isUidMismatch,
  type KubernetesObject,
  type ObjectKey,
  objectKey,
  type ReconcileContext,
  services,
} from 'chancery';
import { adjust, autoscalerOf } from './autoscaler.ts';
import {
  desiredDeployment,
  desiredService,
  dnsLabel,
  hasTemplate,
  steppedAtOf,
} from './children.ts';
import { replacePorts } from './ports.ts';
import { stageOf } from './ramp.ts';
import type { TDSet } from './resource.ts';
import { type Plan, windowText } from './schedule.ts';
import type { Outcome, Trouble } from './status.ts';

/** An outcome, and what is to happen next. */
export interface CarriedOut extends Outcome {
  /** Until the next step of a ramp. */
  readonly nextInMs?: number | undefined;
  /** The API server refused something, and is to be asked again with back-off. */
  readonly failure?: Error;
}

/** One TDSet, its plan of this moment, and what is needed to carry it out. */
export interface Task {
  readonly key: ObjectKey;
  readonly set: TDSet;
  readonly plan: Plan;
  readonly nowMs: number;
  readonly createServices: boolean;
  readonly context: ReconcileContext<TDSet>;
}

/** Makes the children what the plan says, or says why not. What is somebody else's is left alone. */
export async function carryOut(task: Task): Promise<CarriedOut> {
  const { key, set, createServices, context } = task;
  const live = context.store(deployments).get(key);
  if (live !== undefined && !isOwn(set, live)) return notOwned(live);
  if (set.spec.suspend === true) return { deployment: live, isSuspended: true };
  const autoscaler = autoscalerOf(key, context);
  if (autoscaler !== undefined && set.spec.adjustHPA !== true) {
    const { name } = autoscaler.metadata;
    const message = `HorizontalPodAutoscaler ${name} scales the Deployment: delete it, or set spec.adjustHPA`;
    return { deployment: live, trouble: { reason: 'HPAConflict', message } };
  }
  try {
    const done =
      autoscaler === undefined ? await scale(task, live) : await setFloor(task, live, autoscaler);
    if (createServices) await serve(task);
    return done;
  } catch (error) {
    return refused(task, error);
  }
}

async function scale(task: Task, live: Deployment | undefined): Promise<CarriedOut> {
  const { set, plan, nowMs, context } = task;
  const { name } = set.metadata;
  const stage = stageOf(set.spec.ramp, {
    current: live?.spec.replicas,
    target: plan.replicas,
    steppedAtMs: live && steppedAtOf(live),
    nowMs,
  });
  if (live !== undefined) await replacePorts(set, live, context);
  const desired = desiredDeployment(name, set.spec, stage);
  const deployment = await context.applyOwned(deployments, desired);
  tell(task, live, stage.replicas);
  return { deployment, nextInMs: stage.nextInMs };
}

/** Above the floor the autoscaler decides: `replicas` is stated only with Pods that must be replaced. */
async function setFloor(
  { set, plan, context }: Task,
  live: Deployment | undefined,
  autoscaler: HorizontalPodAutoscaler,
): Promise<CarriedOut> {
  const floor = await adjust(autoscaler, plan.replicas, context);
  if (floor !== undefined) {
    const note = `${autoscaler.metadata.name} keeps at least ${floor} replicas`;
    context.event('Normal', 'HPAAdjusted', note);
  }
  const isAutoscaled = true;
  if (live !== undefined && hasTemplate(live, set.spec)) return { deployment: live, isAutoscaled };
  if (live !== undefined) await replacePorts(set, live, context);
  const replicas = live?.spec.replicas ?? plan.replicas;
  const desired = desiredDeployment(set.metadata.name, set.spec, {
    replicas,
    steppedAtMs: undefined,
  });
  return { deployment: await context.applyOwned(deployments, desired), isAutoscaled };
}

async function serve({ set, context }: Task): Promise<void> {
  const { name, namespace = '' } = set.metadata;
  const { service } = set.spec;
  if (service !== undefined) {
    await context.applyOwned(services, desiredService(name, service.port));
    return;
  }
  const left = context.store(services).get(objectKey(namespace, dnsLabel(name)));
  if (left?.metadata.uid === undefined || !isOwn(set, left)) return;
  const { uid } = left.metadata;
  await context.client.delete(services, left.metadata, { preconditions: { uid } });
}

/** One Event for each change of the number; none where it is as it was. */
function tell({ set, plan, context }: Task, live: Deployment | undefined, replicas: number): void {
  const before = live?.spec.replicas;
  if (before === replicas) return;
  const { status, metadata, spec } = set;
  const isAsBefore =
    status?.observedGeneration === metadata.generation && status?.desiredReplicas === plan.replicas;
  const window = plan.window === undefined ? 'no window' : `window ${windowText(plan.window)}`;
  if (before === undefined) {
    context.event('Normal', 'Created', `a Deployment of ${replicas} replicas, in ${window}`);
  } else if (isAsBefore && spec.ramp === undefined) {
    const note = `the Deployment had ${before} replicas, and the schedule says ${replicas}`;
    context.event('Normal', 'Corrected', note);
  } else {
    context.event('Normal', 'Scaled', `from ${before} to ${replicas} replicas, in ${window}`);
  }
}

/** A refusal that a person has to know of; everything else is let through. */
function refused({ key, set, context }: Task, error: unknown): CarriedOut {
  const live = context.store(deployments).get(key);
  const deployment = live !== undefined && isOwn(set, live) ? live : undefined;
  if (error instanceof AlreadyOwnedError) {
    return { deployment, trouble: { reason: 'NotOwned', message: error.message } };
  }
  const isRefusal = error instanceof ApiError && [403, 422].includes(error.status);
  if (!isRefusal || isUidMismatch(error) || isNamespaceTerminating(error)) throw error;
  const trouble: Trouble = { reason: 'Refused', message: error.message };
  return { deployment, trouble, failure: error };
}

function notOwned({ metadata }: Deployment): CarriedOut {
  const message = `there is a Deployment ${metadata.name} already, and it is somebody else's`;
  return { deployment: undefined, trouble: { reason: 'NotOwned', message } };
}

function isOwn(set: TDSet, child: KubernetesObject): boolean {
  return controllerOf(child)?.uid === set.metadata.uid;
}
