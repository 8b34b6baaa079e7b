import { setTimeout as pause } from 'node:timers/promises';
import { isWrite, type Replica, Replicas } from '../leadership/replicas.ts';
import { type Commit, judge, type Verdict } from './judge.ts';
import { Recorder } from './server-log.ts';
import { mirrored, settings, TIMING } from './storm.ts';

export interface FrozenSharerReport extends Verdict {
  /** Of the replica that is frozen, before it is. */
  readonly writesBefore: number;
  /** Of the others, while it was frozen. */
  readonly writesMeanwhile: number;
  /**
   * Requests of the woken replica that change something, before it had a group again; Leases and Events, which are about
   * Leases here, apart. Must be none.
   */
  readonly writesAfter: readonly string[];
  /** Of the woken replica, when it had a group again. */
  readonly writesAgain: number;
}

const GROUPS = 8;
const OBJECTS = 60;
const CHANGE_EVERY_MS = 10;
const FROZEN_MS = 2 * TIMING.leaseSeconds * 1_000;

/** Three replicas share the work, and objects change all the time. One is frozen for two leases, and woken. */
export async function frozenSharer(): Promise<FrozenSharerReport> {
  await using place = await Replicas.start(settings(GROUPS));
  const recorder = new Recorder(place, GROUPS);
  for (let index = 0; index < OBJECTS; index++) place.server.create(mirrored(`p${index}`, 'new'));
  const replicas = await Promise.all(['a', 'b', 'c'].map((name) => place.replica(name)));
  const [frozen] = replicas as [Replica, ...Replica[]];
  const others = replicas.slice(1).map(({ name }) => name);
  await place.until(() => holdersOf(recorder.commits).length === 3, 'each replica has groups');
  const shared = performance.now();
  const changing = new AbortController();
  const changed = change(place, changing.signal);
  const writes = (names: readonly string[], fromMs: number): number =>
    recorder.log(0).writings.filter(({ who, fromMs: atMs }) => names.includes(who) && atMs > fromMs)
      .length;
  await place.until(() => writes([frozen.name], shared) > 20, 'the replica writes');

  frozen.kill('SIGSTOP');
  const frozenAt = performance.now();
  const writesBefore = writes([frozen.name], 0);
  await pause(FROZEN_MS);
  const isTaken = (): boolean => !holdersOf(recorder.commits).includes(frozen.name);
  await place.until(isTaken, 'the others have its groups');
  const writesMeanwhile = writes(others, frozenAt);
  const wokenAt = performance.now();
  frozen.kill('SIGCONT');
  const regainedAt = (): number =>
    recorder.commits.find(
      (each) => each.kind === 'lease' && each.holder === frozen.name && each.atMs > wokenAt,
    )?.atMs ?? Number.POSITIVE_INFINITY;
  await place.until(() => regainedAt() < Number.POSITIVE_INFINITY, 'it has a group again');
  await place.until(() => writes([frozen.name], regainedAt()) > 20, 'it writes again');
  changing.abort();
  await changed;

  const late = place
    .writesOf(frozen.name)
    .filter(({ atMs }) => atMs > wokenAt && atMs < regainedAt())
    .filter(({ call }) => isWrite(call) && !/^(leases|events)\./.test(call.resource));
  return {
    writesBefore,
    writesMeanwhile,
    writesAfter: late.map(({ call, atMs }) => `${call.path} ${Math.round(atMs - wokenAt)} ms`),
    writesAgain: writes([frozen.name], regainedAt()),
    ...judge(recorder.log(shared)),
  };
}

async function change({ server }: Replicas, signal: AbortSignal): Promise<void> {
  for (let count = 0; !signal.aborted; count++) {
    const data = { text: `change ${count}` };
    server.patch('v1', 'ConfigMap', 'demo', `p${count % OBJECTS}`, { data });
    await pause(CHANGE_EVERY_MS);
  }
}

/** The replicas that have groups now. */
function holdersOf(commits: readonly Commit[]): readonly string[] {
  const holders = new Map<number, string | undefined>();
  for (const commit of commits) {
    if (commit.kind === 'lease') holders.set(commit.group, commit.holder);
  }
  return [...new Set(holders.values())].filter((holder) => holder !== undefined);
}
