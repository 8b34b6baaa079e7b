import { compareResourceVersions } from '../model/resource-version.ts';
import type { ReflectorStatus } from '../watch/reflector-status.ts';
import type { SharedInformer, SourceState } from './shared-informer.ts';

/** What needs attention most comes first. */
const STATES: readonly SourceState[] = [
  'stopped',
  'forbidden',
  'unserved',
  'waiting',
  'idle',
  'listing',
  'watching',
];
const HEALTHS: readonly ReflectorStatus['health'][] = [
  'stopped',
  'forbidden',
  'failing',
  'unserved',
  'starting',
  'healthy',
];

const HEALTHY: ReflectorStatus = {
  health: 'healthy',
  reason: undefined,
  error: undefined,
  retryInMs: undefined,
};

type Informers = readonly Pick<
  SharedInformer<never>,
  'state' | 'status' | 'lastContactAt' | 'resourceVersion'
>[];

/** The state that needs attention most; of none, `watching`: there is nothing to wait for. */
export function combinedState(informers: Informers): SourceState {
  return STATES.find((state) => informers.some((one) => one.state === state)) ?? 'watching';
}

/** The status of the one that is worst off; of none, a healthy one. */
export function combinedStatus(informers: Informers): ReflectorStatus {
  const all = informers.map(({ status }) => status);
  const rank = ({ health }: ReflectorStatus): number => HEALTHS.indexOf(health);
  return all.reduce((a, b) => (rank(b) < rank(a) ? b : a), all[0] ?? HEALTHY);
}

/** When the one was heard of that was heard of longest ago; undefined when one was never. */
export function earliestContactAt(informers: Informers): number | undefined {
  const all = informers.map(({ lastContactAt }) => lastContactAt ?? Number.NEGATIVE_INFINITY);
  const earliest = Math.min(...all);
  return Number.isFinite(earliest) ? earliest : undefined;
}

/** The resourceVersion that all have reached; undefined when one has none. */
export function oldestResourceVersion(informers: Informers): string | undefined {
  const [first, ...others] = informers.map(({ resourceVersion }) => resourceVersion);
  return others.reduce((a, b) => {
    if (a === undefined || b === undefined) return undefined;
    return (compareResourceVersions(b, a) ?? 0) < 0 ? b : a;
  }, first);
}
