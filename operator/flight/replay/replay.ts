import { AsyncResource } from 'node:async_hooks';
import { type Controller, definedResources } from '../../controller/controller.ts';
import type { Log } from '../../controller/reconciler.ts';
import type { AttemptEnd } from '../../controller/run/middleware.ts';
import type { Clock } from '../../core/clock.ts';
import { seededRandom } from '../../core/seeded-random.ts';
import type { LeaderLine, OutcomeLine, RecordLine, RequestLine } from '../record-line.ts';
import { OwnUses } from '../world/own-uses.ts';
import { settleWorld } from '../world/settle-world.ts';
import { VirtualClock } from '../world/virtual-clock.ts';
import { inWorld, replaceGlobals, type VirtualWorld } from '../world/virtual-globals.ts';
import { Departures } from './departures.ts';
import { ExpectedEnds } from './expected-ends.ts';
import { missingWrite, outcomeDifference } from './outcome-difference.ts';
import { catchCrashes, crashNote, type ReplayedCrash } from './process/replayed-crash.ts';
import { ReplayedKeys } from './process/replayed-keys.ts';
import { ReplayedProcess } from './process/replayed-process.ts';
import { FirstLists } from './recorded/first-lists.ts';
import { hasPlaceholders } from './recorded/placeholders.ts';
import { RecordedObjects } from './recorded/recorded-objects.ts';
import {
  hasElection,
  jumpNote,
  neverLed,
  recordedControllers,
  replaySettings,
  secretNote,
} from './recorded/recorded-operator.ts';
import { carriedCount, type RecordedRun, recordedRun, startOf } from './recorded/recorded-run.ts';
import { ReplayedWatches } from './recorded/replayed-watches.ts';
import { requestTarget } from './recorded/request-target.ts';
import { RecordedOrder, spareWorkers } from './recorded-order.ts';
import type { Replay, ReplayOptions } from './replay-options.ts';
import { ReplayTransport } from './replay-transport.ts';
import { isWrite, type ReplayedAttempt } from './replayed-attempt.ts';
import { Unrecorded } from './unrecorded.ts';

/**
 * Runs controllers against a record, in virtual time, and compares what they do with the record.
 *
 * @throws ConfigurationError `CONFIG` when the record cannot be replayed, or belongs to other controllers;
 *   OperatorError `USER_CODE` when the code crashes, but did not crash when it was recorded.
 */
export async function replay(options: ReplayOptions): Promise<Replay> {
  const replaying = new Replaying(recordedRun(options.record), options);
  const restore = replaceGlobals();
  const release = catchCrashes((error) => replaying.crashed(error));
  try {
    return await inWorld(replaying.world, () => replaying.run());
  } finally {
    release();
    restore();
  }
}

const QUIET: Log = { debug() {}, info() {}, warn() {}, error() {} };

class Replaying {
  /** Replaces the clock, random numbers and the network in user code that uses them directly. */
  readonly world: VirtualWorld;
  readonly #options: ReplayOptions;
  readonly #uses = new OwnUses();
  readonly #random: () => number;
  readonly #run: RecordedRun;
  readonly #clock: VirtualClock;
  /** The clock that the replayed process uses. */
  readonly #time: Clock;
  readonly #objects = new RecordedObjects();
  readonly #departures: Departures;
  readonly #order: RecordedOrder;
  readonly #transport: ReplayTransport;
  readonly #unrecorded: Unrecorded;
  readonly #lists: FirstLists;
  readonly #watches: ReplayedWatches;
  readonly #controllers: readonly Controller[];
  /** True if the controllers were already working when the record began. */
  readonly #isContinued: boolean;
  readonly #notes: string[] = [];
  readonly #ends: ExpectedEnds;
  readonly #keys = new ReplayedKeys();
  #attempts = 0;
  #writes = 0;
  /** Undefined while the process does not lead. */
  #process: ReplayedProcess | undefined;
  #hasLed = false;
  #isEnding = false;
  #crash: ReplayedCrash | undefined;

  constructor(run: RecordedRun, options: ReplayOptions) {
    this.#options = options;
    this.#run = run;
    const { state, wall } = run;
    const isContinued = state.leads && run.cached.length > 0;
    this.#isContinued = isContinued;
    this.#clock = new VirtualClock(isContinued ? startOf(run) : state.at, wall - state.at);
    this.#time = withContext(this.#clock);
    this.#controllers = recordedControllers(run.header, options.controllers, {
      partly: options.partly ?? false,
      spareWorkers: (name) => spareWorkers(run, name),
      note: (note) => this.#notes.push(note),
    });
    this.#random = seededRandom(state.random).next;
    this.world = {
      clock: this.#time,
      // User code gets other random numbers, so that the toolkit gets the recorded numbers in order.
      random: seededRandom(state.random + 1).next,
      uses: (what, name) => this.#uses.note(what, name),
      immediates: 0,
    };
    const now = (): number => this.#clock.monotonic();
    const departures = new Departures(
      options.continues ?? false,
      (controller, name) => this.#keyLeft(controller, name),
      options.key,
    );
    this.#departures = departures;
    this.#ends = new ExpectedEnds(departures, (exchange) => this.#transport.hasMade(exchange));
    const hasSecrets = hasPlaceholders(run);
    this.#order = new RecordedOrder({ run, departures, hasSecrets, now, isContinued });
    const watches = new ReplayedWatches({
      run,
      seen: (collection, line) => this.#unrecorded.watched(collection, line),
      hasLeft: (collection, object) => departures.hasObjectLeft(collection, object),
    });
    this.#watches = watches;
    const lists = new FirstLists(run);
    this.#lists = lists;
    for (const [collection, object] of lists.objects()) this.#objects.put(collection, object);
    for (const { resourceVersion } of run.cached) this.#objects.saw(resourceVersion);
    this.#unrecorded = new Unrecorded({
      ...{ run, objects: this.#objects, departures, clock: this.#time, watches },
      startCluster: options.startCluster,
      definitions: definedResources(options.controllers).map(({ definition }) => definition),
    });
    this.#transport = new ReplayTransport({
      ...{ run, watches, lists, departures, unrecorded: this.#unrecorded, now },
      repeated: () => {
        this.#writes++;
      },
      wrote: (key, request) => this.#keys.wrote(key, request),
      abandoned: (attempt) => this.#abandon(attempt),
    });
  }

  async run(): Promise<Replay> {
    const { state, header } = this.#run;
    if (state.leads || !hasElection(header.settings, this.#options.settings)) this.#start();
    let endedAt: number;
    try {
      await this.#follow();
    } finally {
      endedAt = this.#clock.monotonic();
      await this.#end();
    }
    const { total, fromSecrets } = this.#departures;
    if (this.#crash !== undefined) this.#notes.push(crashNote(this.#crash, header, total > 0));
    else if (!this.#hasLed) throw neverLed();
    const clock = this.#clock;
    if (fromSecrets.size > 0) this.#notes.push(secretNote([...fromSecrets]));
    return {
      differences: this.#departures.differences,
      differing: total,
      attempts: this.#attempts,
      writes: this.#writes,
      endedAt,
      wallAt: (at) => clock.wallOf(at),
      ownUses: this.#uses.findings,
      notes: this.#notes,
      objects: this.#objects,
      ofKey: (key) => this.#keys.of(key),
      collectionOf: (path) => requestTarget(path)?.collection,
    };
  }

  /** Called with an error that the replayed code did not catch. This ends the replay. */
  crashed(error: unknown): void {
    if (!this.#isEnding) this.#crash ??= { error, at: this.#clock.monotonic() };
  }

  get #isOver(): boolean {
    const isStopped = this.#options.signal?.aborted === true;
    return isStopped || this.#departures.isOver || this.#crash !== undefined;
  }

  async #follow(): Promise<void> {
    const { lines, header, state } = this.#run;
    const untilAt = this.#options.untilAt ?? header.to;
    await this.#rest();
    const begun = this.#isContinued ? carriedCount(this.#run) : 0;
    for (const line of lines.slice(0, begun)) await this.#happened(line);
    if (this.#isContinued) {
      await this.#advance(state.at);
      await this.#carriedOn();
    }
    for (const line of lines.slice(begun)) {
      const at = 'at' in line ? line.at : 0;
      if (at > untilAt || this.#isOver) break;
      const isLost = !(await this.#happened(line));
      if (isLost) return;
    }
    if (!this.#isOver) await this.#advance(Math.min(untilAt, header.to));
  }

  /** Called when attempts from before the record were replayed: the caches now get the recorded state. */
  async #carriedOn(): Promise<void> {
    for (const attempt of this.#order.behind(this.#run.state.at)) this.#abandon(attempt);
    for (const [collection, object] of this.#lists.createdBefore) {
      this.#objects.put(collection, object);
      this.#watches.send({ collection, type: 'ADDED', object });
    }
    await this.#rest();
    this.#order.putBack();
  }

  /** @returns false when the replay ends with this line. */
  async #happened(line: RecordLine): Promise<boolean> {
    await this.#advance('at' in line ? line.at : 0);
    if (line.kind === 'leader' && line.group === undefined && !this.#lead(line)) return false;
    if (this.#replayed(line)) await this.#rest();
    return true;
  }

  /** @returns false when the replay ends here. */
  #lead(line: LeaderLine): boolean {
    const process = this.#process;
    if (line.leads && process === undefined) this.#start();
    if (line.leads || process === undefined) return true;
    const after = this.#run.lines.slice(this.#run.lines.indexOf(line) + 1);
    const leadsAgain = after.some(
      (each) => each.kind === 'leader' && each.group === undefined && each.leads,
    );
    if (!leadsAgain) {
      this.#notes.push('the process lost its leadership there: the replay ends with it');
      return false;
    }
    process.stop('leadership was lost');
    this.#process = undefined;
    this.#order.endTerm();
    this.#ends.forgetAttempts();
    return true;
  }

  #start(): void {
    if (this.#hasLed) this.#lists.renew(this.#run.header, this.#objects);
    this.#hasLed = true;
    const { log = QUIET } = this.#options;
    this.#process = new ReplayedProcess({
      settings: replaySettings(this.#run.header.settings, this.#options.settings),
      ...{ controllers: this.#controllers, clock: this.#time, transport: this.#transport },
      ...{ order: this.#order, random: this.#random, log },
      begins: (attempt) => {
        this.#attempts++;
        this.#keys.began(attempt.key);
        this.#options.begins?.(attempt);
      },
      ended: (attempt, end) => this.#ended(attempt, end),
    });
    this.#process.start();
  }

  async #end(): Promise<void> {
    this.#isEnding = true;
    const process = this.#process;
    this.#order.close();
    process?.stop('the replay is over');
    const until = this.#clock.monotonic() + STOP_MS;
    // The clock also runs through the time limits of the stop. Work that does not end by then is abandoned.
    await settleWorld(this.world);
    while (process?.isOver === false && this.#ringNext(until)) await settleWorld(this.world);
    await this.#unrecorded.close();
  }

  #ringNext(untilAt: number): boolean {
    try {
      return this.#clock.ringNext(untilAt);
    } catch (error) {
      this.crashed(error); // thrown by a timer, so no promise rejects with it
      return true;
    }
  }

  /** Moves the clock to `at`, and fires the timers that are due before that. */
  async #advance(at: number): Promise<void> {
    while (!this.#isOver && this.#ringNext(at)) await this.#rest();
    if (this.#crash === undefined) this.#clock.moveTo(at);
    this.#ends.check(this.#clock.monotonic());
  }

  /** Lets the operator do everything that it can do at this time. */
  async #rest(): Promise<void> {
    do {
      await settleWorld(this.world);
      while (this.#unrecorded.isUnderWay) {
        await this.#unrecorded.settled();
        await settleWorld(this.world);
      }
    } while (!this.#isOver && this.#order.handOut());
  }

  /** @returns true if the operator may now have something to do. */
  #replayed(line: RecordLine): boolean {
    switch (line.kind) {
      case 'answer':
      case 'chunk':
      case 'ended': {
        const exchange = this.#run.exchanges.get(line.id);
        if (exchange === undefined) return false;
        this.#transport.replay(exchange, line);
        if (line.kind === 'ended') this.#unrecorded.answered(exchange);
        return true;
      }
      case 'request':
        this.#requested(line);
        return false;
      case 'wake':
        return this.#order.woken(line);
      case 'begin':
        this.#order.began(line);
        return true;
      case 'outcome':
        this.#recordedEnd(line);
        return true;
      case 'clock':
        this.#setWall(line.wall);
        return false;
      default:
        return false;
    }
  }

  #setWall(wall: number): void {
    const jumpedMs = wall - this.#clock.now();
    this.#clock.setWall(wall);
    if (Math.abs(jumpedMs) >= JUMP_MS) this.#notes.push(jumpNote(jumpedMs));
  }

  #recordedEnd(outcome: OutcomeLine): void {
    this.#order.recordedEnd(outcome);
    const attempt = this.#order.running(outcome.controller, outcome.key);
    if (attempt?.recorded?.outcome === outcome) this.#ends.attempt(attempt, outcome);
  }

  #requested({ id, by }: RequestLine): void {
    const exchange = this.#run.exchanges.get(id);
    const attempt = by && this.#run.attempts.get(by.id);
    if (exchange === undefined || attempt?.late.includes(exchange) !== true) return;
    if (isWrite(exchange.request)) this.#ends.lateWrite(attempt, exchange);
  }

  #ended(attempt: ReplayedAttempt, end: AttemptEnd): void {
    this.#keys.ended(attempt.key, end);
    const { recorded } = attempt;
    if (attempt.hasLeft || attempt.isAbandoned || recorded?.outcome === undefined) return;
    const now = this.#clock.monotonic();
    const [missing] = attempt.missing;
    const difference =
      missing === undefined
        ? outcomeDifference(attempt, recorded.outcome, end, now)
        : missingWrite(attempt, missing, end, now);
    if (difference === undefined) return;
    if (attempt.isCarried) this.#notCompared(attempt);
    else this.#departures.add(difference, attempt);
  }

  #abandon(attempt: ReplayedAttempt): void {
    this.#order.abandon(attempt);
    this.#notCompared(attempt);
  }

  #notCompared({ controller, key }: ReplayedAttempt): void {
    this.#notes.push(
      `controller ${controller}: an attempt at ${key} had begun before the record, whose caches are newer; it is not compared`,
    );
  }

  /** Cancels the remaining recorded writes for a key that differs from the record. */
  #keyLeft(controller: string, key: string): void {
    for (const { begin, exchanges } of this.#run.attempts.values()) {
      if (begin.controller !== controller || begin.key !== key) continue;
      for (const exchange of exchanges) {
        if (!isWrite(exchange.request) || this.#transport.hasMade(exchange)) continue;
        this.#unrecorded.notMade(exchange);
      }
    }
  }
}

/** Like Node's timers, these run in the context that set them, so that calls keep their attempt. */
function withContext(clock: Clock): Clock {
  return {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    schedule: (delayMs, wake) => clock.schedule(delayMs, AsyncResource.bind(wake)),
  };
}

/** Milliseconds. This is longer than every time limit of a shutdown. */
const STOP_MS = 120_000;
/** Jumps of the wall clock by fewer milliseconds are not noted. */
const JUMP_MS = 1_000;
