import { ConfigurationError } from 'chancery/internal-objects';

/** One deviation from the usual order, at one step. */
export interface Deviation {
  /** The deviation happens before the event with this index, counted from 0. */
  readonly step: number;
  readonly act: DeviationAct;
  /**
   * The label of an event, or the stream whose events are held back. Empty for `change`, `restart`
   * and `timer`.
   */
  readonly target: string;
}

/**
 * - `first`: this event happens before earlier pending events.
 * - `hold`: the events of this stream wait until nothing else can happen.
 * - `delay`: the events of this stream wait for ten seconds of virtual time.
 * - `lose`: the connection breaks before this answer arrives. If the request was a write, the server has
 *   stored it.
 * - `timer`: the next timer fires before the pending events happen.
 * - `late`: the events of this stream come after the operator's next own timer, and after the
 *   effects of that timer. If `target` is empty, the next change is delayed in this way.
 * - `change`: the next change of another writer happens here.
 * - `restart`: the operator is killed here and started again.
 */
export type DeviationAct = (typeof ACTS)[number];

const ACTS = ['first', 'hold', 'delay', 'late', 'lose', 'timer', 'change', 'restart'] as const;

/** Describes one run of a scenario. Two runs with the same schedule are equal. */
export interface Schedule {
  readonly seed: number;
  readonly deviations: readonly Deviation[];
}

/** The schedule as a string for `replaySchedule`: `seed 1; 12 hold watch deployments; 17 restart`. */
export function formatSchedule({ seed, deviations }: Schedule): string {
  const parts = deviations.map(({ step, act, target }) => `${step} ${act} ${target}`.trim());
  return [`seed ${seed}`, ...parts].join('; ');
}

/** @throws ConfigurationError `CONFIG` for a string that is not a result of `formatSchedule`. */
export function parseSchedule(text: string): Schedule {
  const [first = '', ...rest] = text.split('; ');
  const seed = /^seed (\d+)$/.exec(first)?.[1];
  if (seed === undefined) throw unreadable(first, 'seed NUMBER');
  return { seed: Number(seed), deviations: rest.map(parseDeviation) };
}

function parseDeviation(text: string): Deviation {
  const [, step, act, target = ''] = /^(\d+) (\w+)(?: (.+))?$/.exec(text) ?? [];
  const known = ACTS.find((name) => name === act);
  const takesTarget = known !== undefined && !['timer', 'change', 'restart'].includes(known);
  const isWhole = known === 'late' || (target !== '') === takesTarget;
  if (step === undefined || known === undefined || !isWhole) {
    throw unreadable(text, 'STEP ACT EVENT');
  }
  return { step: Number(step), act: known, target };
}

function unreadable(got: string, expected: string): ConfigurationError {
  return new ConfigurationError('the schedule cannot be read', { context: { expected, got } });
}
