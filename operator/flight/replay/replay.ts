import { AsyncResource } from 'node:async_hooks';
import { connect } from '../../client/connection.ts';
import { definedResources } from '../../controller/controller.ts';
import type { Log } from '../../controller/reconciler.ts';
import type { AttemptEnd } from '../../controller/run/middleware.ts';
import type { Clock } from '../../core/clock.ts';
import { ConfigurationError } from '../../core/errors.ts';
import { seededRandom } from '../../core/seeded-random.ts';
import { OperatorProcess } from '../../manager/operator-process.ts';
import { connectOptions } from '../../manager/settings/connect-options.ts';
import type { OutcomeLine, RecordLine } from '../record-line.ts';
import { OwnUses } from '../world/own-uses.ts';
import { settleWorld } from '../world/settle-world.ts';
import { VirtualClock } from '../world/virtual-clock.ts';
import { inWorld, replaceGlobals, type VirtualWorld } from '../world/virtual-globals.ts';
import { Departures } from './departures.ts';
import { endDifference, missingWrite, outcomeDifference } from './outcome-difference.ts';
import { FirstLists } from './recorded/first-lists.ts';
import { hasPlaceholders } from './recorded/placeholders.ts';
import { RecordedObjects } from './recorded/recorded-objects.ts';
import {
  hasElection,
  recordedControllers,
  replaySettings,
  secretNote,
} from './recorded/recorded-operator.ts';
import { type RecordedExchange, type RecordedRun, recordedRun } from './recorded/recorded-run.ts';
import { ReplayedWatches, type WatchedLine } from './recorded/replayed-watches.ts';
import { requestTarget } from './recorded/request-target.ts';
import { objectsInAnswer } from './recorded/seen-answers.ts';
import { RecordedOrder } from './recorded-order.ts';
import type { Replay, ReplayOptions } from './replay-options.ts';
import { ReplayTransport } from './replay-transport.ts';
import { isWrite, type ReplayedAttempt } from './replayed-attempt.ts';
import { Unrecorded } from './unrecorded.ts';

/**
 * Runs controllers against a record, in virtual time, and compares what they do with what was recorded.
 *
 * @throws ConfigurationError `CONFIG` when the record cannot be replayed, or is of other controllers.
 */
export async function replay(options: ReplayOptions): Promise<Replay> {
  const replaying = new Replaying(recordedRun(options.record), options);
  const restore = replaceGlobals();
  try {
    return await inWorld(replaying.world, () => replaying.run());
  } finally {
    restore();
  }
}

interface KeyState {
  readonly writes: { readonly method: string; readonly path: string }[];
  outcome: AttemptEnd['outcome'] | undefined;
}

const QUIET: Log = { debug() {}, info() {}, warn() {}, error() {} };

class Replaying {
  /** What stands in for the clock, for chance and for the network where user code uses them by itself. */
  readonly world: VirtualWorld;
  readonly #options: ReplayOptions;
  readonly #uses = new OwnUses();
  readonly #random: () => number;
  readonly #run: RecordedRun;
  readonly #clock: VirtualClock;
  /** The clock as the replayed process has it. */
  readonly #time: Clock;
  readonly #objects = new RecordedObjects();
  readonly #departures: Departures;
  readonly #order: RecordedOrder;
  readonly #transport: ReplayTransport;
  readonly #unrecorded: Unrecorded;
  /** The controllers were at work when the record began. */
  readonly #isContinued: boolean;
  readonly #notes: string[] = [];
  readonly #stop = new AbortController();
  /** Recorded ends of attempts that still run in the replay. */
  #ending: { readonly attempt: ReplayedAttempt; readonly outcome: OutcomeLine }[] = [];
  readonly #keys = new Map<string, KeyState>();
  #attempts = 0;
  #writes = 0;
  #running: Promise<void> | undefined;

  constructor(run: RecordedRun, options: ReplayOptions) {
    this.#options = options;
    this.#run = run;
    const { state, wall } = run;
    const isContinued = state.leads && run.cached.length > 0;
    this.#isContinued = isContinued;
    this.#clock = new VirtualClock(state.at - (isContinued ? START_MS : 0), wall - state.at);
    this.#time = withContext(this.#clock);
    this.#random = seededRandom(state.random).next;
    this.world = {
      clock: this.#time,
      // Numbers of its own: those of the toolkit follow one another as they did.
      random: seededRandom(state.random + 1).next,
      uses: (what, name) => this.#uses.note(what, name),
      immediates: 0,
    };
    const now = (): number => this.#clock.monotonic();
    const departures = new Departures(
      options.goesOn ?? false,
      (controller, name) => this.#keyLeft(controller, name),
      options.key,
    );
    this.#departures = departures;
    const hasSecrets = hasPlaceholders(run);
    this.#order = new RecordedOrder({ run, departures, hasSecrets, now, isContinued });
    const watches = new ReplayedWatches({
      run,
      seen: (collection, line) => this.#seen(collection, line),
      hasLeft: (collection, object) => departures.hasObjectLeft(collection, object),
    });
    const lists = new FirstLists(run);
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
      wrote: (key, { method, path }) => this.#of(key).writes.push({ method, path }),
    });
  }

  async run(): Promise<Replay> {
    const manager = this.#manager();
    const { state, header } = this.#run;
    if (state.leads || !hasElection(header.settings)) this.#start(manager);
    try {
      await this.#follow(manager);
    } finally {
      await this.#end();
    }
    const clock = this.#clock;
    const fromSecrets = [...this.#departures.fromSecrets];
    if (fromSecrets.length > 0) this.#notes.push(secretNote(fromSecrets));
    return {
      differences: this.#departures.differences,
      differing: this.#departures.total,
      attempts: this.#attempts,
      writes: this.#writes,
      endedAt: clock.monotonic(),
      wallAt: (at) => clock.now() - (clock.monotonic() - at),
      ownUses: this.#uses.findings,
      notes: this.#notes,
      objects: this.#objects,
      ofKey: (key) => this.#of(key),
      collectionOf: (path) => requestTarget(path)?.collection,
    };
  }

  async #follow(manager: OperatorProcess): Promise<void> {
    const { lines, header } = this.#run;
    const untilAt = this.#options.untilAt ?? header.to;
    await this.#rest();
    if (this.#isContinued) {
      await this.#advance(this.#run.state.at);
      this.#order.putBack();
    }
    for (const line of lines) {
      const at = 'at' in line ? line.at : 0;
      if (at > untilAt || this.#departures.isOver) break;
      await this.#advance(at);
      if (line.kind === 'leader' && line.group === undefined && !this.#lead(line.leads, manager)) {
        return;
      }
      if (this.#replayed(line)) await this.#rest();
    }
    if (!this.#departures.isOver) await this.#advance(Math.min(untilAt, header.to));
    if (this.#running === undefined) this.#neverLed();
  }

  /** @returns false when the replay ends here. */
  #lead(leads: boolean, manager: OperatorProcess): boolean {
    if (leads && this.#running === undefined) this.#start(manager);
    if (leads || this.#running === undefined) return true;
    this.#notes.push('the process lost its leadership there: the replay ends with it');
    return false;
  }

  #neverLed(): void {
    throw new ConfigurationError(
      'the record cannot be replayed: the process did not lead while it was recorded, so that it reconciled nothing',
    );
  }

  #start(manager: OperatorProcess): void {
    this.#running = manager.run(this.#stop.signal);
    this.#running.catch(() => {}); // awaited at the end
  }

  async #end(): Promise<void> {
    this.#order.close();
    this.#stop.abort(new Error('the replay is over'));
    const until = this.#clock.monotonic() + STOP_MS;
    let isOver = this.#running === undefined;
    void this.#running
      ?.catch(() => {})
      .then(() => {
        isOver = true;
      });
    // The times of the stop pass, too. What does not end by then is left behind.
    await settleWorld(this.world);
    while (!isOver && this.#clock.ringNext(until)) await settleWorld(this.world);
    await this.#unrecorded.close();
  }

  /** Moves to a moment, and rings the alarms before it. */
  async #advance(at: number): Promise<void> {
    while (!this.#departures.isOver && this.#clock.ringNext(at)) await this.#rest();
    this.#clock.moveTo(at);
    this.#checkEnds();
  }

  /** Lets the operator do all that it can do at this moment. */
  async #rest(): Promise<void> {
    do {
      await settleWorld(this.world);
      while (this.#unrecorded.isUnderWay) {
        await this.#unrecorded.settled();
        await settleWorld(this.world);
      }
    } while (!this.#departures.isOver && this.#order.handOut());
  }

  /** @returns true when the operator may have something to do now. */
  #replayed(line: RecordLine): boolean {
    switch (line.kind) {
      case 'answer':
      case 'chunk':
      case 'ended': {
        const exchange = this.#run.exchanges.get(line.id);
        if (exchange === undefined) return false;
        this.#transport.replay(exchange, line);
        if (line.kind === 'ended') this.#answered(exchange);
        return true;
      }
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
    if (Math.abs(jumpedMs) < JUMP_MS) return;
    const way = jumpedMs > 0 ? 'forward' : 'back';
    const seconds = (Math.abs(jumpedMs) / 1_000).toFixed(1);
    this.#notes.push(
      `the wall clock was set ${way} by ${seconds} s while the record was made; the replay does the same`,
    );
  }

  #recordedEnd(outcome: OutcomeLine): void {
    this.#order.recordedEnd(outcome);
    const attempt = this.#order.running(outcome.controller, outcome.key);
    if (attempt?.recorded?.outcome === outcome) this.#ending.push({ attempt, outcome });
  }

  /** An attempt that still runs some time after its recorded end is a difference. */
  #checkEnds(): void {
    if (this.#ending.length === 0) return;
    const now = this.#clock.monotonic();
    this.#ending = this.#ending.filter(({ attempt, outcome }) => {
      if (attempt.hasEnded || attempt.hasLeft) return false;
      if (now - outcome.at < END_MS) return true;
      this.#departures.add(endDifference(attempt, outcome), attempt);
      return false;
    });
  }

  #answered(exchange: RecordedExchange): void {
    for (const { collection, object } of objectsInAnswer(exchange)) {
      if (this.#departures.hasObjectLeft(collection, object)) continue;
      this.#objects.put(collection, object);
      if (exchange.request.method === 'GET') continue;
      this.#unrecorded.changed(collection, 'MODIFIED', object);
    }
  }

  #seen(collection: string, line: WatchedLine): void {
    const { object, type, resourceVersion } = line;
    this.#objects.saw(resourceVersion);
    if (object === undefined || this.#departures.hasObjectLeft(collection, object)) return;
    if (type === 'DELETED') this.#objects.delete(collection, object);
    else this.#objects.put(collection, object);
    this.#unrecorded.changed(collection, type, object);
  }

  #manager(): OperatorProcess {
    const { header } = this.#run;
    const { controllers, log = QUIET } = this.#options;
    const settings = replaySettings(header.settings);
    const { apiUrl } = settings;
    return new OperatorProcess({
      settings,
      controllers: recordedControllers(header, controllers, (note) => this.#notes.push(note)),
      clock: this.#time,
      connection: connect(apiUrl, {
        ...{ clock: this.#time, transport: this.#transport },
        ...connectOptions(settings, log),
      }),
      logFor: () => log,
      random: this.#random,
      leaderElection: false,
      workOrder: this.#order,
      reconcileMiddleware: async (attempt, next) => {
        const running = this.#order.running(attempt.controller, attempt.key);
        if (running === undefined) return next();
        this.#attempts++;
        this.#of(attempt.key).outcome = undefined;
        this.#options.begins?.(running);
        const end = await this.#transport.attempts.run(running, next);
        this.#ended(running, end);
        return end;
      },
    });
  }

  #of(key: string): KeyState {
    const known = this.#keys.get(key) ?? { writes: [], outcome: undefined };
    this.#keys.set(key, known);
    return known;
  }

  #ended(attempt: ReplayedAttempt, end: AttemptEnd): void {
    this.#order.ended(attempt);
    if (!this.#stop.signal.aborted) this.#of(attempt.key).outcome = end.outcome;
    const { recorded } = attempt;
    if (attempt.hasLeft || recorded?.outcome === undefined || this.#stop.signal.aborted) return;
    const now = this.#clock.monotonic();
    const [missing] = attempt.missing;
    const difference =
      missing === undefined
        ? outcomeDifference(attempt, recorded.outcome, end, now)
        : missingWrite(attempt, missing, end, now);
    if (difference === undefined) return;
    this.#departures.add(difference, attempt);
  }

  /** The recorded writes that are still to come for a key that does otherwise are not made. */
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

/** Alarms wake in the context that set them, as timers of Node do: what an attempt does later is still known as its own. */
function withContext(clock: Clock): Clock {
  return {
    now: () => clock.now(),
    monotonic: () => clock.monotonic(),
    schedule: (delayMs, wake) => clock.schedule(delayMs, AsyncResource.bind(wake)),
  };
}

/** How long the replayed process may take to be where the recorded one was when the record began. */
const START_MS = 60_000;
/** Longer than each limit of a stop. */
const STOP_MS = 120_000;
/** A wall clock that moves less than this is the same clock. */
const JUMP_MS = 1_000;
/** How long after its recorded end an attempt may still run. */
const END_MS = 5_000;
