import type { Clock } from '../../core/clock.ts';
import type { Meter } from '../../core/metrics.ts';
import type { Endpoint, EndpointAnswer } from '../../webhook/endpoint.ts';

const REQUESTS = 'controller_runtime_webhook_requests_total';
const LATENCY = 'controller_runtime_webhook_latency_seconds';
const IN_FLIGHT = 'controller_runtime_webhook_requests_in_flight';
const PANICS = 'controller_runtime_webhook_panics_total';
const REVIEWS = 'chancery_webhook_reviews_total';

const OUTCOMES = ['allowed', 'denied', 'failed', 'timeout', 'unusable'] as const;

/** The state of one endpoint for the status page. */
export interface EndpointStatus {
  readonly webhook: string;
  readonly path: string;
  readonly ready: boolean;
  readonly inFlight: number;
  readonly allowed: number;
  readonly denied: number;
  readonly failed: number;
  readonly timeout: number;
  readonly unusable: number;
}

/** Counts the reviews of one endpoint. If controller-runtime has the same metric, its name is used. */
export class ReviewTally {
  readonly #endpoint: Endpoint;
  readonly #clock: Clock;
  readonly #meter: Meter;
  readonly #webhook: { readonly webhook: string };
  readonly #counts: Record<EndpointAnswer['outcome'], number> = {
    allowed: 0,
    denied: 0,
    failed: 0,
    timeout: 0,
    unusable: 0,
  };
  #inFlight = 0;

  constructor(endpoint: Endpoint, clock: Clock, meter: Meter) {
    this.#endpoint = endpoint;
    this.#clock = clock;
    this.#meter = meter;
    this.#webhook = { webhook: endpoint.path };
    for (const code of ['200', '500']) meter.count(REQUESTS, { ...this.#webhook, code }, 0);
    for (const outcome of OUTCOMES) meter.count(REVIEWS, { ...this.#webhook, outcome }, 0);
    meter.gauge(IN_FLIGHT, this.#webhook, 0);
    meter.count(PANICS, {}, 0);
  }

  /**
   * Measures the answer to one review.
   *
   * @param signal - aborted when the client has closed the connection because it waited too long.
   */
  async around(
    answer: () => Promise<EndpointAnswer>,
    signal: AbortSignal,
  ): Promise<EndpointAnswer> {
    const beganAt = this.#clock.monotonic();
    this.#meter.gauge(IN_FLIGHT, this.#webhook, ++this.#inFlight);
    let outcome: EndpointAnswer['outcome'] = 'unusable';
    try {
      const answered = await answer();
      outcome = answered.outcome;
      return answered;
    } finally {
      if (signal.aborted) outcome = 'timeout';
      this.#counts[outcome]++;
      this.#meter.count(REVIEWS, { ...this.#webhook, outcome });
      if (outcome === 'failed') this.#meter.count(PANICS, {});
      this.#meter.gauge(IN_FLIGHT, this.#webhook, --this.#inFlight);
      const seconds = (this.#clock.monotonic() - beganAt) / 1_000;
      this.#meter.observe(LATENCY, this.#webhook, seconds);
    }
  }

  /** Counts a request, by the HTTP status of the answer. */
  answered(status: number): void {
    this.#meter.count(REQUESTS, { ...this.#webhook, code: String(status) });
  }

  get status(): EndpointStatus {
    const { name, path, ready } = this.#endpoint;
    return { webhook: name, path, ready: ready(), inFlight: this.#inFlight, ...this.#counts };
  }
}
