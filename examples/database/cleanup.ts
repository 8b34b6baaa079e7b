/**
 * The plan that ends a database. A phase that is left is never entered again: the status says where the
 * plan is, and it is written before the next phase takes anything away.
 */
import type { DesiredCondition, ReconcileContext, Unfinished } from 'chancery';
import { removeCredentials } from './credentials.ts';
import { isUnfinished, jobsOf } from './jobs.ts';
import { COMPLETE, inProgress, type Phase, type Progress, runPlan } from './plan.ts';
import { removeStatefulSet, removeVolumes, scaleDown } from './removal.ts';
import { report } from './report.ts';
import type { SampleDb } from './resources/sample-db.ts';
import { type Scene, sceneOf, statefulSetOf } from './scene.ts';
import { claimsOf, takeSnapshot } from './snapshot.ts';

export const TEARDOWN = 'sampledb.example.dev/teardown';
const FORCE = 'sampledb/force-delete';
export const SNAPSHOT_FAILED = 'SnapshotFailed';

const PHASES = ['Snapshotting', 'ScalingDown', 'DeletingVolumes', 'Done'];

/** Whatever is waited for is watched as well, but for snapshots of volumes. */
const LOOK_AGAIN_MS = 30_000;

/** What became of the snapshot: without one the volumes stay, whatever `retain` says. */
type Verdict = 'open' | 'taken' | 'failed' | 'skipped';

export async function tearDown(
  db: SampleDb,
  context: ReconcileContext<SampleDb>,
): Promise<Unfinished | undefined> {
  const scene = sceneOf(db, context);
  const teardown = new Teardown(scene);
  for (;;) {
    const run = await runPlan(teardown.phases(), context.signal);
    teardown.moveOn(run.plan.phases.findIndex(({ status }) => status !== 'COMPLETE'));
    const { phase, verdict, hasMoved } = teardown;
    await report(scene, phase, { cleanup: run }, [condition(verdict, run.progress)]);
    if (run.plan.status === 'COMPLETE') return undefined;
    if (run.failure !== undefined) throw run.failure;
    if (!hasMoved) return { requeueAfterMs: run.progress.requeueAfterMs ?? LOOK_AGAIN_MS };
  }
}

class Teardown {
  readonly #scene: Scene;
  #at: number;
  hasMoved = false;
  verdict: Verdict;

  constructor(scene: Scene) {
    this.#scene = scene;
    const { status } = scene.db;
    this.#at = Math.max(PHASES.indexOf(status?.phase ?? ''), 0);
    const failed = status?.conditions?.find(({ type }) => type === SNAPSHOT_FAILED);
    const after = failed?.status === 'False' ? 'taken' : 'skipped';
    this.verdict = this.#at === 0 ? 'open' : after;
  }

  get phase(): string {
    return PHASES[this.#at] ?? 'Done';
  }

  /** @param open - the first phase that is not done; -1 when all are. */
  moveOn(open: number): void {
    const to = open < 0 ? PHASES.length - 1 : open;
    this.hasMoved = to > this.#at;
    this.#at = Math.max(to, this.#at);
  }

  /** Those before the present one are done; those behind it wait until it is told that it is. */
  phases(): readonly Phase[] {
    const steps: readonly Phase['steps'][] = [
      [{ name: 'snapshot', run: () => this.#snapshot() }],
      [
        { name: 'scale', run: () => scaleDown(this.#scene) },
        { name: 'stateful-set', run: () => removeStatefulSet(this.#scene) },
      ],
      [
        { name: 'volumes', run: () => this.#unlessKept(removeVolumes) },
        { name: 'credentials', run: () => this.#unlessKept(removeCredentials) },
      ],
      [{ name: 'done', run: () => COMPLETE }],
    ];
    return PHASES.map((name, at) => ({
      name,
      steps: (steps[at] ?? []).map((step) => ({
        name: step.name,
        run: () => {
          if (at < this.#at) return COMPLETE;
          return at === this.#at ? step.run() : inProgress('begins when this is written');
        },
      })),
    }));
  }

  async #snapshot(): Promise<Progress> {
    const { db, context } = this.#scene;
    const isEmpty = statefulSetOf(this.#scene) === undefined && claimsOf(this.#scene).length === 0;
    if (db.spec.snapshotOnDelete === 'None' || isEmpty) {
      this.verdict = 'taken';
      return COMPLETE;
    }
    if (db.metadata.annotations?.[FORCE] === 'true') {
      this.verdict = 'skipped';
      context.event('Warning', 'SnapshotSkipped', `${FORCE} is set: the volumes are kept`);
      return COMPLETE;
    }
    const upgrade = jobsOf(this.#scene, 'upgrade').find(isUnfinished);
    if (upgrade !== undefined) return inProgress(`Job ${upgrade.metadata.name} runs`);
    const taken = await takeSnapshot(this.#scene);
    if (taken.status === 'COMPLETE') this.verdict = 'taken';
    if (taken.status === 'FATAL_ERROR') this.verdict = 'failed';
    return taken;
  }

  /** The Secret opens the volumes: it goes and stays with them. */
  #unlessKept(remove: (scene: Scene) => Promise<Progress>): Promise<Progress> | Progress {
    const keeps = this.#scene.db.spec.storage.retain === 'Retain' || this.verdict !== 'taken';
    return keeps ? COMPLETE : remove(this.#scene);
  }
}

function condition(verdict: Verdict, { message = '' }: Progress): DesiredCondition {
  const type = SNAPSHOT_FAILED;
  switch (verdict) {
    case 'taken':
      return { type, status: 'False', reason: 'Complete', message: 'nothing is lost' };
    case 'failed':
      return { type, status: 'True', reason: 'Failed', message };
    case 'skipped':
      return { type, status: 'True', reason: 'Skipped', message: 'the volumes are kept' };
    case 'open':
      return { type, status: 'False', reason: 'InProgress', message };
  }
}
