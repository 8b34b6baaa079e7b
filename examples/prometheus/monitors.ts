import { matchesSelector, messageOf, selectorFromObject } from 'chancery';
import { durationMs } from './duration.ts';
import type { Endpoint, Prometheus, ServiceMonitor } from './resources.ts';

/** A ServiceMonitor that is left out of the configuration. */
export interface Rejected {
  readonly name: string;
  readonly problem: string;
}

export interface Selected {
  /** By name, so that the configuration does not depend on the order of a cache. */
  readonly accepted: readonly ServiceMonitor[];
  readonly rejected: readonly Rejected[];
}

/**
 * The ServiceMonitors that a Prometheus selects: none without a selector, all of its namespace with an
 * empty one. Prometheus loads a configuration whole or not at all, so one that it would not take is left
 * out: the others must not suffer from it.
 *
 * @throws ConfigurationError `CONFIG` for a selector that is none.
 */
export function selectMonitors(
  { spec }: Prometheus,
  monitors: readonly ServiceMonitor[],
): Selected {
  if (spec.serviceMonitorSelector === undefined) return { accepted: [], rejected: [] };
  const selector = selectorFromObject(spec.serviceMonitorSelector);
  const selected = monitors
    .filter(({ metadata }) => matchesSelector(selector, metadata.labels))
    .toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
    .map((monitor) => ({ monitor, problem: problemOf(monitor, spec.scrapeInterval) }));
  return {
    accepted: selected.flatMap(({ monitor, problem }) => (problem === undefined ? [monitor] : [])),
    rejected: selected.flatMap(({ monitor: { metadata }, problem }) =>
      problem === undefined ? [] : [{ name: metadata.name, problem }],
    ),
  };
}

/** Why Prometheus would not load its part of the configuration. */
function problemOf({ spec }: ServiceMonitor, scrapeInterval: string): string | undefined {
  try {
    selectorFromObject(spec.selector);
  } catch (error) {
    return messageOf(error);
  }
  const problems = spec.endpoints.map((endpoint, at) => {
    const problem = endpointProblem(endpoint, scrapeInterval);
    return problem === undefined ? undefined : `spec.endpoints[${at}]: ${problem}`;
  });
  return problems.find((problem) => problem !== undefined);
}

function endpointProblem(
  { interval = '', scrapeTimeout = '' }: Endpoint,
  scrapeInterval: string,
): string | undefined {
  const everyMs = durationMs(interval || scrapeInterval);
  if (everyMs === 0) return 'the interval is 0';
  if (scrapeTimeout === '') return undefined;
  const withinMs = durationMs(scrapeTimeout);
  if (withinMs === 0) return 'the scrapeTimeout is 0';
  if (withinMs > everyMs) return 'the scrapeTimeout is longer than the interval';
  return undefined;
}
