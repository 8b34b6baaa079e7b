/**
 * What costs most of a test is what comes before it: an API server, its definitions, an ambassador. The
 * tests of a file share them, and each has a namespace of its own, with the rights for it and no other.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  type Ambassador,
  type AmbassadorFilter,
  findKubectl,
  startAmbassador,
  startTestEnv,
  type TestEnv,
  type WorkloadOptions,
} from '@chancery/testing';
import { onTestFinished, TestRunner } from 'vitest';

export interface ClusterSetup {
  /** Files or folders that an administrator has applied before: definitions first. */
  readonly manifests?: readonly URL[];
  /** What becomes of Pods. Default: they are Ready at once, and gone at once. False: nothing. */
  readonly workloads?: WorkloadOptions | false;
}

/** So many tests share a proxy: its filter names the namespaces of all. */
const TESTS_OF_A_PROXY = 8;

const run = promisify(execFile);

export class Cluster {
  readonly env: TestEnv;
  /** What kubectl knows of the API server, which is another one at each run. */
  readonly #cache: string;
  readonly #namespacesAtOnce: number;
  readonly #proxies = new Map<string, Promise<Ambassador>>();
  #made = 0;

  /** @param namespacesAtOnce - how many the ambassador's filter names. */
  constructor(env: TestEnv, cache: string, namespacesAtOnce: number) {
    this.env = env;
    this.#cache = cache;
    this.#namespacesAtOnce = namespacesAtOnce;
  }

  static async start(setup: ClusterSetup, namespacesAtOnce: number): Promise<Cluster> {
    const { manifests = [], workloads = { podReadyMs: 5, podStopMs: 5 } } = setup;
    const env = await startTestEnv({
      backend: 'embedded',
      embedded: { authorization: 'RBAC', workloads },
    });
    const cache = await mkdtemp(join(tmpdir(), 'chancery-kubectl-'));
    for (const manifest of manifests) await env.apply(manifest);
    return new Cluster(env, cache, namespacesAtOnce);
  }

  /** Where its ServiceAccounts are. */
  readonly home: string = FIRST_NAMESPACE;

  /** The next one, and those whose tests share its ambassador. */
  async namespace(): Promise<{ readonly name: string; readonly neighbours: readonly string[] }> {
    const count = this.#namespacesAtOnce;
    const at = this.#made++;
    const first = at - (at % count);
    const name = nameOf(at);
    await this.env.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    return { name, neighbours: Array.from({ length: count }, (_, each) => nameOf(first + each)) };
  }

  /** URL of an ambassador with the rights of `user`, behind this filter. */
  async ambassador(user: string, filter: AmbassadorFilter): Promise<string> {
    const key = JSON.stringify([user, filter]);
    const known = this.#proxies.get(key) ?? this.#startProxy(user, filter);
    this.#proxies.set(key, known);
    return (await known).url;
  }

  async #startProxy(user: string, filter: AmbassadorFilter): Promise<Ambassador> {
    const server = await this.env.server.urlFor(user);
    return startAmbassador({ server, filter });
  }

  /** `kubectl` as an administrator. @throws with what it wrote when it fails. */
  async kubectl(namespace: string, words: readonly string[]): Promise<string> {
    const kubectl = findKubectl(process.env);
    if (kubectl === undefined) throw new Error('no kubectl: install it, or set KUBECTL');
    const own = [`--server=${this.env.url}`, `--namespace=${namespace}`];
    const places = { KUBECONFIG: '/dev/null', KUBECACHEDIR: this.#cache };
    const env = { ...process.env, ...places };
    const { stdout } = await run(kubectl, [...own, ...words], { env });
    return stdout;
  }

  async stop(): Promise<void> {
    const proxies = await Promise.all(this.#proxies.values());
    await Promise.all(proxies.map((proxy) => proxy.kill()));
    await this.env.stop();
    await rm(this.#cache, { recursive: true, force: true });
  }
}

const nameOf = (at: number): string => `test-${at + 1}`;

/** The namespace of the first test of a cluster: of the only one, if the cluster is its own. */
export const FIRST_NAMESPACE: string = nameOf(0);

/** Ends with the test that asks for it. */
export async function clusterOfOneTest(setup: ClusterSetup): Promise<Cluster> {
  const cluster = await Cluster.start(setup, 1);
  onTestFinished(() => cluster.stop());
  return cluster;
}

type TestFile = Parameters<typeof TestRunner.getSuiteHooks>[0];

const shared = new WeakMap<TestFile, Map<string, Promise<Cluster>>>();

/** The one of this test's file that was set up like this, started by the first test that asks; it ends with the file. */
export function clusterOfFile(setup: ClusterSetup): Promise<Cluster> {
  const { file } = TestRunner.getCurrentTest() ?? {};
  if (file === undefined) throw new Error('an example is started in a test');
  const clusters = shared.get(file) ?? new Map<string, Promise<Cluster>>();
  shared.set(file, clusters);
  const key = JSON.stringify(setup);
  const known = clusters.get(key);
  if (known !== undefined) return known;
  const cluster = Cluster.start(setup, TESTS_OF_A_PROXY);
  clusters.set(key, cluster);
  TestRunner.getSuiteHooks(file).afterAll.push(async () => (await cluster).stop());
  return cluster;
}
