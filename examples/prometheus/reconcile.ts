import {
  AlreadyOwnedError,
  messageOf,
  type ReconcileContext,
  type Reconciler,
  retryRefused,
  selectorFromObject,
} from 'chancery';
import { secrets, services, statefulSets } from 'chancery/kubernetes';
import { configSecret, governingService, serverSet } from './children.ts';
import { configuration } from './configuration.ts';
import { durationProblem } from './duration.ts';
import { type Selected, selectMonitors } from './monitors.ts';
import { type Attempt, report } from './report.ts';
import { type Prometheus, type ServiceMonitor, serviceMonitors } from './resources.ts';

/** A Prometheus becomes a Secret with the configuration, a Service and a StatefulSet. */
export const reconcile: Reconciler<Prometheus> = async (prometheus, context) => {
  if (prometheus.metadata.deletionTimestamp !== undefined) {
    return;
  }
  const outcome = await outcomeOf(prometheus, context);
  await report(prometheus, outcome, context);
  return outcome.next;
};

async function outcomeOf(
  prometheus: Prometheus,
  context: ReconcileContext<Prometheus>,
): Promise<Attempt> {
  const problem = problemOf(prometheus);
  if (problem !== undefined) return { reason: 'InvalidSpec', message: problem };
  const { namespace = '' } = prometheus.metadata;
  const monitors = context.store(serviceMonitors).list({ namespace });
  const selected = selectMonitors(prometheus, monitors);
  tellRejected(prometheus, selected, monitors, context);
  return deploy(prometheus, selected, context);
}

/** What no schema can refuse. */
function problemOf({ spec }: Prometheus): string | undefined {
  const problem =
    durationProblem('spec.scrapeInterval', spec.scrapeInterval) ??
    durationProblem('spec.retention', spec.retention);
  if (problem !== undefined) return problem;
  try {
    selectorFromObject(spec.serviceMonitorSelector ?? {});
    return undefined;
  } catch (error) {
    return `spec.serviceMonitorSelector: ${messageOf(error)}`;
  }
}

/** Once for each: what stands in the status has been told. */
function tellRejected(
  prometheus: Prometheus,
  { rejected }: Selected,
  monitors: readonly ServiceMonitor[],
  { events }: ReconcileContext<Prometheus>,
): void {
  const told = prometheus.status?.rejectedServiceMonitors ?? [];
  for (const { name, problem } of rejected) {
    if (told.some((each) => each.name === name && each.problem === problem)) continue;
    const regarding = monitors.find(({ metadata }) => metadata.name === name);
    if (regarding === undefined) continue;
    events.record({
      regarding,
      related: prometheus,
      type: 'Warning',
      reason: 'InvalidConfiguration',
      action: 'Reconcile',
      note: `left out of Prometheus ${prometheus.metadata.name}: ${problem}`,
    });
  }
}

/** The configuration first, for Pods do not start without it. */
async function deploy(
  prometheus: Prometheus,
  { accepted, ...selected }: Selected,
  { applyOwned }: ReconcileContext<Prometheus>,
): Promise<Attempt> {
  try {
    await applyOwned(secrets, configSecret(prometheus, configuration(prometheus, accepted)));
    await applyOwned(services, governingService(prometheus));
    return { ...selected, set: await applyOwned(statefulSets, serverSet(prometheus)) };
  } catch (error) {
    const message = messageOf(error);
    if (error instanceof AlreadyOwnedError) return { ...selected, reason: 'NotOwned', message };
    // Such as a configuration with more than a Secret has room for, or by a policy.
    const next = retryRefused(error);
    return { ...selected, reason: 'Refused', message, next };
  }
}
