import { linkedAbort } from '../core/abort.ts';
import { type Clock, sleep } from '../core/clock.ts';
import type { KubernetesObject, ObjectKey } from '../model/object.ts';
import { isOlder } from '../model/resource-version.ts';
import type { WatchEvent } from '../model/watch-event.ts';
import {
  type Action,
  classify,
  NO_HISTORY,
  type Outcome,
  remember,
  SHORT_WATCH_MS,
} from './classify.ts';
import { type CompleteList, listAll } from './list-all.ts';
import type { ListConsistency, ListWatch } from './list-watch.ts';
import { Pace } from './pace.ts';
import {
  DEFAULT_REFLECTOR_SETTINGS,
  type ReflectorOptions,
  type ReflectorSettings,
} from './reflector-options.ts';
import { type ReflectorStatus, StatusReporter } from './reflector-status.ts';
import { Verification, type VersionView } from './verification.ts';
import { type WindowReport, type WindowSink, watchWindow } from './watch-window.ts';

/**
 * Where a reflector puts what it learns. One call at a time; each is awaited, so that a slow sink
 * slows the socket instead of filling memory.
 */
export interface ReflectorSink<T extends KubernetesObject> extends VersionView {
  /** The whole collection, at once: what is not in it is gone. */
  replace(list: CompleteList<T>): void | Promise<void>;
  /** Changes in the order of the wire. Bookmarks are among them and mean nothing to a cache. */
  apply(batch: readonly WatchEvent<T>[]): void | Promise<void>;
  /** The state changed; once per change, not per attempt. */
  statusChanged(status: ReflectorStatus): void;
  /** An authoritative relist has compared; `drift` names what the watch had got wrong. */
  verified(drift: readonly ObjectKey[]): void;
}

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
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #settings: ReflectorSettings;
  readonly #pace: Pace;
  readonly #reporter: StatusReporter;
  #history = NO_HISTORY;
  /** The newest resourceVersion whose events are all in the sink; undefined before the first list. */
  #resourceVersion: string | undefined;
  #livelyBefore = false;
  #stallsInARow = 0;
  /** Cuts the watch under way because the sink is known to be wrong. */
  #cutForDrift: (() => void) | undefined;
  #verification: Verification | undefined;

  constructor(source: ListWatch<T>, sink: ReflectorSink<T>, options: ReflectorOptions) {
    const { clock, random = Math.random, ...settings } = options;
    this.#source = source;
    this.#sink = sink;
    this.#clock = clock;
    this.#random = random;
    this.#settings = { ...DEFAULT_REFLECTOR_SETTINGS, ...settings };
    this.#pace = new Pace(clock, random);
    this.#reporter = new StatusReporter((status) => sink.statusChanged(status));
  }

  get status(): ReflectorStatus {
    return this.#reporter.status;
  }

  /** Everything up to this resourceVersion is in the sink. */
  get resourceVersion(): string | undefined {
    return this.#resourceVersion;
  }

  /** Works until `signal` aborts; then resolves, with no request and no timer left behind. */
  async run(signal: AbortSignal): Promise<void> {
    try {
      await Promise.all([this.#mirror(signal), this.#verifyForEver(signal)]);
    } catch (error) {
      if (!signal.aborted) throw error; // a sink that throws is a bug: it must not pass for a failure
    } finally {
      this.#reporter.stopped();
    }
  }

  async #mirror(signal: AbortSignal): Promise<void> {
    let list: ListConsistency | undefined = { kind: 'latest' };
    while (!signal.aborted) {
      const action: Decision | undefined =
        list === undefined ? await this.#watch(signal) : await this.#list(list, signal);
      if (signal.aborted) return;
      if (action === undefined) {
        list = undefined;
        continue;
      }
      const delayMs = this.#pace.delayMs(action);
      this.#reporter.failed(action, delayMs, action.error);
      if (delayMs > 0) await sleep(this.#clock, delayMs, signal);
      list = this.#listFor(action, list);
    }
  }

  /** The list that `action` asks for, or undefined to watch. */
  #listFor({ step }: Action, failed: ListConsistency | undefined): ListConsistency | undefined {
    if (step === 'resume') return failed;
    const resourceVersion = this.#resourceVersion;
    if (step === 'relist-latest' || resourceVersion === undefined) return { kind: 'latest' };
    return { kind: 'not-older-than', resourceVersion };
  }

  /** One list; undefined when it is in the sink. */
  async #list(consistency: ListConsistency, signal: AbortSignal): Promise<Decision | undefined> {
    this.#verification = undefined;
    let list: CompleteList<T>;
    try {
      const { pageSize } = this.#settings;
      list = await listAll(this.#source, { consistency, pageSize, signal });
    } catch (error) {
      return this.#decide({ during: 'list', error }, false);
    }
    await this.#sink.replace(list);
    this.#resourceVersion = list.resourceVersion;
    this.#reporter.listed();
    return undefined;
  }

  /** One watch, and what to do after it. */
  async #watch(signal: AbortSignal): Promise<Decision> {
    const spacingMs = this.#pace.spacingMs();
    if (spacingMs > 0) await sleep(this.#clock, spacingMs, signal);
    using cut = linkedAbort(signal);
    let drifted = false;
    this.#cutForDrift = () => {
      drifted = true;
      cut.abort(new Error('cache drifted'));
    };
    const timeoutSeconds = this.#timeoutSeconds();
    this.#pace.opened();
    const report = await watchWindow(this.#source, this.#windowSink(), {
      resourceVersion: this.#resourceVersion ?? '',
      timeoutSeconds,
      livelyBefore: this.#livelyBefore,
      clock: this.#clock,
      signal: cut.signal,
    });
    this.#cutForDrift = undefined;
    if (report.acceptedForMs !== undefined) {
      this.#pace.closed(report.acceptedForMs, timeoutSeconds * 1_000);
    }
    this.#livelyBefore = report.lively;
    if (signal.aborted || drifted) return RELIST_NOW;
    const action = this.#decide(report.outcome, hasWorked(report));
    if (this.#isSuspicious(report, action) && (await this.#isServerBehind(signal))) {
      return RELIST_NOW;
    }
    return action;
  }

  #windowSink(): WindowSink<T> {
    return {
      accepted: () => this.#reporter.accepted(),
      proven: () => this.#reporter.proven(),
      events: async (batch: readonly WatchEvent<T>[]): Promise<void> => {
        await this.#sink.apply(batch);
        this.#verification?.observe(batch);
        this.#advance(batch);
      },
    };
  }

  /** Only after the sink has the batch: whatever breaks in between is then seen again, not skipped. */
  #advance(batch: readonly WatchEvent<T>[]): void {
    for (const event of batch) {
      const version =
        event.type === 'BOOKMARK' ? event.resourceVersion : event.object.metadata.resourceVersion;
      if (version === undefined || version === '') continue;
      if (this.#resourceVersion !== undefined && isOlder(version, this.#resourceVersion)) continue;
      this.#resourceVersion = version;
    }
  }

  #decide(outcome: Outcome, worked: boolean): Decision {
    const action = classify(outcome, this.#history);
    this.#history = remember(this.#history, action, worked);
    return 'error' in outcome ? { ...action, error: outcome.error } : action;
  }

  /**
   * A window without a line, or a second stall, may mean that the server has gone back in time: it
   * accepts a watch from a future resourceVersion, and is silent until it gets there.
   */
  #isSuspicious(report: WindowReport, action: Action): boolean {
    this.#stallsInARow = action.reason === 'stalled' ? this.#stallsInARow + 1 : 0;
    const silent = action.reason === 'ended' && report.lines === 0;
    return silent || this.#stallsInARow >= 2;
  }

  async #isServerBehind(signal: AbortSignal): Promise<boolean> {
    try {
      const consistency = { kind: 'latest' } as const;
      const probe = await this.#source.listPage({ consistency, limit: 1, signal });
      const behind = isOlder(probe.resourceVersion, this.#resourceVersion ?? '');
      if (behind) this.#reporter.failed({ ...RELIST_NOW, reason: 'ahead-of-server' }, 0);
      return behind;
    } catch {
      return false; // the watch that follows meets the same failure, and is classified
    }
  }

  #timeoutSeconds(): number {
    const [min, max] = this.#settings.watchTimeoutSeconds;
    return Math.floor(min + (max - min) * this.#random());
  }

  async #verifyForEver(signal: AbortSignal): Promise<void> {
    const { relistIntervalMs, pageSize } = this.#settings;
    while (relistIntervalMs > 0 && !signal.aborted) {
      await sleep(this.#clock, relistIntervalMs * (0.8 + 0.4 * this.#random()), signal);
      if (this.#cutForDrift === undefined) continue; // listing or waiting: a list is due anyway
      const verification = new Verification(this.#sink, this.#clock);
      this.#verification = verification;
      try {
        const drift = await verification.run(this.#source, { pageSize, signal });
        if (this.#verification !== verification) continue; // a list has replaced the cache since
        this.#sink.verified(drift);
        if (drift.length > 0) this.#cutForDrift?.();
      } catch {
        // The watch beside it meets the same failure and reports it; the next round tries again.
      } finally {
        if (this.#verification === verification) this.#verification = undefined;
      }
    }
  }
}

/** An action, and the failure that it answers. */
interface Decision extends Action {
  readonly error?: unknown;
}

const RELIST_NOW: Action = {
  step: 'relist-latest',
  wait: 'none',
  atLeastMs: 0,
  reason: 'ended',
};

function hasWorked({ lines, acceptedForMs }: WindowReport): boolean {
  return lines > 0 || (acceptedForMs ?? 0) >= SHORT_WATCH_MS;
}
