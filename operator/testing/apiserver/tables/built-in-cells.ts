/** What kubectl shows of the built-in kinds where it is more than one field. */

import type { StoredObject } from '../cluster-access.ts';
import { isObject, type Json, valueAt } from '../objects/metadata.ts';

function statuses(pod: StoredObject): readonly Json[] {
  const list = valueAt(pod, ['status', 'containerStatuses']);
  return Array.isArray(list) ? list.filter(isObject) : [];
}

export function readyContainers(pod: StoredObject): string {
  const wanted = valueAt(pod, ['spec', 'containers']);
  const ready = statuses(pod).filter((status) => status.ready === true).length;
  return `${ready}/${Array.isArray(wanted) ? wanted.length : 0}`;
}

export function podStatus(pod: StoredObject): string {
  if (pod.metadata.deletionTimestamp !== undefined) return 'Terminating';
  for (const { state } of statuses(pod)) {
    const reason =
      valueAt(state, ['waiting', 'reason']) ?? valueAt(state, ['terminated', 'reason']);
    if (typeof reason === 'string' && reason !== '') return reason;
  }
  return String(valueAt(pod, ['status', 'reason']) ?? valueAt(pod, ['status', 'phase']) ?? '');
}

export function restarts(pod: StoredObject): string {
  return String(statuses(pod).reduce((sum, status) => sum + Number(status.restartCount ?? 0), 0));
}

export function jobStatus(job: StoredObject): string {
  const conditions = valueAt(job, ['status', 'conditions']);
  const holds = (type: string): boolean =>
    Array.isArray(conditions) &&
    conditions.some((one) => one?.type === type && one.status === 'True');
  if (holds('Complete')) return 'Complete';
  if (holds('Failed')) return 'Failed';
  return holds('Suspended') ? 'Suspended' : 'Running';
}

export function nodeStatus(node: StoredObject): string {
  const conditions = valueAt(node, ['status', 'conditions']);
  const ready = Array.isArray(conditions) && conditions.find((one) => one?.type === 'Ready');
  if (!ready) return 'Unknown';
  return ready.status === 'True' ? 'Ready' : 'NotReady';
}

export function servicePorts(service: StoredObject): string {
  const ports = valueAt(service, ['spec', 'ports']);
  if (!Array.isArray(ports) || ports.length === 0) return '<none>';
  return ports.map((port) => `${port.port}/${port.protocol ?? 'TCP'}`).join(',');
}

export function lastSeen(event: StoredObject): unknown {
  const series = valueAt(event, ['series', 'lastObservedTime']);
  return series ?? event.lastTimestamp ?? event.deprecatedLastTimestamp ?? firstSeen(event);
}

export function firstSeen(event: StoredObject): unknown {
  return event.firstTimestamp ?? event.deprecatedFirstTimestamp ?? event.eventTime;
}

export function involvedObject(event: StoredObject): string {
  const object = event.involvedObject ?? event.regarding;
  const kind = String(valueAt(object, ['kind']) ?? '').toLowerCase();
  return `${kind}/${valueAt(object, ['name']) ?? ''}`;
}

export function eventSource(event: StoredObject): string {
  const component = valueAt(event, ['source', 'component']) ?? event.reportingComponent ?? '';
  const instance = valueAt(event, ['source', 'host']) ?? event.reportingInstance ?? '';
  return [component, instance].filter((part) => part !== '').join(', ');
}
