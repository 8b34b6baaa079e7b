import { nodeCrypto } from '../../core/builtin-modules.ts';
import { OperatorError } from '../../core/errors.ts';
import { isMapping } from '../../core/mapping.ts';
import type { KubernetesObject } from '../../model/object.ts';
import { keyOf } from '../../model/object.ts';
import type { Resource } from '../../model/resource.ts';
import type { Selector } from '../../model/selector.ts';
import type { ClaimedNames } from './claims.ts';
import type { ParentPatch } from './parent-patch.ts';

/** What a stored revision says. */
export interface RevisionContent {
  readonly parentPatch: ParentPatch;
  readonly children: readonly ClaimedNames[];
}

/** How revisions are stored. */
export interface RevisionFormat {
  /** The resource of the stored revisions. */
  readonly resource: Resource;
  /** Labels that every stored revision has. The API server selects them by these. */
  readonly labels: Readonly<Record<string, string>>;
  /** All labels of a new revision of this parent. */
  labelsOf(parent: KubernetesObject): Readonly<Record<string, string>>;
  /** Revisions without a controller that this parent adopts. Undefined: none. */
  adopts(parent: KubernetesObject): Selector | undefined;
  /** The name of a new revision. Equal parents and patches have equal names, so that no revision is stored twice. */
  nameOf(parent: KubernetesObject, text: string): string;
  /** The fields of a new revision besides its metadata, and its annotations. */
  bodyOf(content: RevisionContent): StoredBody;
  /** The merge patch that replaces the children of a stored revision. */
  changeOf(children: readonly ClaimedNames[]): StoredBody;
  /** @throws OperatorError `DECODE` when the object is no revision of this format. */
  read(object: KubernetesObject): RevisionContent;
}

/** Fields of an object, its annotations among them. */
export interface StoredBody {
  readonly metadata?: { readonly annotations: Readonly<Record<string, string>> };
  readonly [field: string]: unknown;
}

/** The hexadecimal SHA-1 of the parent's uid followed by the text of the patch. It keeps names apart, nothing else. */
export function revisionHash(parent: KubernetesObject, text: string): string {
  const hash = nodeCrypto().createHash('sha1');
  return hash
    .update(parent.metadata.uid ?? '')
    .update(text)
    .digest('hex');
}

/**
 * The content of a stored revision, from values that anyone may have written.
 *
 * @throws OperatorError `DECODE` that names the object. Without its content, nobody knows which children it holds back.
 */
export function revisionContent(
  object: KubernetesObject,
  patch: unknown,
  children: unknown,
): RevisionContent {
  const claimed = children ?? [];
  if (!isMapping(patch) || !Array.isArray(claimed) || !claimed.every(isClaimedNames)) {
    throw unreadable(object);
  }
  return { parentPatch: patch, children: claimed };
}

export function unreadable(object: KubernetesObject, cause?: unknown): OperatorError {
  return new OperatorError('a stored revision cannot be read: repair it, or delete it', {
    ...(cause !== undefined && { cause }),
    code: 'DECODE',
    layer: 'api-server',
    context: { revision: keyOf(object) },
  });
}

function isClaimedNames(value: unknown): value is ClaimedNames {
  if (!isMapping(value)) return false;
  const { apiGroup, kind, names } = value;
  return (
    typeof apiGroup === 'string' &&
    typeof kind === 'string' &&
    Array.isArray(names) &&
    names.every((name) => typeof name === 'string')
  );
}
