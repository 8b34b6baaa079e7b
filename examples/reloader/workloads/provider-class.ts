import {
  defineResource,
  type KubernetesObject,
  objectKey,
  type Resource,
  type Source,
  source,
} from 'chancery';
import { hashOfProviderStatus, type ProviderStatusContent } from '../contract/hash.ts';
import type { Options } from '../contract/options.ts';
import type { FoundResource, ResourceKind } from './kind.ts';

/**
 * What the Secrets Store CSI driver has mounted into one Pod: `secrets-store.csi.x-k8s.io/v1`. The driver creates it
 * when it mounts, and updates it when the rotation puts other versions into the running Pod. Its definition has no
 * status subresource, so that each such update raises `metadata.generation`.
 */
export interface SecretProviderClassPodStatus extends KubernetesObject {
  readonly status?: ProviderStatusContent & { readonly podName?: string };
}

const GROUP = { group: 'secrets-store.csi.x-k8s.io', version: 'v1', namespaced: true } as const;

/** The statuses of Pods. */
export const providerStatuses: Resource<SecretProviderClassPodStatus> = defineResource({
  ...GROUP,
  plural: 'secretproviderclasspodstatuses',
  kind: 'SecretProviderClassPodStatus',
});

/** The classes, of which only annotations count. */
export const providerClasses: Resource = defineResource({
  ...GROUP,
  plural: 'secretproviderclasses',
  kind: 'SecretProviderClass',
});

/** A status as the cache keeps it. */
interface Mounted extends SecretProviderClassPodStatus {
  readonly className: string;
  readonly hash: string;
  /** The content has changed since it was mounted: the Pod began with another one. */
  readonly isRotated: boolean;
  /** RFC 3339: when it was written last. */
  readonly writtenTime: string;
}

const BY_CLASS = 'class';
const BY_NAMESPACE = 'namespace';

/**
 * SecretProviderClasses. There is one status for each Pod, and during a rotation they differ for a while; each has
 * the hash of what its Pod has. What they say together:
 *
 * - A status that the rotation has changed tells of new content under a running process: a change. If several of
 *   them differ, the one that was written last decides, as it was read from the external store last. The others
 *   follow it, so that one rotation restarts once, and a Pod that the driver cannot reach delays nothing.
 * - A status that is as it was created tells what its Pod has begun with. Nothing restarts because of it; otherwise
 *   a provider that gives each Pod credentials of its own would cause one restart after another. If all statuses
 *   agree, their hash is recorded, and the next rotation is compared with it. If they differ, some Pods have begun
 *   with older content: what is recorded stays, and the rotation of those Pods is a change.
 *
 * Without a status nothing is known: workloads without Pods have none. That is neither a deletion nor a creation.
 */
export function providerClassKind({
  annotations: names,
  resourceSelector,
}: Pick<Options, 'annotations' | 'resourceSelector'>): ResourceKind {
  const statuses: Source<Mounted> = source(providerStatuses as Resource<Mounted>, {
    optional: true, // the driver may be installed later
    ...(resourceSelector !== undefined && { labelSelector: resourceSelector }),
    transform: reduced,
    indexes: {
      [BY_NAMESPACE]: ({ metadata }) => [metadata.namespace ?? ''],
      [BY_CLASS]: ({ metadata, className }) => [`${metadata.namespace}/${className}`],
    },
  });
  const classes = source(providerClasses, { metadataOnly: true, optional: true });
  return {
    type: 'SECRETPROVIDERCLASS',
    plural: providerStatuses.plural,
    permissions: [],
    watches: [
      { source: statuses, nameOf: (object) => (object as Mounted).className },
      { source: classes, nameOf: ({ metadata }) => metadata.name },
    ],
    find({ namespace, name }, { store }) {
      const known = store(classes).synced
        ? store(classes).get(objectKey(namespace, name))
        : undefined;
      const mounted = store(statuses).synced
        ? store(statuses).byIndex(BY_CLASS, `${namespace}/${name}`)
        : [];
      return { ...summaryOf(mounted), annotations: annotationsOf(known, names) };
    },
    names(namespace, { store }) {
      if (!store(statuses).synced) return [];
      const mounted = store(statuses).byIndex(BY_NAMESPACE, namespace);
      return [...new Set(mounted.map(({ className }) => className))];
    },
    hash: (_target, { version }) => Promise.resolve(version === '' ? undefined : version),
  };
}

function annotationsOf(
  known: KubernetesObject | undefined,
  { match, ignore }: Options['annotations'],
): FoundResource['annotations'] {
  const all = known?.metadata.annotations ?? {};
  const kept = [match, ignore].filter((key) => Object.hasOwn(all, key));
  return Object.fromEntries(kept.map((key) => [key, all[key] ?? '']));
}

/** The hash is the version: no content is left that could be read. */
function summaryOf(
  statuses: readonly Mounted[],
): Required<Pick<FoundResource, 'version' | 'difference'>> {
  // A status without objects was not mounted yet.
  const mounted = statuses.filter(({ hash }) => hash !== '').toSorted(byWrittenTime);
  const last = mounted.findLast(({ isRotated }) => isRotated);
  if (last !== undefined) return { version: last.hash, difference: 'restart' };
  const [first] = mounted;
  if (first === undefined) return { version: '', difference: 'keep' };
  const agree = mounted.every(({ hash }) => hash === first.hash);
  return { version: first.hash, difference: agree ? 'record' : 'keep' };
}

/** Times have seconds; the hash decides between equal ones, so that every process comes to the same answer. */
function byWrittenTime(a: Mounted, b: Mounted): number {
  const [one, other] = [`${a.writtenTime} ${a.hash}`, `${b.writtenTime} ${b.hash}`];
  return one < other ? -1 : Number(one > other);
}

function timeOf(entry: unknown): string {
  const { time } = entry as { readonly time?: unknown };
  return typeof time === 'string' ? time : '';
}

/** Keeps the hash in place of the names and versions of what was mounted. */
function reduced({ apiVersion, kind, metadata, status = {} }: Mounted): Mounted {
  const { name, namespace, uid, resourceVersion, generation = 1, creationTimestamp } = metadata;
  const times = (metadata.managedFields ?? []).map(timeOf);
  return {
    apiVersion,
    kind,
    metadata: { name, namespace, uid, resourceVersion } as Mounted['metadata'],
    className: status.secretProviderClassName ?? '',
    hash: (status.objects ?? []).length === 0 ? '' : hashOfProviderStatus(status),
    isRotated: generation > 1,
    writtenTime: [creationTimestamp ?? '', ...times].reduce((a, b) => (a > b ? a : b)),
  };
}
