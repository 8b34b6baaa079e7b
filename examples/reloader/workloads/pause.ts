import { rfc3339 } from 'chancery';
import { type Deployment, deployments } from 'chancery/kubernetes';
import { type AnnotationNames, annotationOf } from '../contract/annotations.ts';
import { type PausePeriod, pausePeriodOf } from '../contract/pause-period.ts';
import type { RestartContext, UpkeepOutcome, WorkloadKind } from './kind.ts';
import { deploymentKind, restartPatch, targetOf } from './rolling.ts';

/**
 * Deployments, which `pause-period` pauses after each restart: later changes wait for the end of the period. The
 * state is the annotation `paused-at` and the period alone, so that any process can end the pause. A Deployment
 * that is paused without `paused-at` was paused by a person: it is restarted as it is and never resumed.
 */
export function pausingDeploymentKind(names: AnnotationNames): WorkloadKind<Deployment> {
  return {
    ...deploymentKind,
    async restart(workload, plan, { reconcile: { client }, nowMs }) {
      const period = periodOf(workload, names);
      if (period !== undefined && 'problem' in period) {
        return { outcome: 'blocked', problem: period.problem };
      }
      const pauses = (period?.periodMs ?? 0) > 0 && workload.spec.paused !== true;
      const also = pauses
        ? { spec: { paused: true }, annotations: { [names.pausedAt]: rfc3339(nowMs) } }
        : {};
      await client.patch(deployments, targetOf(workload), restartPatch(workload, plan, also));
      return { outcome: 'restarted' };
    },
    upkeep: (workload, context) => endPause(workload, names, context),
  };
}

function periodOf({ metadata, spec }: Deployment, names: AnnotationNames): PausePeriod {
  const annotations = metadata.annotations ?? {};
  const templateAnnotations = spec.template.metadata?.annotations ?? {};
  return pausePeriodOf({ annotations, templateAnnotations }, names);
}

async function endPause(
  workload: Deployment,
  names: AnnotationNames,
  { reconcile: { client, log }, nowMs }: RestartContext<Deployment>,
): Promise<UpkeepOutcome> {
  const period = periodOf(workload, names);
  const problems = period !== undefined && 'problem' in period ? [period.problem] : [];
  const pausedAt = annotationOf(workload.metadata.annotations ?? {}, names.pausedAt);
  if (pausedAt === undefined) return { problems };
  const isPaused = workload.spec.paused === true;
  const { uid, resourceVersion } = workload.metadata;
  const leftMs = isPaused ? pauseLeftMs(pausedAt, period, nowMs) : 0;
  if (leftMs > 0 && Date.parse(pausedAt) > nowMs) {
    // Set by a clock that was ahead. The pause counts from now: as it is, it would last until that time has come.
    const annotations = { [names.pausedAt]: rfc3339(nowMs) };
    const body = { metadata: { uid, resourceVersion, annotations } };
    await client.patch(deployments, targetOf(workload), { type: 'merge', body });
    return { written: true, problems };
  }
  if (leftMs > 0) return { waitMs: leftMs, problems };
  // Resumed by hand: the mark goes too, or the next pause of a person would be taken for one of this operator.
  const metadata = { uid, resourceVersion, annotations: { [names.pausedAt]: null } };
  const body = isPaused ? { metadata, spec: { paused: false } } : { metadata };
  await client.patch(deployments, targetOf(workload), { type: 'strategic', body });
  log.info({ resumed: isPaused }, 'pause has ended');
  return { written: true, problems };
}

/** Zero without a usable period or time: a pause whose end nobody knows would last for ever. */
function pauseLeftMs(pausedAt: string, period: PausePeriod, nowMs: number): number {
  if (period === undefined || 'problem' in period) return 0;
  const beganMs = Date.parse(pausedAt);
  if (Number.isNaN(beganMs)) return 0;
  return beganMs + period.periodMs - nowMs;
}
