import { eventually, type FakeClock } from '@chancery/testing';
import { type Clock, type Condition, findCondition, type KubernetesObject } from 'chancery';
import type { Deployment } from 'chancery/kubernetes';
import { type Place, type Setup, startExample } from '../../../testing/place.ts';
import { tdset } from '../../controller.ts';
import type { TDSet } from '../../resource.ts';

export interface TDSetPlace extends Place {
  /** Makes a TDSet of that name: always two replicas, unless `spec` says else. */
  create(name: string, spec?: Partial<TDSet['spec']>): Promise<void>;
  edit(name: string, spec: object): Promise<void>;
  set(name: string): Promise<TDSet | undefined>;
  deployment(name: string): Promise<Deployment | undefined>;
  /** Resolves when the Deployment has so many replicas. */
  replicas(name: string, count: number): Promise<Deployment>;
  /** Resolves when the condition says so, of the present generation. */
  condition(
    name: string,
    type: string,
    status: 'True' | 'False',
    reason?: string,
  ): Promise<Condition>;
  /** Reconciles that have ended, however. */
  reconciles(): number;
}

export interface Given extends Pick<Setup, 'manifests' | 'stopped'> {
  readonly clock?: Clock;
  readonly createServices?: boolean;
  readonly allNamespaces?: boolean;
  /** Nothing becomes of Deployments. */
  readonly workloads?: false;
}

/** Always two replicas, whatever the time is. */
const ALWAYS: TDSet['spec'] = {
  container: { image: 'crccheck/hello-world', port: 8000 },
  schedulingConfig: [{ startTime: 0, endTime: 24, replica: 2 }],
  defaultReplica: 3,
};

export async function startTDSets({
  createServices = false,
  ...setup
}: Given = {}): Promise<TDSetPlace> {
  const place = await startExample({
    name: 'tdset',
    controllers: [tdset({ createServices })],
    manifests: [new URL('../../crd.yaml', import.meta.url)],
    ...setup,
  });
  const { env, namespace } = place;
  const set = (name: string) => env.get<TDSet>('schedule.rs/v1', 'TDSet', namespace, name);
  const deployment = (name: string) =>
    env.get<Deployment>('apps/v1', 'Deployment', namespace, name);
  const own = {
    set,
    deployment,
    async create(name: string, spec: Partial<TDSet['spec']> = {}) {
      const metadata = { name, namespace };
      const kind = { apiVersion: 'schedule.rs/v1', kind: 'TDSet' };
      await env.create({ ...kind, metadata, spec: { ...ALWAYS, ...spec } } as KubernetesObject);
    },
    async edit(name: string, spec: object) {
      await env.patch('schedule.rs/v1', 'TDSet', namespace, name, { spec });
    },
    replicas: (name: string, count: number) =>
      eventually(async () => {
        const live = await deployment(name);
        return live?.spec.replicas === count && live;
      }),
    condition: (name: string, type: string, status: string, reason?: string) =>
      eventually(async () => {
        const live = await set(name);
        const found = findCondition(live?.status?.conditions, type);
        const isCurrent = found?.observedGeneration === live?.metadata.generation;
        const isSo = found?.status === status && (reason ?? found.reason) === found.reason;
        return isCurrent && isSo && found;
      }),
    reconciles: () => place.operator.status.controllers[0]?.reconciles ?? 0,
  };
  // A Place has getters, which a copy would freeze.
  return Object.assign(place, own) as TDSetPlace;
}

/** Moves `clock` a little with each look, until `probe` holds: back-offs pass, too. */
export function passing<T>(
  clock: FakeClock,
  probe: () => Promise<T>,
  stepMs: number = 50,
): Promise<Exclude<T, false | undefined>> {
  return eventually(() => {
    clock.advance(stepMs);
    return probe();
  });
}

/** Moves `clock` to `time` when nothing is under way: no request is to run into its limit. */
export async function jumpTo(clock: FakeClock, time: string, { operator }: Place): Promise<void> {
  await eventually(() => {
    const [controller] = operator.status.controllers;
    return controller?.working === true && controller.busy === 0 && controller.ready.length === 0;
  });
  clock.advance(Date.parse(time) - clock.now());
}

/** An autoscaler of the Deployment `name`, from 1 to 8 replicas. */
export function autoscalerOf(name: string, namespace: string): KubernetesObject {
  const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name };
  return {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: 'load', namespace },
    spec: { scaleTargetRef, minReplicas: 1, maxReplicas: 8 },
  } as KubernetesObject;
}
