/** The operator of `modules/clerk.ts` as a process, beside an API server and a Prometheus. */
import { fileURLToPath } from 'node:url';
import { type ApiServer, configMap, freePort } from '@chancery/testing';
import { formatYaml } from '../../../operator/core/yaml.ts';
import { monitoringOf } from '../../../operator/generate/monitoring/monitoring.ts';
import { type Child, chancery } from '../../cli/child.ts';
import { startServer } from '../../cli/server.ts';
import { Prometheus, type PrometheusOptions, type Target } from './prometheus.ts';

const MODULE = fileURLToPath(new URL('../modules/clerk.ts', import.meta.url));

export const JOB = 'clerk';
/** ConfigMaps that have nothing wrong. */
export const COUNT = 20;

/** Alerts and dashboard of an operator that has all that a panel can show. */
export const MONITORING = monitoringOf({
  name: JOB,
  namespace: 'operators',
  command: 'npm run generate',
  hasElection: true,
  isSharded: true,
  hasWebhooks: true,
});

/** The groups of its PrometheusRule, as a Prometheus reads them from a file. */
export const RULES: string = formatYaml((MONITORING.rules as unknown as { spec: object }).spec);

/** The work is shared. The Leases are short, so that a replica soon has what it should. */
export const SHARDED: Variables = {
  CHANCERY_SHARDS: '4',
  POD_UID: '5f0e0a1c-0000-4000-8000-000000000001',
  CHANCERY_LEASE_DURATION: '3',
  CHANCERY_LEASE_RENEW_DEADLINE: '2',
  CHANCERY_LEASE_RETRY_PERIOD: '1',
  CHANCERY_SHARD_RETRY_PERIOD: '1',
};

type Variables = Readonly<Record<string, string>>;

export class ClerkProcess {
  readonly server: ApiServer;
  readonly #env: Variables;
  readonly #target: Target;
  readonly #webhookPort: number;
  #child: Child;

  private constructor(server: ApiServer, env: Variables, target: Target, webhookPort: number) {
    this.server = server;
    this.#env = env;
    this.#target = target;
    this.#webhookPort = webhookPort;
    this.#child = this.#run();
  }

  /**
   * @param env - more variables. Default: a Lease, and no groups.
   * @param other - a replica that is there already. Default: none, and an API server of its own.
   */
  static async start(env: Variables = {}, other?: ClerkProcess): Promise<ClerkProcess> {
    const pod = other === undefined ? 'clerk-0' : 'clerk-1';
    const server = other?.server ?? (await calmServer());
    const target = { pod, port: await freePort() };
    return new ClerkProcess(server, env, target, await freePort());
  }

  #run(): Child {
    return chancery(['run', MODULE], {
      CHANCERY_API_URL: this.server.url,
      CHANCERY_METRICS_PORT: `${this.#target.port}`,
      CHANCERY_METRICS_HOST: '127.0.0.1',
      CHANCERY_WEBHOOK_LISTEN: `127.0.0.1:${this.#webhookPort}`,
      CHANCERY_LEADER_ELECTION: 'true',
      CHANCERY_LEASE_NAME: JOB,
      POD_NAMESPACE: 'demo',
      POD_NAME: this.#target.pod,
      WATCH_NAMESPACE: 'demo',
      ...this.#env,
    });
  }

  /** A Prometheus that scrapes it, and other replicas. */
  watched(
    options: Partial<PrometheusOptions> = {},
    ...others: readonly ClerkProcess[]
  ): Promise<Prometheus> {
    const targets = [this, ...others].map((each) => each.#target);
    return Prometheus.start({ job: JOB, targets, ...options });
  }

  /** Makes something go wrong with this many of its ConfigMaps. */
  tell(fault: string, count = 1, from = 0): void {
    for (let at = from; at < from + count; at++) {
      this.server.patch('v1', 'ConfigMap', 'demo', `calm-${at}`, { data: { do: fault } });
    }
  }

  /** Asks its webhook about a ConfigMap. Resolves to the code of the answer. */
  async review(fault: string): Promise<number> {
    const body = {
      apiVersion: 'admission.k8s.io/v1',
      kind: 'AdmissionReview',
      request: {
        uid: crypto.randomUUID(),
        kind: { group: '', version: 'v1', kind: 'ConfigMap' },
        resource: { group: '', version: 'v1', resource: 'configmaps' },
        name: 'a',
        namespace: 'demo',
        operation: 'CREATE',
        userInfo: { username: 'jane' },
        object: { ...configMap('a', { namespace: 'demo' }), data: { do: fault } },
        oldObject: null,
      },
    };
    const answer = await fetch(
      `http://127.0.0.1:${this.#webhookPort}/validate/names.clerk.example.dev`,
      {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      },
    );
    await answer.text();
    return answer.status;
  }

  /** Ends as in a crash: nothing is given back. */
  async crash(): Promise<void> {
    this.#child.kill('SIGKILL');
    await this.#child.exit;
  }

  /** Starts anew when `between` has been done. */
  async restart(between: () => void): Promise<void> {
    this.#child.kill('SIGTERM');
    await this.#child.exit;
    between();
    this.#child = this.#run();
  }

  /** Somebody else holds a Lease, and goes on holding it. */
  occupy(name: string): void {
    const held = this.server.get('coordination.k8s.io/v1', 'Lease', 'demo', name);
    const now = new Date().toISOString().replace(/Z$/, '000Z');
    const spec = { holderIdentity: 'ghost', leaseDurationSeconds: 3_600, renewTime: now };
    if (held === undefined) throw new Error(`there is no Lease ${name}`);
    this.server.patch('coordination.k8s.io/v1', 'Lease', 'demo', name, { spec });
  }
}

async function calmServer(): Promise<ApiServer> {
  const server = await startServer();
  for (let at = 0; at < COUNT; at++) server.create(configMap(`calm-${at}`, { namespace: 'demo' }));
  return server;
}
