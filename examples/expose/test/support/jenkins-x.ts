/** The operator, and what the tests of jenkins-x' annotations make and read. */

import { configMap, eventually, service } from '@chancery/testing';
import type { ConfigMap, Ingress, Service } from 'chancery/kubernetes';
import { formatYaml } from 'chancery/low-level';
import { type Place, startExample } from '../../../testing/place.ts';
import controllers from '../../operator.ts';

export const NETWORKING = 'networking.k8s.io/v1';
const URL_KEY = 'fabric8.io/exposeUrl';

export async function start(config?: Record<string, unknown>): Promise<Place> {
  const place = await startExample({ name: 'expose', controllers });
  if (config !== undefined) await configure(place, config);
  return place;
}

export async function configure({ env, namespace }: Place, config: Record<string, unknown>) {
  const data = { 'config.yml': formatYaml(config) };
  await env.apply(configMap('exposecontroller', { namespace, data }));
}

export async function createService(
  { env, namespace }: Place,
  name: string,
  annotations: Record<string, string> = {},
): Promise<void> {
  const ports = [{ name: 'http', port: 80 }];
  const labels = { expose: 'true' };
  await env.create(service(name, { namespace, labels, annotations, spec: { ports } }));
}

export async function createIngress({ env, namespace }: Place, name: string): Promise<Ingress> {
  const backend = { service: { name: 'mine', port: { number: 1 } } };
  return env.create<Ingress>({
    apiVersion: NETWORKING,
    kind: 'Ingress',
    metadata: { name, namespace },
    spec: { defaultBackend: backend },
  });
}

export const ingress = ({ env, namespace }: Place, name: string) =>
  env.get<Ingress>(NETWORKING, 'Ingress', namespace, name);

export const live = ({ env, namespace }: Place, name: string) =>
  env.get<Service>('v1', 'Service', namespace, name);

export async function dataOf({ env, namespace }: Place, name: string): Promise<ConfigMap['data']> {
  return (await env.get<ConfigMap>('v1', 'ConfigMap', namespace, name))?.data;
}

export async function pathsOf(
  place: Place,
  name: string,
): Promise<readonly (string | undefined)[]> {
  const rules = (await ingress(place, name))?.spec?.rules ?? [];
  return rules.flatMap(({ http }) => http?.paths ?? []).map(({ path }) => path);
}

export const urlOf = async (place: Place, name: string): Promise<string | undefined> =>
  (await live(place, name))?.metadata.annotations?.[URL_KEY];

export const problemOf = (place: Place, name: string): Promise<string> =>
  eventually(async () => {
    const { annotations } = (await live(place, name))?.metadata ?? {};
    return annotations?.['expose.chancery.dev/problem'];
  });

export async function annotate(
  place: Place,
  name: string,
  annotations: Record<string, string | null>,
) {
  await place.env.patch('v1', 'Service', place.namespace, name, { metadata: { annotations } });
}
