/**
 * An example as in its Pod: behind a real `kubectl proxy` with the filter that is generated for it, as a
 * ServiceAccount with the Roles that are generated for it, and no more.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import {
  type Clock,
  type Controller,
  type KubernetesObject,
  proxyFilter,
  type Runnable,
  rbac,
} from 'chancery';
import {
  findKubectl,
  KubectlProxy,
  type Manifest,
  startOperator,
  startTestEnv,
  type TestEnv,
  type TestOperator,
  type WorkloadOptions,
} from 'chancery/testing';
import { expect, onTestFinished } from 'vitest';

export interface Setup {
  /** Of the ServiceAccount and of its Roles. */
  readonly name: string;
  readonly controllers: readonly Controller[];
  readonly runnables?: readonly Runnable[];
  /** Files or folders that an administrator has applied before: definitions first. */
  readonly manifests?: readonly URL[];
  /** Its sources watch every namespace. Default false: the test's own. */
  readonly allNamespaces?: boolean;
  /** The operator's. Default: the machine's. */
  readonly clock?: Clock;
  /** Settings, by environment variable. */
  readonly environment?: Readonly<Record<string, string>>;
  /** What becomes of Pods. Default: they are Ready at once, and gone at once. False: nothing. */
  readonly workloads?: WorkloadOptions | false;
  /** The operator is not started until the test says `startOperator`. Default false. */
  readonly stopped?: boolean;
}

export interface EventNote {
  readonly type: string;
  readonly reason: string;
  readonly note: string;
}

export interface Place {
  readonly env: TestEnv;
  readonly namespace: string;
  /** The operator that was started last. */
  readonly operator: TestOperator;
  /** Another replica, or the next one after `operator.stop()` or `operator.kill()`. */
  startOperator(): TestOperator;
  /** Applies YAML, a file or a folder in the test's namespace, as its user. */
  apply(manifest: Manifest): Promise<void>;
  /** `kubectl` as an administrator, in the test's namespace. @throws with what it wrote when it fails. */
  kubectl(...words: readonly string[]): Promise<string>;
  /** What `kubectl describe` would show about any object, oldest first; only that of `reason` if given. */
  events(reason?: string): Promise<readonly EventNote[]>;
  /** What the operator has asked the API server to change, but for Events: `patch deployments.apps`. */
  writes(): readonly string[];
  /** What it was refused for want of a right, or by its ambassador. Empty in every good test. */
  refusals(): readonly string[];
}

const kubectl = findKubectl(process.env);
const run = promisify(execFile);

/** A cluster of the test's own; all of it ends with the test, which fails if the operator was refused anything. */
export async function startExample(setup: Setup): Promise<Place> {
  if (kubectl === undefined) throw new Error('no kubectl: install it, or set KUBECTL');
  const { name, controllers, runnables, allNamespaces = false, workloads } = setup;
  const env = await startTestEnv({
    backend: 'embedded',
    embedded: { authorization: 'RBAC', workloads: workloads ?? { podReadyMs: 5, podStopMs: 5 } },
  });
  onTestFinished(() => env.stop());
  for (const manifest of setup.manifests ?? []) await env.apply(manifest);
  const namespace = await env.namespace();
  const placement = { namespaces: allNamespaces ? undefined : [namespace] };
  const serviceAccount = { name, namespace };
  const roles = rbac(controllers, { ...placement, name, serviceAccount });
  await env.apply(roles as unknown as readonly KubernetesObject[], { namespace });
  const user = `system:serviceaccount:${namespace}:${name}`;
  const proxy = new KubectlProxy({
    kubectl,
    server: await env.server.urlFor(user),
    filter: proxyFilter(controllers, placement),
  });
  await proxy.start();
  onTestFinished(() => proxy.kill());

  const start = (): TestOperator => {
    const operator = startOperator({
      url: proxy.url,
      controllers,
      ...(runnables && { runnables }),
      ...(!allNamespaces && { namespace }),
      ...(setup.clock && { clock: setup.clock }),
      ...(setup.environment && { environment: setup.environment }),
    });
    onTestFinished(() => operator.stop());
    return operator;
  };
  const place = new StartedPlace(env, namespace, user, start);
  onTestFinished(() => expect(place.refusals()).toEqual([]));
  if (setup.stopped !== true) place.startOperator();
  return place;
}

class StartedPlace implements Place {
  readonly env: TestEnv;
  readonly namespace: string;
  readonly #user: string;
  readonly #start: () => TestOperator;
  readonly #operators: TestOperator[] = [];

  constructor(env: TestEnv, namespace: string, user: string, start: () => TestOperator) {
    this.env = env;
    this.namespace = namespace;
    this.#user = user;
    this.#start = start;
  }

  get operator(): TestOperator {
    const operator = this.#operators.at(-1);
    if (operator === undefined) throw new Error('no operator was started yet');
    return operator;
  }

  startOperator(): TestOperator {
    const operator = this.#start();
    this.#operators.push(operator);
    return operator;
  }

  async apply(manifest: Manifest): Promise<void> {
    await this.env.apply(manifest, { namespace: this.namespace });
  }

  async kubectl(...words: readonly string[]): Promise<string> {
    const own = [`--server=${this.env.url}`, `--namespace=${this.namespace}`];
    const environment = { ...process.env, KUBECONFIG: '/dev/null' };
    const { stdout } = await run(kubectl ?? '', [...own, ...words], { env: environment });
    return stdout;
  }

  async events(reason?: string): Promise<readonly EventNote[]> {
    const all = await this.env.list<EventNote & KubernetesObject>('events.k8s.io/v1', 'Event');
    return all
      .filter((event) => reason === undefined || event.reason === reason)
      .map(({ type, reason: why, note }) => ({ type, reason: why, note }));
  }

  writes(): readonly string[] {
    return this.env.requests
      .of({ user: this.#user })
      .filter(({ verb, resource }) => WRITES.has(verb) && resource !== 'events.events.k8s.io')
      .map(({ verb, resource, subresource = '' }) => `${verb} ${resource} ${subresource}`.trim());
  }

  refusals(): readonly string[] {
    const counted = this.#operators.flatMap(({ meter }) => Object.keys(meter.snapshot()));
    return counted.filter((series) => /^rest_client_requests_total.*"403"/.test(series));
  }
}

const WRITES: ReadonlySet<string> = new Set([
  'create',
  'update',
  'patch',
  'delete',
  'deletecollection',
]);
