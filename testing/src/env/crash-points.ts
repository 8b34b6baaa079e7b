import { OperatorError } from 'chancery/internal-objects';
import { type CrashOutcome, type CrashPoint, CrashRun, type CrashScenario } from './crash-run.ts';

const DEFAULT_MAX_RUNS = 500;

/** Several runs overlap even on one core, because a run mostly waits. */
const DEFAULT_PARALLEL = 4;

/**
 * Runs a scenario once without a crash, and then once for each place at which the operator can be
 * killed: before its first call is sent, after the server has carried out the call and before the
 * answer arrives, before the second call, and so on to the last call. In each run the operator is
 * started again, and must reach the same state as in the run that had no crash. Several runs are
 * active at a time, see `parallel`.
 *
 * This finds state that is lost between two related calls. It never runs two operators at once. The
 * order of parallel calls may differ between runs.
 *
 * @returns every place at which the operator was killed, in order.
 * @throws OperatorError `USER_CODE` with the first place, in order, at which the operator did not reach the
 * expected state, and with the reason as its cause. When this is thrown, no run is active any more.
 */
export async function crashPoints(scenario: CrashScenario): Promise<readonly CrashPoint[]> {
  const { maxRuns = DEFAULT_MAX_RUNS } = scenario;
  const whole = await new CrashRun(scenario, undefined).play(undefined);
  const parallel = scenario.parallel ?? (whole.backend === 'embedded' ? DEFAULT_PARALLEL : 1);
  const points: CrashPoint[] = [];
  const runs = new RunsAhead(
    (nth) => new CrashRun(scenario, placeOf(nth)).play({ state: whole.state }),
    // The number of calls in the run without a crash is the expected number. If later runs have more calls,
    // they are found one run at a time.
    { parallel, upTo: Math.min(2 * whole.calls, maxRuns + 1) },
  );
  try {
    for (let run = 0; ; run++) {
      const { point } = await runs.outcome(run);
      if (point === undefined) return points; // the operator needed fewer calls
      points.push(point);
      scenario.passed?.(point);
      if (points.length > maxRuns) {
        throw new OperatorError(`more than ${maxRuns} runs: say which calls matter, or maxRuns`, {
          code: 'USER_CODE',
          layer: 'user-code',
        });
      }
    }
  } finally {
    await runs.end();
  }
}

/**
 * The place of the crash in the run with this number. In run 0 it is before the first call, in run 1 after
 * the first call, in run 2 before the second call, and so on.
 */
function placeOf(run: number): Pick<CrashPoint, 'when' | 'nth'> {
  return { when: run % 2 === 0 ? 'before' : 'after', nth: Math.floor(run / 2) + 1 };
}

interface RunsAheadOptions {
  /** The number of runs that are active at a time. */
  readonly parallel: number;
  /**
   * Runs with a lower number are started in advance. All other runs are started when they are
   * requested.
   */
  readonly upTo: number;
}

/** The runs, by number. They are started in order, some of them before their outcome is needed. */
class RunsAhead {
  readonly #start: (run: number) => Promise<CrashOutcome>;
  readonly #options: RunsAheadOptions;
  readonly #runs: Promise<CrashOutcome>[] = [];
  #underWay = 0;
  #isOver = false;

  constructor(start: (run: number) => Promise<CrashOutcome>, options: RunsAheadOptions) {
    this.#start = start;
    this.#options = options;
  }

  /** @param run - the number of the run. Runs must be requested in order. */
  outcome(run: number): Promise<CrashOutcome> {
    this.#startAhead();
    return this.#runs[run] ?? this.#startNext();
  }

  /** Resolves when all active runs have ended. No further run is started. */
  async end(): Promise<void> {
    this.#isOver = true;
    await Promise.allSettled(this.#runs);
  }

  #startAhead(): void {
    const { parallel, upTo } = this.#options;
    while (!this.#isOver && this.#underWay < parallel && this.#runs.length < upTo) {
      this.#startNext();
    }
  }

  #startNext(): Promise<CrashOutcome> {
    this.#underWay += 1;
    const run = this.#start(this.#runs.length);
    this.#runs.push(run);
    const ended = (): void => {
      this.#underWay -= 1;
      this.#startAhead();
    };
    const failed = (): void => {
      this.#isOver = true; // runs after a failure are ignored
      ended();
    };
    run.then(ended, failed);
    return run;
  }
}
