import { API_APPROVED, approvalOf, needsApproval } from '../model/api-approval.ts';
import { DEFINITION_REVISION } from '../model/custom-resource-definition.ts';
import type { ObjectMeta } from '../model/object.ts';
import { definitionError } from './definition-error.ts';

/** What a definition says of itself in its annotations. */
export interface AnnotationOptions {
  /**
   * Only for groups of the Kubernetes project (`k8s.io`, `kubernetes.io` and what ends in `.k8s.io` or
   * `.kubernetes.io`), and needed there: the URL where the project has approved the definition, or a
   * text that begins with `unapproved`, such as `unapproved, an example`.
   */
  readonly apiApproved?: string;
  /**
   * A whole number that grows with the definition: two replicas of different releases agree by it
   * whose definition is the newer one. Default: none, and they agree by who has replaced whom.
   */
  readonly revision?: number;
}

/**
 * What the metadata of a definition says besides its name.
 *
 * @throws ConfigurationError `CONFIG` for a group of the Kubernetes project without an approval or what
 *   stands for one, for an approval that nobody asks for, and for what is no revision.
 */
export function annotationsOf(
  group: string,
  { apiApproved, revision }: AnnotationOptions,
): Pick<ObjectMeta, 'annotations'> {
  refuseApproval(group, apiApproved);
  refuseRevision(revision);
  const annotations = {
    ...(apiApproved === undefined ? {} : { [API_APPROVED]: apiApproved }),
    ...(revision === undefined ? {} : { [DEFINITION_REVISION]: String(revision) }),
  };
  return Object.keys(annotations).length === 0 ? {} : { annotations };
}

function refuseApproval(group: string, approved: string | undefined): void {
  if (!needsApproval(group)) {
    if (approved === undefined) return;
    throw definitionError('apiApproved', `${group} needs no approval`, 'leave it out');
  }
  if (approved === undefined) {
    const remedy =
      "write a domain of yours, or apiApproved: 'unapproved, …' with the reason, or the URL of the approval";
    throw definitionError('group', `${group} belongs to the Kubernetes project`, remedy);
  }
  const approval = approvalOf(approved);
  if (approval === 'approved' || approval === 'unapproved') return;
  const remedy =
    "write the URL of the approval with its scheme, or 'unapproved, …' with the reason";
  throw definitionError('apiApproved', `${JSON.stringify(approved)} is no approval`, remedy);
}

function refuseRevision(revision: number | undefined): void {
  if (revision === undefined || (Number.isSafeInteger(revision) && revision >= 0)) return;
  throw definitionError('revision', `${revision} is no revision`, 'write 0, 1, 2, …');
}
