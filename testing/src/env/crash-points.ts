import { OperatorError } from 'chancery/internal-objects';
import { type CrashOutcome, type CrashPoint, CrashRun, type CrashScenario } from './crash-run.ts';

const DEFAULT_MAX_RUNS = 500;

/** Most of a run is spent waiting, so that runs overlap even on one core. */
const DEFAULT_PARALLEL = 4;

/**
 * Runs a scenario once without a crash, and then once for each place at which the operator can be killed: before its
 * first call is sent, after the server has carried the call out and before the answer, before the second call, and so
 * on to the last. In each run the operator is started again, and must reach the state of the run without a crash.
 * Several runs are under way at a time, see `parallel`.
 *
 * This finds state that is lost between two calls that belong together. It does not run two operators at once, and
 * the order of parallel calls may differ from run to run.
 *
 * @returns every place at which the operator was killed, in order.
 * @throws OperatorError `USER_CODE` that names the first place, in order, at which the state was another, or was not
 *   reached, with the reason as its cause. No run is under way any more then.
 */
export async function crashPoints(scenario: CrashScenario): Promise<readonly CrashPoint[]> {
  const { maxRuns = DEFAULT_MAX_RUNS } = scenario;
  const whole = await new CrashRun(scenario, undefined).play(undefined);
  const parallel = scenario.parallel ?? (whole.backend === 'embedded' ? DEFAULT_PARALLEL : 1);
  const points: CrashPoint[] = [];
  const runs = new RunsAhead(
    (nth) => new CrashRun(scenario, placeOf(nth)).play({ state: whole.state }),
    // The run without a crash shows how many calls to expect. Whether there are more, one run at a time finds out.
    { parallel, upTo: Math.min(2 * whole.calls, maxRuns + 1) },
  );
  try {
    for (let run = 0; ; run++) {
      const { point } = await runs.outcome(run);
      if (point === undefined) return points; // it has done all it does in fewer calls
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

/** The place of a run, from 0: before the first call, after it, before the second, and so on. */
function placeOf(run: number): Pick<CrashPoint, 'when' | 'nth'> {
  return { when: run % 2 === 0 ? 'before' : 'after', nth: Math.floor(run / 2) + 1 };
}

interface RunsAheadOptions {
  /** How many runs are under way at a time. */
  readonly parallel: number;
  /** The runs before this one are started ahead; the others when they are asked for. */
  readonly upTo: number;
}

/** Runs by their number. They are started in order, and some before their outcome is needed. */
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

  /** @param run - the runs are asked for in order. */
  outcome(run: number): Promise<CrashOutcome> {
    this.#startAhead();
    return this.#runs[run] ?? this.#startNext();
  }

  /** Resolves when the runs that are under way have ended. No other is started. */
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
