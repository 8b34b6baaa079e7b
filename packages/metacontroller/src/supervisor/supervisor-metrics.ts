import type { Metric } from 'chancery/internal';
import { METACONTROLLER_METRICS } from './metric-names.ts';

/**
 * Histogram buckets for the time of hook calls. Hooks answer within milliseconds, or as late as
 * their time limit, usually 10 s.
 */
const HOOK_SECONDS = [0.005, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** The metrics of `METACONTROLLER_METRICS` on `/metrics`. */
export const SUPERVISOR_METRICS: readonly Metric[] = [
  {
    name: METACONTROLLER_METRICS.hookCalls,
    type: 'counter',
    help: 'Calls of hooks; the result is ok or the reason of the failure',
    labels: ['controller', 'hook', 'result'],
  },
  {
    name: METACONTROLLER_METRICS.hookSeconds,
    type: 'histogram',
    help: 'How long calls of hooks take',
    labels: ['controller', 'hook'],
    buckets: HOOK_SECONDS,
  },
  {
    name: METACONTROLLER_METRICS.hotLoops,
    type: 'counter',
    help: 'Times that the same answer of a hook was written again and again',
    labels: ['controller'],
  },
  {
    name: METACONTROLLER_METRICS.failures,
    type: 'counter',
    help: 'Reconciles of parents that failed',
    labels: ['controller', 'reason'],
  },
  {
    name: METACONTROLLER_METRICS.failingParents,
    type: 'gauge',
    help: 'Parents whose last reconcile failed, 1000 at most',
    labels: ['controller'],
  },
  {
    name: METACONTROLLER_METRICS.controllers,
    type: 'gauge',
    help: 'Controllers by what they do: running, starting, failed',
    labels: ['state'],
  },
];
