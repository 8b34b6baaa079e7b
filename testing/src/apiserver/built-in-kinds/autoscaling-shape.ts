import { isObject, type Json, withFields } from '../objects/metadata.ts';
import type { StoredObject } from '../objects/stored-object.ts';
import type { ServedResource } from '../registry/served-resource.ts';

const V1 = 'autoscaling/v1';
const V2 = 'autoscaling/v2';

/**
 * Converts between the versions of HorizontalPodAutoscaler. Objects are stored as autoscaling/v2, which
 * supports several metrics. autoscaling/v1 supports only one metric, the average use of CPU. All other
 * metrics are hidden from its clients.
 */
export const AUTOSCALER_SHAPE: NonNullable<ServedResource['shape']> = {
  toStored(object: StoredObject): StoredObject {
    const { targetCPUUtilizationPercentage: target, ...spec } = part(object.spec);
    const { currentCPUUtilizationPercentage: current, ...status } = part(object.status);
    const metrics = target === undefined ? {} : { metrics: [cpuTarget(target)] };
    const currentMetrics =
      current === undefined ? { currentMetrics: null } : { currentMetrics: [cpuUse(current)] };
    return withFields(object, {
      apiVersion: V2,
      spec: object.spec === undefined ? undefined : { ...spec, ...metrics },
      status: object.status === undefined ? undefined : { ...status, ...currentMetrics },
    });
  },

  fromStored(object: StoredObject): StoredObject {
    const { metrics, behavior: _, ...spec } = part(object.spec);
    const { currentMetrics, conditions: __, ...status } = part(object.status);
    const target = averageUse(metrics, 'target');
    const current = averageUse(currentMetrics, 'current');
    return withFields(object, {
      apiVersion: V1,
      spec: {
        ...spec,
        ...(target === undefined ? {} : { targetCPUUtilizationPercentage: target }),
      },
      status: {
        currentReplicas: 0,
        desiredReplicas: 0,
        ...status,
        ...(current === undefined ? {} : { currentCPUUtilizationPercentage: current }),
      },
    });
  },
};

function part(value: unknown): Json {
  return isObject(value) ? value : {};
}

function cpuTarget(averageUtilization: unknown): Json {
  const target = { type: 'Utilization', averageUtilization };
  return { type: 'Resource', resource: { name: 'cpu', target } };
}

function cpuUse(averageUtilization: unknown): Json {
  return { type: 'Resource', resource: { name: 'cpu', current: { averageUtilization } } };
}

function averageUse(metrics: unknown, field: 'target' | 'current'): unknown {
  if (!Array.isArray(metrics)) return undefined;
  const cpu = metrics.find((metric) => metric?.resource?.name === 'cpu');
  return cpu?.resource?.[field]?.averageUtilization;
}
