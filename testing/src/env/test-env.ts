import type { KubernetesObject, Resource } from 'chancery';
import type { Ambassador } from '../ambassador/ambassador.ts';
import type { AmbassadorFilter } from '../ambassador/kubectl-proxy.ts';
import type { ApiServer } from '../apiserver/api-server.ts';
import type { Manifest } from '../apiserver/objects/manifest-objects.ts';
import type { TestBackend } from './choose-backend.ts';
import type { EventLog } from './event-log.ts';
import type { RequestLog } from './request-log.ts';

/**
 * A feature that not every environment has. `clock` means `settled` and `advance`. Each other
 * feature is the member of `TestEnv` with the same name.
 */
export type EnvFeature = 'clock' | 'events' | 'requests' | 'server';

/**
 * A cluster API for one test or one file of tests, and the calls that a test makes to it. It is the same on
 * every backend. A call that a backend does not support throws a ConfigurationError with the name of the
 * missing feature.
 *
 * Every method that writes or reads uses HTTP, independent of the toolkit under test, and throws
 * ApiError with the API server's error.
 */
export interface TestEnv extends AsyncDisposable {
  readonly backend: TestBackend;
  /** The URL, plain HTTP on 127.0.0.1: the operator's `CHANCERY_API_URL`. */
  readonly url: string;
  /** Whether controllers turn Deployments into Pods, make the Pods Ready, and collect garbage. */
  readonly runsWorkloads: boolean;

  /**
   * Whether this environment has a feature. Check this before a test uses the feature, and skip the
   * test otherwise. Only the embedded backend has the logs and the server. `clock` needs
   * `startTestEnv({ embedded: { clock } })` with a FakeClock.
   */
  supports(what: EnvFeature): boolean;

  /** A new namespace for this test only. It is deleted when the environment stops. */
  namespace(): Promise<string>;

  /**
   * Creates or changes each object by server-side apply, in the given order. A
   * CustomResourceDefinition is served before the next object is applied.
   *
   * @param manifest - YAML text, a `file:` URL of a manifest or of a folder of manifests, or
   * objects.
   * @param options - `namespace` is used for objects without a namespace. If omitted, such objects
   * are refused.
   */
  apply(
    manifest: Manifest,
    options?: { readonly namespace?: string },
  ): Promise<readonly KubernetesObject[]>;
  create<T extends KubernetesObject>(object: T): Promise<T>;
  /**
   * @param resource - the resource of the object, such as `configMaps` of `chancery/kubernetes`, or a result
   * of `customResource`. The result has the resource's type. If `resource` is a union, the result is a union
   * too.
   * @param namespace - undefined for a cluster-scoped object.
   * @returns undefined when the object does not exist.
   * @throws OperatorError `NOT_KUBERNETES` when the API server does not serve the resource.
   */
  get<R extends Resource>(
    resource: R,
    namespace: string | undefined,
    name: string,
  ): Promise<(R extends Resource<infer T> ? T : never) | undefined>;
  /**
   * @param namespace - undefined for a cluster-scoped object.
   * @returns undefined when the object does not exist.
   * @throws OperatorError `USER_CODE` or `NOT_KUBERNETES` when the API server does not serve the
   * kind.
   */
  get<T extends KubernetesObject = KubernetesObject>(
    apiVersion: string,
    kind: string,
    namespace: string | undefined,
    name: string,
  ): Promise<T | undefined>;
  /** @param namespace - undefined for all namespaces. */
  list<R extends Resource>(
    resource: R,
    namespace?: string,
  ): Promise<readonly (R extends Resource<infer T> ? T : never)[]>;
  /** @param namespace - undefined for all namespaces. */
  list<T extends KubernetesObject = KubernetesObject>(
    apiVersion: string,
    kind: string,
    namespace?: string,
  ): Promise<readonly T[]>;
  patch(
    apiVersion: string,
    kind: string,
    namespace: string | undefined,
    name: string,
    mergePatch: object,
    subresource?: 'status',
  ): Promise<KubernetesObject>;
  delete(
    apiVersion: string,
    kind: string,
    namespace: string | undefined,
    name: string,
  ): Promise<void>;

  /**
   * Starts a `kubectl proxy` in front of the API server, as it runs in the operator's Pod, or its
   * stand-in. `CHANCERY_TEST_AMBASSADOR` decides which, see `startAmbassador`. The ambassador ends
   * with the environment, or earlier with `kill`.
   *
   * @throws ConfigurationError `CONFIG` when kubectl is needed and missing.
   */
  ambassador(filter?: AmbassadorFilter): Promise<Ambassador>;

  /**
   * Every change that the server has committed.
   * @throws ConfigurationError unless the server is embedded.
   */
  readonly events: EventLog;
  /**
   * Every request, except the requests of the test itself.
   * @throws ConfigurationError unless the server is embedded. For other servers, use a
   * `RequestLine`.
   */
  readonly requests: RequestLog;
  /**
   * The embedded server.
   * @throws ConfigurationError unless the server is embedded.
   */
  readonly server: ApiServer;

  /**
   * Resolves when nothing more happens without time passing: no request, no commit, no new timer. Use this
   * for an operator in this process that uses `url` directly.
   *
   * @throws ConfigurationError unless the embedded server runs on a FakeClock.
   * @throws OperatorError `USER_CODE` when the activity never stops, because something is in a loop.
   */
  settled(): Promise<void>;
  /**
   * Advances the FakeClock from timer to timer, and each time waits until everything is quiet. Ten
   * minutes of virtual time take milliseconds, and events happen in the same order each time.
   *
   * @throws ConfigurationError, OperatorError in the same cases as `settled`.
   */
  advance(ms: number): Promise<void>;

  /**
   * Ends everything that was started, and removes objects from a shared cluster. Further calls do
   * nothing.
   */
  stop(): Promise<void>;
}
