import { valueAt } from '../objects/metadata.ts';
import type { StoredObject } from '../objects/stored-object.ts';
import { humanDuration } from './age.ts';
import { targetsText } from './autoscaler-targets.ts';
import {
  AGE,
  conditionHolds,
  count,
  filled,
  itemsAt,
  NAME,
  ofTotal,
  since,
  size,
  text,
} from './cell.ts';
import { BOOLEAN, type Cell, column, INTEGER, type TableColumn, WIDE } from './column.ts';
import { gatesText, podSummary, restartsText } from './pod-summary.ts';
import { labels, selector } from './selector-text.ts';

function containers(field: string, path: string): Cell {
  return (object) =>
    itemsAt(object, `${path}.containers`)
      .map((container) => container[field])
      .join(',');
}

function containerColumns(path = 'spec.template.spec'): readonly TableColumn[] {
  return [
    column('Containers', containers('name', path), WIDE),
    column('Images', containers('image', path), WIDE),
  ];
}

const SELECTOR: TableColumn = column('Selector', selector('spec.selector'), WIDE);

const REPLICAS: readonly TableColumn[] = [
  column('Desired', count('spec.replicas'), INTEGER),
  column('Current', count('status.replicas'), INTEGER),
  column('Ready', count('status.readyReplicas'), INTEGER),
];

function podIp(pod: StoredObject): unknown {
  const first = itemsAt(pod, 'status.podIPs')[0]?.ip;
  return first || valueAt(pod, ['status', 'podIP']) || '<none>';
}

function jobStatus(job: StoredObject): string {
  if (conditionHolds(job, 'Complete')) return 'Complete';
  if (conditionHolds(job, 'Failed')) return 'Failed';
  if (job.metadata.deletionTimestamp !== undefined) return 'Terminating';
  const others = ['Suspended', 'FailureTarget', 'SuccessCriteriaMet'];
  return others.find((type) => conditionHolds(job, type)) ?? 'Running';
}

function completions(job: StoredObject): string {
  const succeeded = Number(valueAt(job, ['status', 'succeeded']) ?? 0);
  const wanted = valueAt(job, ['spec', 'completions']);
  if (wanted !== undefined) return `${succeeded}/${wanted}`;
  const parallelism = Number(valueAt(job, ['spec', 'parallelism']) ?? 0);
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

function jobDuration(job: StoredObject, nowMs: number): string {
  const start = valueAt(job, ['status', 'startTime']);
  const end = valueAt(job, ['status', 'completionTime']);
  if (typeof start !== 'string') return '';
  const endMs = typeof end === 'string' ? Date.parse(end) : nowMs;
  return humanDuration(endMs - Date.parse(start));
}

function suspended(cronJob: StoredObject): string {
  const suspend = valueAt(cronJob, ['spec', 'suspend']);
  if (suspend === undefined) return '<unset>';
  return suspend === true ? 'True' : 'False';
}

function controller({ metadata }: StoredObject): string {
  const owner = metadata.ownerReferences?.find((reference) => reference.controller);
  if (owner === undefined) return '<none>';
  const slash = owner.apiVersion.indexOf('/');
  const group = slash < 0 ? '' : `.${owner.apiVersion.slice(0, slash)}`;
  return `${owner.kind}${group}`.toLowerCase().concat(`/${owner.name}`);
}

/** The columns of workloads: the kinds that run containers. */
export const WORKLOAD_COLUMNS: Readonly<Record<string, readonly TableColumn[]>> = {
  Pod: [
    NAME,
    column('Ready', (pod) => {
      const { ready, total } = podSummary(pod);
      return `${ready}/${total}`;
    }),
    column('Status', (pod) => podSummary(pod).status),
    column('Restarts', restartsText),
    AGE,
    column('IP', podIp, WIDE),
    column('Node', filled('spec.nodeName', '<none>'), WIDE),
    column('Nominated Node', filled('status.nominatedNodeName', '<none>'), WIDE),
    column('Readiness Gates', gatesText, WIDE),
  ],
  PodTemplate: [
    NAME,
    column('Containers', containers('name', 'template.spec')),
    column('Images', containers('image', 'template.spec')),
    column('Pod Labels', labels('template.metadata.labels')),
  ],
  Deployment: [
    NAME,
    column('Ready', ofTotal('status.readyReplicas', 'spec.replicas')),
    column('Up-to-date', count('status.updatedReplicas')),
    column('Available', count('status.availableReplicas')),
    AGE,
    ...containerColumns(),
    column('Selector', selector('spec.selector', ''), WIDE),
  ],
  ReplicaSet: [NAME, ...REPLICAS, AGE, ...containerColumns(), SELECTOR],
  ReplicationController: [
    NAME,
    ...REPLICAS,
    AGE,
    ...containerColumns(),
    column('Selector', labels('spec.selector'), WIDE),
  ],
  StatefulSet: [
    NAME,
    column('Ready', ofTotal('status.readyReplicas', 'spec.replicas')),
    AGE,
    ...containerColumns(),
  ],
  DaemonSet: [
    NAME,
    column('Desired', count('status.desiredNumberScheduled'), INTEGER),
    column('Current', count('status.currentNumberScheduled'), INTEGER),
    column('Ready', count('status.numberReady'), INTEGER),
    column('Up-to-date', count('status.updatedNumberScheduled'), INTEGER),
    column('Available', count('status.numberAvailable'), INTEGER),
    column('Node Selector', labels('spec.template.spec.nodeSelector')),
    AGE,
    ...containerColumns(),
    SELECTOR,
  ],
  Job: [
    NAME,
    column('Status', jobStatus),
    column('Completions', completions),
    column('Duration', jobDuration),
    AGE,
    ...containerColumns(),
    SELECTOR,
  ],
  CronJob: [
    NAME,
    column('Schedule', text('spec.schedule')),
    column('Timezone', text('spec.timeZone', '<none>')),
    column('Suspend', suspended, BOOLEAN),
    column('Active', size('status.active'), INTEGER),
    column('Last Schedule', since('status.lastScheduleTime', '<none>')),
    AGE,
    ...containerColumns('spec.jobTemplate.spec.template.spec'),
    column('Selector', selector('spec.jobTemplate.spec.selector'), WIDE),
  ],
  ControllerRevision: [
    NAME,
    column('Controller', controller),
    column('Revision', count('revision')),
    AGE,
  ],
  HorizontalPodAutoscaler: [
    NAME,
    column(
      'Reference',
      (object) =>
        `${valueAt(object, ['spec', 'scaleTargetRef', 'kind'])}/${valueAt(object, ['spec', 'scaleTargetRef', 'name'])}`,
    ),
    column('Targets', targetsText),
    column('MinPods', text('spec.minReplicas', '<unset>')),
    column('MaxPods', count('spec.maxReplicas')),
    column('Replicas', count('status.currentReplicas')),
    AGE,
  ],
  PodDisruptionBudget: [
    NAME,
    column('Min Available', text('spec.minAvailable', 'N/A')),
    column('Max Unavailable', text('spec.maxUnavailable', 'N/A')),
    column('Allowed Disruptions', count('status.disruptionsAllowed'), INTEGER),
    AGE,
  ],
};
