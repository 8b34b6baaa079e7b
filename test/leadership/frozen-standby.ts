import { setTimeout as pause } from 'node:timers/promises';
import type { FrozenLeaderReport } from './frozen-leader.ts';
import { type Arrival, isWrite, type Replica, type ReplicaOptions, Replicas } from './replicas.ts';

/** When a process is frozen that stays alive after a loss. */
export const STEPS = ['writing', 'renewing', 'waking', 'standing', 'acquiring'] as const;
export type Step = (typeof STEPS)[number];

export interface FrozenStandbyReport extends FrozenLeaderReport {
  readonly step: Step;
  readonly ledAgain: boolean;
}

/** The writer goes on until its signal aborts: that is 40 % of the stop. */
const STANDBY = { CHANCERY_ON_LEADERSHIP_LOST: 'standby', CHANCERY_SHUTDOWN_TIMEOUT: '5' };

/** How long a process is frozen once more after its loss: shorter than a lease, long enough to be late. */
const SECOND_FREEZE_MS = 2_000;

/**
 * As `frozenLeader`, of replicas that stand by after a loss: the one that was frozen stays alive, writes
 * nothing while the other leads, leads again when the other has ended, and ends with 0 when asked to.
 *
 * @param step - when it is frozen. `writing`: between two renewals. `renewing`: when a renewal has been
 *   sent and not answered. Of the others it is frozen while it writes, and once more for 2 s:
 *   `waking`: right after it was woken; `standing`: at its first request for the Lease after the
 *   loss; `acquiring`: when it has sent the request that makes it leader again.
 * @param moment - in [0, 1): when, between two renewals, it is frozen first.
 */
export async function frozenStandby(
  step: Step,
  moment: number,
  options: ReplicaOptions = {},
): Promise<FrozenStandbyReport> {
  const environment = { ...STANDBY, ...options.environment };
  await using replicas = await Replicas.start({ ...options, environment });
  const { leader, standby } = await replicas.pair();
  await pause(1_000 * moment);

  if (step === 'renewing') await frozenAt(leader, ({ verb }) => verb === 'update');
  else leader.kill('SIGSTOP');
  const frozenMs = performance.now();
  const writesBefore = replicas.appliesOf(leader.name).length;
  await replicas.until(
    () => replicas.appliesOf(standby.name).length > 20,
    'the second leader writes',
  );
  const standing = step === 'standing' ? frozenAt(leader, () => true) : undefined;
  const wokenAt = performance.now();
  leader.kill('SIGCONT');
  if (step === 'waking') leader.kill('SIGSTOP');
  await standing;
  if (standing !== undefined || step === 'waking') {
    await pause(SECOND_FREEZE_MS);
    leader.kill('SIGCONT');
  }
  await replicas.until(
    () => leader.log.some(({ msg }) => msg === 'leadership lost'),
    'the woken leader tells its loss',
  );
  const lossAt = replicas.arrivals.length;
  await replicas.until(
    () =>
      replicas.arrivals.slice(lossAt).some(({ who, call }) => who === leader.name && isLease(call)),
    'the woken leader stands for leadership again',
  );
  const first = replicas.appliesOf(standby.name)[0] as Arrival;
  const writesMeanwhile = replicas
    .appliesOf(standby.name)
    .filter(({ atMs }) => atMs < wokenAt).length;
  const acquiring =
    step === 'acquiring' ? frozenAt(leader, ({ verb }) => verb === 'update') : undefined;
  standby.kill('SIGTERM');
  await standby.exit;
  if (acquiring !== undefined) {
    await acquiring;
    await pause(SECOND_FREEZE_MS);
    leader.kill('SIGCONT');
  }
  const released = replicas.writesOf(standby.name).at(-1) as Arrival;
  const sinceFirst = replicas.arrivals.slice(replicas.arrivals.indexOf(first));
  const ledAgain = await replicas
    .until(() => appliesAfter(replicas, leader, released) > 20, 'the old leader leads again')
    .then(() => true);
  // What it wrote before the other gave the Lease back, or before it has asked for the Lease itself.
  const gained = replicas.arrivals.find(
    ({ who, call, atMs }) =>
      who === leader.name && call.verb === 'update' && isLease(call) && atMs > released.atMs,
  );
  const late = sinceFirst.filter(
    (each) =>
      each.who === leader.name && isWrite(each.call) && each.atMs < (gained?.atMs ?? Infinity),
  );
  const endedAt = performance.now();
  leader.kill('SIGTERM');
  const exit = await leader.exit;
  return {
    step,
    writesBefore,
    writesMeanwhile,
    writesAfter: late.map(
      ({ call, atMs }) => `${call.verb} ${call.path} ${Math.round(atMs - wokenAt)} ms`,
    ),
    takeoverMs: Math.round(first.atMs - frozenMs),
    frozenMs: Math.round(wokenAt - frozenMs),
    exitMs: Math.round(performance.now() - endedAt),
    exit,
    ledAgain,
    loss: leader.log.find(({ msg }) => msg === 'leadership lost')?.err,
  };
}

/** Freezes it when its next request about the Lease of this kind arrives; that one is passed on. */
function frozenAt(replica: Replica, isMeant: (call: Arrival['call']) => boolean): Promise<void> {
  return new Promise((resolve) => {
    replica.gate = {
      before: (call) => {
        if (isLease(call) && isMeant(call)) {
          replica.kill('SIGSTOP');
          replica.gate = {};
          resolve();
        }
        return 'pass';
      },
    };
  });
}

function appliesAfter(replicas: Replicas, { name }: Replica, { atMs }: Arrival): number {
  return replicas.appliesOf(name).filter((each) => each.atMs > atMs).length;
}

function isLease({ resource }: Arrival['call']): boolean {
  return resource.startsWith('leases.');
}
