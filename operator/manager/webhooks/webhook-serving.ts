import type { Log } from '../../controller/reconciler.ts';
import type { Source } from '../../controller/source.ts';
import { aborted, NEVER_ABORTED } from '../../core/abort.ts';
import { type Clock, sleep } from '../../core/clock.ts';
import { ConfigurationError } from '../../core/errors.ts';
import { type Meter, noMeter } from '../../core/metrics.ts';
import type { KubernetesObject } from '../../model/object.ts';
import type { Resource } from '../../model/resource.ts';
import type { InformerHandle } from '../../store/namespaces-informer.ts';
import { type AnswerConversion, conversionEndpoint } from '../../webhook/conversion-endpoint.ts';
import type { Endpoint } from '../../webhook/endpoint.ts';
import type { Webhook } from '../../webhook/webhook.ts';
import { type AroundReview, webhookEndpoint } from '../../webhook/webhook-endpoint.ts';
import type { StartCheck } from '../http/health-server.ts';
import { type Runnable, runnable } from '../runnable.ts';
import type { Settings } from '../settings/settings.ts';
import { SHARE } from '../stop.ts';
import { ReviewTally } from './review-tally.ts';
import { WebhookServer } from './webhook-server.ts';

export interface WebhookServingOptions {
  readonly webhooks: readonly Webhook[];
  readonly settings: Settings;
  readonly clock: Clock;
  readonly logFor: (facts: Readonly<Record<string, string>>) => Log;
  readonly meter?: Meter;
  /** Converts objects at `/convert`. Default: that path does not exist. */
  readonly convert?: AnswerConversion;
  /** True for a resource whose objects `convert` converts. Default: no resource. */
  readonly converts?: (resource: Resource) => boolean;
  /** Called around each review. Default: not called. */
  readonly aroundReview?: AroundReview;
}

/**
 * Milliseconds that a stopping Pod still answers as before. API servers open new connections to the Pod until
 * the change of its EndpointSlice has reached all nodes.
 */
const LINGER_MS = 3_000;

/** How many milliseconds running reviews may still take after `LINGER_MS`. */
const LAST_ANSWERS_MS = 1_500;

/**
 * Milliseconds between two log lines about invalid requests to one endpoint, because anyone may send such
 * requests.
 */
const COMPLAINT_MS = 60_000;

/**
 * The webhooks of a process, in all replicas. `start` begins to listen. Until the runnable has opened its
 * sources, each review is answered with 503. After the shutdown has begun, reviews are still answered for a
 * while, so that no review fails during a rolling update.
 */
export class WebhookServing {
  /** Opens the sources, and ends when the last review is answered. */
  readonly runnable: Runnable;
  readonly #options: WebhookServingOptions;
  readonly #tallies: ReadonlyMap<Endpoint, ReviewTally>;
  readonly #server: WebhookServer;
  readonly #caches = new Map<Source, InformerHandle<KubernetesObject>>();
  readonly #complainedAt = new Map<Endpoint, number>();
  /** True when every source has been opened. */
  #areOpen = false;
  #stoppingAt = 0;

  /** @throws ConfigurationError `CONFIG` when two webhooks have the same path. */
  constructor(options: WebhookServingOptions) {
    const { clock, convert, logFor, meter = noMeter, settings, webhooks } = options;
    this.#options = options;
    const storeOf = (source: Source) => this.#caches.get(source)?.informer.store;
    const { aroundReview: around } = options;
    const parts = { clock, logFor, storeOf, ...(around && { around }) };
    const endpoints = [
      ...webhooks.map((webhook) => webhookEndpoint(webhook, parts)),
      ...(convert === undefined ? [] : [conversionEndpoint(convert, logFor({}), clock)]),
    ];
    requireOneEach(endpoints);
    this.#tallies = new Map(
      endpoints.map((endpoint) => [endpoint, new ReviewTally(endpoint, clock, meter)]),
    );
    this.#server = new WebhookServer({
      listen: settings.webhookListen,
      endpoints,
      ask: (endpoint, text, limits) =>
        this.#tally(endpoint).around(() => endpoint.answer(text, limits), limits.signal),
      answered: (endpoint, status, error) => this.#answered(endpoint, status, error),
    });
    this.runnable = runnable({
      name: 'webhooks',
      sources: webhooks.flatMap(({ sources }) => sources),
      needsLeaderElection: false,
      run: async (stop, { open }) => {
        for (const source of this.runnable.sources ?? []) this.#caches.set(source, open(source));
        this.#areOpen = true;
        await aborted(stop);
        await this.#drain();
      },
      status: () => ({ webhooks: Array.from(this.#tallies.values(), ({ status }) => status) }),
    });
  }

  /** @throws ConfigurationError `CONFIG` when the address is not available. */
  async start(): Promise<void> {
    await this.#server.start();
    const { address } = this.#server;
    const paths = Array.from(this.#tallies.keys(), ({ path }) => path);
    this.#options.logFor({}).info({ address, paths }, 'webhooks are answered');
  }

  /** True when the server listens, and every webhook is ready to answer a review. */
  get ready(): boolean {
    return this.#server.listening && [...this.#tallies.keys()].every((each) => each.ready());
  }

  /**
   * The check for `/readyz`. Another check reports sources that have no list yet, because it knows which of
   * them are needed.
   */
  get check(): StartCheck {
    const { converts = () => false, webhooks } = this.#options;
    const waiting = new Set(
      webhooks
        .filter(({ sources }) => sources.some(({ resource }) => converts(resource)))
        .map(({ path }) => path),
    );
    const isReady = (endpoint: Endpoint): boolean =>
      endpoint.ready() || (this.#areOpen && waiting.has(endpoint.path));
    return {
      name: 'webhooks',
      ok: () => this.#server.listening && [...this.#tallies.keys()].every(isReady),
      starting: () => this.#server.listening,
    };
  }

  /**
   * The listen address: `http://127.0.0.1:9440` or `unix:/path.sock`. Undefined before the server starts and
   * after it has ended.
   */
  get address(): string | undefined {
    return this.#server.listening ? this.#server.address : undefined;
  }

  /** Call when the process begins to stop, while reconciles may still finish. */
  stopping(): void {
    this.#stoppingAt = this.#options.clock.monotonic();
    this.#server.drain();
  }

  /** Closes everything at once. Idempotent. */
  stop(): Promise<void> {
    return this.#server.stop();
  }

  async #drain(): Promise<void> {
    const { clock, settings } = this.#options;
    const allMs = settings.shutdownTimeoutMs * SHARE.others;
    // No Service sends reviews to a process that is not in a Pod.
    const lingerMs = settings.podName === undefined ? 0 : Math.min(LINGER_MS, allMs * 0.6);
    const leftMs = this.#stoppingAt + lingerMs - clock.monotonic();
    if (leftMs > 0) await sleep(clock, leftMs, NEVER_ABORTED);
    const lastMs = Math.min(LAST_ANSWERS_MS, allMs * 0.3);
    const late = new AbortController();
    const cancel = clock.schedule(lastMs, () => late.abort());
    await Promise.race([this.#server.close(), aborted(late.signal)]);
    cancel();
    await this.#server.stop();
  }

  #tally(endpoint: Endpoint): ReviewTally {
    const tally = this.#tallies.get(endpoint);
    if (tally === undefined) throw new Error(`no tally for ${endpoint.path}`);
    return tally;
  }

  #answered(endpoint: Endpoint, status: number, err: unknown): void {
    this.#tally(endpoint).answered(status);
    if (err === undefined) return;
    const now = this.#options.clock.monotonic();
    if (now - (this.#complainedAt.get(endpoint) ?? Number.NEGATIVE_INFINITY) < COMPLAINT_MS) return;
    this.#complainedAt.set(endpoint, now);
    const facts = { webhook: endpoint.name, status, err };
    this.#options
      .logFor({})
      .warn(facts, 'webhook refused a request; no other refusal of it is logged for a minute');
  }
}

function requireOneEach(endpoints: readonly Endpoint[]): void {
  const paths = new Set<string>();
  for (const { path } of endpoints) {
    if (paths.has(path)) {
      throw new ConfigurationError(`two webhooks have the path ${path}: rename one`);
    }
    paths.add(path);
  }
}
