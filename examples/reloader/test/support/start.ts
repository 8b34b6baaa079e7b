/** The operator as its command line starts it, behind the ambassador of the lane and under its generated rights. */
import { configMap, eventually, type FakeClock, secret } from '@chancery/testing';
import type { KubernetesObject } from 'chancery';
import type { coreV1, Deployment } from 'chancery/kubernetes';
import { type Place, type Setup, startExample } from '../../../testing/place.ts';
import program from '../../operator.ts';
import { BASELINE } from '../../record/baseline.ts';

export interface Given extends Partial<Omit<Setup, 'name' | 'controllers' | 'runnables'>> {
  /** Words of the command line, after `--debounce=0s`. Default: none. */
  readonly args?: readonly string[];
  /** The environment of the operator. Default: empty. */
  readonly variables?: Readonly<Record<string, string>>;
}

export type Data = Readonly<Record<string, string>>;

/** A workload with a Pod template. Default: a Deployment with one container `app`. */
export interface WorkloadGiven {
  readonly kind?: 'Deployment' | 'StatefulSet' | 'DaemonSet';
  readonly annotations?: Data;
  readonly templateAnnotations?: Data;
  /** Labels of the workload itself. */
  readonly labels?: Data;
  readonly spec?: Partial<coreV1.PodSpec>;
  /** More of the spec of the workload. */
  readonly more?: object;
  readonly namespace?: string;
}

export interface Reloading extends Place {
  /** What the module has on `/metrics`. */
  readonly metrics: Awaited<ReturnType<typeof partsOf>>['metrics'];
  /** Creates a ConfigMap, or replaces its data. */
  config(name: string, data: Data, fields?: Fields): Promise<void>;
  /** Creates a Secret, or replaces its data. Values are texts. */
  secret(name: string, data: Data, fields?: Fields): Promise<void>;
  /** Creates or replaces a workload. */
  workload(name: string, given?: WorkloadGiven): Promise<void>;
  live(name: string, kind?: WorkloadGiven['kind'], namespace?: string): Promise<Deployment>;
  /** Variables of the container, by name. */
  variables(name: string, container?: string, kind?: WorkloadGiven['kind']): Promise<Data>;
  /** What the baseline of the workload records, when it records something. */
  recorded(name: string, kind?: WorkloadGiven['kind'], namespace?: string): Promise<Data>;
  /** How often the Pod template has changed since the workload was created. */
  rollouts(name: string, kind?: WorkloadGiven['kind'], namespace?: string): number;
  /** Resolves when the Pod template has changed so often, and the operator is at rest. */
  rolledOut(name: string, times: number, kind?: WorkloadGiven['kind']): Promise<Deployment>;
  /** Resolves when the operator has handled everything that was written before, and is at rest. */
  handled(): Promise<void>;
}

export interface Fields {
  readonly annotations?: Data;
  readonly labels?: Data;
  readonly namespace?: string;
}

export const AUTO: Data = { 'reloader.stakater.com/auto': 'true' };

/** A Pod whose container takes all keys of ConfigMaps and Secrets into its environment. */
export function envFrom(...references: readonly `${'configmap' | 'secret'}/${string}`[]): {
  readonly spec: Partial<coreV1.PodSpec>;
} {
  const sources = references.map((reference) => {
    const [type, name = ''] = reference.split('/');
    return type === 'secret' ? { secretRef: { name } } : { configMapRef: { name } };
  });
  return { spec: { containers: [{ ...APP, envFrom: sources }] } };
}

export const APP: coreV1.Container = { name: 'app', image: 'registry.k8s.io/pause:3.10' };

/** What the operator consists of for a command line. */
export async function partsOf({ args = [], variables = {} }: Given) {
  const given = { args: ['--debounce=0s', ...args], environment: variables };
  const { controllers = [], runnables = [], metrics } = await program.create(given);
  return { controllers, runnables, metrics };
}

export async function controllersOf(given: Given) {
  return (await partsOf(given)).controllers;
}

/** Later processes of one test; each has a memory of its own, as a process has. */
const MOST_RESTARTS = 4;

export async function startReloader(given: Given = {}): Promise<Reloading> {
  const { args: _, variables: __, ...setup } = given;
  const { controllers, runnables, metrics } = await partsOf(given);
  const later = await Promise.all(Array.from({ length: MOST_RESTARTS }, () => partsOf(given)));
  const restarted = () => {
    const next = later.shift();
    if (next === undefined) throw new Error('more processes than MOST_RESTARTS');
    return next;
  };
  const parts = { name: 'reloader', controllers, runnables, restarted };
  const place = await startExample({ workloads: false, ...setup, ...parts });
  const isSome = (given.args ?? []).some((word) => SOME_RESOURCES.test(word));
  const seesAll = !isSome && given.withheld === undefined;
  return Object.assign(withWords(place, seesAll), { metrics });
}

/** Arguments with which the operator does not watch every ConfigMap and Secret; it may lack the rights, too. */
const SOME_RESOURCES = /^--(resource|webhook)/;

/** @param seesAll - the operator watches every ConfigMap and Secret of the namespace. */
function withWords(place: Place, seesAll: boolean): Omit<Reloading, 'metrics'> {
  const { env } = place;
  const live = async (name: string, kind = 'Deployment', namespace = place.namespace) => {
    const found = await env.get<Deployment>('apps/v1', kind, namespace, name);
    if (found === undefined) throw new Error(`no ${kind} ${name}`);
    return found;
  };
  const put = (object: KubernetesObject): Promise<void> => place.apply([object]);
  // Sources are watched side by side: a workload that is seen before its resources records them later, and a
  // change that a test makes meanwhile would be their first content.
  const resourcesSeen = async (): Promise<void> => {
    if (!seesAll || !place.isRunning) return;
    for (const kind of ['ConfigMap', 'Secret']) {
      await eventually(async () => {
        const there = await env.list('v1', kind, place.namespace);
        const sources = place.operator.status.sources.filter(
          ({ resource }) => resource === `${kind.toLowerCase()}s`,
        );
        const count = sources.reduce((sum, { objects }) => sum + objects, 0);
        return sources.every(({ synced }) => synced) && count >= there.length;
      }, PATIENT);
    }
  };
  const recorded = (name: string, kind?: string, namespace?: string) =>
    eventually(async () => {
      const text = (await live(name, kind, namespace)).metadata.annotations?.[BASELINE];
      return text !== undefined && (JSON.parse(text) as Data);
    }, PATIENT);
  const rollouts = (name: string, kind = 'Deployment', namespace = place.namespace): number => {
    const resource = `${kind.toLowerCase()}s.apps`;
    const states = env.events.history(resource, namespace, name) as readonly Deployment[];
    const templates = states.map(({ spec }) => JSON.stringify(spec.template));
    return templates.filter((each, at) => at > 0 && each !== templates[at - 1]).length;
  };
  let round = 0;
  const sentinel = async (): Promise<void> => {
    const value = `${++round}`;
    await put(configMap('sentinel', { data: { value } }));
    await put(secret('sentinel', { stringData: { value } }));
  };
  const words = {
    live,
    recorded,
    config: (name: string, data: Data, fields: Fields = {}) =>
      put(configMap(name, { data, ...fields })),
    secret: (name: string, data: Data, fields: Fields = {}) => {
      const encoded = Object.entries(data).map(([key, value]) => [key, base64(value)]);
      return put(secret(name, { data: Object.fromEntries(encoded), ...fields }));
    },
    workload: async (name: string, given: WorkloadGiven = {}) => {
      await resourcesSeen();
      await put(workloadObject(name, given));
    },
    variables: async (name: string, container = 'app', kind?: string) => {
      const { spec } = await live(name, kind);
      const found = spec.template.spec.containers.find((each) => each.name === container);
      return Object.fromEntries((found?.env ?? []).map((each) => [each.name, each.value ?? '']));
    },
    rollouts,
    rolledOut: async (name: string, times: number, kind?: string) => {
      await eventually(() => rollouts(name, kind) >= times, PATIENT);
      await place.idle();
      return live(name, kind);
    },
    handled: async () => {
      if (round === 0) {
        await sentinel();
        const references = envFrom('configmap/sentinel', 'secret/sentinel');
        await put(workloadObject('sentinel', { annotations: AUTO, ...references }));
        await recorded('sentinel');
      }
      // Changes of one source arrive in order: what was written before the sentinel was seen before it.
      const before = (await recorded('sentinel')) as Data;
      await sentinel();
      await eventually(async () => {
        const now = await recorded('sentinel');
        return Object.keys(before).every((key) => now[key] !== before[key]);
      }, PATIENT);
      await place.idle();
    },
  };
  return Object.assign(place, words);
}

/** Lets time pass in small steps until `work` is done: back-off takes no time then, and no request times out. */
export async function passing<T>(clock: FakeClock, work: Promise<T>): Promise<T> {
  let isDone = false;
  const end = (): void => {
    isDone = true;
  };
  work.then(end, end);
  await eventually(() => {
    clock.advance(100);
    return isDone;
  }, PATIENT);
  return work;
}

function workloadObject(name: string, given: WorkloadGiven): KubernetesObject {
  const { kind = 'Deployment', annotations = {}, templateAnnotations = {}, namespace } = given;
  const labels = { app: name };
  const template = {
    metadata: { labels, annotations: templateAnnotations },
    spec: { containers: [APP], ...given.spec },
  };
  const own = kind === 'StatefulSet' ? { serviceName: name } : {};
  const spec = { selector: { matchLabels: labels }, template, ...own, ...given.more };
  const metadata = {
    name,
    annotations,
    labels: given.labels ?? {},
    ...(namespace !== undefined && { namespace }),
  };
  return { apiVersion: 'apps/v1', kind, metadata, spec } as KubernetesObject;
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** On a machine that others use, too. */
const PATIENT = { timeoutMs: 30_000 };
