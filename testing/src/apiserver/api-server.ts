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

/** What may be asked of a token: `spec` of an `authentication.k8s.io/v1` TokenRequest. */
export interface TokenRequestSpec {
  readonly audiences?: readonly string[];
  /** From 600 on. Default 3,600. It is taken for a minute longer, as by a real server. */
  readonly expirationSeconds?: number;
  /** A Pod, a Secret or a Node with which the token ends. */
  readonly boundObjectRef?: {
    readonly apiVersion: 'v1';
    readonly kind: 'Pod' | 'Secret' | 'Node';
    readonly name: string;
    readonly uid?: string;
  };
}

const DEFAULT_REQUEST_LIMIT = 10_000;

/**
 * A Kubernetes API server in this process, on a port of 127.0.0.1: it speaks HTTP as kube-apiserver
 * v1.36 does where operators depend on it.
 *
 * The methods have the semantics of the HTTP API and throw ApiError as it would answer, but call no
 * webhook. What they return is a copy.
 */
export class ApiServer {
  /** What happens to requests in place of their answers. It holds for HTTP, and not for the methods here. */
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
  /** After `stop`. Resolves to the function that gives the port back. */
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
   * A server that listens, with the namespaces `default` and `kube-system`; with controllers also with
   * what a control plane has, and with what controllers keep in every namespace. The caller closes it.
   */
  static async start(options: ApiServerOptions = {}): Promise<ApiServer> {
    const server = await ApiServer.inMemory(options);
    server.#port = options.port ?? 0;
    await server.listen();
    return server;
  }

  /**
   * As `start`, but without a port: only `exchange` and the methods here reach it. Its `url` means nothing until
   * `listen` is called.
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
   * Answers a request without a socket, in this process: what the answer has to say goes to `receiver` as soon as the
   * server writes it.
   *
   * @returns called when the client is gone: nothing more is written then.
   */
  exchange(request: InMemoryRequest, receiver: InMemoryReceiver): () => void {
    return this.#http.exchange(request, receiver);
  }

  /** Where clients of this machine reach it. */
  get url(): string {
    const scheme = this.#secure === undefined ? 'http' : 'https';
    return `${scheme}://${hostOf(this.#address)}:${this.#port}`;
  }

  /**
   * The port with TLS: its certificate authority, and what can happen to it.
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
   * Where every request comes from one user, without any credentials: a port of this machine's
   * loopback that stands for the ambassador of an operator. A text is the name of a user; that of a
   * ServiceAccount is `system:serviceaccount:NAMESPACE:NAME`, and it need not be there.
   *
   * The port is open until the server is closed, and is the same each time that it is asked for. A
   * request with a bearer token of its own comes from the user of the token, as behind a proxy. It
   * speaks plain HTTP on a server with TLS, too.
   *
   * @throws ConfigurationError `CONFIG` while the server is stopped.
   */
  async urlFor(user: string | User): Promise<string> {
    if (!this.#listening) throw new ConfigurationError('the API server is stopped');
    return `http://127.0.0.1:${await this.#callerPorts.portOf(user)}`;
  }

  /** The latest requests, oldest first, at most `requestLimit`. */
  get requests(): readonly RecordedRequest[] {
    return this.#http.requests;
  }

  get openWatches(): number {
    return this.#http.openWatches;
  }

  /**
   * A bearer token of a ServiceAccount, as `kubectl create token` gets one.
   *
   * @param spec - of the TokenRequest; without it the token is for this server, and for an hour.
   * @throws ApiError as the API server refuses a TokenRequest: 404 for no such ServiceAccount.
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

  /** In the order of namespace and name. @param namespace - undefined for all. */
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
   * Creates or replaces the object of each document, a `List` taken apart. An object without a
   * namespace goes into `namespace`.
   */
  applyManifest(yamlText: string, namespace = 'default'): readonly KubernetesObject[] {
    return parseYamlDocuments(yamlText)
      .flatMap((document) => manifestObjects(document, badRequest) as readonly StoredObject[])
      .map((object) => this.#put(object, namespace));
  }

  /**
   * Calls `listener` for every change that is committed, in that order, inside the write that caused
   * it. It must not throw, and its arguments are shared: copy before changing.
   *
   * @returns the end of the subscription.
   */
  subscribe(listener: (resource: ResourceName, event: CommittedEvent) => void): () => void {
    return this.#access.subscribeAll(listener);
  }

  /** As `subscribe`, with the revision and the key of each change. */
  subscribeStorage(listener: StorageListener): () => void {
    return this.#cluster.storage.subscribe(listener);
  }

  /**
   * Forgets history: pages and exact lists from before are answered with 410, and so are watches
   * unless only `pages` are to be forgotten, which is all that a compaction of etcd does.
   */
  compact(what: 'everything' | 'pages' = 'everything'): void {
    const { storage } = this.#cluster;
    storage.compact();
    if (what === 'everything') storage.restartWindows();
  }

  /** All objects and the revision as they are now, to be restored later, here or in another server. */
  snapshot(): StorageSnapshot {
    return this.#cluster.storage.snapshot();
  }

  /**
   * Goes back to a snapshot, as a restore of etcd does: objects, uids and the revision are what they
   * were. Open watches end, and one from a later revision is silent until that is reached again.
   *
   * @throws ConfigurationError `CONFIG` with the object and what is wrong with it, for a snapshot of a file that this
   *   server cannot serve. Nothing has changed then.
   */
  restore(snapshot: StorageSnapshot): void {
    const servable = servableSnapshot(this.#cluster, snapshot);
    this.#http.closeWatches('clean');
    this.#cluster.storage.restore(servable);
    this.#cluster.watchCache.restart();
  }

  /**
   * Lets the watch cache lag behind what is written: watches, lists with resourceVersion 0 and reads
   * that need no newer state see what was `lagMs` ago. 0 ends it.
   */
  setCacheLag(lagMs: number): void {
    this.#cluster.watchCache.setLag(lagMs);
  }

  /**
   * Fills the watch cache of one resource anew, as an API server does that was cut off from etcd: its
   * watches end, no watch resumes from before, and for `unreadyMs` it is answered with 429.
   */
  refillCache(apiVersion: string, kind: string, unreadyMs = 0): void {
    const resource = this.#resourceOf(apiVersion, kind);
    this.#http.closeWatches('clean', resource);
    this.#cluster.watchCache.reinitialize(resource, unreadyMs);
  }

  /**
   * Has other feature gates from now on, as an API server that was restarted with them: open watches end. Gates that
   * are not given stay.
   *
   * @throws ConfigurationError `CONFIG` for a gate that the release does not have.
   */
  setFeatureGates(gates: FeatureGates): void {
    const { behaviour } = this.#cluster;
    const all = { ...behaviour.featureGates, ...gates };
    behaviour.featureGates = featureGatesOf(all, behaviour.generation);
    this.#http.closeWatches('clean');
  }

  /** Ends every open watch, as a server does or as a broken network does. */
  closeWatches(how: 'clean' | 'reset'): void {
    this.#http.closeWatches(how);
  }

  /** Stops listening and cuts every connection; the objects stay. */
  async stop(): Promise<void> {
    this.#listening = false;
    await this.#http.close();
    if (this.#hasListened && !this.#isClosing) this.#reserved = reservePort(this.#port);
  }

  /** Listens again on the same port, as a restarted server: with its objects, without its history. */
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

  /** Stops, and ends controllers and timers. Calling it again does nothing. */
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

/** Loads the certificate authority and its packages: a server without TLS starts without them. */
async function openSecurePort(tls: TlsOptions, address: string): Promise<SecurePort> {
  const { SecurePort } = await import('./tls/secure-port.ts');
  return new SecurePort(tls, address);
}

/** What to write into a URL: a wildcard is no address to connect to. */
function hostOf(address: string): string {
  if (address === '0.0.0.0') return '127.0.0.1';
  if (address === '::') return '[::1]';
  return address.includes(':') ? `[${address}]` : address;
}
