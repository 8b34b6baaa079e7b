/** A cluster with Foos, and what the tests of this example ask of it. */

import { eventually } from '@chancery/testing';
import type { KubernetesObject } from 'chancery';
import type { Deployment } from 'chancery/kubernetes';
import { type Place, type Setup, startExample } from '../../testing/place.ts';
import type { Foo } from '../definition.ts';
import operator from '../operator.ts';

export const API = 'samplecontroller.k8s.io/v1alpha1';
export const SAMPLE: URL = new URL('../sample/', import.meta.url);
export const CRD: URL = new URL('../crd.yaml', import.meta.url);

export interface FooPlace extends Place {
  foo(name?: string): Promise<Foo | undefined>;
  deployment(name?: string): Promise<Deployment | undefined>;
  createFoo(name: string, spec?: Foo['spec']): Promise<Foo>;
  edit(spec: object, name?: string): Promise<void>;
  /** As soon as the latest spec has been acted upon, and its condition has this reason. */
  because(reason: string, name?: string): Promise<Foo>;
  /** What was told for this reason, repetitions included. */
  count(reason: string): Promise<number>;
  /** Resolves after a reconcile that only a label of the Deployment has led to. */
  touch(name?: string): Promise<void>;
}

/** @param manifests - definitions first. Default: the one of this example. */
export async function startFoos({
  manifests = [CRD],
  ...more
}: Pick<Setup, 'manifests' | 'ownCluster' | 'stopped'> = {}): Promise<FooPlace> {
  const place = await startExample({ name: 'foo', controllers: [operator], manifests, ...more });
  const { env, namespace } = place;
  const foo = (name = 'example-foo') => env.get<Foo>(API, 'Foo', namespace, name);
  const own: Omit<FooPlace, keyof Place> = {
    foo,
    deployment: (name = 'example-foo') =>
      env.get<Deployment>('apps/v1', 'Deployment', namespace, name),
    createFoo: async (name, spec) => {
      const named = { apiVersion: API, kind: 'Foo', metadata: { name, namespace } };
      return (await env.create({ ...named, ...(spec && { spec }) })) as Foo;
    },
    edit: async (spec, name = 'example-foo') => {
      await env.patch(API, 'Foo', namespace, name, { spec });
    },
    because: (reason, name) =>
      eventually(async () => {
        const live = await foo(name);
        const { conditions, observedGeneration } = live?.status ?? {};
        const isCurrent = observedGeneration === live?.metadata.generation;
        return isCurrent && conditions?.[0]?.reason === reason && live;
      }),
    count: async (reason) => {
      const all = await env.list<KubernetesObject & Told>('events.k8s.io/v1', 'Event', namespace);
      const about = all.filter((event) => event.reason === reason);
      return about.reduce((sum, { series }) => sum + (series?.count ?? 1), 0);
    },
    touch: async (name = 'example-foo') => {
      const before = reconciles(place);
      const metadata = { labels: { touched: String(before) } };
      await env.patch('apps/v1', 'Deployment', namespace, name, { metadata });
      await eventually(() => reconciles(place) > before);
    },
  };
  return Object.assign(place, own);
}

interface Told {
  readonly reason: string;
  readonly series?: { readonly count: number };
}

/** Those that have ended well. */
function reconciles({ operator }: Place): number {
  const series =
    'controller_runtime_reconcile_total{controller="sample-controller",result="success"}';
  return Number(operator.meter.snapshot()[series] ?? 0);
}

/** What its log has at these levels. */
export function complaints({ operator }: Place): readonly string[] {
  return operator.log
    .filter(({ level }) => level === 'warn' || level === 'error')
    .map(({ message }) => message);
}
