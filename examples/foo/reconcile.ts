import {
  AlreadyOwnedError,
  ApiError,
  AWAIT_CHANGE,
  type Deployment,
  type DesiredCondition,
  deployments,
  findCondition,
  isUidMismatch,
  type ObjectKey,
  objectKey,
  READY,
  type ReconcileContext,
  type Reconciler,
} from 'chancery';
import type { Foo } from './definition.ts';
import { deleteOthers, deploymentFor, ownDeployments } from './deployment.ts';
import { isSame, statusReport } from './status.ts';

/**
 * One Foo becomes one Deployment of the name that it gives.
 *
 * @param waiting - kept by it: which Foos wait for which Deployment to go.
 */
export function fooReconciler(waiting: Map<ObjectKey, ObjectKey>): Reconciler<Foo> {
  const report = statusReport();

  /** Says what is wrong, once, and leaves everything as it is: only a change can help. */
  async function refuse(
    foo: Foo,
    problem: Pick<DesiredCondition, 'reason' | 'message'>,
    context: ReconcileContext<Foo>,
  ): Promise<typeof AWAIT_CHANGE> {
    const ready = { type: READY, status: 'False', ...problem } as const;
    if (!isSame(findCondition(foo.status?.conditions, READY), ready)) {
      context.event('Warning', problem.reason, problem.message);
    }
    await report(
      foo,
      { availableReplicas: available(ownDeployments(foo, context)), ready },
      context,
    );
    return AWAIT_CHANGE;
  }

  return async (key, foo, context) => {
    waiting.delete(key);
    if (foo === undefined || foo.metadata.deletionTimestamp !== undefined) return AWAIT_CHANGE;
    // No definition of the original demands a name, or a spec.
    const name = foo.spec?.deploymentName ?? '';
    if (name === '') return refuse(foo, NAMELESS, context);

    const wanted = objectKey(foo.metadata.namespace, name);
    const before = context.store(deployments).get(wanted);
    waiting.set(key, wanted); // before it is looked for: what goes from now on is noticed
    let deployment: Deployment;
    try {
      deployment = await context.applyOwned(deployments, deploymentFor(foo, name));
    } catch (error) {
      const problem = problemOf(error, name);
      if (problem === undefined) throw error;
      return refuse(foo, problem, context);
    }
    waiting.delete(key);

    const isChanged = deployment.metadata.generation !== before?.metadata.generation;
    const isRenamed = await deleteOthers(foo, name, context);
    const isNews = await report(foo, statusOf(deployment), context);
    if (isNews || isChanged || isRenamed) {
      context.event('Normal', 'Synced', 'Foo synced successfully');
    }
    return AWAIT_CHANGE;
  };
}

const NAMELESS = {
  reason: 'DeploymentNameMissing',
  message: 'spec.deploymentName must be specified',
};

/** What a person has to change; undefined for what another attempt may mend. */
function problemOf(
  error: unknown,
  name: string,
): Pick<DesiredCondition, 'reason' | 'message'> | undefined {
  if (error instanceof AlreadyOwnedError) {
    const message = `Resource ${JSON.stringify(name)} already exists and is not managed by Foo`;
    return { reason: 'ErrResourceExists', message };
  }
  if (error instanceof ApiError && error.status === 422 && !isUidMismatch(error)) {
    return { reason: 'DeploymentInvalid', message: error.message };
  }
  return undefined;
}

function statusOf(deployment: Deployment): {
  readonly availableReplicas: number;
  readonly ready: DesiredCondition;
} {
  const availableReplicas = available([deployment]);
  const replicas = deployment.spec.replicas ?? 1;
  const isReady = availableReplicas >= replicas;
  return {
    availableReplicas,
    ready: {
      type: READY,
      status: isReady ? 'True' : 'False',
      reason: isReady ? 'Synced' : 'WaitingForReplicas',
      message: `${availableReplicas} of ${replicas} replicas are available`,
    },
  };
}

function available(all: readonly Deployment[]): number {
  return all.reduce((sum, { status }) => sum + (status?.availableReplicas ?? 0), 0);
}
