import { OperatorError } from 'chancery/internal-objects';
import type { Violation } from './invariants/violation.ts';
import type { Finding, Scenario } from './scenario/scenario.ts';
import { formatSchedule, type Schedule } from './scenario/schedule.ts';
import { storyOf } from './search/story.ts';
import type { Step } from './simulation/run-result.ts';

/** What an `ExplorationFailure` is made of. */
export interface FailedRun {
  readonly scenario: Scenario;
  readonly schedule: Schedule;
  readonly violation: Violation;
  readonly steps: readonly Step[];
  readonly findings: readonly Finding[];
  /** Schedules that were run before this one was found. Undefined for a replay. */
  readonly schedules?: number;
}

/** An order of events in which something did not hold. Its message tells the story. */
export class ExplorationFailure extends OperatorError {
  /** Name of the invariant. */
  readonly invariant: string;
  /** What is wrong, in words. */
  readonly reason: string;
  /** The order of events, for `replaySchedule`. */
  readonly schedule: string;
  /** How many times it departs from the usual order. */
  readonly deviations: number;
  /** What happens in it, a numbered line each. */
  readonly story: string;
  /** Every event of the run, a line each: equal for equal schedules. */
  readonly trace: string;
  /** Uses of the clock, of randomness and of the network past what the toolkit gives, by file and line. */
  readonly findings: readonly Finding[];
  readonly #scenario: string;

  constructor({ scenario, schedule, violation, steps, findings, schedules }: FailedRun) {
    const story = storyOf(steps, violation);
    const text = formatSchedule(schedule);
    const tries = schedules === undefined ? '' : ` (schedule ${schedules} that was tried)`;
    super(
      `${scenario.name}: ${violation.invariant}: ${violation.message}${tries}\n\n${story}\n\nreplaySchedule(scenario, ${JSON.stringify(text)})`,
      { code: 'USER_CODE', layer: 'user-code', context: { scenario: scenario.name } },
    );
    this.invariant = violation.invariant;
    this.reason = violation.message;
    this.schedule = text;
    this.deviations = schedule.deviations.length;
    this.story = story;
    this.trace = traceOf(steps);
    this.findings = findings;
    this.#scenario = scenario.name;
  }

  /**
   * The text of a test file that fails as this run did, until the operator is mended.
   *
   * @param importPath - the module whose export `scenario` is the scenario, such as `./scenario.ts`.
   */
  testFile(importPath: string): string {
    const comment = this.story.split('\n').map((line) => ` * ${line}`.trimEnd());
    const title = `${this.#scenario}: ${this.invariant}, in an order of events that once broke it`;
    return [
      "import { replaySchedule } from '@chancery/testing';",
      "import { test } from 'vitest';",
      `import { scenario } from ${quoted(importPath)};`,
      '',
      '/**',
      ...comment.map((line) => line.replaceAll('*/', '* /')),
      ' */',
      `test(${quoted(title)}, async () => {`,
      `  await replaySchedule(scenario, ${quoted(this.schedule)});`,
      '});',
      '',
    ].join('\n');
  }
}

/** Every event and what followed from it. */
export function traceOf(steps: readonly Step[]): string {
  return steps
    .map(({ index, atMs, what, notes }) =>
      [`${index} ${atMs.toFixed(3)} ${what}`, ...notes].join('\n    '),
    )
    .join('\n');
}

/** A text as code, in one line. */
function quoted(text: string): string {
  const escaped = JSON.stringify(text.replaceAll(/\s+/g, ' ')).slice(1, -1);
  return `'${escaped.replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}
