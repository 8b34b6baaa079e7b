import { controllerOf } from 'chancery/internal-objects';
import type { ClusterAccess } from '../../cluster/cluster-access.ts';
import type { ResourceName, StoredObject } from '../../objects/stored-object.ts';
import {
  controllerReference,
  type PodTemplate,
  sameTemplate,
  templateHash,
} from '../pods/pod-template.ts';

const CONTROLLER_REVISIONS: ResourceName = 'controllerrevisions.apps';

/** The label of a Pod that contains the revision of its template. */
export const REVISION_HASH = 'controller-revision-hash';

/**
 * The label with the hash of the template, on the ControllerRevisions of a StatefulSet. ControllerRevisions
 * of a DaemonSet have the same label as its Pods.
 */
const HASH_OF_STATEFUL_SET = 'controller.kubernetes.io/hash';

/** A version of the template of a StatefulSet or a DaemonSet, stored in a ControllerRevision. */
export interface TemplateRevision extends StoredObject {
  readonly data: { readonly spec: { readonly template: PodTemplate } };
  readonly revision: number;
}

/** The revisions of `owner`, oldest first. */
export function templateRevisions(
  access: ClusterAccess,
  owner: StoredObject,
): readonly TemplateRevision[] {
  const all = access.list(CONTROLLER_REVISIONS, owner.metadata.namespace);
  return (all as readonly TemplateRevision[])
    .filter((revision) => controllerOf(revision)?.uid === owner.metadata.uid)
    .toSorted((left, right) => left.revision - right.revision);
}

/** The template of Pods with this revision. */
export function templateOf({ data }: TemplateRevision): PodTemplate {
  const { metadata = {}, spec } = data.spec.template; // omits the directive `$patch`
  return { metadata, spec };
}

/**
 * The revision of the current template. It is created if it is missing, and renumbered if another revision
 * has a higher number.
 */
export function ensureTemplateRevision(
  access: ClusterAccess,
  owner: StoredObject,
  template: PodTemplate,
): TemplateRevision {
  const known = templateRevisions(access, owner);
  const last = known.at(-1)?.revision ?? 0;
  const same = known.find((revision) => sameTemplate(templateOf(revision), template));
  if (same === undefined) return createRevision(access, owner, template, last + 1);
  if (same.revision === last) return same;
  const { namespace, name } = same.metadata;
  const renumbered = { revision: last + 1 };
  return access.patch(CONTROLLER_REVISIONS, namespace, name, renumbered) as TemplateRevision;
}

function createRevision(
  access: ClusterAccess,
  owner: StoredObject,
  template: PodTemplate,
  revision: number,
): TemplateRevision {
  const { name, namespace, uid, annotations } = owner.metadata;
  const hash = templateHash({ template, uid }, 0);
  const hashLabel = owner.kind === 'StatefulSet' ? HASH_OF_STATEFUL_SET : REVISION_HASH;
  return access.create(CONTROLLER_REVISIONS, {
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: {
      name: `${name}-${hash}`,
      ...(namespace === undefined ? {} : { namespace }),
      labels: { ...template.metadata?.labels, [hashLabel]: hash },
      // `kubectl rollout history` prints the change cause. It is in these annotations.
      ...(annotations === undefined ? {} : { annotations }),
      ownerReferences: [controllerReference(owner)],
    },
    data: { spec: { template: { ...template, $patch: 'replace' } } },
    revision,
  } as StoredObject) as TemplateRevision;
}

/** Keeps at most `limit` revisions that no Pod uses. Deletes the oldest of them first. */
export function forgetRevisions(
  access: ClusterAccess,
  owner: StoredObject,
  used: ReadonlySet<string | undefined>,
  limit: number,
): void {
  const idle = templateRevisions(access, owner).filter((one) => !used.has(one.metadata.name));
  for (const { metadata } of idle.slice(0, Math.max(idle.length - limit, 0)))
    access.delete(CONTROLLER_REVISIONS, metadata.namespace, metadata.name);
}
