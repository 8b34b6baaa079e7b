import { consistently, eventually, FakeClock, statefulSet } from '@chancery/testing';
import type { KubernetesObject } from 'chancery';
import type { Pod, PodDisruptionBudget } from 'chancery/kubernetes';
import { type Place, type Setup, startExample } from '../../testing/place.ts';
import type { ChaosPlan } from '../chaos-plan.ts';
import { chaosController } from '../operator.ts';

/** Of the plans of these tests. With a random number of 0.5, the next turn is so far away. */
export const INTERVAL_MS = 600_000;

export interface Given extends Partial<Pick<Setup, 'allNamespaces' | 'environment'>> {
  /** Default: 0 for everything but the time of the next turn. */
  readonly random?: () => number;
}

export interface Chaos extends Place {
  readonly clock: FakeClock;
  /** Applies the plan of `namespace`. */
  plan(spec?: Partial<ChaosPlan['spec']>, namespace?: string): Promise<void>;
  status(namespace?: string): Promise<NonNullable<ChaosPlan['status']>>;
  /** Resolves when the status of the current spec says so. */
  says(reason: string, namespace?: string): Promise<NonNullable<ChaosPlan['status']>>;
  /** Makes a StatefulSet, and resolves to its Pods' uids by name when all are Ready. */
  servers(name: string, replicas: number, options?: ServerOptions): Promise<Uids>;
  /** So many of the StatefulSet `web`'s Pods must stay. */
  budget(minAvailable: number): Promise<void>;
  uids(namespace?: string): Promise<Uids>;
  /** Goes on by so long, and on slowly from there until `probe` holds. */
  after<T>(ms: number, probe: () => T | Promise<T>): Promise<Exclude<T, false | undefined>>;
}

/** Gone as soon as they are deleted. */
const PROMPT = {
  containers: [{ name: 'main', image: 'nginx:1.29' }],
  terminationGracePeriodSeconds: 0,
};

export type Uids = Readonly<Record<string, string | undefined>>;

export interface ServerOptions {
  readonly namespace?: string;
  /** Default true. */
  readonly optIn?: boolean;
}

export async function startChaos({ random = () => 0.5, ...given }: Given = {}): Promise<Chaos> {
  const clock = new FakeClock(Date.parse('2030-01-01T00:00:00Z'));
  const place = await startExample({
    name: 'chaos',
    controllers: [chaosController({ random })],
    manifests: [new URL('../crd.yaml', import.meta.url)],
    clock,
    ...given,
  });
  const { env } = place;
  const status = async (namespace = place.namespace) => {
    const live = await env.get<ChaosPlan>('chaos.example.dev/v1', 'ChaosPlan', namespace, 'chaos');
    const isCurrent = live?.status?.observedGeneration === live?.metadata.generation;
    return (isCurrent ? live?.status : undefined) ?? {};
  };
  const uids = async (namespace = place.namespace): Promise<Uids> => {
    const all = await env.list<Pod>('v1', 'Pod', namespace);
    return Object.fromEntries(all.map(({ metadata: { name, uid } }) => [name, uid]));
  };
  const chaos = {
    clock,
    status,
    uids,
    plan: async (spec: Partial<ChaosPlan['spec']> = {}, namespace = place.namespace) => {
      const plan = {
        apiVersion: 'chaos.example.dev/v1',
        kind: 'ChaosPlan',
        metadata: { name: 'chaos', namespace },
        spec: { intervalSeconds: INTERVAL_MS / 1_000, ...spec },
      };
      await env.apply([plan as KubernetesObject]);
    },
    budget: async (minAvailable: number) => {
      const budget: PodDisruptionBudget = {
        apiVersion: 'policy/v1',
        kind: 'PodDisruptionBudget',
        metadata: { name: 'web' },
        spec: { minAvailable, selector: { matchLabels: { app: 'web' } } },
      };
      await place.apply([budget]);
    },
    says: async (reason: string, namespace?: string) => {
      const found = await eventually(async () => {
        const live = await status(namespace);
        return live.conditions?.some((each) => each.reason === reason) === true && live;
      }, PATIENT);
      await place.idle();
      return found;
    },
    servers: async (name: string, replicas: number, options: ServerOptions = {}) => {
      const { namespace = place.namespace, optIn = true } = options;
      const podLabels = { app: name, ...(optIn && { 'chaos.example.dev/opt-in': 'true' }) };
      await env.create(statefulSet(name, { namespace, replicas, podLabels, podSpec: PROMPT }));
      await eventually(async () => {
        const all = await env.list<Pod>('v1', 'Pod', namespace);
        const own = all.filter(({ metadata }) => metadata.labels?.app === name);
        return own.filter(isReady).length === replicas;
      }, PATIENT);
      const all = Object.entries(await uids(namespace));
      return Object.fromEntries(all.filter(([pod]) => pod.startsWith(`${name}-`)));
    },
    after: async <T>(ms: number, probe: () => T | Promise<T>) => {
      await place.idle(); // it waits for the time that it has set itself: only then may time pass
      clock.advance(ms);
      return eventually(() => {
        clock.advance(10);
        return probe();
      }, PATIENT);
    },
  };
  return Object.assign(place, chaos);
}

/** On a machine that others use, too. */
const PATIENT = { timeoutMs: 30_000 };

function isReady({ status }: Pod): boolean {
  return (
    status?.conditions?.some((each) => each.type === 'Ready' && each.status === 'True') === true
  );
}

/** Those that are another Pod now, or none. */
export const replaced = (before: Uids, now: Uids): readonly string[] =>
  Object.keys(before).filter((name) => before[name] !== now[name]);

export async function nobodyGoes(chaos: Chaos, before: Uids, namespace?: string): Promise<void> {
  await consistently(async () => replaced(before, await chaos.uids(namespace)).length === 0);
}
