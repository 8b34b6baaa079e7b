import { ConfigurationError } from '../core/errors.ts';
import { builtInHasStatus } from './built-in-status.ts';
import * as builtIn from './kubernetes/resources.ts';
import { apiVersionOf, defineResource, type Resource, resourceName } from './resource.ts';

/** Resources that are known without the network. */
export interface KnownKinds {
  /**
   * The resource of a kind as a hook writes it: in upper or lower case, as a plural, or as a short name.
   * Undefined if the kind is unknown.
   *
   * @throws ConfigurationError `CONFIG` when several groups have the kind and `apiVersion` is omitted.
   */
  (kind: string, apiVersion?: string): Resource | undefined;
  /** The resource with a plural name in a group ('' is the core group). Undefined if it is unknown. */
  readonly ofPlural: (plural: string, group: string) => Resource | undefined;
  /**
   * The resource with a plural name in a group and version, such as `apps/v1`. Undefined if it is unknown.
   */
  readonly ofReference: (plural: string, apiVersion: string) => Resource | undefined;
  /** True if the status of a resource is a subresource. Undefined if this is unknown. */
  readonly hasStatus: (resource: Resource) => boolean | undefined;
}

/** Plural name and group of each short name. */
const SHORT_NAMES: Readonly<Record<string, string>> = {
  cj: 'cronjobs.batch',
  cm: 'configmaps',
  crd: 'customresourcedefinitions.apiextensions.k8s.io',
  crds: 'customresourcedefinitions.apiextensions.k8s.io',
  cs: 'componentstatuses',
  csr: 'certificatesigningrequests.certificates.k8s.io',
  deploy: 'deployments.apps',
  ds: 'daemonsets.apps',
  ep: 'endpoints',
  ev: 'events',
  hpa: 'horizontalpodautoscalers.autoscaling',
  ing: 'ingresses.networking.k8s.io',
  ip: 'ipaddresses.networking.k8s.io',
  limits: 'limitranges',
  netpol: 'networkpolicies.networking.k8s.io',
  no: 'nodes',
  ns: 'namespaces',
  pc: 'priorityclasses.scheduling.k8s.io',
  pdb: 'poddisruptionbudgets.policy',
  po: 'pods',
  pv: 'persistentvolumes',
  pvc: 'persistentvolumeclaims',
  quota: 'resourcequotas',
  rc: 'replicationcontrollers',
  rs: 'replicasets.apps',
  sa: 'serviceaccounts',
  sc: 'storageclasses.storage.k8s.io',
  sts: 'statefulsets.apps',
  svc: 'services',
  vac: 'volumeattributesclasses.storage.k8s.io',
};

/**
 * The `Event` of the core group, which is missing in the generated table. A hook that writes `Event` as a
 * kind means this resource, not the newer `Event` of `events.k8s.io`.
 */
const coreEvents: Resource = defineResource({
  group: '',
  version: 'v1',
  plural: 'events',
  kind: 'Event',
  namespaced: true,
});

/** A resource, its names in lower case, and its versions. */
interface Known {
  readonly resource: Resource;
  readonly names: readonly string[];
  /**
   * Undefined if any version is accepted: the built-in groups use the same resource names in all versions.
   */
  readonly versions: readonly string[] | undefined;
}

/**
 * The built-in kinds of Kubernetes, and the kinds that `definitions` declare.
 *
 * @param definitions - CustomResourceDefinitions. Other documents in the list are ignored. Default: none.
 */
export function knownKinds(definitions: readonly unknown[] = []): KnownKinds {
  const known: readonly Known[] = [
    ...[coreEvents, ...Object.values(builtIn)].map(knownBuiltIn),
    ...definitions.flatMap((definition) => knownDefinition(definition) ?? []),
  ];
  const ofKind = (kind: string, apiVersion?: string): Resource | undefined => {
    const found = known.filter(({ names }) => names.includes(kind.toLowerCase()));
    if (apiVersion === undefined) return preferred(kind, found)?.resource;
    return inVersion(found, apiVersion);
  };
  const ofPlural = (plural: string, group: string): Resource | undefined =>
    known.find(({ resource }) => resource.plural === plural && resource.group === group)?.resource;
  const ofReference = (plural: string, apiVersion: string): Resource | undefined =>
    inVersion(
      known.filter(({ resource }) => resource.plural === plural),
      apiVersion,
    );
  const hasStatus = (resource: Resource): boolean | undefined =>
    builtInHasStatus(resource) ?? statusIn(definitions, resource);
  return Object.assign(ofKind, { ofPlural, ofReference, hasStatus });
}

function inVersion(found: readonly Known[], apiVersion: string): Resource | undefined {
  const [version = '', group = ''] = apiVersion.split('/').reverse();
  const one = found.find(
    ({ resource, versions }) => resource.group === group && (versions?.includes(version) ?? true),
  );
  return one && defineResource({ ...one.resource, version });
}

/** The resource that discovery would choose: the core group has priority. */
function preferred(kind: string, found: readonly Known[]): Known | undefined {
  const [first, second] = found;
  if (first === undefined || second === undefined || first.resource.group === '') return first;
  const versions = found.map(({ resource }) => apiVersionOf(resource)).join(', ');
  throw new ConfigurationError(
    `the kind ${JSON.stringify(kind)} is ambiguous: say with apiVersion which one of ${versions}`,
  );
}

function knownBuiltIn(resource: Resource): Known {
  const short = Object.entries(SHORT_NAMES).filter(([, name]) => name === resourceName(resource));
  const names = [resource.plural, resource.kind.toLowerCase(), ...short.map(([name]) => name)];
  return { resource, names, versions: undefined };
}

function statusIn(definitions: readonly unknown[], resource: Resource): boolean | undefined {
  for (const definition of definitions) {
    const { spec } = Object(definition) as UncheckedDefinition;
    if (spec?.group !== resource.group || spec.names?.plural !== resource.plural) continue;
    const versions: readonly unknown[] = Array.isArray(spec.versions) ? spec.versions : [];
    const own = versions.map(Object).find(({ name }) => name === resource.version);
    if (own !== undefined) return Object(own.subresources).status !== undefined;
  }
  return undefined;
}

interface UncheckedDefinition {
  readonly kind?: unknown;
  readonly spec?: {
    readonly group?: unknown;
    readonly scope?: unknown;
    readonly names?: {
      readonly plural?: unknown;
      readonly kind?: unknown;
      readonly singular?: unknown;
      readonly shortNames?: unknown;
    } | null;
    readonly versions?: unknown;
  } | null;
}

function knownDefinition(document: unknown): Known | undefined {
  const { kind: type, spec } = Object(document) as UncheckedDefinition;
  const { plural, kind, singular, shortNames } = spec?.names ?? {};
  const group = spec?.group;
  if (type !== 'CustomResourceDefinition' || typeof group !== 'string') return undefined;
  if (typeof plural !== 'string' || typeof kind !== 'string') return undefined;
  const versions = (Array.isArray(spec?.versions) ? spec.versions : [])
    .filter((version) => Object(version).served !== false)
    .map((version) => String(Object(version).name))
    .sort(byPriority);
  const [version] = versions;
  if (version === undefined) return undefined;
  const namespaced = spec?.scope !== 'Cluster';
  const others = [singular, ...(Array.isArray(shortNames) ? shortNames : [])];
  return {
    resource: defineResource({ group, version, plural, kind, namespaced }),
    names: [plural, kind, ...others].map((name) => String(name).toLowerCase()),
    versions,
  };
}

/**
 * The order in which Kubernetes prefers versions: `v2`, `v1`, `v1beta2`, `v1alpha1`, and then all other
 * names.
 */
function byPriority(a: string, b: string): number {
  const [left, right] = [priorityOf(a), priorityOf(b)];
  const at = left.findIndex((value, index) => value !== right[index]);
  return at < 0 ? (a < b ? -1 : 1) : (right[at] ?? 0) - (left[at] ?? 0);
}

function priorityOf(version: string): readonly number[] {
  const [, major, level, minor] = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version) ?? [];
  if (major === undefined) return [0, 0, 0];
  return [level === undefined ? 3 : level === 'beta' ? 2 : 1, Number(major), Number(minor ?? 0)];
}
