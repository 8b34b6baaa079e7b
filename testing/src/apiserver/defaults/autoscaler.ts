import type { Json } from '../objects/metadata.ts';
import { asObject, fill } from './fill.ts';

/** The default metric: Pods use 80 % of their requested CPU. */
const CPU = {
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } },
};

const UP = {
  stabilizationWindowSeconds: 0,
  selectPolicy: 'Max',
  policies: [
    { type: 'Pods', value: 4, periodSeconds: 15 },
    { type: 'Percent', value: 100, periodSeconds: 15 },
  ],
};

const DOWN = {
  selectPolicy: 'Max',
  policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }],
};

/** The defaults of an autoscaler of autoscaling/v2. `behavior` gets defaults only if it is set. */
export function defaultAutoscalerSpec(spec: Json): Json {
  const metrics = Array.isArray(spec.metrics) && spec.metrics.length > 0 ? spec.metrics : [CPU];
  return {
    ...fill(spec, {
      minReplicas: 1,
      behavior: (value: unknown) => {
        const behavior = asObject(value);
        if (behavior === undefined) return undefined;
        return fill(behavior, {
          scaleUp: (rules: unknown) => fill(asObject(rules), UP),
          scaleDown: (rules: unknown) => fill(asObject(rules), DOWN),
        });
      },
    }),
    metrics,
  };
}
