import type { ProxyFilter } from '../../access/filter/proxy-filter.ts';
import type { Clock } from '../../core/clock.ts';
import { messageOf } from '../../core/errors.ts';
import { parseYamlDocuments } from '../../core/yaml.ts';
import {
  type CustomResourceDefinition,
  withConversionClient,
} from '../../model/custom-resource-definition.ts';
import type { KubernetesObject } from '../../model/object.ts';
import { cannotListen } from '../apiserver/apiserver.ts';
import { writeKubeconfig } from '../apiserver/kubeconfig.ts';
import type { Io } from '../command.ts';
import { listItems } from '../files/manifest-files.ts';
import { findUsableKubectl } from '../proxy/find-kubectl.ts';
import type { Ambassador, DevCluster } from './ambassador.ts';
import { KubectlAmbassador } from './kubectl-ambassador.ts';
import { answersReviews, applySample } from './sample-writer.ts';

/** The exports of `@chancery/testing` that this command uses. A test checks that the types match. */
export interface DevTestKit {
  readonly ApiServer: {
    start(options: {
      readonly port: number;
      readonly authorization: 'RBAC';
      readonly workloads: Record<string, never>;
      readonly requestLimit: number;
    }): Promise<DevApiServer>;
  };
  readonly StandInAmbassador: new (options: {
    readonly server: string;
    readonly filter: ProxyFilter;
  }) => { readonly url: string; start(): Promise<void>; kill(): Promise<void> };
}

interface DevApiServer {
  readonly url: string;
  get(apiVersion: string, kind: string, namespace: string | undefined, name: string): unknown;
  create(object: KubernetesObject): unknown;
  delete(apiVersion: string, kind: string, namespace: string | undefined, name: string): void;
  applyManifest(yaml: string, namespace: string): unknown;
  urlFor(user: string): Promise<string>;
  close(): Promise<void>;
}

interface EmbeddedOptions {
  readonly port: number;
  readonly namespace: string;
  /** The file to which a kubeconfig for the server is written. If undefined, none is written. */
  readonly kubeconfigOut: string | undefined;
  readonly io: Io;
  readonly clock: Clock;
  readonly say: (text: string) => void;
}

/** A throw-away API server in this process, which enforces the roles of the operator. */
export class EmbeddedCluster implements DevCluster {
  readonly description: string;
  readonly ambassador: Ambassador;
  readonly namespace: string;
  readonly #server: DevApiServer;
  readonly #options: EmbeddedOptions;
  #roles: readonly KubernetesObject[] = [];
  #webhooks: readonly KubernetesObject[] = [];

  private constructor(server: DevApiServer, ambassador: Ambassador, options: EmbeddedOptions) {
    const { namespace, kubeconfigOut } = options;
    this.#server = server;
    this.#options = options;
    this.ambassador = ambassador;
    this.namespace = namespace;
    const flags =
      kubeconfigOut === undefined
        ? `--server=${server.url} -n ${namespace}`
        : `--kubeconfig=${kubeconfigOut}`;
    this.description = `${server.url} (embedded; kubectl ${flags} get all)`;
  }

  static async start(
    { ApiServer, StandInAmbassador }: DevTestKit,
    options: EmbeddedOptions,
  ): Promise<EmbeddedCluster> {
    const { port, namespace, kubeconfigOut, io, clock, say } = options;
    const server = await ApiServer.start({
      port,
      authorization: 'RBAC',
      workloads: {},
      requestLimit: 0,
    }).catch((error: unknown) => {
      throw cannotListen(port, '127.0.0.1', error);
    });
    const user = await server.urlFor(`system:serviceaccount:${namespace}:${USER}`);
    const ambassador = await findUsableKubectl(io.env).then(
      (kubectl) =>
        new KubectlAmbassador({
          kubectl,
          upstream: [`--server=${user}`],
          // A kubeconfig or a proxy in the environment must not redirect kubectl.
          environment: { ...io.env, KUBECONFIG: '/dev/null', NO_PROXY: '*', no_proxy: '*' },
          clock,
          say,
        }),
      (error: unknown) => new StandIn(StandInAmbassador, user, messageOf(error)),
    );
    try {
      if (kubeconfigOut !== undefined) {
        await writeKubeconfig(kubeconfigOut, { server: server.url, namespace });
      }
    } catch (error) {
      await server.close();
      throw error;
    }
    return new EmbeddedCluster(server, ambassador, options);
  }

  async applyDefinitions(
    definitions: readonly string[],
    conversionUrl: string | undefined,
  ): Promise<void> {
    const client = conversionUrl === undefined ? {} : { url: conversionUrl };
    for (const document of parseYamlDocuments(definitions.join('---\n'))) {
      this.#apply(withConversionClient(document as CustomResourceDefinition, client));
    }
  }

  async applyRoles(roles: readonly object[]): Promise<void> {
    const wanted = (roles as readonly KubernetesObject[]).map((role) => this.#placed(role));
    this.#replace(this.#roles, wanted);
    this.#roles = wanted;
  }

  async applyWebhooks(configurations: readonly KubernetesObject[]): Promise<void> {
    this.#replace(this.#webhooks, configurations);
    this.#webhooks = configurations;
  }

  #replace(before: readonly KubernetesObject[], wanted: readonly KubernetesObject[]): void {
    for (const object of wanted) this.#apply(object);
    const keys = new Set(wanted.map(keyOf));
    for (const object of before) {
      if (keys.has(keyOf(object))) continue;
      const { namespace, name } = object.metadata;
      this.#server.delete(object.apiVersion, object.kind, namespace, name);
    }
  }

  async asksWebhooks(): Promise<boolean> {
    return answersReviews(this.#webhooks.flatMap(urlsOf));
  }

  async applySample(sample: unknown): Promise<void> {
    const { namespace, clock } = this.#options;
    for (const item of listItems(sample) ?? [sample]) {
      const object = item as KubernetesObject;
      this.#ensureNamespaceOf(object);
      await applySample(this.#server.url, object, { namespace, clock });
    }
  }

  async close(): Promise<void> {
    await this.ambassador.stop();
    await this.#server.close();
  }

  /**
   * A role or binding, changed for this cluster. The subject of every binding is `USER`, even if
   * the operator has another name. The proxy is started only once, so it always sends requests as
   * the same user.
   */
  #placed(role: KubernetesObject): KubernetesObject {
    const isOfCluster = role.kind.startsWith('Cluster');
    const metadata = isOfCluster ? role.metadata : { namespace: this.namespace, ...role.metadata };
    if (!role.kind.endsWith('Binding')) return { ...role, metadata };
    const subjects = [{ kind: 'ServiceAccount', name: USER, namespace: this.namespace }];
    return { ...role, metadata, subjects } as KubernetesObject;
  }

  #apply(object: KubernetesObject): void {
    this.#ensureNamespaceOf(object);
    this.#server.applyManifest(JSON.stringify(object), this.namespace);
  }

  #ensureNamespaceOf({ metadata }: KubernetesObject): void {
    const place = metadata?.namespace ?? this.namespace;
    if (this.#server.get('v1', 'Namespace', undefined, place) !== undefined) return;
    this.#server.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: place } });
  }
}

/**
 * The URLs of the webhooks in a webhook configuration. All its webhooks have URLs, because the
 * embedded API server can call plain HTTP.
 */
function urlsOf(configuration: KubernetesObject): readonly string[] {
  const { webhooks } = configuration as unknown as {
    readonly webhooks: readonly { readonly clientConfig: { readonly url: string } }[];
  };
  return webhooks.map(({ clientConfig }) => clientConfig.url);
}

/** The ServiceAccount of the operator. */
const USER = 'operator';

function keyOf({ kind, metadata: { namespace, name } }: KubernetesObject): string {
  return JSON.stringify([kind, namespace, name]);
}

/** An ambassador in this process that filters in the same way as `kubectl proxy`. */
class StandIn implements Ambassador {
  readonly description: string;
  readonly #server: string;
  readonly #type: DevTestKit['StandInAmbassador'];
  #running: InstanceType<DevTestKit['StandInAmbassador']> | undefined;

  constructor(type: DevTestKit['StandInAmbassador'], server: string, reason: string) {
    this.#type = type;
    this.#server = server;
    this.description = `a stand-in for kubectl proxy: ${reason}`;
  }

  get url(): string {
    return this.#running?.url ?? '';
  }

  async start(filter: ProxyFilter): Promise<void> {
    await this.stop();
    this.#running = new this.#type({ server: this.#server, filter });
    await this.#running.start();
  }

  async stop(): Promise<void> {
    await this.#running?.kill();
    this.#running = undefined;
  }
}
