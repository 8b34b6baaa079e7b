import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Log } from '../../controller/reconciler.ts';
import { type Clock, systemClock } from '../../core/clock.ts';
import { type Meter, noMeter } from '../../core/metrics.ts';
import { HttpListener, portUnavailable, refusesHost, send } from '../http/listener.ts';
import { AddedRegistries } from './added-registries.ts';
import { CONTENT_TYPE, type Exposition, type ExpositionFormat } from './exposition.ts';
import type { Metric } from './metric.ts';
import type { MetricsRegistry } from './registry.ts';

/**
 * A page with further metrics in the text format of Prometheus. The port serves it in addition to `/metrics`.
 */
export interface MetricsPage {
  /** For example `/metrics/hooks`. */
  readonly path: string;
  text(): Promise<string>;
}

interface MetricsPortOptions {
  /** The port to listen on. 0 turns metrics off. */
  readonly port: number;
  readonly host: string;
  /** Additional host names for `isAcceptedHost`. Default: none. */
  readonly hosts?: readonly string[];
  /** Prefix of the toolkit's own metrics. Default `chancery_`. */
  readonly prefix?: string;
  /** Also collect sizes, durations and retries of requests. Default false. */
  readonly detailed?: boolean;
  /** Metrics that the toolkit collects in addition to the catalogue. Default: none. */
  readonly more?: readonly Metric[];
  /** Pages for further paths. Default: none. */
  readonly pages?: readonly MetricsPage[];
  /** Registries of the operator's own metrics. Default: none. */
  readonly registries?: readonly MetricsRegistry[];
  /** The clock for the time limit on reading these registries. Default: the system clock. */
  readonly clock?: Clock;
  readonly log: Pick<Log, 'error'>;
}

/** The meter of a process and the server that exposes it. */
interface MetricsPort {
  readonly meter: Meter;
  /** The server, which is not started yet; undefined when the port is 0. */
  readonly server: MetricsServer | undefined;
}

/**
 * Creates the meter of a process and the server that exposes it. If the port is 0, nothing is measured, and
 * prom-client is not loaded.
 *
 * @throws ConfigurationError `CONFIG` when no metric name may begin with the prefix.
 */
export async function metricsPort(options: MetricsPortOptions): Promise<MetricsPort> {
  const { port, host, hosts = [], pages = [], registries = [], clock = systemClock, log } = options;
  if (port === 0) return { meter: noMeter, server: undefined };
  const { PrometheusMeter, processMetrics } = await import('./prometheus-meter.ts');
  processMetrics(); // count from here on, not from the first scrape
  const added = new AddedRegistries(registries, { clock, log });
  const meter = new PrometheusMeter({ ...options, added });
  return { meter, server: new MetricsServer({ port, host, hosts, pages, metrics: meter, log }) };
}

interface MetricsServerOptions {
  /** The port to listen on. 0 chooses a free port. */
  readonly port: number;
  readonly host: string;
  /** Additional host names for `isAcceptedHost`. Default: none. */
  readonly hosts?: readonly string[];
  readonly metrics: Exposition;
  /** Further pages. Default: none. */
  readonly pages?: readonly MetricsPage[];
  readonly log: Pick<Log, 'error'>;
}

/** Serves `GET /metrics` in the format of Prometheus or OpenMetrics, whichever the client prefers. */
export class MetricsServer {
  readonly #options: MetricsServerOptions;
  readonly #listener: HttpListener;
  /** Concurrent scrapes share one exposition, to save memory. */
  readonly #underWay = new Map<ExpositionFormat, Promise<string>>();

  constructor(options: MetricsServerOptions) {
    const { port, host } = options;
    this.#options = options;
    this.#listener = new HttpListener({
      unavailable: portUnavailable('metrics', { port, host }),
      port,
      host,
      answer: (request, response) => void this.#answer(request, response),
    });
  }

  /** @throws ConfigurationError `CONFIG` when the port is not available. */
  start(): Promise<void> {
    return this.#listener.start();
  }

  /** The port that the server listens on. Needed when the configured port was 0. */
  get port(): number {
    return this.#listener.port;
  }

  /** Frees the port, even while clients are reading answers. Idempotent. */
  stop(): Promise<void> {
    return this.#listener.stop();
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { url, headers } = request;
    if (refusesHost(request, response, this.#options.hosts ?? [])) return;
    const [path] = (url ?? '').split('?', 1);
    const page = this.#options.pages?.find((each) => each.path === path);
    if (path !== '/metrics' && page === undefined) {
      send(response, 404, '404 page not found\n');
      return;
    }
    const format = preferredFormat(headers.accept);
    try {
      if (page !== undefined) {
        send(response, 200, await page.text(), CONTENT_TYPE.text);
        return;
      }
      const text = await this.#exposed(format);
      response.setHeader('vary', 'accept');
      send(response, 200, text, CONTENT_TYPE[format]);
    } catch (err) {
      this.#options.log.error({ err }, 'metrics cannot be collected');
      send(response, 500, 'metrics cannot be collected\n');
    }
  }

  #exposed(format: ExpositionFormat): Promise<string> {
    const known = this.#underWay.get(format);
    if (known !== undefined) return known;
    const exposed = this.#options.metrics
      .expose(format)
      .finally(() => this.#underWay.delete(format));
    this.#underWay.set(format, exposed);
    return exposed;
  }
}

/**
 * Picks the format according to an `Accept` header. OpenMetrics is used only if the header contains it in a
 * supported version and gives it at least the weight of plain text. All other clients get plain text.
 */
export function preferredFormat(accept: string | undefined): ExpositionFormat {
  let open = 0;
  let plain = 0;
  for (const range of (accept ?? '').toLowerCase().split(',')) {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim());
    const read = (name: string): string | undefined =>
      parameters.find((part) => part.startsWith(`${name}=`))?.slice(name.length + 1);
    const quality = weight(read('q'));
    const version = read('version');
    if (type === 'application/openmetrics-text' && (version ?? '1.0.0') === '1.0.0') {
      open = Math.max(open, quality);
    } else if (type === 'text/plain' && (version ?? '0.0.4') === '0.0.4') {
      plain = Math.max(plain, quality);
    }
  }
  return open > 0 && open >= plain ? 'openmetrics' : 'text';
}

function weight(text: string | undefined): number {
  if (text === undefined) return 1;
  return /^(?:0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?)$/.test(text) ? Number(text) : 0;
}
