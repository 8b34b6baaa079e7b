import { OperatorError } from 'chancery/internal-objects';
import type { Violation } from './invariants/violation.ts';
import type { Finding, Scenario } from './scenario/scenario.ts';
import { formatSchedule, type Schedule } from './scenario/schedule.ts';
import { storyOf } from './search/story.ts';
import type { Step } from './simulation/run-result.ts';

/** The data of an `ExplorationFailure`. */
export interface FailedRun {
  readonly scenario: Scenario;
  readonly schedule: Schedule;
  readonly violation: Violation;
  readonly steps: readonly Step[];
  readonly findings: readonly Finding[];
  /** The number of schedules that ran before this one. Undefined for a replay. */
  readonly schedules?: number;
}

/** The error for an order of events in which an invariant did not hold. The message lists the events. */
export class ExplorationFailure extends OperatorError {
  /** The name of the invariant. */
  readonly invariant: string;
  /** The description of the problem. */
  readonly reason: string;
  /** The order of events, for `replaySchedule`. */
  readonly schedule: string;
  /** The number of deviations from the usual order. */
  readonly deviations: number;
  /** The events of the run, one numbered line each. */
  readonly story: string;
  /** Every event of the run, one line each. Equal schedules have equal traces. */
  readonly trace: string;
  /**
   * Direct uses of the clock, of randomness and of the network that bypass the toolkit, by file and
   * line.
   */
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
   * The content of a test file. The test fails in the same way until the operator is fixed.
   *
   * @param importPath - the module that exports `scenario`, such as `./scenario.ts`.
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

/** Every event and its effects. */
export function traceOf(steps: readonly Step[]): string {
  return steps
    .map(({ index, atMs, what, notes }) =>
      [`${index} ${atMs.toFixed(3)} ${what}`, ...notes].join('\n    '),
    )
    .join('\n');
}

/** `text` as a string literal in single quotes, on one line. */
function quoted(text: string): string {
  const escaped = JSON.stringify(text.replaceAll(/\s+/g, ' ')).slice(1, -1);
  return `'${escaped.replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}
