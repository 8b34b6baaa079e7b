import { OperatorError } from 'chancery';
import { CrashRun } from './crash-run.ts';
import type { LoggedRequest } from './request-log.ts';
import type { TestEnv } from './test-env.ts';

/** An operator under test: what `startOperator` returns, or a process of your own. */
export interface Killable {
  /** At once, as SIGKILL does. */
  kill(): Promise<void>;
}

export interface CrashScenario {
  /** A cluster for one run. Default: `startTestEnv()`. */
  readonly env?: () => Promise<TestEnv>;
  /** What there is before the operator starts. */
  readonly arrange: (env: TestEnv, namespace: string) => Promise<unknown>;
  /**
   * Starts the operator, at first and again after the crash, with another URL. It must not wait until
   * the operator is ready: the crash may come before.
   */
  readonly start: (url: string, namespace: string) => Promise<Killable> | Killable;
  /** What happens while the operator runs, once, wherever the crash is. `until` is asked after it. */
  readonly act?: (env: TestEnv, namespace: string) => Promise<unknown>;
  /** True when the operator has done all it should: asked again until then. */
  readonly until: (env: TestEnv, namespace: string) => Promise<unknown>;
  /**
   * What is compared with the run without a crash: plain data, without what differs from run to run
   * (`withoutServerFields`, and the name of the namespace).
   */
  readonly state: (env: TestEnv, namespace: string) => Promise<unknown>;
  /** Which of its calls to crash at. Default: every one. */
  readonly calls?: (call: LoggedRequest) => boolean;
  /** Told of each place when the operator, started again, has come to the same state: for progress. */
  readonly passed?: (point: CrashPoint) => void;
  /** How long a run may take to come to the same state. Default 10 s. */
  readonly timeoutMs?: number;
  /** Runs at most, against an operator that never ends calling. Default 500. */
  readonly maxRuns?: number;
}

/** A place where the operator was killed. */
export interface CrashPoint {
  /** `before`: the call was not sent. `after`: it was carried out, and the answer did not come. */
  readonly when: 'before' | 'after';
  /** Which of the operator's calls it was, from 1. */
  readonly nth: number;
  readonly call: LoggedRequest;
}

const DEFAULT_MAX_RUNS = 500;

/**
 * Runs a scenario once as it is, and then again and again, killing the operator each time at another
 * place: before its first call is sent, after that was carried out and before the answer, before the
 * second, and so on to the last. Each time it is started again, and must come to the state that the
 * run without a crash had.
 *
 * It shows what is lost between two calls that belong together. It does not show two operators at
 * once, and of calls that run side by side the order may differ from run to run.
 *
 * @returns every place at which the operator was killed, in order.
 * @throws OperatorError `USER_CODE` that names the place at which the state was another, or was not
 *   reached, with the reason as its cause.
 */
export async function crashPoints(scenario: CrashScenario): Promise<readonly CrashPoint[]> {
  const { maxRuns = DEFAULT_MAX_RUNS } = scenario;
  const whole = await new CrashRun(scenario, undefined).play(undefined);
  const points: CrashPoint[] = [];
  for (let nth = 1; ; nth++) {
    for (const when of ['before', 'after'] as const) {
      const { point } = await new CrashRun(scenario, { when, nth }).play({ state: whole.state });
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
  }
}
