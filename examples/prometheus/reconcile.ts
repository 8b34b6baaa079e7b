import {
  AlreadyOwnedError,
  AWAIT_CHANGE,
  messageOf,
  type ObjectKey,
  type ReconcileContext,
  type Reconciler,
  type Result,
  secrets,
  selectorFromObject,
  services,
  statefulSets,
} from 'chancery';
import { configSecret, governingService, serverSet } from './children.ts';
import { configuration } from './configuration.ts';
import { durationMs } from './duration.ts';
import { type Selected, selectMonitors } from './monitors.ts';
import { type Outcome, report } from './report.ts';
import { type Prometheus, type ServiceMonitor, serviceMonitors } from './resources.ts';

/** Nothing tells when somebody else's object goes out of the way. */
const FOREIGN_MS = 300_000;

/**
 * A Prometheus becomes a Secret with the configuration, a Service and a StatefulSet.
 *
 * @param known - the keys of every Prometheus there is: kept up to date here.
 */
export function createReconciler(known: Set<ObjectKey>): Reconciler<Prometheus> {
  return async (key, prometheus, context) => {
    if (prometheus === undefined || prometheus.metadata.deletionTimestamp !== undefined) {
      known.delete(key);
      return AWAIT_CHANGE;
    }
    known.add(key); // before the monitors are read: one that comes later enqueues this key
    const problem = problemOf(prometheus);
    if (problem !== undefined) return report(prometheus, problem, context, AWAIT_CHANGE);
    const { namespace = '' } = prometheus.metadata;
    const monitors = context.store(serviceMonitors).list({ namespace });
    const selected = selectMonitors(prometheus, monitors);
    tellRejected(prometheus, selected, monitors, context);
    return deploy(prometheus, selected, context);
  };
}

/** What no schema can refuse. */
function problemOf({ spec }: Prometheus): Outcome | undefined {
  if (durationMs(spec.scrapeInterval) === 0) {
    return { reason: 'InvalidSpec', message: 'spec.scrapeInterval is 0' };
  }
  try {
    selectorFromObject(spec.serviceMonitorSelector ?? {});
    return undefined;
  } catch (error) {
    const message = `spec.serviceMonitorSelector: ${messageOf(error)}`;
    return { reason: 'InvalidSpec', message };
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
  { accepted, rejected }: Selected,
  context: ReconcileContext<Prometheus>,
): Promise<Result> {
  const { applyOwned } = context;
  try {
    await applyOwned(secrets, configSecret(prometheus, configuration(prometheus, accepted)));
    await applyOwned(services, governingService(prometheus));
    const set = await applyOwned(statefulSets, serverSet(prometheus));
    return report(prometheus, { set, rejected }, context, AWAIT_CHANGE);
  } catch (error) {
    if (!(error instanceof AlreadyOwnedError)) throw error;
    const outcome = { reason: 'NotOwned', message: error.message, rejected };
    return report(prometheus, outcome, context, { requeueAfterMs: FOREIGN_MS });
  }
}
