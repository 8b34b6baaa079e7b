import { type Backoff, exponentialBackoff } from '../../core/backoff.ts';
import { type Clock, sleep } from '../../core/clock.ts';
import { OperatorError } from '../../core/errors.ts';
import type { ManifestDocument } from '../files/manifest-files.ts';
import type { DevCluster } from './ambassador.ts';
import type { Declarations } from './declarations.ts';
import type { FileHashes } from './messages.ts';
import type { Announcement } from './operator-process.ts';
import { WatchedFiles } from './watched-files.ts';

/** Delays before a restart after a crash: 1 s, 2 s, 4 s, and so on, at most 30 s. */
const FIRST_DELAY_MS = 1_000;
const LONGEST_DELAY_MS = 30_000;

/** Time after which an operator is considered healthy, and not in a crash loop. */
const HEALTHY_AFTER_MS = 30_000;

/** How long samples wait for the webhooks to answer, and how often the webhooks are checked. */
const WEBHOOKS_LIMIT_MS = 30_000;
const WEBHOOKS_POLL_MS = 100;

/** Exit codes after which a restart is useless until a file has been saved. */
const WRONG_MODULE = 2;
const UNSAFE_SETUP = 3;

/** One run of the operator, such as an `OperatorProcess`. */
export interface RunningOperator {
  /**
   * The result of loading the operator's modules. The promise stays pending if the process ends
   * first.
   */
  readonly announced: Promise<Announcement>;
  /** The exit code of the operator. Never rejects. */
  readonly exit: Promise<number>;
  /** Makes the operator run its controllers. */
  go(environment: Readonly<Record<string, string>>): void;
  /** Stops the operator. Resolves when its process is gone. */
  stop(): Promise<void>;
}

export interface SessionOptions {
  readonly cluster: DevCluster;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly say: (text: string) => void;
  readonly describe: (error: OperatorError) => string;
  /** Returns a path in the form in which messages contain it. */
  readonly shown: (path: string) => string;
  readonly startOperator: (onFiles: (files: FileHashes) => void) => RunningOperator;
  /** Called at each start of the operator. */
  readonly onStart: () => void;
  /** Called once, just before the first operator begins to reconcile. */
  readonly onReady: () => void;
  readonly samples: readonly ManifestDocument[];
}

/** An event for which the session waits while an operator runs. */
type SessionEvent =
  | { readonly is: 'announced'; readonly announcement: Announcement }
  | { readonly is: 'ended'; readonly code: number }
  | { readonly is: 'saved' | 'stopped' | 'waited' };

/** Restarts the operator after each save and after each crash. */
export class DevSession {
  readonly #options: SessionOptions;
  readonly #files: WatchedFiles;
  readonly #backoff: Backoff = exponentialBackoff({
    initialMs: FIRST_DELAY_MS,
    maxMs: LONGEST_DELAY_MS,
  });
  /** Files that were saved but not loaded yet. The next save resolves `#saved`. */
  #changed: readonly string[] = [];
  #saved = Promise.withResolvers<void>();
  #isReady = false;
  /** The declarations that were last applied to the cluster and the ambassador, as JSON. */
  #prepared: Partial<Record<keyof Declarations, string>> = {};
  #samples: readonly ManifestDocument[];
  /** Files of samples that were reported as applied. */
  readonly #applied = new Set<string>();
  /** True when the first definitions are installed, and all webhooks, if there are any, answer. */
  #takesSamples = false;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#samples = options.samples;
    this.#files = new WatchedFiles({
      clock: options.clock,
      onChange: (files) => {
        this.#changed = files;
        this.#saved.resolve();
      },
    });
  }

  /** Resolves when the signal has aborted and the operator has stopped. */
  async run(): Promise<void> {
    const { signal, startOperator, onStart } = this.#options;
    try {
      while (!signal.aborted) {
        this.#takeSave();
        const operator = startOperator((files) => this.#files.add(files));
        onStart();
        const event = await this.#follow(operator);
        await operator.stop();
        if (event.is === 'ended') await this.#pause(event.code);
      }
    } finally {
      this.#files.close();
    }
  }

  /**
   * Waits until a new operator is loaded, lets it run, and resolves when it ends, when a file is
   * saved, or when the session is stopped.
   */
  async #follow(operator: RunningOperator): Promise<SessionEvent> {
    const { clock, say } = this.#options;
    const startedAt = clock.monotonic();
    const first = await this.#next(operator, operator.announced);
    if (first.is !== 'announced') return first;
    const { announcement } = first;
    this.#files.watch(announcement.files, announcement.kind === 'loaded');
    if (announcement.kind === 'failed') {
      const event = await this.#next(operator);
      return event.is === 'ended' ? { is: 'ended', code: WRONG_MODULE } : event;
    }
    const { declarations, pid } = announcement;
    await this.#prepare(declarations);
    const isReviewed = declarations.webhooks.length > 0;
    if (!isReviewed) await this.#applySamples();
    operator.go({ CHANCERY_API_URL: this.#options.cluster.ambassador.url });
    if (!this.#isReady) this.#options.onReady();
    this.#isReady = true;
    say(`the operator runs (pid ${pid})`);
    const over = new AbortController();
    const reviewed = isReviewed ? this.#applyReviewedSamples(over.signal) : undefined;
    const next = this.#next(operator);
    const event = await Promise.race([next, reviewed?.then(() => next) ?? next]);
    over.abort();
    await reviewed;
    if (isReviewed) this.#takesSamples = false; // nobody would answer the webhooks
    if (clock.monotonic() - startedAt >= HEALTHY_AFTER_MS) this.#backoff.reset();
    return event;
  }

  async #next(operator: RunningOperator, announced?: Promise<Announcement>): Promise<SessionEvent> {
    return Promise.race([
      ...(announced === undefined
        ? []
        : [announced.then((announcement) => ({ is: 'announced', announcement }) as const)]),
      operator.exit.then((code) => ({ is: 'ended', code }) as const),
      this.#saveOrStop(),
    ]);
  }

  /** Waits before the restart of an operator that ended by itself. */
  async #pause(code: number): Promise<void> {
    const { clock, say, signal } = this.#options;
    if (signal.aborted) return;
    if (code === WRONG_MODULE || code === UNSAFE_SETUP) {
      say(`the operator ended with code ${code}; it starts again after the next save`);
      await this.#saveOrStop();
      return;
    }
    const delayMs = this.#backoff.nextMs();
    say(
      `the operator ended with code ${code}; it starts again in ${delayMs / 1_000} s, or after a save`,
    );
    const over = new AbortController();
    const slept = sleep(clock, delayMs, over.signal).catch(() => {});
    await Promise.race([slept, this.#saveOrStop()]);
    over.abort();
  }

  #saveOrStop(): Promise<{ readonly is: 'saved' | 'stopped' }> {
    const { signal } = this.#options;
    const stopped = new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      else signal.addEventListener('abort', () => resolve(), { once: true });
    });
    return Promise.race([
      this.#saved.promise.then(() => ({ is: 'saved' }) as const),
      stopped.then(() => ({ is: 'stopped' }) as const),
    ]);
  }

  /** Forgets which files were saved, because the next start loads them. */
  #takeSave(): void {
    const changed = this.#changed;
    if (changed.length === 0) return;
    this.#changed = [];
    this.#saved = Promise.withResolvers();
    this.#backoff.reset();
    const { say, shown } = this.#options;
    const more = changed.length > 1 ? ` and ${changed.length - 1} more` : '';
    say(`${shown(changed[0] ?? '')}${more} changed; the operator starts again`);
  }

  /** Applies the declarations that have changed to the cluster and the ambassador. */
  async #prepare(declarations: Declarations): Promise<void> {
    const { definitions, conversionUrl, roles, filter, webhooks } = declarations;
    const { cluster } = this.#options;
    await this.#once('definitions', [definitions, conversionUrl], () =>
      cluster.applyDefinitions(definitions, conversionUrl),
    );
    await this.#once('roles', roles, () => cluster.applyRoles(roles));
    await this.#once('webhooks', webhooks, () => cluster.applyWebhooks(webhooks));
    const before = cluster.ambassador.url;
    await this.#once('filter', filter, () => cluster.ambassador.start(filter));
    const { url } = cluster.ambassador;
    if (this.#isReady && url !== before) this.#options.say(`ambassador   ${url}`);
  }

  /**
   * Applies a value, unless it equals the value that was last applied successfully. A failure is
   * reported, but not thrown.
   */
  async #once(what: keyof Declarations, value: unknown, apply: () => Promise<void>): Promise<void> {
    const text = JSON.stringify(value);
    const before = this.#prepared[what];
    if (before === text) return;
    if (await this.#attempt(`the ${what}`, apply)) {
      this.#prepared[what] = text;
      if (before !== undefined) this.#options.say(`the ${what} changed`);
    }
  }

  /**
   * Applies the samples of saved files. If the operator does not run yet, they are applied later,
   * together with all other samples.
   */
  async addSamples(samples: readonly ManifestDocument[]): Promise<void> {
    const files = new Set(samples.map(({ file }) => file));
    this.#samples = [...this.#samples.filter(({ file }) => !files.has(file)), ...samples];
    if (this.#takesSamples) await this.#applySamples();
    else this.#options.say('samples wait until the operator runs');
  }

  /**
   * Applies the samples when the webhooks answer, because an API server may skip a webhook that
   * does not answer.
   */
  async #applyReviewedSamples(over: AbortSignal): Promise<void> {
    const { clock, cluster, say } = this.#options;
    const startedAt = clock.monotonic();
    while (!(await cluster.asksWebhooks())) {
      if (clock.monotonic() - startedAt >= WEBHOOKS_LIMIT_MS) {
        say(`the webhooks do not answer for ${WEBHOOKS_LIMIT_MS / 1_000} s; samples are applied`);
        break;
      }
      await sleep(clock, WEBHOOKS_POLL_MS, over).catch(() => {});
      if (over.aborted) return;
    }
    if (!over.aborted) await this.#applySamples();
  }

  /**
   * Applies each saved sample once. Refused samples are retried after the next save. When all
   * objects of a file have been applied for the first time, this is reported.
   */
  async #applySamples(): Promise<void> {
    this.#takesSamples = true;
    const waiting = this.#samples;
    this.#samples = [];
    for (const sample of waiting) {
      const apply = (): Promise<void> => this.#options.cluster.applySample(sample.value);
      if (!(await this.#attempt(sample.file, apply))) this.#samples = [...this.#samples, sample];
    }
    const refused = new Set(this.#samples.map(({ file }) => file));
    for (const { file } of waiting) {
      if (refused.has(file) || this.#applied.has(file)) continue;
      this.#applied.add(file);
      this.#options.say(`applied ${file}`);
    }
  }

  async #attempt(what: string, apply: () => Promise<void>): Promise<boolean> {
    try {
      await apply();
      return true;
    } catch (error) {
      if (!(error instanceof OperatorError)) throw error;
      this.#options.say(`cannot apply ${what}: ${this.#options.describe(error)}`);
      return false;
    }
  }
}
