import type { KubernetesObject } from 'chancery';
import type { Cancel } from 'chancery/internal';
import { ConfigurationError, deepCopy, parseYamlDocuments } from 'chancery/internal-objects';
import { listenAgain, reservePort } from '../ports/listen-again.ts';
import type { ApiServerOptions } from './api-server-options.ts';
import { CallerPorts } from './auth/caller-ports.ts';
import type { User } from './auth/user.ts';
import { type FeatureGates, featureGatesOf } from './behaviour/feature-gates.ts';
import { bringUp, IN_PROCESS_MANAGER } from './bring-up.ts';
import type { Cluster } from './cluster/cluster.ts';
import { createCluster } from './create-cluster.ts';
import { badRequest } from './failures/failure.ts';
import { unknownResource } from './failures/request-failures.ts';
import { FaultRules } from './fault-rules/fault-rules.ts';
import { HttpServer, type HttpServerOptions } from './http/http-server.ts';
import type { InMemoryReceiver, InMemoryRequest } from './http/in-memory.ts';
import type { RecordedRequest } from './http/recorded-request.ts';
import { InProcessAccess } from './in-process-access.ts';
import { manifestObjects } from './objects/manifest-objects.ts';
import { valueAt } from './objects/metadata.ts';
import type { CommittedEvent, ResourceName, StoredObject } from './objects/stored-object.ts';
import { servableSnapshot } from './servable-snapshot.ts';
import type { StorageSnapshot } from './storage/snapshot.ts';
import type { StorageListener } from './storage/storage-event.ts';
import type { SecurePort, TlsOptions } from './tls/secure-port.ts';
import { requestToken } from './verbs/subresources/token-request.ts';

export type { ApiServerOptions } from './api-server-options.ts';
export type { AuthenticationOptions } from './auth/authentication.ts';
export type { AuthorizationMode } from './auth/authorization.ts';
export type { User } from './auth/user.ts';
export type { WorkloadOptions } from './controllers/workloads.ts';
export type { InMemoryReceiver, InMemoryRequest } from './http/in-memory.ts';
export type { RecordedRequest } from './http/recorded-request.ts';
export type { SecurePort, TlsOptions, TurnedAway } from './tls/secure-port.ts';

/** The options of a token: `spec` of an `authentication.k8s.io/v1` TokenRequest. */
export interface TokenRequestSpec {
  readonly audiences?: readonly string[];
  /**
   * The lifetime in seconds, at least 600. Default 3,600. Like a real server, this server accepts the token
   * for a minute longer.
   */
  readonly expirationSeconds?: number;
  /** A Pod, a Secret or a Node. When this object is deleted, the token becomes invalid. */
  readonly boundObjectRef?: {
    readonly apiVersion: 'v1';
    readonly kind: 'Pod' | 'Secret' | 'Node';
    readonly name: string;
    readonly uid?: string;
  };
}

const DEFAULT_REQUEST_LIMIT = 10_000;

/**
 * A Kubernetes API server in this process, on a port of 127.0.0.1. It answers HTTP requests like
 * kube-apiserver v1.36 in everything that operators depend on.
 *
 * The methods have the semantics of the HTTP API. They throw ApiError where the HTTP API would
 * answer with an error, but call no webhooks. Returned objects are copies.
 */
export class ApiServer {
  /**
   * Rules that make requests fail or delay them. They apply to HTTP requests, and not to the methods of this
   * class.
   */
  readonly faults: FaultRules;
  readonly #cluster: Cluster;
  readonly #http: HttpServer;
  readonly #access: InProcessAccess;
  readonly #alarms: Set<Cancel>;
  readonly #endings: (() => void)[] = [];
  readonly #address: string;
  readonly #callerPorts: CallerPorts;
  readonly #secure: SecurePort | undefined;
  #port = 0;
  #listening = false;
  #hasListened = false;
  #isClosing = false;
  /** Set after `stop`: a promise of the function that releases the reserved port. */
  #reserved: Promise<() => void> | undefined;

  private constructor(
    cluster: Cluster,
    alarms: Set<Cancel>,
    http: HttpServerOptions,
    secure: SecurePort | undefined,
  ) {
    this.#cluster = cluster;
    this.#alarms = alarms;
    this.#address = http.address;
    this.#secure = secure;
    this.faults = http.faults;
    this.#http = new HttpServer(cluster, http);
    this.#callerPorts = new CallerPorts((port, caller) => this.#http.listen(port, caller));
    this.#access = new InProcessAccess(cluster, IN_PROCESS_MANAGER);
  }

  /**
   * Starts a server with the namespaces `default` and `kube-system`. With controllers, it also has the
   * objects of a control plane, and the objects that controllers keep in every namespace. The caller must
   * close the server.
   */
  static async start(options: ApiServerOptions = {}): Promise<ApiServer> {
    const server = await ApiServer.inMemory(options);
    server.#port = options.port ?? 0;
    await server.listen();
    return server;
  }

  /**
   * Like `start`, but without a port. Only `exchange` and the methods of this class reach the
   * server. Its `url` is invalid until `listen` is called.
   */
  static async inMemory(options: ApiServerOptions = {}): Promise<ApiServer> {
    const alarms = new Set<Cancel>();
    const cluster = createCluster(options, alarms);
    const { address = '127.0.0.1', requestLimit = DEFAULT_REQUEST_LIMIT, tls } = options;
    const faults = new FaultRules(options.faults);
    const http = { requestLimit, address, bodyTimeoutMs: options.bodyTimeoutMs, faults };
    const secure = tls && (await openSecurePort(tls, address));
    const server = new ApiServer(cluster, alarms, http, secure);
    await bringUp(
      cluster,
      options,
      (resource) => server.#http.closeWatches('clean', resource),
      server.#endings,
    );
    cluster.watchCache.fill();
    return server;
  }

  /**
   * Answers a request in this process, without a socket. Each chunk of the answer is passed to `receiver` as
   * soon as the server writes it.
   *
   * @returns a function to call when the client is gone. After that nothing more is written.
   */
  exchange(request: InMemoryRequest, receiver: InMemoryReceiver): () => void {
    return this.#http.exchange(request, receiver);
  }

  /** The URL for clients on this machine. */
  get url(): string {
    const scheme = this.#secure === undefined ? 'http' : 'https';
    return `${scheme}://${hostOf(this.#address)}:${this.#port}`;
  }

  /**
   * The TLS port, with its certificate authority and the faults that a test can cause on the port.
   *
   * @throws ConfigurationError `CONFIG` unless the server was started with `tls`.
   */
  get secure(): SecurePort {
    if (this.#secure === undefined) {
      throw new ConfigurationError('the API server speaks plain HTTP: start it with tls');
    }
    return this.#secure;
  }

  get port(): number {
    return this.#port;
  }

  /**
   * The URL of a port on this machine's loopback. Every request to the port comes from one user, without
   * credentials, as if through an operator's ambassador. If `user` is a string, it is the name of the user.
   * The name of a ServiceAccount is `system:serviceaccount:NAMESPACE:NAME`; the ServiceAccount need not
   * exist.
   *
   * The port stays open until the server is closed. Calls for the same user return the same port. A
   * request with a bearer token comes from the token's user, as behind a proxy. The port uses plain
   * HTTP even on a server with TLS.
   *
   * @throws ConfigurationError `CONFIG` while the server is stopped.
   */
  async urlFor(user: string | User): Promise<string> {
    if (!this.#listening) throw new ConfigurationError('the API server is stopped');
    return `http://127.0.0.1:${await this.#callerPorts.portOf(user)}`;
  }

  /** The latest requests, oldest first. At most `requestLimit` are kept. */
  get requests(): readonly RecordedRequest[] {
    return this.#http.requests;
  }

  get openWatches(): number {
    return this.#http.openWatches;
  }

  /**
   * Issues a bearer token of a ServiceAccount, like `kubectl create token`.
   *
   * @param spec - the spec of the TokenRequest. If omitted, the token is for this server and lasts
   * an hour.
   * @throws ApiError when the API server refuses the TokenRequest, such as 404 for a missing ServiceAccount.
   */
  issueToken(namespace: string, name: string, spec: TokenRequestSpec = {}): string {
    const served = this.#cluster.registry.byName('serviceaccounts');
    if (served === undefined) throw unknownResource();
    const answer = requestToken(this.#cluster, { served, namespace, name }, { spec: { ...spec } });
    return String(valueAt(answer, ['status', 'token']));
  }

  /** Creates an object in the resource of its apiVersion and kind. */
  create<T extends KubernetesObject>(object: T): T {
    return deepCopy(this.#access.createObject(object)) as unknown as T;
  }

  get(
    apiVersion: string,
    kind: string,
    namespace: string | undefined,
    name: string,
  ): KubernetesObject | undefined {
    const found = this.#access.get(this.#resourceOf(apiVersion, kind), namespace, name);
    return found === undefined ? undefined : deepCopy(found);
  }

  /**
   * The objects of a kind, sorted by namespace and name.
   * @param namespace - undefined for all namespaces.
   */
  list(apiVersion: string, kind: string, namespace?: string): readonly KubernetesObject[] {
    return this.#access
      .list(this.#resourceOf(apiVersion, kind), namespace)
      .map((object) => deepCopy(object));
  }

  patch(
    apiVersion: string,
    kind: string,
    namespace: string | undefined,
    name: string,
    mergePatch: object,
    subresource?: 'status',
  ): KubernetesObject {
    const resource = this.#resourceOf(apiVersion, kind);
    return deepCopy(this.#access.patch(resource, namespace, name, mergePatch, subresource));
  }

  delete(apiVersion: string, kind: string, namespace: string | undefined, name: string): void {
    this.#access.delete(this.#resourceOf(apiVersion, kind), namespace, name);
  }

  /**
   * Creates or replaces the object of each document. A `List` is split into its items. An object
   * without a namespace is placed in `namespace`.
   */
  applyManifest(yamlText: string, namespace = 'default'): readonly KubernetesObject[] {
    return parseYamlDocuments(yamlText)
      .flatMap((document) => manifestObjects(document, badRequest) as readonly StoredObject[])
      .map((object) => this.#put(object, namespace));
  }

  /**
   * Calls `listener` for every committed change, in the order of commits, during the write that caused it.
   * The listener must not throw. Its arguments are shared, so copy them before you change them.
   *
   * @returns a function that ends the subscription.
   */
  subscribe(listener: (resource: ResourceName, event: CommittedEvent) => void): () => void {
    return this.#access.subscribeAll(listener);
  }

  /** Like `subscribe`, and also passes the revision and the key of each change. */
  subscribeStorage(listener: StorageListener): () => void {
    return this.#cluster.storage.subscribe(listener);
  }

  /**
   * Drops the history. The next pages of running lists, and exact lists of earlier revisions, are then
   * answered with 410. Watches from earlier revisions are also answered with 410, unless `what` is `pages`:
   * then the effect is that of a compaction of etcd.
   */
  compact(what: 'everything' | 'pages' = 'everything'): void {
    const { storage } = this.#cluster;
    storage.compact();
    if (what === 'everything') storage.restartWindows();
  }

  /** All current objects and the revision. They can be restored later in this or another server. */
  snapshot(): StorageSnapshot {
    return this.#cluster.storage.snapshot();
  }

  /**
   * Returns to a snapshot, like a restore of etcd: objects, uids and the revision are restored. Open watches
   * end. A new watch from a later revision gets no events until that revision is reached again.
   *
   * @throws ConfigurationError `CONFIG` with the object and its problem, when the snapshot comes from a file
   * and contains an object that this server cannot serve. In this case nothing has changed.
   */
  restore(snapshot: StorageSnapshot): void {
    const servable = servableSnapshot(this.#cluster, snapshot);
    this.#http.closeWatches('clean');
    this.#cluster.storage.restore(servable);
    this.#cluster.watchCache.restart();
  }

  /**
   * Makes the watch cache lag behind writes: watches, lists with resourceVersion 0 and reads that need no
   * newer state get the state of `lagMs` milliseconds ago. 0 ends the lag.
   */
  setCacheLag(lagMs: number): void {
    this.#cluster.watchCache.setLag(lagMs);
  }

  /**
   * Fills the watch cache of one resource again, like an API server that was cut off from etcd. Watches of
   * the resource end and cannot resume from earlier revisions. Requests to the resource are answered with 429
   * for `unreadyMs` milliseconds.
   */
  refillCache(apiVersion: string, kind: string, unreadyMs = 0): void {
    const resource = this.#resourceOf(apiVersion, kind);
    this.#http.closeWatches('clean', resource);
    this.#cluster.watchCache.reinitialize(resource, unreadyMs);
  }

  /**
   * Changes the feature gates, like a restart with other gates, so open watches end. Omitted gates stay
   * unchanged.
   *
   * @throws ConfigurationError `CONFIG` for a gate that the release does not have.
   */
  setFeatureGates(gates: FeatureGates): void {
    const { behaviour } = this.#cluster;
    const all = { ...behaviour.featureGates, ...gates };
    behaviour.featureGates = featureGatesOf(all, behaviour.generation);
    this.#http.closeWatches('clean');
  }

  /** Ends every open watch, either gracefully or like a broken network. */
  closeWatches(how: 'clean' | 'reset'): void {
    this.#http.closeWatches(how);
  }

  /** Stops listening and closes every connection. The server keeps its objects. */
  async stop(): Promise<void> {
    this.#listening = false;
    await this.#http.close();
    if (this.#hasListened && !this.#isClosing) this.#reserved = reservePort(this.#port);
  }

  /**
   * Listens again on the same port, like a restarted server: the objects are kept, and the history
   * is lost.
   */
  async listen(): Promise<void> {
    if (this.#listening) return;
    this.#listening = true;
    if (this.#port !== 0) this.#cluster.watchCache.restart();
    this.#cluster.watchCache.fill();
    const listen = (): Promise<number> =>
      this.#secure === undefined
        ? this.#http.listen(this.#port)
        : this.#http.listenSecurely(this.#port, this.#secure);
    const release = await this.#reserved;
    this.#reserved = undefined;
    this.#port = await (this.#hasListened ? listenAgain(listen) : listen());
    release?.();
    this.#hasListened = true;
    await this.#callerPorts.listenAgain();
  }

  /** Stops the server, and ends controllers and timers. Further calls do nothing. */
  async close(): Promise<void> {
    this.#isClosing = true;
    for (const end of this.#endings.splice(0)) end();
    for (const cancel of this.#alarms) cancel();
    this.#alarms.clear();
    await this.stop();
  }

  #put(document: StoredObject, preset: string): KubernetesObject {
    const resource = this.#resourceOf(document.apiVersion, document.kind);
    const served = this.#cluster.registry.byName(resource);
    const namespace = served?.namespaced ? (document.metadata.namespace ?? preset) : undefined;
    const { name } = document.metadata;
    const placed = {
      ...document,
      metadata: { ...document.metadata, ...(namespace === undefined ? {} : { namespace }) },
    };
    if (this.#access.get(resource, namespace, name) === undefined) {
      return deepCopy(this.#access.create(resource, placed));
    }
    return deepCopy(this.#access.update(resource, placed));
  }

  #resourceOf(apiVersion: string, kind: string): ResourceName {
    const resource = this.#access.resourceOf(apiVersion, kind);
    if (resource === undefined) throw unknownResource();
    return resource;
  }
}

/** Loads the certificate authority and its packages only for a server with TLS. */
async function openSecurePort(tls: TlsOptions, address: string): Promise<SecurePort> {
  const { SecurePort } = await import('./tls/secure-port.ts');
  return new SecurePort(tls, address);
}

/** The host for a URL. For a wildcard address, to which clients cannot connect, it is a loopback address. */
function hostOf(address: string): string {
  if (address === '0.0.0.0') return '127.0.0.1';
  if (address === '::') return '[::1]';
  return address.includes(':') ? `[${address}]` : address;
}
