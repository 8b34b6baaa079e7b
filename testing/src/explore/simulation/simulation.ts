import { AsyncLocalStorage } from 'node:async_hooks';
import { messageOf } from 'chancery';
import { ApiServer, type WorkloadOptions } from '../../apiserver/api-server.ts';
import type { StorageSnapshot } from '../../apiserver/storage/snapshot.ts';
import type { StorageEvent } from '../../apiserver/storage/storage.ts';
import type { Checks } from '../invariants/checks.ts';
import type { Violation } from '../invariants/violation.ts';
import type { Finding, LoggedWrite, Scenario, ScenarioCluster } from '../scenario.ts';
import type { Deviation, Schedule } from '../schedule.ts';
import { AttemptHistory } from './attempt-history.ts';
import { Caches } from './caches.ts';
import type { ExchangeFacts, Sender } from './memory-transport.ts';
import { shortName } from './normal-form.ts';
import { OperatorRun } from './operator-run.ts';
import { OwnUses } from './own-uses.ts';
import { type PendingEvent, PendingEvents } from './pending-events.ts';
import { StoredState, writeOf } from './stored-state.ts';
import { type Alarm, VirtualClock } from './virtual-clock.ts';
import { inWorld, settleWorld, type VirtualWorld } from './virtual-globals.ts';

/** How a run went. */
export interface SimulationResult {
  readonly steps: readonly Step[];
  /** What did not hold, first of all. */
  readonly violation: Violation | undefined;
  /** What else could have happened at the steps after the last deviation. */
  readonly choices: readonly Deviation[];
  /** Departures that are left out, because they swap events that have nothing to do with each other. */
  readonly leftOut: number;
  /** It ended because a state was reached that had been there before. */
  readonly isCut: boolean;
  /** What was stored at rest, see `StoredState.comparable`. Undefined when the run did not get so far. */
  readonly end: ReadonlyMap<string, readonly string[]> | undefined;
  readonly findings: readonly Finding[];
}

/** One event of a run, and what followed from it. */
export interface Step {
  readonly index: number;
  readonly atMs: number;
  /** Such as `delivery watch websites`, `change: a person scales demo` or `restart`. */
  readonly what: string;
  /** Set where the schedule departs from the usual order before this event. */
  readonly deviation: Deviation | undefined;
  /** What the operator did then, and what was written. */
  readonly notes: readonly string[];
}

export interface SimulationOptions {
  readonly scenario: Scenario;
  readonly base: StorageSnapshot;
  readonly schedule: Schedule;
  readonly checks: Checks;
  /** Asked where no reconcile runs, after the last deviation: true ends the run. Default: never. */
  readonly isKnown?: (digest: string) => boolean;
}

export const DEFAULT_SETTLE_MS = 15 * 60_000;
/** Timers that are due so soon come before the next change: an operator is faster than people. */
const SOON_MS = 1_000;
/** How long `delay` holds events back: longer than quick retries take, shorter than every deadline of a call. */
const DELAY_MS = 10_000;
/** A run with more steps does not come to rest. A usual one has a hundred. */
const MAX_STEPS = 5_000;

/** Bookmarks only save lists after a restart of a watch, and would be most of the events. */
const BOOKMARK_INTERVAL_MS = 24 * 3_600_000;

const senders = new AsyncLocalStorage<Sender>();

/** One run of a scenario with one schedule: the same schedule always gives the same run. */
export class Simulation {
  readonly #options: SimulationOptions;
  readonly #clock = new VirtualClock();
  readonly #pending = new PendingEvents();
  readonly #stored: StoredState;
  readonly #caches: Caches;
  readonly #history = new AttemptHistory();
  readonly #uses = new OwnUses();
  readonly #world: VirtualWorld;
  readonly #writes: LoggedWrite[] = [];
  readonly #steps: Step[] = [];
  readonly #choices: Deviation[] = [];
  readonly #lastDeviation: number;
  #notes: string[] = [];
  #server!: ApiServer;
  #cluster!: ScenarioCluster;
  #operator: OperatorRun | undefined;
  #writer: LoggedWrite['by'] = 'cluster';
  #changesDone = 0;
  #restarts = 0;
  #lost = 0;
  /** Deviations of the schedule that have been made. */
  #departures = 0;
  #turns = 0;
  /** The step for which departures were offered last. */
  #offered = -1;
  /** How many writes there were when a restart was last offered: earlier ones lead to the same. */
  #restartOffered = -1;
  #lastInputMs = 0;
  #checked = 0;
  #leftOut = 0;
  #isCut = false;
  /** States in which this run was. */
  readonly #ownStates = new Set<string>();
  /** A deviation that holds back, until the next event, which tells of it. */
  #heldBack: Deviation | undefined;
  #violation: Violation | undefined;

  constructor(options: SimulationOptions) {
    this.#options = options;
    const { base, schedule } = options;
    this.#stored = new StoredState(base);
    this.#caches = new Caches(this.#stored);
    this.#lastDeviation = schedule.deviations.at(-1)?.step ?? -1;
    this.#world = {
      clock: this.#clock.of('code'),
      random: randomOf(schedule.seed),
      uses: (what, name) => this.#uses.note(what, name),
      immediates: 0,
    };
  }

  /** A rejection that nobody handles, of code of this run. */
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
    const { scenario, base, checks } = this.#options;
    const workloads = workloadsOf(scenario);
    this.#server = await ApiServer.inMemory({
      clock: this.#clock.of('server'),
      snapshot: base,
      bookmarkIntervalMs: BOOKMARK_INTERVAL_MS,
      workloads,
    });
    this.#cluster = clusterOf(this.#server, this.#writes);
    // Subscribed after the restore, which is no write.
    this.#server.subscribeStorage((resource, event) => this.#committed(resource, event));
    try {
      this.#start();
      while (this.#violation === undefined && !this.#isCut) {
        await settleWorld(this.#world);
        this.#check();
        if (this.#violation !== undefined || !this.#step()) break;
      }
      const isAtRest = this.#violation === undefined && !this.#isCut;
      const end = isAtRest
        ? this.#stored.comparable(scenario.ignore ?? ((same) => same))
        : undefined;
      if (end !== undefined) {
        const { settleMs = DEFAULT_SETTLE_MS } = scenario;
        const lastInputMs = this.#lastInputMs;
        const times = { lastInputMs, nowMs: lastInputMs + settleMs };
        this.#violate(checks.atRest(this.#cluster, end, times));
      }
      return this.#result(end);
    } finally {
      this.#operator?.kill(); // there is none when its declaration throws
      await settleWorld(this.#world);
      await this.#server.close();
    }
  }

  #result(end: SimulationResult['end']): SimulationResult {
    this.#endStep();
    return {
      steps: this.#steps,
      violation: this.#violation,
      choices: this.#choices,
      leftOut: this.#leftOut,
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
      carryOut: (_exchange, act) => this.#writeAs('operator', act),
      answered: (exchange, status, body) => this.#answered(exchange, status, body),
      delivered: (exchange, line) => this.#caches.delivered(exchange, line),
      plain: (text) => this.#stored.plain(text),
      sender: () => senders.getStore(),
      began: (attempt, next) => {
        const { controller, key } = attempt;
        this.#note(`${controller} begins to reconcile ${key}`);
        this.#violate(checks.began(attempt));
        this.#history.began(attempt);
        return senders.run({ controller, key }, next);
      },
      finished: (attempt, outcome, error) => {
        const why = error === undefined ? '' : `: ${messageOf(error)}`;
        this.#note(`${attempt.controller} ends with ${attempt.key}: ${outcome}${why}`);
        checks.finished(attempt);
        this.#history.finished(attempt, outcome);
      },
      finalized: (attempt) => checks.finalized(attempt),
      logged: (level, message) => this.#note(`${level}: ${message}`),
      ended: (error) =>
        this.#violate({
          invariant: 'the operator runs',
          message: `the operator ended: ${messageOf(error)}`,
        }),
    });
    checks.started(this.#operator.controllers);
  }

  /** Lets one event happen. @returns false when the run is at its end. */
  #step(): boolean {
    const deviation = this.#due();
    if (this.#steps.length >= MAX_STEPS || this.#turns++ > 4 * MAX_STEPS) {
      this.#violate({
        invariant: 'comes to rest',
        message: `the operator does not come to rest: there were ${MAX_STEPS} events in ${this.#clock.monotonic()} ms`,
      });
      return false;
    }
    if (deviation === undefined && this.#steps.length > this.#lastDeviation) {
      this.#isCut = this.#isKnown();
      if (this.#isCut) return false;
    }
    if (deviation !== undefined && this.#depart(deviation)) return true;
    const isNew = this.#offered !== this.#steps.length;
    if (isNew && this.#steps.length > this.#lastDeviation) this.#offer();
    const [first] = this.#pending.ready;
    if (first !== undefined) return this.#happen(first, undefined);
    return this.#rest();
  }

  /** The deviation of the schedule at this step that has not been made yet. Holds are made at once. */
  #due(): Deviation | undefined {
    const { deviations } = this.#options.schedule;
    for (;;) {
      const next = deviations[this.#departures];
      if (next === undefined || next.step > this.#steps.length) return undefined;
      this.#departures++;
      if (next.act !== 'hold' && next.act !== 'delay') return next;
      this.#hold(next);
      this.#heldBack = next;
    }
  }

  #hold({ act, target }: Deviation): void {
    if (act === 'hold') {
      this.#pending.hold(target, 'rest');
      return;
    }
    const untilMs = this.#clock.monotonic() + DELAY_MS;
    this.#pending.hold(target, untilMs);
    this.#clock.schedule(DELAY_MS, () => {
      if (this.#pending.releaseAt(this.#clock.monotonic())) this.#touched();
    });
  }

  /** Does what a deviation says. @returns false when it only holds back, or is not possible here any more. */
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

  /** Nothing waits between the operator and the server. @returns false at the end of the run. */
  #rest(): boolean {
    const { changes = [], settleMs = DEFAULT_SETTLE_MS } = this.#options.scenario;
    if (this.#pending.releaseAtRest()) {
      this.#touched();
      return true;
    }
    const alarm = this.#clock.next;
    const nowMs = this.#clock.monotonic();
    const isSoon = alarm !== undefined && alarm.atMs <= nowMs + SOON_MS;
    if (!isSoon && this.#changesDone < changes.length) return this.#change(undefined);
    if (alarm === undefined) return false;
    const hasEnded = this.#changesDone === changes.length && !this.#pending.isHolding;
    if (hasEnded && alarm.atMs > this.#lastInputMs + settleMs) return false;
    return this.#ring(alarm, undefined);
  }

  #ring(alarm: Alarm, deviation: Deviation | undefined): true {
    // Timers of the server and of the transport are not worth a step of their own.
    if (alarm.owner === 'server' && deviation === undefined) {
      this.#writeAs('cluster', () => this.#clock.ring(alarm));
      return true;
    }
    this.#begin('timer', deviation);
    this.#clock.ring(alarm);
    return true;
  }

  #change(deviation: Deviation | undefined): boolean {
    const change = this.#options.scenario.changes?.[this.#changesDone];
    if (change === undefined) return false;
    this.#changesDone++;
    this.#begin(`change: ${change.name}`, deviation);
    this.#touched();
    this.#writeAs('change', () => {
      try {
        change.apply(this.#cluster);
      } catch (error) {
        this.#note(`refused: ${messageOf(error)}`);
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
    this.#options.checks.killed();
    this.#start();
    return true;
  }

  /** Notes what else could happen at this step. */
  #offer(): void {
    const step = this.#steps.length;
    this.#offered = step;
    const { changes = [], restarts = 1, lostAnswers = 1 } = this.#options.scenario;
    const ready = this.#pending.ready;
    const [first, ...others] = ready;
    const offer = (act: Deviation['act'], target = ''): void => {
      this.#choices.push({ step, act, target });
    };
    const isRestartNews = this.#restartOffered !== this.#writes.length;
    if (isRestartNews && this.#restarts < restarts) {
      this.#restartOffered = this.#writes.length;
      offer('restart');
    }
    if (first !== undefined) {
      if (first.lose !== undefined && this.#lost < lostAnswers) offer('lose', first.label);
      if (first.kind !== 'request' || ready.length > 1) offer('hold', first.stream);
      offer('delay', first.stream);
    }
    const alarm = this.#clock.next;
    const isSoon = alarm !== undefined && alarm.atMs <= this.#clock.monotonic() + SOON_MS;
    if (this.#changesDone < changes.length && (first !== undefined || isSoon)) offer('change');
    const overtaken: PendingEvent[] = first === undefined ? [] : [first];
    for (const event of others) {
      if (overtaken.every((before) => commute(before, event))) this.#leftOut++;
      else offer('first', event.label);
      overtaken.push(event);
    }
    const isOperators = alarm?.owner === 'operator' || alarm?.owner === 'code';
    const isTimerNews = first !== undefined || this.#changesDone < changes.length;
    if (isOperators && isTimerNews && alarm.atMs <= this.#clock.monotonic() + DELAY_MS) {
      offer('timer');
    }
  }

  #isKnown(): boolean {
    const { isKnown } = this.#options;
    if (isKnown === undefined || this.#history.isBusy) return false;
    const digest = this.#digest();
    // A state that comes back in one run, as while somebody polls, says nothing about how the run ends.
    if (this.#ownStates.has(digest)) return false;
    this.#ownStates.add(digest);
    return isKnown(digest);
  }

  #digest(): string {
    const nowMs = this.#clock.monotonic();
    // The width of a bucket hides the jitter of retries.
    const timers = [...this.#clock.alarms]
      .filter(({ owner }) => owner !== 'server')
      .map(({ owner, atMs }) => `${owner} ${Math.round(Math.log2(1 + atMs - nowMs))}`)
      .sort();
    const parts = [
      this.#stored.digest,
      this.#caches.digest,
      this.#operator?.digest,
      this.#history.digest,
      this.#pending.all.map((event) => event.content()).join('\n'),
      this.#pending.holds.join('\n'),
      timers.join('\n'),
      `${this.#changesDone} ${this.#restarts} ${this.#lost}`,
    ];
    return parts.join('\n---\n');
  }

  #answered(exchange: ExchangeFacts, status: number, body: string): void {
    this.#caches.answered(exchange, status, body);
    const { sender, method, path, label } = exchange;
    if (status >= 400) this.#note(`${label} is refused with ${status}`);
    if (sender === undefined) return;
    const asked = this.#stored.plain(`${method} ${path} ${exchange.body ?? ''}`);
    this.#history.exchanged(sender, `${asked} ${status}`);
  }

  #committed(resource: string, event: StorageEvent): void {
    this.#stored.apply(resource, event);
    const atMs = this.#clock.monotonic();
    const write = writeOf(event, { by: this.#writer, atMs, step: this.#steps.length });
    this.#writes.push(write);
    const verb = { create: 'creates', update: 'changes', delete: 'removes' }[write.verb];
    const who = { operator: 'the operator', change: 'the change', cluster: 'the cluster' }[
      write.by
    ];
    this.#note(`${who} ${verb} ${shortName(write.object)}`);
  }

  /** Checks what was written since the last event. */
  #check(): void {
    const { checks, scenario } = this.#options;
    const fresh = this.#writes.slice(this.#checked);
    this.#checked = this.#writes.length;
    for (const write of fresh) this.#violate(checks.wrote(write, this.#lastInputMs));
    if (fresh.length === 0) return;
    for (const invariant of scenario.atEachStep ?? []) {
      this.#violate(checks.holds(invariant, this.#cluster));
    }
  }

  #violate(violation: Violation | undefined): void {
    this.#violation ??= violation;
  }

  /** Handlers of requests are asynchronous, and done before the next event: see `settleWorld`. */
  #writeAs(writer: LoggedWrite['by'], act: () => void): void {
    this.#writer = writer;
    act();
  }

  #touched(): void {
    this.#lastInputMs = this.#clock.monotonic();
  }

  #begin(what: string, deviation: Deviation | undefined): void {
    this.#endStep();
    this.#writer = 'cluster';
    const index = this.#steps.length;
    const departs = deviation ?? this.#heldBack;
    this.#heldBack = undefined;
    if (departs !== undefined) this.#touched();
    this.#steps.push({
      index,
      atMs: this.#clock.monotonic(),
      what,
      deviation: departs,
      notes: this.#notes,
    });
  }

  #endStep(): void {
    this.#notes = [];
  }

  #note(text: string): void {
    this.#notes.push(text);
  }
}

/** Whether it makes no difference which of the two happens first. */
function commute(a: PendingEvent, b: PendingEvent): boolean {
  const [one, two] = [a.kind === 'request', b.kind === 'request'];
  // The server carries out one, and the operator learns of the other: each has a side of its own.
  if (one !== two) return true;
  if (!one) return false;
  if (!a.isWrite && !b.isWrite) return true;
  return !(
    a.about === b.about ||
    a.about.startsWith(`${b.about}/`) ||
    b.about.startsWith(`${a.about}/`)
  );
}

function workloadsOf({ workloads = false }: Scenario): WorkloadOptions | false {
  return workloads === true ? {} : workloads;
}

function clusterOf(server: ApiServer, writes: readonly LoggedWrite[]): ScenarioCluster {
  return {
    get: (...target) => server.get(...target),
    list: (...collection) => server.list(...collection),
    create: (object) => server.create(object),
    patch: (...change) => server.patch(...change),
    delete: (...target) => server.delete(...target),
    writes,
  };
}

/** Numbers in [0, 1) that follow from the seed: mulberry32. */
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
