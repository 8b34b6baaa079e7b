import { ConfigurationError } from 'chancery/internal-objects';

/** How a schedule departs from the usual order, at one step. */
export interface Deviation {
  /** Before this event of the run, from 0. */
  readonly step: number;
  readonly act: DeviationAct;
  /** The label of an event, or the stream of events that is held back. Empty for `change`, `restart` and `timer`. */
  readonly target: string;
}

/**
 * - `first`: this event happens before those that came up earlier.
 * - `hold`: the events of this stream wait until nothing else can happen.
 * - `delay`: they wait for ten seconds of virtual time.
 * - `lose`: the connection breaks before this answer arrives; what was written stays written.
 * - `timer`: the next timer is due before what waits has happened.
 * - `late`: the events of this stream come after the next timer that the operator has set itself, and after what that leads
 *   to. Without a stream it is the next change that comes so late.
 * - `change`: the next change of another writer happens here.
 * - `restart`: the operator is killed here and started again.
 */
export type DeviationAct = (typeof ACTS)[number];

const ACTS = ['first', 'hold', 'delay', 'late', 'lose', 'timer', 'change', 'restart'] as const;

/** A run of a scenario, so that it can be repeated. */
export interface Schedule {
  readonly seed: number;
  readonly deviations: readonly Deviation[];
}

/** As text, for `replaySchedule`: `seed 1; 12 hold watch deployments; 17 restart`. */
export function formatSchedule({ seed, deviations }: Schedule): string {
  const parts = deviations.map(({ step, act, target }) => `${step} ${act} ${target}`.trim());
  return [`seed ${seed}`, ...parts].join('; ');
}

/** @throws ConfigurationError `CONFIG` for a text that `formatSchedule` has not written. */
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
