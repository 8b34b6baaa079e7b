import type { KubernetesObject, Resource } from 'chancery';
import type { Ambassador } from '../ambassador/ambassador.ts';
import type { AmbassadorFilter } from '../ambassador/kubectl-proxy.ts';
import type { ApiServer } from '../apiserver/api-server.ts';
import type { Manifest } from '../apiserver/objects/manifest-objects.ts';
import type { TestBackend } from './choose-backend.ts';
import type { EventLog } from './event-log.ts';
import type { RequestLog } from './request-log.ts';

/**
 * A cluster API for one test or one file of tests, and what a test asks of it. The same on each
 * backend; what a backend cannot do it refuses with a ConfigurationError that says so.
 *
 * Every method that writes or reads goes over HTTP, apart from the toolkit that is under test, and
 * throws ApiError as the API server answers.
 */
/** What not every environment has: `clock` is `settled` and `advance`, the others are members. */
export type EnvFeature = 'clock' | 'events' | 'requests' | 'server';

export interface TestEnv extends AsyncDisposable {
  readonly backend: TestBackend;
  /** Plain HTTP on 127.0.0.1: the operator's `CHANCERY_API_URL`. */
  readonly url: string;
  /** Something turns Deployments into Pods, makes these Ready, and collects garbage. */
  readonly runsWorkloads: boolean;

  /**
   * Whether this environment has it. Ask before a test uses it, and skip the test otherwise: the logs and
   * the server are the embedded backend's alone, and `clock` needs `startTestEnv({ embedded: { clock } })`
   * with a FakeClock.
   */
  supports(what: EnvFeature): boolean;

  /** A new namespace of this test alone. It is deleted when the environment stops. */
  namespace(): Promise<string>;

  /**
   * Creates or changes each object by server-side apply, in their order; a CustomResourceDefinition
   * is served when the next one is applied.
   *
   * @param manifest - YAML text, a `file:` URL of a manifest or of a folder of them, or objects.
   * @param options - `namespace` is for objects that name none; these are refused without it.
   */
  apply(
    manifest: Manifest,
    options?: { readonly namespace?: string },
  ): Promise<readonly KubernetesObject[]>;
  create<T extends KubernetesObject>(object: T): Promise<T>;
  /**
   * @param resource - such as `configMaps` of `chancery/kubernetes`, or what `customResource` returns: the answer
   *   has its type.
   * @param namespace - undefined for a cluster-scoped object.
   * @returns undefined when there is none.
   * @throws OperatorError `NOT_KUBERNETES` when the API server does not serve the resource.
   */
  get<T extends KubernetesObject>(
    resource: Resource<T>,
    namespace: string | undefined,
    name: string,
  ): Promise<T | undefined>;
  /**
   * @param namespace - undefined for a cluster-scoped object.
   * @returns undefined when there is none.
   * @throws OperatorError `USER_CODE` or `NOT_KUBERNETES` when the API server does not serve the kind.
   */
  get<T extends KubernetesObject = KubernetesObject>(
    apiVersion: string,
    kind: string,
    namespace: string | undefined,
    name: string,
  ): Promise<T | undefined>;
  /** @param namespace - undefined for all. */
  list<T extends KubernetesObject>(
    resource: Resource<T>,
    namespace?: string,
  ): Promise<readonly T[]>;
  /** @param namespace - undefined for all. */
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
   * A `kubectl proxy` in front of the API server, as it runs in the operator's Pod, or the stand-in
   * for it: `CHANCERY_TEST_AMBASSADOR` chooses, see `startAmbassador`. It ends with the environment,
   * or before with `kill`.
   *
   * @throws ConfigurationError `CONFIG` when there is no kubectl and none stands in.
   */
  ambassador(filter?: AmbassadorFilter): Promise<Ambassador>;

  /** Every change that the server has committed. @throws ConfigurationError unless it is embedded. */
  readonly events: EventLog;
  /**
   * Every request but the test's own. @throws ConfigurationError unless it is embedded: put a
   * `RequestLine` in front of any other server.
   */
  readonly requests: RequestLog;
  /** The embedded server itself. @throws ConfigurationError when it is another. */
  readonly server: ApiServer;

  /**
   * Resolves when nothing happens any more unless time passes: no request, no commit, no timer set.
   * For an operator in this process that speaks to `url` itself.
   *
   * @throws ConfigurationError unless the embedded server runs on a FakeClock.
   * @throws OperatorError `USER_CODE` when that never comes to be: something is in a loop.
   */
  settled(): Promise<void>;
  /**
   * Moves the FakeClock, from alarm to alarm, and waits each time until everything is quiet: what
   * takes ten minutes takes milliseconds, and happens in the same order each time.
   *
   * @throws ConfigurationError, OperatorError as `settled`.
   */
  advance(ms: number): Promise<void>;

  /** Ends what was started, and takes away what was made elsewhere. Again does nothing. */
  stop(): Promise<void>;
}
