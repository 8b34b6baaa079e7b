import { OperatorError } from 'chancery';
import { type CrashPoint, CrashRun, type CrashScenario } from './crash-run.ts';

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
