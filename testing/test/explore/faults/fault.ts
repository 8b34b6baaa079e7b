import type { Scenario } from '../../../src/explore/scenario/scenario.ts';

/** An operator with one fault that shows only in some orders of events, and the same operator without it. */
export interface Fault {
  /** A few words, which name it in tables. */
  readonly name: string;
  /** The public report that it is modelled on: owner, repository and number. */
  readonly source: `${string}/${string}#${number}`;
  /** What is there, what others do, and what must hold, for both operators. */
  readonly scenario: Omit<Scenario, 'name' | 'controllers'>;
  readonly faulty: Scenario['controllers'];
  readonly corrected: Scenario['controllers'];
  /** The invariant that the faulty operator breaks: one of the scenario, or one that always holds. */
  readonly breaks: string;
  /** Departures from the usual order that are enough to break it. */
  readonly deviations: number;
}

export function faultyScenario({ name, scenario, faulty }: Fault): Scenario {
  return { ...scenario, name: `${name}, faulty`, controllers: faulty };
}

export function correctedScenario({ name, scenario, corrected }: Fault): Scenario {
  return { ...scenario, name: `${name}, corrected`, controllers: corrected };
}
