/** An operator with three controllers and a thousand keys, some of which fail, for what people see of it. */
import {
  configMap,
  deployment,
  eventually,
  freePort,
  secret,
  service,
  startOperator,
  startTestEnv,
} from '@chancery/testing';
import { controller } from '../../../operator/controller/controller.ts';
import { TerminalError } from '../../../operator/controller/errors.ts';
import { enqueueMapped } from '../../../operator/controller/mapping.ts';
import { source } from '../../../operator/controller/source.ts';
import { configMaps, deployments, secrets, services } from '../../../operator/kubernetes.ts';
import { defineResource } from '../../../operator/model/resource.ts';
import { ApiError } from '../../../operator/model/status.ts';

/** Nobody has installed it. */
const certificates = defineResource({
  ...{ group: 'certs.example.dev', version: 'v1', plural: 'certificates', kind: 'Certificate' },
  namespaced: true,
});

const NAMES = ['shop', 'blog', 'docs', 'mail', 'wiki', 'chat', 'news', 'maps'];
const NAMESPACE = 'web';

/** `shop-000`, `blog-001`, … */
function nameOf(at: number): string {
  return `${NAMES[at % NAMES.length]}-${String(at).padStart(3, '0')}`;
}

/** Ends as told by the last three digits of the name. */
function failBy(name: string): void {
  if (/(?:013|414)$/.test(name)) {
    throw new ApiError({ code: 422, reason: 'Invalid', message: 'spec.replicas: Invalid value' });
  }
  if (/(?:027)$/.test(name)) throw new TerminalError('the spec names no host');
  if (/(?:101|202)$/.test(name)) throw new TypeError('cannot read properties of undefined');
}

export interface BusyOperator {
  /** Of its health port. */
  readonly url: string;
  stop(): Promise<void>;
}

export async function startBusyOperator(): Promise<BusyOperator> {
  const env = await startTestEnv({ environment: {}, embedded: { workloads: false } });
  const stuck = new AbortController();
  const namespace = NAMESPACE;
  await env.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  for (let at = 0; at < 600; at++) await env.create(configMap(nameOf(at), { namespace }));
  for (let at = 0; at < 300; at++) await env.create(service(nameOf(at), { namespace }));
  for (let at = 0; at < 100; at++) await env.create(deployment(nameOf(at), { namespace }));
  await env.create(secret('shop-password', { namespace }));
  const port = await freePort();
  const operator = startOperator({
    url: env.url,
    namespace,
    controllers: [
      controller({
        ...{ name: 'website', for: configMaps, maxConcurrentReconciles: 4 },
        watches: [
          enqueueMapped(source(secrets), ({ metadata: { name } }) =>
            name === 'shop-password' ? [{ namespace, name: 'shop-000' }] : [],
          ),
        ],
        async reconcile({ metadata: { name } }) {
          failBy(name);
          return Number(name.slice(-3)) % 5 === 0 ? { requeueAfterMs: 300_000 } : undefined;
        },
      }),
      controller({
        ...{ name: 'route', for: services, maxConcurrentReconciles: 2, minIntervalMs: 30_000 },
        watches: [enqueueMapped(source(certificates, { optional: true }), () => [])],
        async reconcile({ metadata: { name } }, { signal }) {
          if (name !== 'mail-003') return;
          await new Promise<void>((resolve) => {
            for (const each of [signal, stuck.signal]) {
              each.addEventListener('abort', () => resolve(), { once: true });
            }
          });
        },
      }),
      controller({
        ...{ name: 'database', for: deployments },
        async reconcile({ metadata: { name } }) {
          if (name === 'wiki-044') throw new Error('the database does not answer');
        },
      }),
    ],
    environment: {
      ...{ CHANCERY_HEALTH_PORT: String(port), CHANCERY_HEALTH_HOST: '127.0.0.1' },
      ...{ POD_NAME: 'web-operator-7c9d5f6b8-x2x4q', POD_NAMESPACE: 'web-system' },
    },
  });
  const failures = (): number =>
    Math.max(0, ...operator.status.failing.map((each) => each.failures));
  await eventually(() => failures() >= 8, { timeoutMs: 60_000 });
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      stuck.abort();
      await operator.stop();
      await env.stop();
    },
  };
}
