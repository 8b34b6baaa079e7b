import { linkedAbort } from '../core/abort.ts';
import { sleep } from '../core/clock.ts';
import type { ProtocolError } from '../core/errors.ts';
import type { KubernetesObject, ObjectKey } from '../model/object.ts';
import { classify, NO_HISTORY, type Outcome, remember } from './classify.ts';
import { type Decision, listAfter } from './decision.ts';
import { type CompleteList, type GatheredList, listAll } from './list-all.ts';
import type { GateSeat } from './list-gate.ts';
import { ListModeChoice } from './list-mode.ts';
import type { ListConsistency, ListWatch } from './list-watch.ts';
import { Pace } from './pace.ts';
import { Position } from './position.ts';
import {
  type ReflectorOptions,
  type ResolvedOptions,
  resolveOptions,
} from './reflector-options.ts';
import type { ReflectorSink } from './reflector-sink.ts';
import { type ReflectorStatus, StatusReporter } from './reflector-status.ts';
import { SourceMeter } from './source-meter.ts';
import { Verifier } from './verifier.ts';
import { WatchStep } from './watch-step.ts';

export type { ReflectorSink } from './reflector-sink.ts';

/**
 * Keeps a sink equal to a collection on the server: lists it, watches it for ever, resumes, and
 * lists again when it must. `docs/architecture.md` shows its states.
 *
 * No failure ends it, and none is thrown: each is classified (`classify.ts`), reported as a status
 * and answered with a delay (`pace.ts`). Only an abort ends it.
 */
export class Reflector<T extends KubernetesObject> {
  readonly #source: ListWatch<T>;
  readonly #sink: ReflectorSink<T>;
  readonly #options: ResolvedOptions;
  readonly #meter: SourceMeter;
  readonly #pace: Pace;
  readonly #mode: ListModeChoice;
  readonly #reporter: StatusReporter;
  readonly #verifier: Verifier;
  readonly #position = new Position();
  readonly #watch: WatchStep<T>;
  #history = NO_HISTORY;
  /** The list that must succeed before a watch can go on; undefined when the sink has one. */
  #due: ListConsistency | undefined;
  /** The server has gone back in time, and that was said; the next list need not say it again. */
  #regressed = false;
  /** The sink was emptied because the definition of the resource is gone. */
  #cleared = false;
  #running: Promise<void> | undefined;

  /** @throws ConfigurationError `CONFIG` for options that are unusable. */
  constructor(source: ListWatch<T>, sink: ReflectorSink<T>, options: ReflectorOptions) {
    this.#source = source;
    this.#sink = sink;
    this.#options = resolveOptions(options);
    const { clock, random, gate, labels, settings } = this.#options;
    this.#meter = new SourceMeter(this.#options.meter, labels, clock);
    this.#pace = new Pace(clock, random);
    const { group, version, resource: plural } = labels;
    const resource = JSON.stringify([group, version, plural]);
    this.#mode = new ListModeChoice(settings.list, gate, resource);
    this.#reporter = new StatusReporter((status) => {
      this.#meter.entered(status.health);
      sink.statusChanged(status);
    });
    this.#verifier = new Verifier({
      ...{ source, view: sink, position: this.#position, meter: this.#meter, gate, clock, random },
      paging: sink.takePage === undefined ? {} : { hold: sink.hold, bySize: true },
      pageSize: settings.pageSize,
      intervalMs: settings.relistIntervalMs,
      verified: (drift) => sink.verified(drift),
      regressed: (resourceVersion) => this.#noteRegression(resourceVersion),
    });
    this.#watch = new WatchStep({
      ...{ source, sink, options: this.#options, position: this.#position, meter: this.#meter },
      ...{ pace: this.#pace, mode: this.#mode, reporter: this.#reporter, verifier: this.#verifier },
      publish: (list) => this.#publish(list),
      decide: (outcome, worked) => this.#decide(outcome, worked),
      regressed: (resourceVersion) => this.#noteRegression(resourceVersion),
    });
  }

  get status(): ReflectorStatus {
    return this.#reporter.status;
  }

  /** Everything up to this resourceVersion is in the sink. */
  get resourceVersion(): string | undefined {
    return this.#position.resourceVersion;
  }

  /**
   * Works until `signal` aborts; then resolves, with no request and no timer left behind. While it
   * runs, a second call starts nothing: it answers with the end of the first.
   */
  run(signal: AbortSignal): Promise<void> {
    this.#running ??= this.#run(signal).finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /**
   * Compares the sink with an authoritative list, as is done every `relistIntervalMs`; waits for a
   * live watch first. Calls no handler; what is found is repaired by a list afterwards.
   *
   * @returns the keys that differed for 30 s; none when a list has replaced everything meanwhile.
   * @throws OperatorError `NOT_SYNCED` when the reflector does not run; what the list throws; the
   *   reason of the stop when it is stopped first.
   */
  verify(): Promise<readonly ObjectKey[]> {
    return this.#verifier.verify();
  }

  /**
   * An object that the sink was given, and held, cannot be read: everything is listed anew, as after a
   * line that cannot be decoded.
   */
  unreadable(error: ProtocolError): void {
    this.#watch.unreadable(error);
  }

  async #run(signal: AbortSignal): Promise<void> {
    const seat = this.#options.gate.join();
    this.#meter.entered(this.#reporter.starting().health);
    using stop = linkedAbort(signal);
    const mirroring = this.#mirror(seat, stop.signal).finally(() => stop.abort());
    const verifying = this.#verifier.run(stop.signal).catch(() => {}); // it ends by that abort
    try {
      await mirroring;
    } catch (error) {
      if (!signal.aborted) throw error; // a sink that throws is a bug: it must not pass for a failure
    } finally {
      await verifying;
      seat.leave();
      this.#verifier.stop();
      this.#reporter.stopped();
    }
  }

  async #mirror(seat: GateSeat, signal: AbortSignal): Promise<void> {
    this.#due = this.#firstList();
    await Promise.resolve(); // let the other sources of the process join
    await this.#wait(seat.startDelayMs(), signal);
    while (!signal.aborted) {
      const pages = this.#due !== undefined && !this.#mode.streams;
      const decision = pages ? await this.#list(signal) : await this.#watch.run(this.#due, signal);
      if (signal.aborted) return;
      if (decision === undefined) continue;
      const wasWatching = this.#due === undefined;
      this.#due = listAfter(decision, this.#due, this.#position.resourceVersion);
      const ownMs = this.#pace.delayMs(decision);
      const lostWatch = wasWatching && this.#due !== undefined;
      const delayMs = lostWatch ? Math.max(ownMs, seat.needsRelist()) : ownMs;
      this.#reporter.failed(decision, delayMs, decision.error);
      if (decision.wait === 'unserved') await this.#untilServed(decision, delayMs, signal);
      else await this.#wait(delayMs, signal);
      if (lostWatch) await this.#wait(seat.relistDelayMs(), signal);
    }
  }

  /** A run after another one never starts behind it. */
  #firstList(): ListConsistency {
    const { resourceVersion } = this.#position;
    if (this.#options.settings.initialList === 'consistent') return { kind: 'latest' };
    return resourceVersion === undefined
      ? { kind: 'any' }
      : { kind: 'not-older-than', resourceVersion };
  }

  /** The list that is due, page by page; undefined when it is in the sink. */
  async #list(signal: AbortSignal): Promise<Decision | undefined> {
    const { gate, clock, settings } = this.#options;
    const { pageSize } = settings;
    const release = await gate.enter(signal);
    const startedAt = clock.monotonic();
    let list: GatheredList<T>;
    // Not when it is complete: what it shows again may be found out while it is under way.
    this.#watch.listing();
    try {
      const consistency = this.#due ?? { kind: 'latest' };
      const { hold, takePage } = this.#sink;
      const request = { consistency, pageSize, hold, signal };
      list = await listAll(this.#source, { ...request, takePage });
    } catch (error) {
      if (signal.aborted) return undefined;
      const decision = this.#decide({ during: 'list', error }, false);
      this.#meter.listed('paged', decision.reason, startedAt);
      return decision;
    } finally {
      release();
    }
    this.#meter.listed('paged', 'ok', startedAt);
    this.#noteDuplicates(list.duplicates);
    await this.#publish({ items: list.items, resourceVersion: list.resourceVersion });
    return undefined;
  }

  async #publish(list: CompleteList<T>): Promise<void> {
    if (this.#position.isAhead(list.resourceVersion)) this.#noteRegression(list.resourceVersion);
    this.#verifier.replaced();
    await this.#sink.replace(list);
    this.#position.jump(list.resourceVersion);
    this.#due = undefined;
    this.#regressed = false;
    this.#cleared = false;
    this.#mode.listed();
    this.#reporter.listed();
  }

  async #untilServed(decision: Decision, firstMs: number, signal: AbortSignal): Promise<void> {
    const { discovery } = this.#source;
    if (discovery === undefined) return this.#wait(firstMs, signal);
    const { discoveryPoll, settings } = this.#options;
    let nextMs: number | undefined = firstMs;
    const delayMs = (): number => {
      const ms = nextMs ?? this.#pace.delayMs(decision);
      nextMs = undefined;
      return ms;
    };
    const clears = (): boolean =>
      settings.onUnserved === 'clear' &&
      this.#position.resourceVersion !== undefined &&
      !this.#cleared;
    const gone = (): Promise<void> => this.#clear();
    await discoveryPoll.untilServed(discovery, { delayMs, clears, gone, signal });
  }

  /** Empties a sink that had its first list; the list that is due stays due. */
  async #clear(): Promise<void> {
    const { resourceVersion } = this.#position;
    if (resourceVersion === undefined) return;
    this.#cleared = true;
    this.#verifier.replaced();
    this.#options.onNotice({ kind: 'cleared' });
    await this.#sink.replace({ items: [], resourceVersion });
  }

  #decide(outcome: Outcome, worked: boolean): Decision {
    const action = classify(outcome, this.#history);
    this.#history = remember(this.#history, action, worked);
    if (action.reason === 'stalled') this.#meter.stalled();
    if (action.reason === 'undecodable') this.#meter.undecodable();
    return 'error' in outcome ? { ...action, error: outcome.error } : action;
  }

  /** Said and counted once for each time that the server goes back. */
  #noteRegression(to: string): void {
    if (this.#regressed) return;
    this.#regressed = true;
    this.#meter.regressed();
    const from = this.#position.resourceVersion ?? '';
    this.#options.onNotice({ kind: 'regression', from, to });
  }

  #noteDuplicates(keys: readonly ObjectKey[]): void {
    if (keys.length === 0) return;
    this.#meter.duplicated(keys.length);
    this.#options.onNotice({ kind: 'duplicates', keys });
  }

  async #wait(ms: number, signal: AbortSignal): Promise<void> {
    if (ms > 0) await sleep(this.#options.clock, ms, signal);
  }
}
