import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:http';
import { eventually } from '@chancery/testing';
import { sleep, systemClock } from '../../../operator/core/clock.ts';
import type { ClusterNode } from './cluster-node.ts';
import { Container } from './container.ts';
import { type ContainerSpec, containerPlan, type PodFacts } from './container-plan.ts';
import type { Images } from './image.ts';
import { API_SERVER, NodeNetwork } from './node-network.ts';
import { POD_ADDRESS, PodSandbox } from './pod-sandbox.ts';
import type { PodSpec } from './pod-spec.ts';
import { type Projection, Volumes } from './volumes.ts';

export interface PodOptions {
  readonly node: ClusterNode;
  readonly spec: PodSpec;
  readonly name: string;
  readonly namespace: string;
  readonly images: Images;
  readonly apiServerPort: number;
  readonly token: string;
  readonly ca: string;
  /** The data of a ConfigMap of its namespace. @throws Error when there is none. */
  readonly configMap: (name: string) => Readonly<Record<string, string>>;
  /** The decoded data of a Secret of its namespace. @throws Error when there is none. */
  readonly secret: (name: string) => Readonly<Record<string, string>>;
  /** A folder of this machine for what belongs to the Pod. */
  readonly folder: string;
}

/** What happened while a Pod was stopped, in that order: `SIGTERM operator`, `operator ended with 0`. */
export type Ending = readonly string[];

const HEALTH_PORT = 8081;

/** Two cores that others use as well, and a probe that starts kubectl. */
const STARTING = { timeoutMs: 60_000 };

/** A Pod as the kubelet runs it: starts its containers in order, asks their probes, stops them in order. */
export class Pod {
  readonly sandbox: PodSandbox;
  readonly #options: PodOptions;
  readonly #volumes: Volumes;
  readonly #network: NodeNetwork;
  readonly #containers = new Map<string, Container>();
  #token: string;

  private constructor(
    options: PodOptions,
    sandbox: PodSandbox,
    volumes: Volumes,
    network: NodeNetwork,
  ) {
    this.#options = options;
    this.sandbox = sandbox;
    this.#volumes = volumes;
    this.#network = network;
    this.#token = options.token;
  }

  /** Resolves when every container has begun; sidecars before that when their startup probe has passed. */
  static async start(options: PodOptions): Promise<Pod> {
    const { node, spec, name, folder, apiServerPort } = options;
    await mkdir(folder, { recursive: true });
    const sandbox = await PodSandbox.start(node, name);
    const network = await NodeNetwork.start({
      node,
      apiServerPort,
      podPorts: [HEALTH_PORT, 8001],
      folder,
    });
    const pod = new Pod(options, sandbox, new Volumes(folder, spec.volumes ?? []), network);
    await pod.#volumes.prepare(node, pod.#projection);
    for (const sidecar of spec.initContainers ?? []) {
      if (sidecar.restartPolicy !== 'Always') throw new Error(`${sidecar.name} is no sidecar`);
      await pod.#begin(sidecar);
      await eventually(() => pod.passes(sidecar.name, 'startupProbe'), STARTING);
    }
    for (const container of spec.containers) await pod.#begin(container);
    return pod;
  }

  /** @throws Error while there is no such container. */
  container(name: string): Container {
    const container = this.#containers.get(name);
    if (container === undefined) throw new Error(`no container ${name}`);
    return container;
  }

  /** Starts a container that has ended again, as the kubelet does. */
  async restart(name: string): Promise<void> {
    await this.container(name).ended;
    await this.#begin(this.#specOf(name));
  }

  /** Whether the operator says that it is ready, to the kubelet. */
  async isReady(): Promise<boolean> {
    return this.passes('operator', 'readinessProbe');
  }

  /** Whether a probe of the manifest passes; one that is not there does. */
  async passes(
    name: string,
    kind: 'startupProbe' | 'readinessProbe' | 'livenessProbe',
  ): Promise<boolean> {
    const { exec, httpGet } = this.#specOf(name)[kind] ?? {};
    if (exec !== undefined) {
      return this.container(name)
        .exec(exec.command)
        .then(
          () => true,
          () => false,
        );
    }
    if (httpGet === undefined) return true;
    const { status } = await this.ask(HEALTH_PORT, httpGet.path);
    return status === 200;
  }

  /** Asks a port of the Pod from the node. @throws the error of the connection. */
  async ask(port: number, path: string): Promise<{ readonly status: number | undefined }> {
    const sent = request({ socketPath: this.#network.socketOf(port), path, agent: false });
    sent.end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    response.resume();
    return { status: response.statusCode };
  }

  /** Puts another token into the volume, in the place of the one that is there. */
  async rotateToken(token: string): Promise<void> {
    this.#token = token;
    await this.#volumes.project(this.#projection);
  }

  /**
   * Stops the Pod: all containers at once, each after its own preStop; sidecars when the others have ended.
   *
   * @param patient - false: a preStop that sleeps ends early when all other containers have ended, for
   *   nobody is left to wait for.
   */
  async terminate(patient = false): Promise<Ending> {
    const { spec } = this.#options;
    const happened: string[] = [];
    const waiting = new AbortController();
    const others = (one: ContainerSpec) => spec.containers.filter((other) => other !== one);
    await Promise.all(
      spec.containers.map(async (container) => {
        const seconds = container.lifecycle?.preStop?.sleep?.seconds ?? 0;
        if (seconds > 0) {
          const slept = sleep(systemClock, seconds * 1_000, waiting.signal).catch(() => {});
          const alone = Promise.all(
            others(container).map(({ name }) => this.container(name).ended),
          );
          await Promise.race(patient ? [slept] : [slept, alone]);
        }
        await this.#stop(container.name, happened);
      }),
    );
    waiting.abort();
    for (const { name } of [...(spec.initContainers ?? [])].reverse())
      await this.#stop(name, happened);
    return happened;
  }

  /** Lets go of what it has in this process. Its containers end with the node. */
  async end(): Promise<void> {
    await this.#network.end();
  }

  async #stop(name: string, happened: string[]): Promise<void> {
    const container = this.container(name);
    happened.push(`SIGTERM ${name}`);
    await container.signal('SIGTERM');
    const { code, signal } = await container.ended;
    happened.push(`${name} ended with ${code ?? signal}`);
  }

  async #begin(spec: ContainerSpec): Promise<void> {
    const { node, images, folder } = this.#options;
    const [image = ''] = spec.image.split(':');
    const found = images[image];
    if (found === undefined) throw new Error(`no image ${image}`);
    const { rootfs, config } = found;
    const plan = containerPlan(spec, config, this.#facts);
    const { sandbox } = this;
    this.#containers.set(spec.name, await Container.start({ node, sandbox, plan, rootfs, folder }));
  }

  #specOf(name: string): ContainerSpec {
    const { initContainers = [], containers } = this.#options.spec;
    const found = [...initContainers, ...containers].find((container) => container.name === name);
    if (found === undefined) throw new Error(`no container ${name}`);
    return found;
  }

  get #facts(): PodFacts {
    const { name, spec } = this.#options;
    const port = String(API_SERVER.port);
    return {
      fields: this.#projection.fields,
      env: {
        HOSTNAME: name,
        KUBERNETES_SERVICE_HOST: API_SERVER.host,
        KUBERNETES_SERVICE_PORT: port,
        KUBERNETES_SERVICE_PORT_HTTPS: port,
        KUBERNETES_PORT: `tcp://${API_SERVER.host}:${port}`,
      },
      securityContext: spec.securityContext ?? {},
      volume: (volume) => this.#volumes.pathOf(volume),
    };
  }

  get #projection(): Projection {
    const { name, namespace, spec, ca, configMap, secret } = this.#options;
    const fields = {
      'metadata.name': name,
      'metadata.namespace': namespace,
      'spec.nodeName': 'node-1',
      'spec.serviceAccountName': spec.serviceAccountName,
      'status.podIP': POD_ADDRESS,
    };
    return { token: this.#token, ca, fields, configMap, secret };
  }
}
