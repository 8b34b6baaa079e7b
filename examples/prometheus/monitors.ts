import { matchesSelector, messageOf, selectorFromObject } from 'chancery';
import { durationMs, durationProblem } from './duration.ts';
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
  /** Rejected besides: a status has room for so many. */
  readonly moreRejected: number;
}

/** Told by name; the others are counted. */
const MOST_TOLD = 20;
const MOST_CHARS = 300;

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
  if (spec.serviceMonitorSelector === undefined)
    return { accepted: [], rejected: [], moreRejected: 0 };
  const selector = selectorFromObject(spec.serviceMonitorSelector);
  const selected = monitors
    .filter(({ metadata }) => matchesSelector(selector, metadata.labels))
    .toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))
    .map((monitor) => ({ monitor, problem: problemOf(monitor, spec.scrapeInterval) }));
  const rejected = selected.flatMap(({ monitor: { metadata }, problem }) =>
    problem === undefined ? [] : [{ name: metadata.name, problem: problem.slice(0, MOST_CHARS) }],
  );
  return {
    accepted: selected.flatMap(({ monitor, problem }) => (problem === undefined ? [monitor] : [])),
    rejected: rejected.slice(0, MOST_TOLD),
    moreRejected: Math.max(rejected.length - MOST_TOLD, 0),
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
  { interval, scrapeTimeout }: Endpoint,
  scrapeInterval: string,
): string | undefined {
  const every = interval ?? scrapeInterval;
  const problem = durationProblem('the interval', every);
  if (problem !== undefined || scrapeTimeout === undefined) return problem;
  if (durationMs(scrapeTimeout) > durationMs(every)) {
    return 'the scrapeTimeout is longer than the interval';
  }
  return durationProblem('the scrapeTimeout', scrapeTimeout);
}
