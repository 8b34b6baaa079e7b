import { AsyncLocalStorage } from 'node:async_hooks';
import { messageOf } from 'chancery/internal-objects';
import {
  type Alarm,
  inWorld,
  OwnUses,
  seededRandom,
  settleWorld,
  type VirtualWorld,
} from 'chancery/internal-testing';
import type { ApiServer } from '../../apiserver/api-server.ts';
import type { StorageEvent } from '../../apiserver/storage/storage.ts';
import type { Violation } from '../invariants/violation.ts';
import type { ScenarioCluster } from '../scenario/scenario.ts';
import type { Deviation } from '../scenario/schedule.ts';
import { AttemptHistory } from './attempt-history.ts';
import { Caches } from './caches.ts';
import { Choices, DELAY_MS, type Situation, SOON_MS } from './choices.ts';
import type { ExchangeFacts, Sender } from './memory-transport.ts';
import { OperatorRun } from './operator-run.ts';
import { OwnTimers } from './own-timers.ts';
import { type PendingEvent, PendingEvents } from './pending-events.ts';
import type { SimulationOptions, SimulationResult } from './run-result.ts';
import { type AlarmOwner, alarmsDigest, scenarioClock } from './scenario-clock.ts';
import { clusterOf, serverOf } from './scenario-server.ts';
import { ScheduleProgress } from './schedule-progress.ts';
import { StepLog } from './step-log.ts';
import { StoredState, sentenceOf } from './stored-state.ts';
import { WriteLog } from './write-log.ts';

const DEFAULT_SETTLE_MS = 15 * 60_000;
/** A run with more steps than this counts as a run without rest. A usual run has a hundred steps. */
const MAX_STEPS = 5_000;

const senders = new AsyncLocalStorage<Sender>();

/** One run of a scenario with one schedule. The same schedule always gives the same run. */
export class Simulation {
  readonly #options: SimulationOptions;
  readonly #clock = scenarioClock();
  readonly #pending = new PendingEvents();
  readonly #stored: StoredState;
  readonly #caches: Caches;
  readonly #history = new AttemptHistory();
  readonly #timers = new OwnTimers();
  readonly #uses = new OwnUses();
  readonly #world: VirtualWorld;
  readonly #writes = new WriteLog();
  readonly #steps = new StepLog();
  readonly #choices = new Choices();
  readonly #progress: ScheduleProgress;
  #server!: ApiServer;
  #cluster!: ScenarioCluster;
  #operator: OperatorRun | undefined;
  #changesDone = 0;
  #restarts = 0;
  #lost = 0;
  #turns = 0;
  /** The last step at which the possible deviations were recorded. */
  #offered = -1;
  #lastInputMs = 0;
  /** The number of changes by other writers, plus the number of events at an unusual time. */
  #inputs = 0;
  #isCut = false;
  /** The states that this run has been in. */
  readonly #ownStates = new Set<string>();
  #violation: Violation | undefined;

  constructor(options: SimulationOptions) {
    this.#options = options;
    const { base, schedule } = options;
    this.#stored = new StoredState(base);
    this.#caches = new Caches(this.#stored);
    this.#progress = new ScheduleProgress({
      deviations: schedule.deviations,
      clock: this.#clock,
      pending: this.#pending,
      later: () => this.#situation.later,
      released: () => this.#touched(),
    });
    this.#world = {
      clock: this.#clock.of('code'),
      random: seededRandom(schedule.seed).next,
      uses: (what, name) => this.#uses.note(what, name),
      immediates: 0,
    };
  }

  /** Records an unhandled rejection of this run's code. */
  unhandled(error: unknown): void {
    this.#violate({
      invariant: 'no unhandled rejection',
      message: `a promise was rejected and nobody handled it: ${messageOf(error)}`,
    });
  }

  play(): Promise<SimulationResult> {
    return inWorld(this.#world, () => this.#play());
  }

  async #play(): Promise<SimulationResult> {
    const { scenario, base } = this.#options;
    this.#server = await serverOf(scenario, base, this.#clock.of('server'));
    this.#cluster = clusterOf(this.#server, this.#writes.all);
    // The subscription begins after the restore, because the restore does not count as a write.
    this.#server.subscribeStorage((resource, event) => this.#committed(resource, event));
    try {
      this.#start();
      while (this.#violation === undefined && !this.#isCut) {
        await settleWorld(this.#world);
        this.#check();
        if (this.#violation !== undefined || !this.#step()) break;
      }
      return this.#result();
    } finally {
      this.#operator?.kill(); // undefined if its declaration throws
      await settleWorld(this.#world);
      await this.#server.close();
    }
  }

  #result(): SimulationResult {
    const { checks, scenario } = this.#options;
    const { ignore = (same) => same, settleMs = DEFAULT_SETTLE_MS } = scenario;
    const isAtRest = this.#violation === undefined && !this.#isCut;
    const end = isAtRest ? this.#stored.comparable(ignore) : undefined;
    if (end !== undefined) {
      const lastInputMs = this.#lastInputMs;
      const times = { lastInputMs, nowMs: lastInputMs + settleMs };
      this.#violate(checks.atRest(this.#cluster, end, times));
    }
    return {
      steps: this.#steps.all,
      violation: this.#violation,
      choices: this.#choices.all,
      leftOut: this.#choices.leftOut,
      isCut: this.#isCut,
      end,
      findings: this.#uses.findings,
    };
  }

  #start(): void {
    const { scenario, checks } = this.#options;
    this.#operator = new OperatorRun({
      scenario,
      server: this.#server,
      pending: this.#pending,
      clock: this.#clock,
      carryOut: (_exchange, act) => this.#writes.as('operator', act),
      answered: (exchange, status, body) => this.#answered(exchange, status, body),
      delivered: (exchange, line) => this.#caches.delivered(exchange, line),
      plain: (text) => this.#stored.plain(text),
      sender: () => senders.getStore(),
      began: (attempt, next) => {
        const { controller, key } = attempt;
        this.#steps.note(`${controller} begins to reconcile ${key}`);
        this.#violate(checks.began(attempt));
        this.#history.began(attempt);
        return senders.run({ controller, key }, next);
      },
      finished: (attempt, { outcome, error, requeueAfterMs }) => {
        if (requeueAfterMs !== undefined)
          this.#timers.putBack(this.#clock.monotonic() + requeueAfterMs);
        const why = error === undefined ? '' : `: ${messageOf(error)}`;
        this.#steps.note(`${attempt.controller} ends with ${attempt.key}: ${outcome}${why}`);
        checks.finished(attempt);
        this.#history.finished(attempt, outcome);
      },
      finalized: (attempt) => checks.finalized(attempt),
      logged: (level, message) => this.#steps.note(`${level}: ${message}`),
      ended: (error) =>
        this.#violate({
          invariant: 'the operator runs',
          message: `the operator ended: ${messageOf(error)}`,
        }),
    });
    checks.started(this.#operator.controllers);
  }

  /**
   * Lets one event happen.
   * @returns false at the end of the run.
   */
  #step(): boolean {
    const deviation = this.#progress.due(this.#steps.length);
    if (this.#steps.length >= MAX_STEPS || this.#turns++ > 4 * MAX_STEPS) {
      this.#violate({
        invariant: 'comes to rest',
        message: `the operator does not come to rest: there were ${MAX_STEPS} events in ${this.#clock.monotonic()} ms`,
      });
      return false;
    }
    const isFree = this.#progress.isOver(this.#steps.length);
    if (deviation === undefined && isFree) {
      this.#isCut = this.#isKnown();
      if (this.#isCut) return false;
    }
    if (deviation !== undefined && this.#depart(deviation)) return true;
    const isNew = this.#offered !== this.#steps.length;
    if (isNew && isFree) this.#offer();
    const [first] = this.#pending.ready;
    if (first !== undefined) return this.#happen(first, undefined);
    return this.#rest();
  }

  /**
   * Carries out a deviation.
   * @returns false if the deviation only holds events back, or is no longer possible.
   */
  #depart(deviation: Deviation): boolean {
    const { act, target } = deviation;
    if (act === 'change') return this.#change(deviation);
    if (act === 'restart') return this.#restart(deviation);
    if (act === 'timer') {
      const alarm = this.#clock.next;
      return alarm !== undefined && this.#ring(alarm, deviation);
    }
    const event = this.#pending.ready.find(({ label }) => label === target);
    if (event === undefined) return false;
    if (act === 'first') return this.#happen(event, deviation);
    if (act !== 'lose' || event.lose === undefined) return false;
    const { lose } = event;
    this.#lost++;
    this.#pending.take(event);
    this.#begin(`lost: ${event.label}`, deviation);
    lose();
    return true;
  }

  #happen(event: PendingEvent, deviation: Deviation | undefined): true {
    this.#pending.take(event);
    this.#begin(event.label, deviation);
    event.happen();
    return true;
  }

  /**
   * Called when no events wait between the operator and the server.
   * @returns false at the end of the run.
   */
  #rest(): boolean {
    const { settleMs = DEFAULT_SETTLE_MS } = this.#options.scenario;
    const { isLate } = this.#progress;
    if (!isLate && this.#pending.releaseAtRest()) {
      this.#touched();
      return true;
    }
    const alarm = this.#clock.next;
    const nowMs = this.#clock.monotonic();
    const isSoon = alarm !== undefined && alarm.dueAt <= nowMs + SOON_MS;
    if (!isLate && !isSoon && this.#hasChange) return this.#change(undefined);
    if (alarm === undefined) return false;
    const hasEnded = !this.#hasChange && !this.#pending.isHolding;
    if (hasEnded && alarm.dueAt > this.#lastInputMs + settleMs) return false;
    return this.#ring(alarm, undefined);
  }

  /** True if there is a next change and it can be made now. */
  get #hasChange(): boolean {
    const change = this.#options.scenario.changes?.[this.#changesDone];
    return change !== undefined && (change.when?.(this.#cluster) ?? true);
  }

  #ring(alarm: Alarm<AlarmOwner>, deviation: Deviation | undefined): true {
    // Timers of the server and of the transport are not recorded as steps.
    if (alarm.owner === 'server' && deviation === undefined) {
      this.#writes.as('cluster', () => this.#clock.ring(alarm));
      return true;
    }
    this.#begin('timer', deviation);
    this.#clock.ring(alarm);
    return true;
  }

  #change(deviation: Deviation | undefined): boolean {
    const change = this.#options.scenario.changes?.[this.#changesDone];
    if (change === undefined || !this.#hasChange) return false;
    this.#changesDone++;
    this.#begin(`change: ${change.name}`, deviation);
    this.#touched();
    this.#writes.as('change', () => {
      try {
        change.apply(this.#cluster);
      } catch (error) {
        this.#steps.note(`refused: ${messageOf(error)}`);
      }
    });
    return true;
  }

  #restart(deviation: Deviation | undefined): boolean {
    this.#restarts++;
    this.#begin('restart', deviation);
    this.#touched();
    this.#operator?.kill();
    this.#pending.clear();
    this.#caches.clear();
    this.#history.clear();
    this.#timers.clear();
    this.#options.checks.killed();
    this.#start();
    return true;
  }

  /** Records which deviations from the usual order are possible at this step. */
  #offer(): void {
    this.#offered = this.#steps.length;
    this.#choices.offer(this.#steps.length, this.#situation);
  }

  get #situation(): Situation {
    const { restarts = 1, lostAnswers = 1 } = this.#options.scenario;
    return {
      ready: this.#pending.ready,
      alarm: this.#clock.next,
      later: this.#timers.firstAfter(DELAY_MS, this.#clock),
      nowMs: this.#clock.monotonic(),
      hasChange: this.#hasChange,
      mayRestart: this.#restarts < restarts,
      mayLose: this.#lost < lostAnswers,
      writes: this.#writes.all.length,
    };
  }

  #isKnown(): boolean {
    const { isKnown, scenario } = this.#options;
    // The state of runnables is not visible.
    if (isKnown === undefined || this.#history.isBusy || scenario.runnables !== undefined)
      return false;
    const digest = this.#digest();
    // A state that recurs within one run, for example while polling, does not tell how the run
    // ends.
    if (this.#ownStates.has(digest)) return false;
    this.#ownStates.add(digest);
    return isKnown(digest);
  }

  #digest(): string {
    const parts = [
      this.#stored.digest,
      this.#caches.digest,
      this.#operator?.digest,
      this.#history.digest,
      this.#pending.all.map((event) => event.content()).join('\n'),
      this.#pending.holds.join('\n'),
      alarmsDigest(this.#clock),
      `${this.#changesDone} ${this.#restarts} ${this.#lost} ${this.#progress.isLate}`,
    ];
    return parts.join('\n---\n');
  }

  #answered(exchange: ExchangeFacts, status: number, body: string): void {
    this.#caches.answered(exchange, status, body);
    const { sender, method, path, label } = exchange;
    if (status >= 400) this.#steps.note(`${label} is refused with ${status}`);
    if (sender === undefined) return;
    const asked = this.#stored.plain(`${method} ${path} ${exchange.body ?? ''}`);
    this.#history.exchanged(sender, `${asked} ${status}`);
  }

  #committed(resource: string, event: StorageEvent): void {
    this.#stored.apply(resource, event);
    const atMs = this.#clock.monotonic();
    const write = this.#writes.add(event, { atMs, step: this.#steps.length });
    // Events only report actions, and their names depend on earlier runs, so a trace omits them.
    if (write.object.kind === 'Event') return;
    this.#steps.note(sentenceOf(write));
  }

  /** Checks the writes since the last event. */
  #check(): void {
    const { checks, scenario } = this.#options;
    const fresh = this.#writes.takeFresh();
    for (const write of fresh) this.#violate(checks.wrote(write, this.#inputs));
    if (fresh.length === 0) return;
    for (const invariant of scenario.atEachStep ?? []) {
      this.#violate(checks.holds(invariant, this.#cluster));
    }
  }

  #violate(violation: Violation | undefined): void {
    this.#violation ??= violation;
  }

  #touched(): void {
    this.#lastInputMs = this.#clock.monotonic();
    this.#inputs++;
  }

  #begin(what: string, deviation: Deviation | undefined): void {
    this.#writes.reset();
    const heldBack = this.#progress.takeHeldBack();
    const departs = deviation ?? heldBack;
    if (departs !== undefined) this.#touched();
    this.#steps.begin({ atMs: this.#clock.monotonic(), what, deviation: departs });
  }
}
