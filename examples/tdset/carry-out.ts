import {
  AlreadyOwnedError,
  isControlledBy,
  isForbidden,
  messageOf,
  type ObjectKey,
  type ReconcileContext,
  type RefusedResult,
  retryRefused,
} from 'chancery';
import {
  type Deployment,
  deployments,
  type HorizontalPodAutoscaler,
  services,
} from 'chancery/kubernetes';
import { adjust, autoscalerOf } from './autoscaler.ts';
import {
  desiredDeployment,
  desiredService,
  dnsLabel,
  hasTemplate,
  steppedAtOf,
} from './children.ts';
import { type Stage, stageOf } from './ramp.ts';
import type { TDSet } from './resource.ts';
import { type Plan, windowText } from './schedule.ts';
import type { Outcome } from './status.ts';

/** As whom the original writes: what its Deployments have from it alone goes when they are changed. */
const ORIGINAL = 'manager';

/** After which a write for which a right is missing is tried again. */
const ASK_AGAIN_MS = 60_000;

/** An outcome, and what is to happen next. */
export interface CarriedOut extends Outcome {
  /** Until the next step of a ramp, or the next try. */
  readonly nextInMs?: number | undefined;
  /** When a write that was refused is tried again. */
  readonly retry?: RefusedResult;
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
  const own = live !== undefined && isControlledBy(live, set) ? live : undefined;
  if (set.spec.suspend === true) return { deployment: own, isSuspended: true };
  // That of somebody else's Deployment is not looked at: applyOwned refuses, and waits for the name.
  const autoscaler = live === own ? autoscalerOf(key, context) : undefined;
  if (autoscaler !== undefined && set.spec.adjustHPA !== true) {
    const { name } = autoscaler.metadata;
    const message = `HorizontalPodAutoscaler ${name} scales the Deployment: delete it, or set spec.adjustHPA`;
    return { deployment: own, trouble: { reason: 'HPAConflict', message } };
  }
  try {
    const done =
      autoscaler === undefined ? await scale(task, own) : await setFloor(task, own, autoscaler);
    if (createServices) await serve(task);
    return done;
  } catch (error) {
    return refused(own, error);
  }
}

async function scale(task: Task, own: Deployment | undefined): Promise<CarriedOut> {
  const { set, plan, nowMs } = task;
  const stage = stageOf(set.spec.ramp, {
    current: own?.spec.replicas,
    target: plan.replicas,
    steppedAtMs: own && steppedAtOf(own),
    nowMs,
  });
  const deployment = await deploy(task, stage);
  tell(task, own, stage.replicas);
  return { deployment, nextInMs: stage.nextInMs };
}

/** Above the floor the autoscaler decides: `replicas` is stated only with Pods that must be replaced. */
async function setFloor(
  task: Task,
  own: Deployment | undefined,
  autoscaler: HorizontalPodAutoscaler,
): Promise<CarriedOut> {
  const { set, plan, context } = task;
  const floor = await adjust(autoscaler, plan.replicas, context);
  if (floor !== undefined) {
    const note = `${autoscaler.metadata.name} keeps at least ${floor} replicas`;
    context.event('Normal', 'HPAAdjusted', note);
  }
  const isAutoscaled = true;
  if (own !== undefined && hasTemplate(own, set.spec)) return { deployment: own, isAutoscaled };
  const replicas = own?.spec.replicas ?? plan.replicas;
  return { deployment: await deploy(task, { replicas, steppedAtMs: undefined }), isAutoscaled };
}

function deploy(
  { set, context }: Task,
  stage: Pick<Stage, 'replicas' | 'steppedAtMs'>,
): Promise<Deployment> {
  const desired = desiredDeployment(set.metadata.name, set.spec, stage);
  return context.applyOwned(deployments, desired, { formerManagers: [ORIGINAL] });
}

async function serve({ set, context }: Task): Promise<void> {
  const { name } = set.metadata;
  const { service } = set.spec;
  if (service === undefined) await context.deleteOwned(services, { name: dnsLabel(name) });
  else await context.applyOwned(services, desiredService(name, service.port));
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

/** A refusal that a person has to know of; everything else is let through, and tried again. */
function refused(own: Deployment | undefined, error: unknown): CarriedOut {
  if (error instanceof AlreadyOwnedError) {
    return { deployment: own, trouble: { reason: 'NotOwned', message: error.message } };
  }
  const trouble = { reason: 'Refused', message: messageOf(error) };
  if (isForbidden(error)) return { deployment: own, trouble, nextInMs: ASK_AGAIN_MS };
  return { deployment: own, trouble, retry: retryRefused(error) };
}
