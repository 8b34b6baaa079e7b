/** A real Prometheus that scrapes operators of a test. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually, freePort } from '@chancery/testing';
import { type Child, folderWith, start } from '../../cli/child.ts';
import { pathOf } from '../../tools/tools.ts';

export interface Target {
  readonly pod: string;
  readonly port: number;
}

export interface PrometheusOptions {
  /** The `job` of all targets. */
  readonly job: string;
  readonly targets: readonly Target[];
  /** Between two scrapes, and between two evaluations of the rules. Default 250 ms. */
  readonly intervalMs?: number;
  /** The text of a file with groups of rules. Default: none. */
  readonly rules?: string;
  /** How it reaches the targets: `scheme` and `tls_config`. Default: plain HTTP. */
  readonly scraping?: object;
}

export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A series and what it was at each scrape: seconds since 1970, and the value. */
export interface Recorded {
  readonly labels: Readonly<Record<string, string>>;
  readonly values: readonly (readonly [number, number])[];
}

type Matrix = readonly {
  readonly metric: Readonly<Record<string, string>>;
  readonly values: readonly (readonly [number, string])[];
}[];

type Vector = readonly {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [number, string];
}[];

/** Programs start, and what happens in them is scraped: long on a busy machine. */
const PATIENCE = { timeoutMs: 60_000 };

/** A scrape takes less than a second, and four of them show how fast a counter grows. */
const SCRAPES = 10;

export class Prometheus {
  readonly #url: string;
  readonly #job: string;

  private constructor(url: string, job: string) {
    this.#url = url;
    this.#job = job;
  }

  static async start(options: PrometheusOptions): Promise<Prometheus> {
    const { job, targets, rules = 'groups: []', intervalMs = 250, scraping } = options;
    const folder = folderWith({ 'rules.yaml': rules });
    const interval = `${intervalMs}ms`;
    writeFileSync(
      join(folder, 'prometheus.yaml'),
      JSON.stringify({
        global: {
          scrape_interval: interval,
          scrape_timeout: interval,
          evaluation_interval: interval,
        },
        rule_files: ['rules.yaml'],
        scrape_configs: [
          {
            job_name: job,
            ...scraping,
            // What a PodMonitor makes of a Pod.
            static_configs: targets.map(({ pod, port }) => ({
              targets: [`127.0.0.1:${port}`],
              labels: { namespace: 'operators', pod },
            })),
          },
        ],
      }),
    );
    const port = await freePort();
    const child = start(pathOf('prometheus'), [
      `--config.file=${join(folder, 'prometheus.yaml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=warn',
    ]);
    const found = new Prometheus(`http://127.0.0.1:${port}`, job);
    await found.#untilReady(child);
    return found;
  }

  async #untilReady(child: Child): Promise<void> {
    let ended: unknown;
    void child.exit.then((code) => {
      ended = code;
    });
    await eventually(async () => {
      if (ended !== undefined) throw new Error(`${ended}: ${child.stderr.lines.join('\n')}`);
      return (await fetch(`${this.#url}/-/ready`)).ok;
    }, PATIENCE);
  }

  /** The result of an expression now. */
  async query(expr: string): Promise<readonly Sample[]> {
    const { result } = (await this.#get('query', { query: expr })) as { readonly result: Vector };
    return result.map(({ metric, value }) => ({ labels: metric, value: Number(value[1]) }));
  }

  /** Waits for an expression that has a result. */
  until(expr: string): Promise<readonly Sample[]> {
    return eventually(async () => {
      const samples = await this.query(expr);
      return samples.length > 0 && samples;
    }, PATIENCE);
  }

  /** What is found once nothing is, or what is left when the patience ends. */
  async settled<T>(find: () => Promise<readonly T[]>): Promise<readonly T[]> {
    let left: readonly T[] = [];
    await eventually(async () => {
      left = await find();
      return left.length === 0;
    }, PATIENCE).catch(() => {});
    return left;
  }

  /** Every series of the job as the next scrapes find it. Those that a scrape lacks at the end are gone. */
  async record(): Promise<readonly Recorded[]> {
    const since = Date.now() / 1_000;
    const scraped = async (selector: string): Promise<readonly Recorded[]> => {
      const query = `${selector}[5m]`;
      const { result } = (await this.#get('query', { query })) as { readonly result: Matrix };
      return result.map(({ metric, values }) => ({
        labels: metric,
        values: values.filter(([at]) => at > since).map(([at, value]) => [at, Number(value)]),
      }));
    };
    const ups = await eventually(async () => {
      const found = await scraped(`up{job="${this.#job}"}`);
      return found.every(({ values }) => values.length >= SCRAPES) && found;
    }, PATIENCE);
    const last = Math.min(...ups.map(({ values }) => values.at(-1)?.[0] ?? 0));
    const all = await scraped(`{job="${this.#job}"}`);
    return all
      .map(({ labels, values }) => ({ labels, values: values.filter(([at]) => at <= last) }))
      .filter(
        ({ values }) => values.length > 1 && values.every(([, value]) => Number.isFinite(value)),
      );
  }

  /** Rules that could not be evaluated, with the reason. */
  async brokenRules(): Promise<readonly unknown[]> {
    const { groups } = (await this.#get('rules', {})) as {
      readonly groups: readonly {
        readonly rules: readonly { readonly health: string; readonly lastError?: string }[];
      }[];
    };
    return groups.flatMap(({ rules }) => rules).filter(({ health }) => health !== 'ok');
  }

  async #get(path: string, parameters: Readonly<Record<string, string>>): Promise<unknown> {
    const answer = await fetch(`${this.#url}/api/v1/${path}?${new URLSearchParams(parameters)}`);
    const { data, error } = (await answer.json()) as {
      readonly data?: unknown;
      readonly error?: string;
    };
    if (error !== undefined) throw new Error(`${error}: ${JSON.stringify(parameters)}`);
    return data;
  }
}
