import { isObject, type Json } from '../../objects/metadata.ts';
import {
  type Check,
  each,
  fields,
  formed,
  maybeOneOf,
  needed,
  notNegative,
} from '../fields/check.ts';
import { headerName, portName } from '../fields/formats.ts';
import { forbidden, invalidValue, type Problem, required } from '../fields/problem.ts';

/** Checks a port number or port name. A missing port counts as `0`. */
export function portOrName(value: unknown, field: string): readonly Problem[] {
  if (typeof value === 'string') {
    return portName(value).map((why) => invalidValue(field, value, why));
  }
  return portNumber(value ?? 0, field);
}

export function portNumber(value: unknown, field: string): readonly Problem[] {
  if (value === undefined || (Number(value) >= 1 && Number(value) <= 65_535)) return [];
  return [invalidValue(field, value, 'must be between 1 and 65535, inclusive')];
}

const HANDLERS: Readonly<Record<string, Check>> = {
  exec: fields({ command: needed() }),
  httpGet: fields({
    path: needed(),
    port: portOrName,
    scheme: maybeOneOf('HTTP', 'HTTPS'),
    httpHeaders: (value, field) =>
      each(fields({ name: formed(headerName) }))(value, field).map((problem) => ({
        ...problem,
        field,
      })),
  }),
  tcpSocket: fields({ port: portOrName }),
  grpc: fields({ port: portOrName }),
  sleep: () => [],
};

/** Requires exactly one action in a probe or a lifecycle hook. */
function handler(value: Json, field: string): readonly Problem[] {
  const set = Object.keys(HANDLERS).filter((name) => isObject(value[name]));
  const [first, ...others] = set;
  if (first === undefined) return [required(field, 'must specify a handler type')];
  return [
    ...(HANDLERS[first]?.(value[first], `${field}.${first}`) ?? []),
    ...others.map((name) =>
      forbidden(`${field}.${name}`, 'may not specify more than 1 handler type'),
    ),
  ];
}

/**
 * Checks a probe.
 * @param only - `once` for liveness and startup probes: their `successThreshold` must be 1, because after a
 * failure the container is not probed again. `again` for readiness probes.
 */
export function probe(only: 'once' | 'again'): Check {
  const numbers = fields({
    initialDelaySeconds: notNegative,
    timeoutSeconds: notNegative,
    periodSeconds: notNegative,
    successThreshold: notNegative,
    failureThreshold: notNegative,
    terminationGracePeriodSeconds: (seconds, field) =>
      typeof seconds === 'number' && seconds <= 0
        ? [invalidValue(field, seconds, 'must be greater than 0')]
        : [],
  });
  return (value, field) => {
    if (!isObject(value)) return [];
    const problems = [...handler(value, field), ...numbers(value, field)];
    if (only === 'once' && value.successThreshold !== 1) {
      problems.push(invalidValue(`${field}.successThreshold`, value.successThreshold, 'must be 1'));
    }
    const grace = value.terminationGracePeriodSeconds;
    if (only === 'again' && grace !== undefined) {
      const why = 'must not be set for readinessProbes';
      problems.push(invalidValue(`${field}.terminationGracePeriodSeconds`, grace, why));
    }
    return problems;
  };
}

/** Checks the lifecycle hooks of a container: `postStart` and `preStop`. */
export const lifecycle: Check = fields({
  postStart: (value, field) => (isObject(value) ? handler(value, field) : []),
  preStop: (value, field) => (isObject(value) ? handler(value, field) : []),
});
