import { parseYaml, type Secret, type StatefulSet } from 'chancery';
import { eventually } from 'chancery/testing';
import { type Place, startExample } from '../../testing/place.ts';
import { prometheusController } from '../operator.ts';
import type { Prometheus } from '../resources.ts';

export const CHILD = 'prometheus-prometheus';

export function start(stopped = false): Promise<Place> {
  return startExample({
    name: 'prometheus',
    controllers: [prometheusController()],
    manifests: [new URL('../crds/', import.meta.url)],
    stopped,
  });
}

export const sample = new URL('../sample/', import.meta.url);

export const prometheus = ({ env, namespace }: Place): Promise<Prometheus | undefined> =>
  env.get<Prometheus>('monitoring.coreos.com/v1', 'Prometheus', namespace, 'prometheus');

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
  await place.kubectl('annotate', 'servicemonitor', 'shop', `seen=${before}`, '--overwrite');
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

export async function scale(place: Place): Promise<Scale> {
  const group = '/apis/monitoring.coreos.com/v1';
  const path = `${group}/namespaces/${place.namespace}/prometheuses/prometheus/scale`;
  return JSON.parse(await place.kubectl('get', '--raw', path));
}
