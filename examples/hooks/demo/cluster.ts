import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type AmbassadorFilter, ApiServer } from '@chancery/testing';
import type { KubernetesObject } from 'chancery';
import { hooksAccess } from '../../try/generated-access.ts';
import type { Write } from './bookkeeping.ts';

export const NAMESPACE = 'demo';
/** Of the ServiceAccount, its roles and its Lease. */
export const NAME = 'hooks';
const SELECTOR = 'k8spatterns.io/podDeleteSelector';

/** An API server with TLS and roles: ConfigMaps, a Deployment for each of them, and what is generated for the hooks. */
export class DemoCluster {
  readonly server: ApiServer;
  readonly filter: AmbassadorFilter;
  /** A file with the token of the ServiceAccount. */
  readonly kubeconfig: string;
  readonly token: string;
  /** Each change of a Deployment's hash, in order. */
  readonly effects: Write[] = [];
  /** What each Deployment is to have in the end, by its name. */
  readonly #wanted = new Map<string, string>();

  private constructor(
    server: ApiServer,
    filter: AmbassadorFilter,
    kubeconfig: string,
    token: string,
  ) {
    this.server = server;
    this.filter = filter;
    this.kubeconfig = kubeconfig;
    this.token = token;
  }

  /** @param folder - for the kubeconfig, outside of the hooks. */
  static async start(hooks: string, folder: string, objects: number): Promise<DemoCluster> {
    const server = await ApiServer.start({ tls: { names: ['127.0.0.1'] }, authorization: 'RBAC' });
    try {
      const metadata = { name: NAMESPACE };
      server.create({ apiVersion: 'v1', kind: 'Namespace', metadata });
      server.create({
        apiVersion: 'v1',
        kind: 'ServiceAccount',
        metadata: { name: NAME, namespace: NAMESPACE },
      });
      const { roles, filter } = hooksAccess(hooks, {
        name: NAME,
        namespace: NAMESPACE,
        watch: 'own',
      });
      server.applyManifest(roles, NAMESPACE);
      const token = server.issueToken(NAMESPACE, NAME);
      const kubeconfig = join(folder, 'kubeconfig');
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await writeFile(kubeconfig, kubeconfigOf(server, token), { mode: 0o600 });
      const cluster = new DemoCluster(server, filter, kubeconfig, token);
      for (let at = 0; at < objects; at++) cluster.#add(at);
      server.subscribe((resource, { type, object, previous }) => {
        if (resource !== 'deployments.apps' || type !== 'MODIFIED') return;
        const [value, before] = [hashIn(object), hashIn(previous)];
        if (value !== undefined && value !== before)
          cluster.effects.push({ target: object.metadata.name, value });
      });
      return cluster;
    } catch (error) {
      await server.close();
      throw error;
    }
  }

  /** Changes the data of a ConfigMap; the API server may be down. */
  change(at: number, value: string): void {
    this.server.patch('v1', 'ConfigMap', NAMESPACE, `config-${at}`, { data: { value } });
    this.#wanted.set(`web-${at}`, hashOf(value));
  }

  /** Deployments whose hash is not that of their ConfigMap. */
  get missed(): readonly string[] {
    const deployments = this.server.list('apps/v1', 'Deployment', NAMESPACE);
    return deployments
      .filter((each) => hashIn(each) !== this.#wanted.get(each.metadata.name))
      .map(({ metadata }) => metadata.name);
  }

  /** The name of the Pod that leads. */
  get leader(): string | undefined {
    const [lease] = this.server
      .list('coordination.k8s.io/v1', 'Lease', NAMESPACE)
      .map((each) => (each as Partial<LeaseObject>).spec?.holderIdentity);
    return lease?.split('_')[0]; // of NAME_UUID
  }

  #add(at: number): void {
    const labels = { app: `web-${at}` };
    this.server.create({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        name: `config-${at}`,
        namespace: NAMESPACE,
        annotations: { [SELECTOR]: `app=web-${at}` },
      },
      data: { value: 'first' },
    } as KubernetesObject);
    const template = {
      metadata: { labels },
      spec: { containers: [{ name: 'web', image: 'web' }] },
    };
    this.server.create({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: `web-${at}`, namespace: NAMESPACE },
      spec: { replicas: 1, selector: { matchLabels: labels }, template },
    } as KubernetesObject);
    this.#wanted.set(`web-${at}`, hashOf('first'));
  }
}

interface LeaseObject {
  readonly spec: { readonly holderIdentity?: string };
}

/** As the hook computes it: of `.data` and `.binaryData` in one line. */
function hashOf(value: string): string {
  const content = `${JSON.stringify([{ value }, null])}\n`;
  return createHash('sha256').update(content).digest('hex').slice(0, 16);
}

interface Templated {
  readonly spec?: {
    readonly template?: {
      readonly metadata?: { readonly annotations?: Readonly<Record<string, string>> };
    };
  };
}

function hashIn(deployment: object | undefined): string | undefined {
  const annotations = (deployment as Templated | undefined)?.spec?.template?.metadata?.annotations;
  return Object.entries(annotations ?? {}).find(([key]) => key.endsWith('/sha256'))?.[1];
}

function kubeconfigOf({ url, secure }: ApiServer, token: string): string {
  const ca = Buffer.from(secure.ca).toString('base64');
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'demo', cluster: { server: url, 'certificate-authority-data': ca } }],
    users: [{ name: NAME, user: { token } }],
    contexts: [{ name: 'demo', context: { cluster: 'demo', user: NAME } }],
    'current-context': 'demo',
  });
}
