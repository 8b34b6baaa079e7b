import { type CrashScenario, crashPoints, type LoggedRequest } from '@chancery/testing';
import { expect } from 'vitest';
import { propertyRuns } from '../support/property-runs.ts';
import { crashScenario, type Sample } from './sample.ts';

/** Many runs of less than a second each, and more on a busy machine. */
export const EVERY_PLACE = { timeout: 600_000 } as const;

/**
 * Of each kind of call of one run, how many it is killed at. `npm test` takes the first of each
 * kind; `npm run test:again` takes ten, which is more than most samples make.
 */
const PLACES_OF_A_KIND = propertyRuns(1 / 100).numRuns;

/**
 * Kills the operator of `sample` in this process, before and after each call, as far as
 * `PLACES_OF_A_KIND` goes.
 *
 * @param calls - as `verb resource` or `verb resource/subresource`: at each of them it must have been
 *   killed, before and after.
 */
export async function expectSameEnd(sample: Sample, calls: readonly string[]): Promise<void> {
  const points = await crashPoints(firstOfEachKind(crashScenario(sample, 'in process')));

  const places = new Set(points.map(({ when, call }) => `${when} ${kindOf(call)}`));
  const wanted = calls.flatMap((call) => [`before ${call}`, `after ${call}`]);
  expect(wanted.filter((place) => !places.has(place))).toEqual([]);
}

/** `verb resource`, or `verb resource/subresource`. */
function kindOf({ verb, resource, subresource }: LoggedRequest): string {
  return `${verb} ${subresource === undefined ? resource : `${resource}/${subresource}`}`;
}

/** `scenario`, killed at the first calls of each kind only. */
function firstOfEachKind(scenario: CrashScenario): CrashScenario {
  /** Of the run under way: the calls of a kind, in their order. */
  const made = new Map<string, Set<LoggedRequest>>();
  return {
    ...scenario,
    arrange(env, namespace) {
      made.clear();
      return scenario.arrange(env, namespace);
    },
    calls(call) {
      const ofItsKind = made.get(kindOf(call)) ?? new Set();
      made.set(kindOf(call), ofItsKind);
      if (ofItsKind.size < PLACES_OF_A_KIND) ofItsKind.add(call);
      return ofItsKind.has(call);
    },
  };
}
