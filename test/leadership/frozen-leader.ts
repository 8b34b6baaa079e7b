import { setTimeout as pause } from 'node:timers/promises';
import { type Arrival, isWrite, type ReplicaOptions, Replicas } from './replicas.ts';

/** What became of one run. */
export interface FrozenLeaderReport {
  /** Of the reconciler of the frozen leader, before it was frozen. */
  readonly writesBefore: number;
  /** Of the new leader's, when the old one was woken. */
  readonly writesMeanwhile: number;
  /** Requests of the old leader that change something, after the first of the new one. Must be none. */
  readonly writesAfter: readonly string[];
  /** From the freeze to the new leader's first write. */
  readonly takeoverMs: number;
  readonly frozenMs: number;
  /** From its wake-up to its end. */
  readonly exitMs: number;
  readonly exit: number | NodeJS.Signals;
  /** What the woken process said of its loss. */
  readonly loss: unknown;
}

/**
 * Two replicas write as leader; the one that leads is frozen in the middle of it, for longer than its
 * lease, and woken when the other leads and writes.
 *
 * @param moment - in [0, 1): when, between two renewals, it is frozen.
 * @param options - of both replicas.
 */
export async function frozenLeader(
  moment: number,
  options: ReplicaOptions = {},
): Promise<FrozenLeaderReport> {
  await using replicas = await Replicas.start(options);
  const { leader, standby } = await replicas.pair();
  await pause(1_000 * moment);

  leader.kill('SIGSTOP');
  const frozenAt = performance.now();
  const writesBefore = replicas.appliesOf(leader.name).length;
  await replicas.until(
    () => replicas.appliesOf(standby.name).length > 20,
    'the second leader writes',
  );
  const wokenAt = performance.now();
  leader.kill('SIGCONT');
  const exit = await leader.exit;
  const exitMs = performance.now() - wokenAt;

  const first = replicas.appliesOf(standby.name)[0] as Arrival;
  const since = replicas.arrivals.slice(replicas.arrivals.indexOf(first));
  const writesMeanwhile = replicas
    .appliesOf(standby.name)
    .filter(({ atMs }) => atMs < wokenAt).length;
  standby.kill('SIGTERM');
  await standby.exit;
  return {
    writesBefore,
    writesMeanwhile,
    writesAfter: since
      .filter(({ who, call }) => who === leader.name && isWrite(call))
      .map(({ call, atMs }) => `${call.verb} ${call.path} ${Math.round(atMs - wokenAt)} ms`),
    takeoverMs: Math.round(first.atMs - frozenAt),
    frozenMs: Math.round(wokenAt - frozenAt),
    exitMs: Math.round(exitMs),
    exit,
    loss: leader.log.find(({ msg }) => msg === 'leadership lost')?.err,
  };
}
