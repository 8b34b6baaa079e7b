import { controllerRevisions } from '../../model/kubernetes/resources.ts';
import type { KubernetesObject } from '../../model/object.ts';
import type { Resource } from '../../model/resource.ts';
import {
  type RevisionFormat,
  revisionContent,
  revisionHash,
  unreadable,
} from './revision-format.ts';

/** Label: the controller that stored a revision. */
const REVISION_OF = 'chancery.dev/revision-of';

/** Annotation: the children of a revision, as JSON. The API server lets nobody change `data`. */
const REVISION_CHILDREN = 'chancery.dev/revision-children';

/**
 * Revisions as ControllerRevisions of `apps/v1`, which every cluster has. `data` is the parent's patch; the children are
 * in an annotation. The label of the controller keeps those of StatefulSets and DaemonSets out of its cache.
 */
export function chanceryFormat(controller: string): RevisionFormat {
  const labels = { [REVISION_OF]: controller };
  return {
    resource: controllerRevisions as Resource,
    labels,
    labelsOf: () => labels,
    adopts: () => undefined,
    nameOf: (parent, text) => `${controller}-${revisionHash(parent, text)}`,
    bodyOf: ({ parentPatch, children }) => ({
      metadata: { annotations: { [REVISION_CHILDREN]: JSON.stringify(children) } },
      data: { parentPatch },
      // The API requires a number. Nothing orders revisions by it: the latest one is that of the parent.
      revision: 1,
    }),
    changeOf: (children) => ({
      metadata: { annotations: { [REVISION_CHILDREN]: JSON.stringify(children) } },
    }),
    read(object) {
      const { data } = object as { readonly data?: { readonly parentPatch?: unknown } | null };
      return revisionContent(object, data?.parentPatch, childrenOf(object));
    },
  };
}

function childrenOf(object: KubernetesObject): unknown {
  const text = object.metadata.annotations?.[REVISION_CHILDREN] ?? '[]';
  try {
    return JSON.parse(text);
  } catch (error) {
    throw unreadable(object, error);
  }
}
