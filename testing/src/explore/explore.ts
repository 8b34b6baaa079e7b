import { ConfigurationError } from 'chancery/internal-objects';
import { ExplorationFailure, traceOf } from './exploration-failure.ts';
import type { Reference } from './invariants/checks.ts';
import type { Exploration, ExploreOptions, Finding, Scenario } from './scenario/scenario.ts';
import { type Deviation, parseSchedule, type Schedule } from './scenario/schedule.ts';
import { Player } from './search/play.ts';
import { VisitedStates } from './search/visited-states.ts';
import type { SimulationResult } from './simulation/run-result.ts';

const DEFAULT_TIME_LIMIT_MS = 60_000;
const DEFAULT_MAX_STATES = 1_000_000;

/**
 * Runs a scenario many times, in every order of its events: deliveries of watches, answers, timers,
 * changes of other writers and restarts of the operator. The usual order is first, then all orders
 * with one deviation from it, then with two, and so on until a limit. Runs are deterministic and
 * use virtual time and no sockets, so thousands fit into a minute.
 *
 * These invariants always apply: every order ends in the same state at rest; no write loop; nothing
 * is created twice; no finalizer is lost; no unhandled rejection; no key is processed twice at
 * once.
 *
 * @returns the coverage, if all invariants hold. A limit that ends the exploration is not a
 * failure; see `endedBy`.
 * @throws ExplorationFailure with the shortest order found in which an invariant did not hold.
 * @throws ConfigurationError `CONFIG` when the objects of the scenario cannot be stored, or when
 * two runs of the same order differ. In that case the operator depends on a value that changes
 * between runs.
 */
export async function explore(
  scenario: Scenario,
  options: ExploreOptions = {},
): Promise<Exploration> {
  using player = await Player.of(scenario);
  return await new Search(player, options).run(); // the player is needed until the end
}

/**
 * Runs a scenario once, in the order of a failure that `explore` has found. If the operator has
 * changed since then, the run follows the schedule as far as its events still occur.
 *
 * @param schedule - the `schedule` of an ExplorationFailure.
 * @throws ExplorationFailure when an invariant does not hold.
 * @throws ConfigurationError `CONFIG` for a schedule that cannot be parsed.
 */
export async function replaySchedule(scenario: Scenario, schedule: string): Promise<void> {
  const parsed = parseSchedule(schedule);
  using player = await Player.of(scenario);
  const { result, reference } = await player.usual(parsed.seed);
  if (result.violation !== undefined || reference === undefined) {
    throw failureOf(scenario, { seed: parsed.seed, deviations: [] }, result);
  }
  if (parsed.deviations.length === 0) return;
  const run = await player.play(parsed, reference);
  if (run.violation !== undefined) throw failureOf(scenario, parsed, run);
}

/**
 * A run from which the exploration continues: its deviations, and further deviations that are possible in it.
 */
interface Branch {
  readonly deviations: readonly Deviation[];
  readonly choices: readonly Deviation[];
}

/** The search through the schedules of one scenario. */
class Search {
  readonly #player: Player;
  readonly #options: Required<ExploreOptions>;
  readonly #states: VisitedStates;
  readonly #findings = new Map<string, Finding>();
  readonly #beganMs = performance.now();
  #schedules = 0;
  #cutShort = 0;
  #leftOut = 0;

  constructor(player: Player, options: ExploreOptions) {
    this.#player = player;
    this.#options = {
      seed: 1,
      timeLimitMs: DEFAULT_TIME_LIMIT_MS,
      maxDeviations: Number.POSITIVE_INFINITY,
      maxSchedules: Number.POSITIVE_INFINITY,
      maxStates: DEFAULT_MAX_STATES,
      ...options,
    };
    this.#states = new VisitedStates(this.#options.maxStates);
  }

  async run(): Promise<Exploration> {
    const { seed, maxDeviations } = this.#options;
    const reference = await this.#usual(seed);
    // Runs the usual order again, to collect its possible deviations.
    const first = await this.#play([], reference, 1);
    let branches: readonly Branch[] = [{ deviations: [], choices: first.choices }];
    for (let bound = 1; bound <= maxDeviations; bound++) {
      const { next, endedBy } = await this.#deviate(branches, reference, bound);
      if (endedBy !== undefined) return this.#exploration(bound - 1, endedBy);
      if (next.length === 0) return this.#exploration(bound, 'complete');
      branches = next;
    }
    return this.#exploration(maxDeviations, 'complete');
  }

  /**
   * @throws ExplorationFailure when an invariant does not hold in the usual order;
   * ConfigurationError when two runs in this order differ.
   */
  async #usual(seed: number): Promise<Reference> {
    const { result, reference } = await this.#player.usual(seed);
    this.#count(result);
    if (result.violation !== undefined || reference === undefined) {
      throw failureOf(this.#player.scenario, { seed, deviations: [] }, result, this.#schedules);
    }
    const again = await this.#player.usual(seed);
    requireEqual(this.#player.scenario.name, traceOfRun(result), traceOfRun(again.result));
    return reference;
  }

  /** Runs every schedule that adds one deviation to a branch. */
  async #deviate(
    branches: readonly Branch[],
    reference: Reference,
    bound: number,
  ): Promise<{ next: readonly Branch[]; endedBy?: Exploration['endedBy'] }> {
    const { maxDeviations, maxSchedules, timeLimitMs } = this.#options;
    const next: Branch[] = [];
    for (const deviations of inTurn(branches)) {
      if (performance.now() - this.#beganMs > timeLimitMs) return { next, endedBy: 'time' };
      if (this.#schedules >= maxSchedules) return { next, endedBy: 'schedules' };
      if (this.#states.isFull) return { next, endedBy: 'states' };
      const { choices } = await this.#play(deviations, reference, bound + 1);
      if (bound < maxDeviations && choices.length > 0) next.push({ deviations, choices });
    }
    return { next };
  }

  /**
   * @param bound - the number of deviations in the schedules that extend this one. States that a
   * run with a smaller or equal bound has visited are not explored again.
   */
  async #play(
    deviations: readonly Deviation[],
    reference: Reference,
    bound: number,
  ): Promise<SimulationResult> {
    const { seed } = this.#options;
    const schedule = { seed, deviations };
    const isKnown = (digest: string): boolean => this.#states.isKnown(digest, -bound);
    const result = await this.#player.play(schedule, reference, isKnown);
    this.#count(result);
    if (result.violation === undefined) return result;
    throw await this.#smallest(schedule, reference, result);
  }

  /** Removes deviations that the failure does not need. */
  async #smallest(
    schedule: Schedule,
    reference: Reference,
    result: SimulationResult,
  ): Promise<ExplorationFailure> {
    let best = { schedule, result };
    for (let at = schedule.deviations.length - 1; at >= 0; at--) {
      const deviations = best.schedule.deviations.toSpliced(at, 1);
      if (deviations.length === 0) break;
      const shorter = { seed: schedule.seed, deviations };
      const run = await this.#player.play(shorter, reference);
      if (run.violation?.invariant === result.violation?.invariant) {
        best = { schedule: shorter, result: run };
      }
    }
    return failureOf(this.#player.scenario, best.schedule, best.result, this.#schedules);
  }

  #count({ isCut, leftOut, findings }: SimulationResult): void {
    this.#schedules++;
    if (isCut) this.#cutShort++;
    this.#leftOut += leftOut;
    for (const finding of findings) {
      this.#findings.set(`${finding.name} ${finding.where}`, finding);
    }
  }

  #exploration(deviations: number, endedBy: Exploration['endedBy']): Exploration {
    return {
      scenario: this.#player.scenario.name,
      schedules: this.#schedules,
      cutShort: this.#cutShort,
      leftOut: this.#leftOut,
      states: this.#states.size,
      deviations,
      endedBy,
      tookMs: performance.now() - this.#beganMs,
      findings: [...this.#findings.values()],
    };
  }
}

/**
 * The kinds of deviations, in the order in which they are tried. The kinds that reveal the most faults come
 * first.
 */
const PRIORITY: readonly Deviation['act'][] = [
  'hold',
  'restart',
  'lose',
  'change',
  'delay',
  'first',
  'timer',
  'late',
];

/**
 * All schedules that add one deviation to a branch. For each kind of deviation, the branches take
 * turns.
 */
function* inTurn(branches: readonly Branch[]): Generator<readonly Deviation[]> {
  for (const act of PRIORITY) {
    const lines = branches.map(({ deviations, choices }) => ({
      deviations,
      choices: choices.filter((choice) => choice.act === act),
    }));
    const longest = Math.max(0, ...lines.map(({ choices }) => choices.length));
    for (let at = 0; at < longest; at++) {
      for (const { deviations, choices } of lines) {
        const choice = choices[at];
        if (choice !== undefined) yield [...deviations, choice];
      }
    }
  }
}

function failureOf(
  scenario: Scenario,
  schedule: Schedule,
  { violation, steps, findings }: SimulationResult,
  schedules?: number,
): ExplorationFailure {
  const unknown = { invariant: 'comes to rest', message: 'the run did not end' };
  return new ExplorationFailure({
    scenario,
    schedule,
    violation: violation ?? unknown,
    steps,
    findings,
    ...(schedules !== undefined && { schedules }),
  });
}

function traceOfRun({ steps, violation }: SimulationResult): string {
  const end = violation === undefined ? 'at rest' : `${violation.invariant}: ${violation.message}`;
  return `${traceOf(steps)}\n${end}`;
}

/** @throws ConfigurationError with the first event in which the runs differ. */
function requireEqual(scenario: string, one: string, two: string): void {
  if (one === two) return;
  const [first, second] = [one.split('\n'), two.split('\n')];
  const at = first.findIndex((line, index) => line !== second[index]);
  throw new ConfigurationError(
    `two runs of ${scenario} in the same order differ: the operator uses something that is not the same in both`,
    { context: { event: at, expected: first[at] ?? '', got: second[at] ?? '' } },
  );
}
