import { setTimeout as pause } from 'node:timers/promises';
import { type Arrival, isWrite, Replicas } from './replicas.ts';

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

const LEADS_MS = 60_000;

/**
 * Two replicas write as leader; the one that leads is frozen in the middle of it, for longer than its
 * lease, and woken when the other leads and writes.
 *
 * @param moment - in [0, 1): when, between two renewals, it is frozen.
 */
export async function frozenLeader(moment: number): Promise<FrozenLeaderReport> {
  await using replicas = await Replicas.start();
  const old = await replicas.replica('old');
  await until(() => replicas.appliesOf('old').length > 50, 'the first leader writes');
  const next = await replicas.replica('new');
  await until(() => reads(replicas, 'new') > 0, 'the standby has read the Lease');
  await pause(1_000 * (1 + moment));

  old.kill('SIGSTOP');
  const frozenAt = performance.now();
  const writesBefore = replicas.appliesOf('old').length;
  await until(() => replicas.appliesOf('new').length > 20, 'the second leader writes');
  const wokenAt = performance.now();
  old.kill('SIGCONT');
  const exit = await old.exit;
  const exitMs = performance.now() - wokenAt;

  const first = replicas.appliesOf('new')[0] as Arrival;
  const since = replicas.arrivals.slice(replicas.arrivals.indexOf(first));
  const writesMeanwhile = since.filter(({ who, atMs }) => who === 'new' && atMs < wokenAt).length;
  next.kill('SIGTERM');
  await next.exit;
  return {
    writesBefore,
    writesMeanwhile,
    writesAfter: since
      .filter(({ who, call }) => who === 'old' && isWrite(call))
      .map(({ call, atMs }) => `${call.verb} ${call.path} ${Math.round(atMs - wokenAt)} ms`),
    takeoverMs: Math.round(first.atMs - frozenAt),
    frozenMs: Math.round(wokenAt - frozenAt),
    exitMs: Math.round(exitMs),
    exit,
    loss: old.log.find(({ msg }) => msg === 'leadership lost')?.err,
  };
}

/** How often `who` has read the Lease. */
function reads({ arrivals }: Replicas, who: string): number {
  return arrivals.filter(
    (each) => each.who === who && each.call.resource.startsWith('leases') && !isWrite(each.call),
  ).length;
}

/** Polls: what is waited for happens in other processes. */
export async function until(holds: () => boolean, what: string): Promise<void> {
  const untilMs = performance.now() + LEADS_MS;
  while (!holds()) {
    if (performance.now() > untilMs) throw new Error(`not within ${LEADS_MS} ms: ${what}`);
    await pause(5);
  }
}
