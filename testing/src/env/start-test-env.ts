import process from 'node:process';
import type { KubernetesObject, Webhook } from 'chancery';
import type { DefinedResource } from 'chancery/internal';
import { ConfigurationError, OperatorError } from 'chancery/internal-objects';
import { type Ambassador, startAmbassador } from '../ambassador/ambassador.ts';
import type { AmbassadorFilter } from '../ambassador/kubectl-proxy.ts';
import type { ApiServer, ApiServerOptions } from '../apiserver/api-server.ts';
import type { FeatureGates } from '../apiserver/behaviour/feature-gates.ts';
import type { Manifest } from '../apiserver/objects/manifest-objects.ts';
import type { TestOperator } from '../operator/test-operator.ts';
import { eventually } from '../time/eventually.ts';
import { FakeClock } from '../time/fake-clock.ts';
import { ApiCalls } from './api-calls.ts';
import type { Backend } from './backend.ts';
import { chooseBackend, type TestBackend } from './choose-backend.ts';
import { embeddedBackend } from './embedded-backend.ts';
import type { EventLog } from './event-log.ts';
import { Leftovers } from './leftovers.ts';
import { untilQuiet } from './quiet.ts';
import type { RequestLog } from './request-log.ts';
import type { EnvFeature, TestEnv } from './test-env.ts';

export interface TestEnvOptions {
  /**
   * The backend. If omitted, environment variables select it, see `chooseBackend`; by default it is
   * `embedded`.
   */
  readonly backend?: TestBackend;
  /**
   * Options of the embedded server. Other backends ignore them. Its controllers run unless
   * `workloads` is false.
   */
  readonly embedded?: ApiServerOptions;
  /**
   * `--feature-gates` of the embedded server, or of a server from `KUBEBUILDER_ASSETS`. An existing
   * cluster ignores them. If omitted, the defaults of the release.
   */
  readonly featureGates?: FeatureGates;
  /**
   * Custom resources, as `customResource` returns them. Their CustomResourceDefinitions are
   * applied, and are served when the environment starts. If omitted, none. On a shared cluster,
   * definitions that did not exist before are deleted when the environment stops. If they have
   * conversions, an operator in this process converts the objects, like for `webhooks`.
   */
  readonly install?: readonly { readonly definition: KubernetesObject }[];
  /**
   * Webhooks, as `validatingWebhook` and `mutatingWebhook` return them. An operator in this process
   * answers them over plain HTTP on a free port, and the API server calls them when the environment
   * starts. Only the embedded server supports this. If omitted, none.
   */
  readonly webhooks?: readonly Webhook[];
  /** The context of the kubeconfig, for `existing`. If omitted, the current context. */
  readonly context?: string;
  /** The environment variables. If omitted, those of this process. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

/**
 * A Kubernetes API to test an operator against: the embedded server, etcd and kube-apiserver from
 * `KUBEBUILDER_ASSETS`, or an existing cluster. The caller must stop it, or use `await using`.
 *
 * @throws ConfigurationError `CONFIG` with the reason, when the backend is unavailable.
 * @throws ApiError when the API server refuses a definition of `install`. Nothing is left running.
 */
export async function startTestEnv(options: TestEnvOptions = {}): Promise<TestEnv> {
  const environment = options.environment ?? process.env;
  const kind = options.backend ?? chooseBackend(environment);
  const backend = await start(kind, options, environment);
  const env = new StartedEnv(kind, backend, environment, options.embedded?.clock);
  try {
    await env.install(options.install ?? []);
    await env.serve(options.webhooks ?? []);
    return env;
  } catch (error) {
    await env.stop();
    throw error;
  }
}

async function start(
  kind: TestBackend,
  { embedded = {}, featureGates = {}, context }: TestEnvOptions,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<Backend> {
  switch (kind) {
    case 'embedded':
      return embeddedBackend({ featureGates, ...embedded });
    case 'kubebuilder': {
      const { kubebuilderBackend } = await import('./kubebuilder-backend.ts');
      return kubebuilderBackend(environment, featureGates);
    }
    case 'existing': {
      const { existingBackend } = await import('./existing-backend.ts');
      return existingBackend(environment, context);
    }
  }
}

type Installed = NonNullable<TestEnvOptions['install']>[number];

function isConverted(resource: Installed): resource is DefinedResource {
  return (resource as Partial<DefinedResource>).convert !== undefined;
}

class StartedEnv implements TestEnv {
  readonly backend: TestBackend;
  readonly #backend: Backend;
  readonly #environment: Readonly<Record<string, string | undefined>>;
  readonly #clock: unknown;
  readonly #calls: ApiCalls;
  readonly #leftovers = new Leftovers();
  readonly #namespaces = new Set<string>();
  readonly #ambassadors: Ambassador[] = [];
  readonly #operators: TestOperator[] = [];
  #stopping: Promise<void> | undefined;

  constructor(
    kind: TestBackend,
    backend: Backend,
    environment: Readonly<Record<string, string | undefined>>,
    clock: unknown,
  ) {
    this.backend = kind;
    this.#backend = backend;
    this.#environment = environment;
    this.#clock = clock;
    this.#calls = new ApiCalls(backend.url, (object) => this.#made(object));
  }

  get url(): string {
    return this.#backend.url;
  }

  get runsWorkloads(): boolean {
    return this.#backend.runsWorkloads;
  }

  supports(what: EnvFeature): boolean {
    if (this.#backend.embedded === undefined) return false;
    return what === 'clock' ? this.#clock instanceof FakeClock : true;
  }

  async namespace(): Promise<string> {
    const metadata = { generateName: 'test-' } as KubernetesObject['metadata'];
    const answer = await this.#calls.send('POST', '/api/v1/namespaces', {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata,
    });
    const { name } = (answer as KubernetesObject).metadata;
    this.#namespaces.add(name);
    this.#leftovers.addNamespace(name);
    if (this.#backend.isShared) await this.#usable(name);
    return name;
  }

  async apply(
    manifest: Manifest,
    { namespace }: { readonly namespace?: string } = {},
  ): Promise<readonly KubernetesObject[]> {
    return this.#calls.apply(manifest, namespace);
  }

  /** @throws ConfigurationError `CONFIG` for conversions that the API server would not call. */
  async install(resources: readonly Installed[]): Promise<void> {
    const converted = resources.filter(isConverted);
    const others = resources.filter((each) => !isConverted(each));
    await this.apply(others.map(({ definition }) => definition));
    if (converted.length === 0) return;
    const { serveConversions } = await import('./served-webhooks.ts');
    const serving = await serveConversions(this.url, converted, this.backend);
    this.#operators.push(serving.operator);
    await this.apply(serving.definitions);
  }

  /** @throws ConfigurationError `CONFIG` for webhooks that the API server would not call. */
  async serve(webhooks: readonly Webhook[]): Promise<void> {
    if (webhooks.length === 0) return;
    const { serveWebhooks } = await import('./served-webhooks.ts');
    const { operator, configurations } = await serveWebhooks(this.url, webhooks, this.backend);
    this.#operators.push(operator);
    await this.apply(configurations);
  }

  create: TestEnv['create'] = (object) => this.#calls.create(object);
  get get(): TestEnv['get'] {
    return this.#calls.get;
  }

  get list(): TestEnv['list'] {
    return this.#calls.list;
  }

  patch: TestEnv['patch'] = (...what) => this.#calls.patch(...what);
  delete: TestEnv['delete'] = (...names) => this.#calls.delete(...names);

  async ambassador(filter?: AmbassadorFilter): Promise<Ambassador> {
    const { url, proxyOptions } = this.#backend;
    const ambassador = await startAmbassador({
      server: url,
      environment: this.#environment,
      ...(proxyOptions && { kubectl: proxyOptions }),
      ...(filter && { filter }),
    });
    this.#ambassadors.push(ambassador);
    return ambassador;
  }

  get events(): EventLog {
    return this.#embedded('an event log').events;
  }

  get requests(): RequestLog {
    return this.#embedded('a request log').requests;
  }

  get server(): ApiServer {
    return this.#embedded('a server in this process').server;
  }

  async settled(): Promise<void> {
    const clock = this.#fakeClock();
    const { server, events } = this.#embedded('a clock');
    const activity = (): string => {
      const { scheduled, pending } = clock;
      return [events.total, server.requests.length, server.openWatches, scheduled, pending].join();
    };
    if (await untilQuiet(activity)) return;
    throw new OperatorError('the environment does not come to rest: something writes for ever', {
      code: 'USER_CODE',
      layer: 'user-code',
    });
  }

  async advance(ms: number): Promise<void> {
    const clock = this.#fakeClock();
    const until = clock.monotonic() + ms;
    await this.settled();
    while (clock.monotonic() < until) {
      const leftMs = until - clock.monotonic();
      clock.advance(Math.min(clock.nextInMs ?? leftMs, leftMs));
      await this.settled();
    }
  }

  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #stop(): Promise<void> {
    try {
      await Promise.all(this.#operators.splice(0).map((each) => each.stop()));
      await Promise.all(this.#ambassadors.splice(0).map((each) => each.kill()));
      if (this.#backend.isShared) await this.#leftovers.takeAway(this.#calls);
    } finally {
      await this.#backend.close();
    }
  }

  #made(object: KubernetesObject): void {
    const { namespace } = object.metadata;
    if (namespace === undefined || !this.#namespaces.has(namespace)) this.#leftovers.add(object);
  }

  /**
   * Waits until a controller has created the namespace's ServiceAccount. Until then, Pods are
   * refused.
   */
  async #usable(namespace: string): Promise<void> {
    const account = (of: string): Promise<KubernetesObject | undefined> =>
      this.#calls.get('v1', 'ServiceAccount', of, 'default');
    if ((await account('default')) === undefined) return; // no controller creates accounts here
    await eventually(async () => (await account(namespace)) !== undefined);
  }

  #embedded(what: string): NonNullable<Backend['embedded']> {
    const { embedded } = this.#backend;
    if (embedded !== undefined) return embedded;
    throw new ConfigurationError(
      `the backend ${this.backend} has no ${what.replace(/^an? /, '')}: only the embedded server has`,
    );
  }

  #fakeClock(): FakeClock {
    if (this.#clock instanceof FakeClock) return this.#clock;
    throw new ConfigurationError(
      'time can be moved on a FakeClock alone: startTestEnv({ embedded: { clock } })',
    );
  }
}
