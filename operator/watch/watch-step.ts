import { linkedAbort } from '../core/abort.ts';
import { sleep } from '../core/clock.ts';
import type { ProtocolError } from '../core/errors.ts';
import type { KubernetesObject } from '../model/object.ts';
import type { Outcome } from './classify.ts';
import { type Decision, hasWorked, RELIST_NOW, REPEAT_NOW } from './decision.ts';
import type { CompleteList } from './list-all.ts';
import type { ListModeChoice } from './list-mode.ts';
import type { ListConsistency, ListWatch } from './list-watch.ts';
import type { Pace } from './pace.ts';
import type { ResolvedOptions } from './reflector-options.ts';
import { RegressionProbe } from './regression-probe.ts';
import { UnreadableObjects } from './unreadable-objects.ts';
import { WatchReceiver, type WatchReceiverOptions } from './watch-receiver.ts';
import { type WindowReport, watchWindow } from './watch-window.ts';

/** What a watch needs of its reflector. */
interface WatchStepOptions<T extends KubernetesObject>
  extends Omit<WatchReceiverOptions<T>, 'publish'> {
  readonly source: ListWatch<T>;
  readonly options: ResolvedOptions;
  readonly pace: Pace;
  readonly mode: ListModeChoice;
  /** Puts a list into the sink. */
  readonly publish: (list: CompleteList<T>) => Promise<void>;
  readonly decide: (outcome: Outcome, worked: boolean) => Decision;
  /** The server shows an older state than one that it had shown. */
  readonly regressed: (resourceVersion: string) => void;
}

/** The watches of a reflector, one at a time. */
export class WatchStep<T extends KubernetesObject> {
  readonly #parts: WatchStepOptions<T>;
  readonly #probe: RegressionProbe;
  readonly #unreadable = new UnreadableObjects();
  #livelyBefore = false;

  constructor(parts: WatchStepOptions<T>) {
    this.#parts = parts;
    const { source, meter } = parts;
    const { clock, gate } = parts.options;
    this.#probe = new RegressionProbe({ source, gate, meter, monotonic: () => clock.monotonic() });
  }

  /** Somebody tried to read an object that the sink has, in vain. Its watch is to end, and to be listed. */
  unreadable(error: ProtocolError): void {
    this.#unreadable.found(error);
  }

  /** A list begins that brings anew whatever could not be read until now. */
  listing(): void {
    this.#unreadable.listing();
  }

  /**
   * One watch, and what to do after it; it begins with the list that is due, where one is.
   * Undefined when it was stopped.
   */
  async run(due: ListConsistency | undefined, signal: AbortSignal): Promise<Decision | undefined> {
    const { options, pace, meter, verifier, decide } = this.#parts;
    const { clock, gate } = options;
    const spacingMs = pace.spacingMs();
    if (spacingMs > 0) await sleep(clock, spacingMs, signal);
    const streams = due !== undefined;
    const release = streams ? await gate.enter(signal) : (): void => {};
    using cut = linkedAbort(signal);
    let drifted = false;
    let unreadable: ProtocolError | undefined;
    const watching = (): void => {
      verifier.watching(() => {
        drifted = true;
        cut.abort(new Error('cache drifted'));
      });
      this.#unreadable.watching((error) => {
        unreadable = error;
        cut.abort(error);
      });
    };
    const startedAt = clock.monotonic();
    const publish = async (list: CompleteList<T>): Promise<void> => {
      release();
      meter.listed('stream', 'ok', startedAt);
      this.#unreadable.listing();
      await this.#parts.publish(list);
      watching();
    };
    const receiver = new WatchReceiver({ ...this.#parts, publish: streams ? publish : undefined });
    if (!streams) watching();
    try {
      const report = await this.#window(receiver, due, cut.signal);
      if (signal.aborted) return undefined;
      if (drifted) return RELIST_NOW;
      // What had been read as an event turned out to be none: as if its line had been found out then.
      if (unreadable !== undefined) return decide({ during: 'stream', error: unreadable }, false);
      if (receiver.awaitsInitialEvents) return this.#unfinished(report, startedAt);
      return await this.#afterWatch(report, signal);
    } finally {
      release();
      verifier.notWatching();
      this.#unreadable.notWatching();
    }
  }

  async #window(
    receiver: WatchReceiver<T>,
    due: ListConsistency | undefined,
    signal: AbortSignal,
  ): Promise<WindowReport> {
    const timeoutSeconds = this.#timeoutSeconds();
    this.#parts.pace.opened();
    const report = await watchWindow(this.#parts.source, receiver, {
      resourceVersion: this.#versionToWatchFrom(due),
      ...(receiver.awaitsInitialEvents && {
        awaitsInitialEvents: () => receiver.awaitsInitialEvents,
      }),
      timeoutSeconds,
      livelyBefore: this.#livelyBefore,
      clock: this.#parts.options.clock,
      onSkipped: () => this.#parts.meter.skipped(),
      hold: this.#parts.sink.hold,
      signal,
    });
    this.#livelyBefore = report.lively;
    if (report.acceptedForMs !== undefined) {
      const healthy = !('stalled' in report.outcome);
      this.#parts.pace.closed(report.acceptedForMs, timeoutSeconds * 1_000, healthy);
    }
    return report;
  }

  async #afterWatch(report: WindowReport, signal: AbortSignal): Promise<Decision> {
    if (report.slowConsumer) this.#parts.meter.slowConsumer();
    const decision = this.#parts.decide(report.outcome, hasWorked(report));
    if (report.acceptedForMs === undefined) this.#parts.meter.opened(decision.reason);
    const seen = this.#parts.position.resourceVersion;
    if (seen === undefined || !this.#probe.suspects(report, decision)) return decision;
    const behind = await this.#probe.find(seen, signal);
    if (behind === undefined) return decision;
    this.#parts.regressed(behind);
    return { ...RELIST_NOW, reason: 'ahead-of-server' };
  }

  /** A watch ended before the list that it was to begin with was complete: nothing has changed. */
  #unfinished(report: WindowReport, startedAt: number): Decision {
    const { outcome } = report;
    const error = 'error' in outcome ? outcome.error : undefined;
    if (this.#parts.mode.ended(report)) {
      this.#parts.options.onNotice({ kind: 'not-streamed', error });
      this.#parts.meter.listed('stream', 'stream-refused', startedAt);
      return REPEAT_NOW;
    }
    const decision = this.#parts.decide(
      'error' in outcome ? { during: 'list', error: outcome.error } : outcome,
      false,
    );
    if (report.acceptedForMs === undefined) this.#parts.meter.opened(decision.reason);
    this.#parts.meter.listed('stream', decision.reason, startedAt);
    return decision;
  }

  /** Of a streamed list, how old it may be; empty for the newest state. */
  #versionToWatchFrom(due: ListConsistency | undefined): string {
    if (due === undefined) return this.#parts.position.resourceVersion ?? '';
    if (due.kind === 'latest') return '';
    return due.kind === 'any' ? '0' : due.resourceVersion;
  }

  #timeoutSeconds(): number {
    const [min, max] = this.#parts.options.settings.watchTimeoutSeconds;
    return Math.floor(min + (max - min) * this.#parts.options.random());
  }
}
