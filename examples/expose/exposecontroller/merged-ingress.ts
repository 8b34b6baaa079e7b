import { createHash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import type { Ingress, networkingV1, Service } from 'chancery/kubernetes';
import type { IngressPlan } from './ingress-plan.ts';

const GENERATED_BY = 'fabric8.io/generated-by';
const OWNER = 'exposecontroller';
/** Digest of what was last applied, so that what is no longer stated is seen to be left over. */
const APPLIED = 'expose.chancery.dev/applied';

export interface Contribution {
  readonly service: Service;
  readonly plan: IngressPlan;
}

/** True for an Ingress that this operator, or the original, has made. */
export function isGenerated({ metadata }: Ingress): boolean {
  return metadata.annotations?.[GENERATED_BY] === OWNER;
}

/**
 * One Ingress of all who contribute to it. Its paths are a map by host and path: where two want the
 * same one, the older Service has it. It lives as long as any of them.
 */
export function mergedIngress(
  namespace: string,
  name: string,
  contributions: readonly Contribution[],
): Ingress {
  const oldestFirst = contributions.toSorted(byAge);
  const hosts = new Map<string, Map<string, networkingV1.HTTPIngressPath>>();
  const tls = new Map<string, Set<string>>();
  const annotations: Record<string, string> = {};
  for (const { service, plan } of oldestFirst) {
    const paths = hosts.get(plan.host) ?? new Map<string, networkingV1.HTTPIngressPath>();
    hosts.set(plan.host, paths);
    if (!paths.has(plan.path)) paths.set(plan.path, pathTo(service, plan));
    for (const [key, value] of Object.entries(plan.annotations)) annotations[key] ??= value;
    const { secretName = '', hosts: names = [] } = plan.tls ?? {};
    if (plan.tls !== undefined) {
      tls.set(secretName, new Set([...(tls.get(secretName) ?? []), ...names]));
    }
  }
  const stated = {
    metadata: {
      name,
      namespace,
      labels: { provider: 'fabric8' },
      annotations: { ...annotations, [GENERATED_BY]: OWNER },
      ownerReferences: oldestFirst.map(({ service: { metadata } }) => ({
        apiVersion: 'v1',
        kind: 'Service',
        name: metadata.name,
        uid: metadata.uid ?? '',
      })),
    },
    spec: {
      ...(tls.size > 0 && {
        tls: [...tls].map(([secretName, names]) => ({ secretName, hosts: [...names] })),
      }),
      rules: [...hosts].map(([host, paths]) => ({ host, http: { paths: [...paths.values()] } })),
    },
  };
  const digest = createHash('sha256').update(JSON.stringify(stated)).digest('hex').slice(0, 16);
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    ...stated,
    metadata: {
      ...stated.metadata,
      annotations: { ...stated.metadata.annotations, [APPLIED]: digest },
    },
  };
}

/**
 * What takes the name before `wanted` is applied: hosts, and nothing that answers there. Should the rest
 * be refused, nothing is exposed without its TLS or its annotations.
 */
export function bareIngress({ metadata, spec, ...kind }: Ingress): Ingress {
  const { name, namespace = '' } = metadata;
  const annotations = { [GENERATED_BY]: OWNER };
  const rules = (spec?.rules ?? []).map(({ host = '' }) => ({ host }));
  return { ...kind, metadata: { name, namespace, annotations }, spec: { rules } };
}

/** True when nothing of `wanted` is missing or different in `live`, and nothing is left over. */
export function isAsWanted(live: Ingress, wanted: Ingress): boolean {
  const uids = new Set(live.metadata.ownerReferences?.map(({ uid }) => uid));
  return (
    isDeepStrictEqual(live.spec, wanted.spec) &&
    hasAll(live.metadata.labels, wanted.metadata.labels) &&
    hasAll(live.metadata.annotations, wanted.metadata.annotations) &&
    (wanted.metadata.ownerReferences ?? []).every(({ uid }) => uids.has(uid))
  );
}

function pathTo({ metadata: { name } }: Service, { path, port }: IngressPlan) {
  const backend = { service: { name, port: { number: port } } };
  return { path, pathType: 'Prefix' as const, backend };
}

type Texts = Readonly<Record<string, string>>;

function hasAll(live: Texts = {}, wanted: Texts = {}): boolean {
  return Object.entries(wanted).every(([key, value]) => live[key] === value);
}

function byAge(a: Contribution, b: Contribution): number {
  const age = ({ service: { metadata } }: Contribution): string =>
    `${metadata.creationTimestamp ?? ''} ${metadata.name}`;
  return age(a) < age(b) ? -1 : 1;
}
