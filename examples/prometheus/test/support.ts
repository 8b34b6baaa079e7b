import { eventually } from '@chancery/testing';
import type { Secret, StatefulSet } from 'chancery/kubernetes';
import { parseYaml } from 'chancery/low-level';
import { type Place, type Setup, startExample } from '../../testing/place.ts';
import operator from '../operator.ts';
import type { Prometheus } from '../resources.ts';

export const CHILD = 'prometheus-prometheus';

export function start(more: Pick<Setup, 'clock' | 'stopped'> = {}): Promise<Place> {
  return startExample({
    name: 'prometheus',
    controllers: [operator],
    manifests: [new URL('../crds/', import.meta.url)],
    ...more,
  });
}

export const sample = new URL('../sample/', import.meta.url);

const API = 'monitoring.coreos.com/v1';

export type Kind = 'Prometheus' | 'ServiceMonitor';

/** As `kubectl patch --type=merge` does. */
export async function edit({ env, namespace }: Place, kind: Kind, name: string, change: object) {
  await env.patch(API, kind, namespace, name, change);
}

export async function remove({ env, namespace }: Place, kind: Kind, name: string): Promise<void> {
  await env.delete(API, kind, namespace, name);
}

export const prometheus = ({ env, namespace }: Place): Promise<Prometheus | undefined> =>
  env.get<Prometheus>(API, 'Prometheus', namespace, 'prometheus');

/** On a machine that others use, too. */
const PATIENT = { timeoutMs: 30_000 };

/** The status of the current spec, when its condition of that type has this reason. */
export function says(place: Place, reason: string): Promise<Prometheus> {
  return eventually(async () => {
    const live = await prometheus(place);
    if (live?.status?.observedGeneration !== live?.metadata.generation) return undefined;
    return live?.status?.conditions?.some((each) => each.reason === reason) === true && live;
  }, PATIENT);
}

/** A change that changes nothing has been looked at. */
export async function reconciledAgain(place: Place): Promise<void> {
  const count = (): number =>
    Object.entries(place.operator.meter.snapshot())
      .filter(([series]) => series.startsWith('controller_runtime_reconcile_total'))
      .reduce((sum, [, each]) => sum + Number(each), 0);
  const before = count();
  const annotations = { seen: String(before) };
  await edit(place, 'ServiceMonitor', 'shop', { metadata: { annotations } });
  await eventually(() => count() > before);
}

export const set = ({ env, namespace }: Place): Promise<StatefulSet | undefined> =>
  env.get<StatefulSet>('apps/v1', 'StatefulSet', namespace, CHILD);

/** The names of the jobs in the generated configuration. */
export async function jobs({ env, namespace }: Place): Promise<readonly string[]> {
  const secret = await env.get<Secret>('v1', 'Secret', namespace, CHILD);
  const text = Buffer.from(secret?.data?.['prometheus.yml'] ?? '', 'base64').toString();
  const { scrape_configs = [] } = (parseYaml(text) ?? {}) as { scrape_configs?: Job[] };
  return scrape_configs.map(({ job_name }) => job_name);
}

interface Job {
  readonly job_name: string;
}

export interface Scale {
  readonly spec: { readonly replicas: number };
  readonly status: { readonly replicas: number; readonly selector: string };
}

export async function scale({ env, namespace }: Place): Promise<Scale> {
  const group = '/apis/monitoring.coreos.com/v1';
  const path = `${group}/namespaces/${namespace}/prometheuses/prometheus/scale`;
  const answer = await fetch(env.url + path);
  return (await answer.json()) as Scale;
}

/** What `kubectl scale` sends. */
export async function scaleTo({ env, namespace }: Place, replicas: number): Promise<void> {
  const path = `/apis/monitoring.coreos.com/v1/namespaces/${namespace}/prometheuses/prometheus/scale`;
  const { ok, status } = await fetch(env.url + path, {
    method: 'PATCH',
    headers: { 'content-type': 'application/merge-patch+json' },
    body: JSON.stringify({ spec: { replicas } }),
  });
  if (!ok) throw new Error(`/scale was answered with ${status}`);
}
