import { linkedAbort } from '../core/abort.ts';
import { sleep } from '../core/clock.ts';
import type { ProtocolError } from '../core/errors.ts';
import type { Entry, WatchEvent } from '../model/entry.ts';
import type { KubernetesObject, ObjectKey } from '../model/object.ts';
import { SourceActivity } from './activity.ts';
import { HistoryProbe } from './history-probe.ts';
import { type CompleteList, type GatheredList, InitialEvents, listAll } from './list.ts';
import type { ListConsistency, ListWatch } from './list-watch.ts';
import { classify, NO_HISTORY, type Outcome, remember } from './policy/classify.ts';
import { type Decision, hasWorked, listAfter, RELIST_NOW, REPEAT_NOW } from './policy/decision.ts';
import type { LimitedSource } from './policy/list-limiter.ts';
import { ListModeChoice } from './policy/list-mode.ts';
import { Pace } from './policy/pace.ts';
import type { ReflectorSink } from './reflector-options.ts';
import {
  type ReflectorOptions,
  type ResolvedOptions,
  resolveOptions,
} from './reflector-options.ts';
import { type ReflectorStatus, SourceMeter, StatusReporter } from './reflector-status.ts';
import { ResumePoint } from './resume-point.ts';
import { Unreadable, Unserved } from './unserved.ts';
import { Verifier } from './verifier.ts';
import { PacedWatch, type WatchConsumer, type WatchReport } from './watch-once.ts';
import { Widening } from './widening.ts';

export type { ReflectorSink } from './reflector-options.ts';

/**
 * Keeps a sink equal to a collection on the server. It lists, watches, resumes the watch after each end, and
 * lists again when necessary. Its states are START, LIST, WATCH and WAIT; `classify` decides which state is
 * next.
 *
 * A failure does not end the reflector, and is not thrown. Each failure is classified (`classify.ts`),
 * reported as a status, and followed by a delay (`pace.ts`). Only an abort ends it.
 */
export class Reflector<T extends KubernetesObject> {
  /** Used when the source begins to deliver more objects of its collection. */
  readonly widening: Widening<T>;
  readonly #source: SourceActivity<T>;
  readonly #sink: ReflectorSink<T>;
  readonly #options: ResolvedOptions;
  readonly #meter: SourceMeter;
  readonly #pace: Pace;
  readonly #mode: ListModeChoice;
  readonly #reporter: StatusReporter;
  readonly #verifier: Verifier;
  readonly #historyProbe: HistoryProbe;
  readonly #unserved: Unserved;
  readonly #watches: PacedWatch<T>;
  readonly #unreadable = new Unreadable();
  readonly #resumePoint = new ResumePoint();
  #history = NO_HISTORY;
  /** The list that must succeed before a watch can continue; undefined when the sink has a list. */
  #due: ListConsistency | undefined;
  /** True if a regression of the server was reported. The next list then does not report it again. */
  #regressed = false;
  #running: Promise<void> | undefined;

  /** @throws ConfigurationError `CONFIG` for invalid options. */
  constructor(source: ListWatch<T>, sink: ReflectorSink<T>, options: ReflectorOptions) {
    this.#sink = sink;
    this.#options = resolveOptions(options);
    const { clock, random, limiter, labels, settings } = this.#options;
    this.#source = new SourceActivity(source, clock);
    this.#meter = new SourceMeter(this.#options.meter, labels, clock);
    this.#pace = new Pace(clock, random);
    const { group, version, resource: plural } = labels;
    const resource = JSON.stringify([group, version, plural]);
    this.#mode = new ListModeChoice(settings.list, limiter, resource);
    this.#reporter = new StatusReporter((status) => {
      this.#meter.entered(status.health);
      sink.statusChanged(status);
    });
    this.#verifier = new Verifier({
      ...{
        source: this.#source,
        view: sink,
        resumePoint: this.#resumePoint,
        meter: this.#meter,
        limiter,
        clock,
        random,
      },
      paging: { known: (key) => sink.known(key), bySize: sink.takePage !== undefined },
      pageSize: settings.pageSize,
      intervalMs: settings.relistIntervalMs,
      verified: (drift) => sink.verified(drift),
      regressed: (resourceVersion) => this.#noteRegression(resourceVersion),
    });
    this.#historyProbe = new HistoryProbe({
      ...{ source: this.#source, view: sink, resumePoint: this.#resumePoint },
      ...{ limiter, meter: this.#meter, clock, random },
      found: (resourceVersion) => this.#noteRegression(resourceVersion),
    });
    this.#unserved = new Unserved({
      ...{ source: this.#source, resumePoint: this.#resumePoint, clock },
      discoveryPoll: this.#options.discoveryPoll,
      onUnserved: settings.onUnserved,
      clear: (resourceVersion) => this.#clear(resourceVersion),
    });
    this.widening = new Widening(sink, { ...this.#options, resumePoint: this.#resumePoint });
    this.#watches = new PacedWatch({
      ...{ source: this.#source, resumePoint: this.#resumePoint, pace: this.#pace, clock, random },
      timeoutSeconds: settings.watchTimeoutSeconds,
      isReopened: () => this.widening.hasReopened,
      onSkipped: () => this.#meter.skipped(),
    });
  }

  get status(): ReflectorStatus {
    return this.#reporter.status;
  }

  /** The running request; undefined between attempts. */
  get activity(): 'listing' | 'watching' | undefined {
    return this.#source.activity;
  }

  /** `clock.monotonic()` of the server's last sign of life; undefined before the first one. */
  get lastContactAt(): number | undefined {
    return this.#source.lastAt;
  }

  /** The sink has everything up to this resourceVersion. */
  get resourceVersion(): string | undefined {
    return this.#resumePoint.resourceVersion;
  }

  /**
   * Works until `signal` aborts, then resolves when no request and no timer is left. A second call during a
   * run starts nothing and returns the promise of the first call.
   */
  run(signal: AbortSignal): Promise<void> {
    this.#running ??= this.#run(signal).finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /**
   * Compares the sink with an authoritative list, as the reflector does every `relistIntervalMs`. It waits
   * for a live watch first. It calls no handler; a later list repairs the differences.
   *
   * @param patienceMs - for how many milliseconds a difference is tolerated, because the watch may lag
   *   behind. Default 30 s.
   * @returns the keys that differed during the whole time; none when a list has replaced everything
   *   meanwhile.
   * @throws OperatorError `NOT_SYNCED` when the reflector does not run; the error of the list; the reason of
   *   the abort when the reflector is stopped first.
   */
  verify(patienceMs?: number): Promise<readonly ObjectKey[]> {
    return this.#verifier.verify(patienceMs);
  }

  /** Reports, at any time, that an entry of the sink is not valid JSON: see `Unreadable`. */
  unreadable(error: ProtocolError): void {
    this.#unreadable.found(error);
  }

  async #run(signal: AbortSignal): Promise<void> {
    const limited = this.#options.limiter.join();
    this.#meter.entered(this.#reporter.starting().health);
    using stop = linkedAbort(signal);
    const mirroring = this.#mirror(limited, stop.signal).finally(() => stop.abort());
    const verifying = this.#verifier.run(stop.signal).catch(() => {}); // it ends with this abort
    try {
      await mirroring;
    } catch (error) {
      if (!signal.aborted) throw error; // a sink that throws is a bug, not a failed request
    } finally {
      await verifying;
      limited.leave();
      this.#verifier.stop();
      this.#reporter.stopped();
    }
  }

  async #mirror(limited: LimitedSource, signal: AbortSignal): Promise<void> {
    this.#due = this.#firstList();
    await Promise.resolve(); // let the other sources of the process join
    await this.#wait(limited.startDelayMs(), signal);
    while (!signal.aborted) {
      const pages = this.#due !== undefined && !this.#mode.streams;
      const decision = pages ? await this.#list(signal) : await this.#watch(signal);
      if (signal.aborted) return;
      if (decision === undefined) continue;
      const wasWatching = this.#due === undefined;
      this.#due = listAfter(decision, this.#due, this.#resumePoint.resourceVersion);
      const ownMs = this.#pace.delayMs(decision);
      const lostWatch = wasWatching && this.#due !== undefined;
      const delayMs = lostWatch ? Math.max(ownMs, limited.needsRelist()) : ownMs;
      this.#reporter.failed(decision, delayMs, decision.error);
      if (decision.wait === 'unserved') {
        await this.#unserved.wait(delayMs, () => this.#pace.delayMs(decision), signal);
      } else await this.widening.pause(delayMs, decision.atLeastMs, signal);
      if (lostWatch) await this.#wait(limited.relistDelayMs(), signal);
    }
  }

  /** The first list of a run. No run starts from an older state than the previous run. */
  #firstList(): ListConsistency {
    const { resourceVersion } = this.#resumePoint;
    if (this.#options.settings.initialList === 'consistent') return { kind: 'latest' };
    return resourceVersion === undefined
      ? { kind: 'any' }
      : { kind: 'not-older-than', resourceVersion };
  }

  /** Makes the pending list, page by page. Resolves to undefined when the list is in the sink. */
  async #list(signal: AbortSignal): Promise<Decision | undefined> {
    const { limiter, clock, settings } = this.#options;
    const { pageSize } = settings;
    const release = await limiter.enter(signal);
    const startedAt = clock.monotonic();
    let list: GatheredList<T>;
    // This is called before the list, because an entry of this list may turn out to be unreadable while the
    // list is running.
    this.#unreadable.listing();
    try {
      const consistency = this.#due ?? { kind: 'latest' };
      const known = (key: ObjectKey): Entry<T> | undefined => this.#sink.known(key);
      const { takePage } = this.#sink;
      list = await listAll(this.#source, { consistency, pageSize, known, takePage, signal });
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
    if (this.#resumePoint.isAhead(list.resourceVersion)) this.#noteRegression(list.resourceVersion);
    this.#verifier.replaced();
    await this.#sink.replace(list);
    this.#resumePoint.jump(list.resourceVersion);
    this.#due = undefined;
    this.#regressed = false;
    this.#unserved.listed();
    this.#historyProbe.heard();
    this.#mode.listed();
    this.#reporter.listed();
  }

  /**
   * Runs one watch and decides what to do next. If a list is pending, the watch begins with the list.
   * Resolves to undefined after the reflector was stopped.
   */
  async #watch(signal: AbortSignal): Promise<Decision | undefined> {
    const due = this.#due;
    await this.#wait(this.#pace.spacingMs(), signal);
    const release = due && (await this.#options.limiter.enter(signal));
    using cut = linkedAbort(signal);
    let ended: Decision | undefined;
    const end = (decision: Decision): void => {
      ended ??= decision;
      cut.abort(new Error('the watch is no longer of use'));
    };
    const probe = (): void => this.#historyProbe.run(end, cut.signal);
    const startedAt = this.#options.clock.monotonic();
    /** The list that is being received; undefined when it is complete or no list is pending. */
    let initial = due && new InitialEvents<T>();
    const consumer: WatchConsumer<T> = {
      accepted: () => {
        this.#meter.opened('ok');
        if (initial === undefined) this.#reporter.accepted();
      },
      proven: (lines) => {
        if (initial !== undefined) return;
        this.#reporter.proven();
        if (lines === 0) probe();
      },
      events: async (batch) => {
        this.#meter.received(batch);
        if (initial === undefined) return this.#deliver(batch).then(probe);
        const complete = initial.take(batch);
        if (complete === undefined) return;
        initial = undefined;
        release?.();
        this.#meter.listed('stream', 'ok', startedAt);
        this.#unreadable.listing();
        await this.#publish(complete.list);
        this.#live(end);
        this.#reporter.proven();
        if (complete.rest.length > 0) await this.#deliver(complete.rest);
      },
    };
    if (due === undefined) this.#live(end);
    try {
      const request = { due, awaitsInitialEvents: () => initial !== undefined, signal: cut.signal };
      const report = await this.#watches.once(consumer, request);
      if (signal.aborted) return undefined;
      if (ended !== undefined) return ended;
      if (initial !== undefined) return this.#unfinished(report, startedAt);
      return this.#afterWatch(report);
    } finally {
      cut.abort();
      await this.#historyProbe.ended();
      release?.();
      for (const each of [this.#verifier, this.widening, this.#unreadable]) each.notWatching();
    }
  }

  /** Called when the watch delivers events after a list in the sink. `end` ends the watch. */
  #live(end: (decision: Decision) => void): void {
    this.#verifier.watching(() => end(RELIST_NOW));
    this.widening.watching(() => end(REPEAT_NOW));
    // An entry of an event turned out not to be valid JSON. This is handled as if its line could not be
    // decoded.
    this.#unreadable.watching((error) => end(this.#decide({ during: 'stream', error }, false)));
  }

  /** Applies a batch, then moves the resume point. */
  async #deliver(batch: readonly WatchEvent<T>[]): Promise<void> {
    const sink = this.#sink;
    if (this.#resumePoint.isReachedBy(batch)) this.#historyProbe.heard();
    const older = await this.#resumePoint.deliver(batch, {
      apply: async (events: readonly WatchEvent<T>[]) => {
        await sink.apply(events);
        this.#verifier.observe(events);
      },
      known: (key) => sink.known(key),
      keys: () => sink.keys(),
    });
    for (let count = 0; count < older; count++) this.#meter.regressed();
  }

  #afterWatch(report: WatchReport): Decision {
    if (report.slowConsumer) this.#meter.slowConsumer();
    const decision = this.#decide(report.outcome, hasWorked(report));
    if (report.acceptedForMs === undefined) this.#meter.opened(decision.reason);
    this.#historyProbe.watchEnded(report, decision);
    return decision;
  }

  /** Handles a watch that ended before its initial list was complete. The sink is unchanged. */
  #unfinished(report: WatchReport, startedAt: number): Decision {
    const { outcome } = report;
    const error = 'error' in outcome ? outcome.error : undefined;
    if (this.#mode.ended(report)) {
      this.#options.onNotice({ kind: 'not-streamed', error });
      this.#meter.listed('stream', 'stream-refused', startedAt);
      return REPEAT_NOW;
    }
    const decision = this.#decide(
      'error' in outcome ? { during: 'list', error: outcome.error } : outcome,
      false,
    );
    if (report.acceptedForMs === undefined) this.#meter.opened(decision.reason);
    this.#meter.listed('stream', decision.reason, startedAt);
    return decision;
  }

  /** Empties the sink. The pending list remains pending. */
  async #clear(resourceVersion: string): Promise<void> {
    this.#verifier.replaced();
    this.#options.onNotice({ kind: 'cleared' });
    await this.#sink.replace({ items: [], resourceVersion });
  }

  #decide(outcome: Outcome, worked: boolean): Decision {
    const action = classify(outcome, this.#history);
    this.#history = remember(this.#history, action, worked);
    this.#meter.failed(action.reason);
    if (action.reason === 'stalled') this.#meter.stalled();
    if (action.reason === 'undecodable') this.#meter.undecodable();
    return 'error' in outcome ? { ...action, error: outcome.error } : action;
  }

  /** Reports and counts each return of the server to an older state once. */
  #noteRegression(to: string): void {
    if (this.#regressed) return;
    this.#regressed = true;
    this.#meter.regressed();
    const from = this.#resumePoint.resourceVersion ?? '';
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
