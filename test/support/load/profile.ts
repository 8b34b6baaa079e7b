/** One kind of object as an API server writes it, and where it is served. */
export interface Profile {
  readonly title: string;
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly kind: string;
  /**
   * The object number `index`: `name` and `resourceVersion` as they are given, the latter also where
   * events change something else, as no API server tells of changes that change nothing.
   */
  readonly object: (index: number, name: string, resourceVersion: string) => unknown;
}

/** The namespace that everything is in, unless a client asks for another one. */
export const NAMESPACE = 'bench';

/** A namespace like any other, but for the line without end that its watches may be sent. */
export const ENDLESS_NAMESPACE = 'endless';

export function apiVersionOf({ group, version }: Pick<Profile, 'group' | 'version'>): string {
  return group === '' ? version : `${group}/${version}`;
}

/** Where the collection of one namespace is served. */
export function pathOf(profile: Profile, namespace: string = NAMESPACE): string {
  const root = profile.group === '' ? '/api' : `/apis/${profile.group}`;
  return `${root}/${profile.version}/namespaces/${namespace}/${profile.plural}`;
}

/** What every object says of itself, its fields in the order in which Kubernetes writes them. */
export function metadata(
  [index, name, resourceVersion]: readonly [index: number, name: string, resourceVersion: string],
  more: object,
): object {
  return {
    name,
    namespace: NAMESPACE,
    uid: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
    resourceVersion,
    creationTimestamp: '2026-01-01T00:00:00Z',
    ...more,
  };
}

/** Text without repetitions that a compiler, or a cache, could take for one. */
export function words(count: number, from: number): string {
  return Array.from({ length: count }, (_, at) => `word-${(from + at) % 997}`).join(' ');
}

/** `{"f:a":{},"f:b":{}}`: how managedFields names fields. */
export function fields(...names: readonly string[]): Readonly<Record<string, object>> {
  return Object.fromEntries(names.map((name) => [`f:${name}`, {}]));
}
