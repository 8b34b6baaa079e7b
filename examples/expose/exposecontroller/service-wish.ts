import { type ObjectKey, objectKey, source } from 'chancery';
import { type Service, services } from 'chancery/kubernetes';
import type { Config } from './config.ts';

/** Services, found by the Ingress that they contribute to. */
export const servicesByIngress = source(services, {
  indexes: { ingress: (service) => [ingressKeyOf(service)] },
});

/** The annotation that tells where a Service is reached. */
export const EXPOSE_URL = 'fabric8.io/exposeUrl';

/** True for a Service that asks to be exposed, in one of the three ways of the original. */
export function isToBeExposed({ metadata }: Service, { services }: Config): boolean {
  const { name, labels = {}, annotations = {} } = metadata;
  const asks =
    labels.expose === 'true' ||
    annotations['fabric8.io/expose'] === 'true' ||
    annotations['fabric8.io/inject'] === 'true';
  return asks && (services.length === 0 || services.includes(name));
}

/** The name of its Ingress, which several Services may share. */
export function ingressNameOf({ metadata }: Pick<Service, 'metadata'>): string {
  const { name, labels = {}, annotations = {} } = metadata;
  const chosen = annotations['fabric8.io/ingress.name'] ?? '';
  if (chosen !== '') return chosen;
  const { release = '' } = labels;
  return release === '' ? name : name.replace(`${release}-`, '');
}

export function ingressKeyOf(service: Pick<Service, 'metadata'>): ObjectKey {
  return objectKey(service.metadata.namespace, ingressNameOf(service));
}

/** `fabric8.io/exposePort` if the Service has it, else its first TCP port; undefined without any. */
export function exposedPort({ metadata, spec }: Service): number | undefined {
  const asked = metadata.annotations?.['fabric8.io/exposePort'];
  const usable = (spec?.ports ?? []).filter(({ protocol = 'TCP' }) => protocol === 'TCP');
  return (usable.find(({ port }) => String(port) === asked) ?? usable[0])?.port;
}
