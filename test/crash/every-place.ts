import {
  type CrashPoint,
  type CrashScenario,
  crashPoints,
  type LoggedRequest,
  type TestEnv,
} from '@chancery/testing';
import { expect } from 'vitest';
import { propertyRuns } from '../support/property-runs.ts';
import { crashScenario, type Sample } from './sample.ts';

/** Many runs of less than a second each, and more on a busy machine. */
export const EVERY_PLACE = { timeout: 600_000 } as const;

/** `npm run test:all` sets PROPERTY_RUNS to 1,000; `npm test` sets it to 50, and has no time for every call. */
const KILLS_AT_EVERY_CALL = propertyRuns().numRuns >= 1_000;

/**
 * Kills the operator of `sample` in this process: before and after the first call of each kind in `calls`
 * and, in `npm run test:all`, at every call.
 *
 * @param calls - as `verb resource` or `verb resource/subresource`: at each of them it must have been
 *   killed, before and after.
 */
export async function expectSameEnd(sample: Sample, calls: readonly string[]): Promise<void> {
  const scenario = crashScenario(sample, 'in process');
  const points: CrashPoint[] = [];
  // One kind at a time: calls that run side by side come in another order from run to run.
  for (const kind of calls) points.push(...(await crashPoints(firstOfKind(kind, scenario))));
  if (KILLS_AT_EVERY_CALL) points.push(...(await crashPoints(scenario)));

  const places = new Set(points.map(({ when, call }) => `${when} ${kindOf(call)}`));
  const wanted = calls.flatMap((call) => [`before ${call}`, `after ${call}`]);
  expect(wanted.filter((place) => !places.has(place))).toEqual([]);
}

/** `verb resource`, or `verb resource/subresource`. */
function kindOf({ verb, resource, subresource }: LoggedRequest): string {
  return `${verb} ${subresource === undefined ? resource : `${resource}/${subresource}`}`;
}

/** `scenario`, killed at the first call of a kind only. */
function firstOfKind(kind: string, scenario: CrashScenario): CrashScenario {
  const first = new WeakMap<TestEnv, LoggedRequest>();
  return {
    ...scenario,
    calls(call, env) {
      if (kindOf(call) === kind && !first.has(env)) first.set(env, call);
      return call === first.get(env);
    },
  };
}
