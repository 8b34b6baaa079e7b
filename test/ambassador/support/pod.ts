import type { AmbassadorFilter } from '@chancery/testing';
import {
  ApiServer,
  type ApiServerOptions,
  type EventuallyOptions,
  eventually,
  type OperatorLogLine,
  type RecordedRequest,
  startOperator,
  TcpProxy,
  type TestOperator,
  type TestOperatorOptions,
} from '@chancery/testing';
import { proxyFilter } from '../../../operator/access/filter/proxy-filter.ts';
import { rbac } from '../../../operator/access/rbac.ts';
import type { Client } from '../../../operator/client/client.ts';
import { type Connection, connect } from '../../../operator/client/connection.ts';
import type { Controller } from '../../../operator/controller/controller.ts';
import { systemClock } from '../../../operator/core/clock.ts';
import { OperatorError } from '../../../operator/core/errors.ts';
import type { ConfigMap } from '../../../operator/model/builtin.ts';
import { keyOf } from '../../../operator/model/object.ts';
import type { Store } from '../../../operator/store/store.ts';
import { copier, NAMESPACE } from './copier.ts';
import { newestKubectl } from './kubectls.ts';
import { PodProxy } from './pod-proxy.ts';
import { TokenVolume } from './token-volume.ts';

const ACCOUNT = 'operator';
/** Whom the API server sees. */
export const USER: string = `system:serviceaccount:${NAMESPACE}:${ACCOUNT}`;

export interface PodOptions {
  readonly kubectl?: string;
  readonly server?: ApiServerOptions;
  /** Default: what the copier's declaration generates. */
  readonly filter?: AmbassadorFilter;
  readonly environment?: Readonly<Record<string, string>>;
  /** An operator with leader election. Default false. */
  readonly election?: boolean;
}

/**
 * An operator's Pod: API server with TLS and RBAC, a line to it that can be cut, the real `kubectl
 * proxy` with the credentials of a ServiceAccount and the generated filter, and behind it an operator
 * that copies each ConfigMap `source-X` to `copy-X`.
 */
export class Pod implements AsyncDisposable {
  readonly server: ApiServer;
  readonly line: TcpProxy;
  readonly volume: TokenVolume;
  readonly proxy: PodProxy;
  readonly #committed: string[] = [];
  readonly #declaration: Controller = copier((store) => {
    this.#store = store;
  });
  readonly #connections: Connection[] = [];
  readonly #options: PodOptions;
  #store: Store<ConfigMap> | undefined;
  #operator: TestOperator | undefined;

  private constructor(options: PodOptions, server: ApiServer, line: TcpProxy, volume: TokenVolume) {
    this.#options = options;
    this.server = server;
    this.line = line;
    this.volume = volume;
    const placement = {
      namespaces: [NAMESPACE],
      ...(options.election === true && { leaderElection: { namespace: NAMESPACE } }),
    };
    this.proxy = new PodProxy({
      kubectl: options.kubectl ?? newestKubectl(),
      volume,
      serverPort: line.port,
      filter: options.filter ?? proxyFilter([this.#declaration], placement),
      ...(options.environment && { environment: options.environment }),
    });
    const name = 'copier';
    const serviceAccount = { name: ACCOUNT, namespace: NAMESPACE };
    server.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
    server.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: serviceAccount });
    for (const object of rbac([this.#declaration], { ...placement, name, serviceAccount })) {
      server.create(object);
    }
    server.subscribe((resource, { type, object: { metadata } }) => {
      if (resource === 'configmaps') this.#committed.push(`${type} ${metadata.name}`);
    });
  }

  /**
   * The API server serves and the credentials are mounted; the proxy and the operator do not run. The
   * caller disposes of it.
   */
  static async prepare(options: PodOptions = {}): Promise<Pod> {
    const server = await ApiServer.start({ tls: {}, authorization: 'RBAC', ...options.server });
    const line = new TcpProxy({ port: server.port });
    await line.start();
    const pod = new Pod(options, server, line, new TokenVolume());
    pod.mount();
    return pod;
  }

  get operator(): TestOperator {
    if (this.#operator === undefined) throw new Error('the operator was not started');
    return this.#operator;
  }

  /** A new token, bound as it is asked, and the CA that the server has now. */
  mount(spec: Parameters<ApiServer['issueToken']>[2] = {}): string {
    const token = this.server.issueToken(NAMESPACE, ACCOUNT, spec);
    this.volume.write({ token, 'ca.crt': this.server.secure.ca, namespace: NAMESPACE });
    return token;
  }

  startOperator(more: Partial<TestOperatorOptions> = {}): TestOperator {
    this.#operator = startOperator({
      url: this.proxy.url,
      controllers: [this.#declaration],
      namespace: NAMESPACE,
      ...(this.#options.election === true && { leaderElection: { namespace: NAMESPACE } }),
      ...more,
    });
    return this.#operator;
  }

  /** A client of its own through the proxy, which repeats calls as a reconciler's does. */
  client(): Client {
    const connection = connect(this.proxy.url, { clock: systemClock });
    this.#connections.push(connection);
    return connection.clientFor('tester');
  }

  /** Lists of ConfigMaps that the server has answered: what is lost of a watch costs one. */
  get lists(): number {
    const isList = ({ path, query }: RecordedRequest): boolean =>
      path.endsWith('/configmaps') && !query.has('watch');
    return this.requests('GET').filter(isList).length;
  }

  /** Makes or changes `source-NAME`, past everything. */
  put(name: string, value: string): void {
    const metadata = { name: `source-${name}`, namespace: NAMESPACE };
    const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { value } };
    const [version, kind] = ['v1', 'ConfigMap'] as const;
    if (this.server.get(version, kind, NAMESPACE, metadata.name) === undefined) {
      this.server.create(object);
    } else this.server.patch(version, kind, NAMESPACE, metadata.name, { data: { value } });
  }

  /** The value of `copy-NAME`, as the server has it. */
  copy(name: string): string | undefined {
    const found = this.server.get('v1', 'ConfigMap', NAMESPACE, `copy-${name}`);
    return (found as ConfigMap | undefined)?.data?.value;
  }

  /** Changes of `copy-NAME` that the server has committed, oldest first. */
  commits(name: string): readonly string[] {
    return this.#committed.filter((line) => line.endsWith(` copy-${name}`));
  }

  /** Requests of the operator that the server has carried out or refused. */
  requests(method: string): readonly RecordedRequest[] {
    const ours = ({ path }: RecordedRequest): boolean => !path.includes('/leases');
    return this.server.requests.filter((request) => request.method === method && ours(request));
  }

  /** Resolves when every copy is as its source, and the cache of the operator as the server's store. */
  async untilAllIsWell({ timeoutMs = 25_000 }: EventuallyOptions = {}): Promise<void> {
    await eventually(() => this.#differences().length === 0, { timeoutMs }).catch(() => {
      throw new OperatorError(`not caught up: ${this.#differences().join(', ')}`, {
        code: 'USER_CODE',
        layer: 'user-code',
      });
    });
  }

  /** The first line about the source that says more than `reason`: what a person reads of a failure. */
  async told(reason: string): Promise<Told> {
    const line = await eventually(
      () => this.operator.log.find(({ fields }) => fields.reason === reason),
      {
        timeoutMs: 25_000,
      },
    );
    return toldBy(line);
  }

  #differences(): string[] {
    const stored = this.server.list('v1', 'ConfigMap', NAMESPACE) as readonly ConfigMap[];
    const cached = new Map(this.#store?.list().map((object) => [keyOf(object), object]));
    const wrong = stored
      .filter((object) => {
        const { resourceVersion } = object.metadata;
        return cached.get(keyOf(object))?.metadata.resourceVersion !== resourceVersion;
      })
      .map(({ metadata }) => `${metadata.name} is not as cached`);
    if (cached.size !== stored.length) wrong.push(`${cached.size} cached, ${stored.length} stored`);
    for (const { metadata, data } of stored) {
      const [role, name = ''] = metadata.name.split('-');
      if (role === 'source' && this.copy(name) !== data?.value) wrong.push(`${name} is not copied`);
    }
    return wrong;
  }

  /** Ends everything, and takes the files away. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this.#operator?.kill();
    for (const connection of this.#connections) await connection.close();
    await this.proxy.end('SIGKILL');
    await this.line.close();
    await this.server.close();
    this.volume.remove();
  }
}

/** What a log line says of a failure. */
export interface Told {
  readonly level: OperatorLogLine['level'];
  readonly code: string;
  readonly layer: string;
  readonly text: string;
}

export function toldBy({ level, fields }: OperatorLogLine): Told {
  const { code, layer, message } = fields.err as OperatorError;
  return { level, code, layer, text: message };
}
