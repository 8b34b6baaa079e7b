import { isObject, type Json, valueAt } from '../objects/metadata.ts';
import type { StoredObject } from '../objects/stored-object.ts';
import { itemsAt } from './cell.ts';

/**
 * The largest number of metrics whose values a cell contains. For all further metrics, the cell contains only
 * their number.
 */
const SHOWN_METRICS = 2;

/** The field that describes a metric, keyed by the type of the metric. */
const SOURCES: Readonly<Record<string, string>> = {
  External: 'external',
  Pods: 'pods',
  Object: 'object',
  Resource: 'resource',
  ContainerResource: 'containerResource',
};

/** Each metric of an autoscaler with its current value and its target: `cpu: 40%/80%`. */
export function targetsText(autoscaler: StoredObject): string {
  const current = itemsAt(autoscaler, 'status.currentMetrics');
  const texts = itemsAt(autoscaler, 'spec.metrics').map((metric, index) =>
    metricText(metric, current[index]),
  );
  if (texts.length === 0) return '<none>';
  const more = texts.length - SHOWN_METRICS;
  const shown = texts.slice(0, SHOWN_METRICS).join(', ');
  return more > 0 ? `${shown} + ${more} more...` : shown;
}

function metricText(metric: Json, status: Json | undefined): string {
  const source = SOURCES[String(metric.type)];
  if (source === undefined) return '<unknown type>';
  const wanted = part(valueAt(metric, [source, 'target']));
  const found = part(valueAt(status, [source, 'current']));
  if (source === 'resource' || source === 'containerResource') {
    return `${valueAt(metric, [source, 'name'])}: ${resourceText(wanted, found)}`;
  }
  if (wanted.averageValue !== undefined) {
    const average = source === 'pods' ? '' : ' (avg)';
    return `${found.averageValue ?? '<unknown>'}/${wanted.averageValue}${average}`;
  }
  return `${found.value ?? '<unknown>'}/${wanted.value ?? 0}`;
}

function resourceText(wanted: Json, found: Json): string {
  if (wanted.averageValue !== undefined) {
    return `${found.averageValue ?? '<unknown>'}/${wanted.averageValue}`;
  }
  return `${percent(found, '<unknown>')}/${percent(wanted, '<auto>')}`;
}

function percent({ averageUtilization }: Json, otherwise: string): string {
  return averageUtilization === undefined ? otherwise : `${averageUtilization}%`;
}

function part(value: unknown): Json {
  return isObject(value) ? value : {};
}
