import type { Log } from '../../controller/reconciler.ts';
import { type Meter, noMeter } from '../../core/metrics.ts';
import { MetricsServer } from './server.ts';

interface MetricsPortOptions {
  /** 0 for none: then nothing is measured. */
  readonly port: number;
  readonly host: string;
  /** Host names that are answered, besides those of `isAcceptedHost`. Default: none. */
  readonly hosts?: readonly string[];
  /** What the names of the toolkit's own metrics begin with. Default `chancery_`. */
  readonly prefix?: string;
  /** Collect sizes, durations and retries of requests, too. Default false. */
  readonly detailed?: boolean;
  readonly log: Pick<Log, 'error'>;
}

/** Where a process measures, and where it is read from. */
interface MetricsPort {
  readonly meter: Meter;
  /** Not started; undefined when there is no port. */
  readonly server: MetricsServer | undefined;
}

/**
 * The meter of a process with the server that shows it. Who has no port pays nothing: prom-client is
 * loaded here, when it is asked for.
 *
 * @throws ConfigurationError `CONFIG` for a prefix that no metric's name can begin with.
 */
export async function metricsPort(options: MetricsPortOptions): Promise<MetricsPort> {
  const { port, host, hosts = [], log } = options;
  if (port === 0) return { meter: noMeter, server: undefined };
  const { PrometheusMeter, processMetrics } = await import('./prometheus-meter.ts');
  processMetrics(); // from here on, not from the first scrape
  const meter = new PrometheusMeter(options);
  return { meter, server: new MetricsServer({ port, host, hosts, metrics: meter, log }) };
}
