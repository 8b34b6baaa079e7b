import type { KubernetesObject } from 'chancery';

/**
 * Kinds whose objects record when and how often something happened, so that they differ between orders of
 * events.
 */
const LEFT_OUT: ReadonlySet<string> = new Set(['Event', 'Lease']);

/** Metadata fields that the server generates. */
const MADE_UP: ReadonlySet<string> = new Set([
  'uid',
  'resourceVersion',
  'creationTimestamp',
  'managedFields',
  'generation',
  'selfLink',
]);

/** Fields of a Service's spec that the server allocates from its ranges. */
const DRAWN: ReadonlySet<string> = new Set([
  'clusterIP',
  'clusterIPs',
  'nodePort',
  'healthCheckNodePort',
]);

/** The volume that admission adds to each Pod for its token. */
const TOKEN_VOLUME = /^kube-api-access-[a-z0-9]{5}$/;

/** Lists whose order is ignored, because it depends on which writer was first. */
const SETS: ReadonlySet<string> = new Set(['finalizers', 'ownerReferences', 'conditions']);

/** Matches RFC 3339 times, even inside a longer string. */
const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[.]\d+)?(?:Z|[+-]\d\d:\d\d)/g;

/**
 * Replaces uids and generated names, even inside a longer string, with strings that are the same in every
 * run. Returns undefined if `text` contains none.
 */
export type Renamed = (text: string) => string | undefined;

/**
 * An object as JSON text, without values that differ between two equal runs: uids, versions, times and
 * generated names. An `observedGeneration` is replaced with `(current)` or `(older)`. Undefined for Events
 * and Leases.
 */
export function normalForm(object: KubernetesObject, renamed: Renamed): string | undefined {
  if (LEFT_OUT.has(object.kind)) return undefined;
  const { generation, generateName, name } = object.metadata;
  const isService = object.kind === 'Service' && object.apiVersion === 'v1';
  const plain = (value: unknown, field: string): unknown => {
    if (isService && DRAWN.has(field)) return '(drawn)';
    if (typeof value === 'string') {
      if (TOKEN_VOLUME.test(value)) return 'kube-api-access-*';
      return (renamed(value) ?? value).replace(TIME, '(time)');
    }
    if (field === 'observedGeneration') return value === generation ? '(current)' : '(older)';
    if (Array.isArray(value)) {
      const items = value.map((each) => plain(each, ''));
      return SETS.has(field) ? items.sort(byText) : items;
    }
    if (value === null || typeof value !== 'object') return value;
    const fields = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(
      fields.map(([key, inner]) => [renamed(key) ?? key, plain(inner, key)]),
    );
  };
  const metadata = Object.fromEntries(
    Object.entries(object.metadata).filter(([field]) => !MADE_UP.has(field)),
  );
  const shownName = generateName === undefined ? name : `${generateName}*`;
  return JSON.stringify(plain({ ...object, metadata: { ...metadata, name: shownName } }, ''));
}

/**
 * The identity of an object, which is the same in every run: group, kind, namespace and name, as in
 * `apps/Deployment default/demo`.
 */
export function identityOf(
  { apiVersion, kind, metadata }: KubernetesObject,
  renamed: Renamed,
): string {
  const group = apiVersion.includes('/') ? `${apiVersion.split('/')[0]}/` : '';
  const { namespace, name, generateName } = metadata;
  const shown = generateName === undefined ? (renamed(name) ?? name) : `${generateName}*`;
  return `${group}${kind} ${namespace === undefined ? '' : `${namespace}/`}${shown}`;
}

/** The short name in messages: `Deployment demo`. */
export function shortName({ kind, metadata }: KubernetesObject): string {
  return `${kind} ${metadata.name}`;
}

function byText(a: unknown, b: unknown): number {
  return JSON.stringify(a) < JSON.stringify(b) ? -1 : 1;
}
