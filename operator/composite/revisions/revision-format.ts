import { nodeCrypto } from '../../core/builtin-modules.ts';
import { OperatorError } from '../../core/errors.ts';
import { isMapping } from '../../core/mapping.ts';
import { controllerRevisions } from '../../model/kubernetes/resources.ts';
import { type KubernetesObject, keyOf } from '../../model/object.ts';
import { defineResource, type Resource } from '../../model/resource.ts';
import { isLabelValue, type LabelSelector } from '../../model/selector.ts';
import type { ClaimedNames } from './claims.ts';
import type { ParentPatch } from './parent-patch.ts';

/** The content of a stored revision. */
export interface RevisionContent {
  readonly parentPatch: ParentPatch;
  readonly children: readonly ClaimedNames[];
}

type Labels = Readonly<Record<string, string>>;

/** How revisions are stored. Each system that stores revisions has its own format. */
export interface RevisionFormat {
  /** The resource of the stored revisions. */
  readonly resource: Resource;
  /** Labels that every stored revision has. The API server uses them to select revisions. */
  readonly labels: Labels;
  /**
   * Further labels of a new revision of this parent. If `labels` contains the same label, its value there
   * wins.
   */
  ownLabels(parent: KubernetesObject): Labels;
  /**
   * Selects the revisions without a controller that this parent adopts. If undefined, the parent adopts none.
   */
  adopts(parent: KubernetesObject): LabelSelector | undefined;
  /** The beginning of a new revision's name. A dash and the hash follow. */
  readonly prefix: string;
  /**
   * `fields`: the patch and the children are fields of the object. `data`: the patch is in `data`, which the
   * API server never allows to change, and the children are in an annotation, as JSON.
   */
  readonly content: 'fields' | 'data';
}

/** Label with the name of the controller that stored the revision. */
const REVISION_OF = 'chancery.dev/revision-of';

/** Annotation with the children of the revision, as JSON. */
const REVISION_CHILDREN = 'chancery.dev/revision-children';

/**
 * Stores revisions as ControllerRevisions of `apps/v1`, which every cluster has. A label contains the name of
 * the controller. The controller's cache selects by this label, so it does not contain the revisions of
 * StatefulSets and DaemonSets.
 */
export function chanceryFormat(controller: string): RevisionFormat {
  return {
    resource: controllerRevisions as Resource,
    labels: { [REVISION_OF]: controller },
    ownLabels: () => ({}),
    adopts: () => undefined,
    prefix: controller,
    content: 'data',
  };
}

/**
 * Maximum length of the beginning of the name: 253 minus the 40 characters of the hash and the dash before
 * it.
 */
const PREFIX_CHARS = 253 - 41;

interface MetacontrollerRevisions {
  readonly parentResource: Resource;
  /** True if children and revisions of a parent have the label `controller-uid`. */
  readonly generateSelector: boolean;
  /** Returns the selector of a parent, if `generateSelector` is false. */
  readonly selector?: ((parent: KubernetesObject) => LabelSelector | undefined) | undefined;
}

/**
 * Stores revisions exactly as Metacontroller does: name, labels and content are identical byte for byte. So
 * Metacontroller can continue with revisions that the toolkit has stored, and vice versa.
 */
export function metacontrollerFormat({
  parentResource: { group, plural },
  generateSelector,
  selector,
}: MetacontrollerRevisions): RevisionFormat {
  const labels = {
    'metacontroller.k8s.io/apiGroup': group,
    'metacontroller.k8s.io/resource': plural,
  };
  return {
    resource: defineResource({
      group: 'metacontroller.k8s.io',
      version: 'v1alpha1',
      plural: 'controllerrevisions',
      kind: 'ControllerRevision',
      namespaced: true,
    }),
    // The name of a group may be longer than a label value may be. With such a label, the API server would
    // refuse every revision.
    labels: Object.fromEntries(Object.entries(labels).filter(([, value]) => isLabelValue(value))),
    ownLabels: (parent) =>
      generateSelector ? { 'controller-uid': parent.metadata.uid ?? '' } : templateLabels(parent),
    adopts: (parent) => (generateSelector ? undefined : selector?.(parent)),
    prefix: `${plural}.${group === '' ? 'core' : group}`.slice(0, PREFIX_CHARS),
    content: 'fields',
  };
}

function templateLabels(parent: KubernetesObject): Labels {
  const { spec } = parent as { readonly spec?: Spec | null };
  const labels: unknown = spec?.template?.metadata?.labels ?? {};
  if (isMapping(labels) && Object.values(labels).every((text) => typeof text === 'string')) {
    return labels as Labels;
  }
  throw new OperatorError('spec.template.metadata.labels of a parent must be texts by name', {
    code: 'USER_CODE',
    layer: 'user-code',
    context: { parent: keyOf(parent) },
  });
}

interface Spec {
  readonly template?: { readonly metadata?: { readonly labels?: unknown } | null } | null;
}

/** All labels of a new revision of this parent. */
export function labelsOf(format: RevisionFormat, parent: KubernetesObject): Labels {
  return { ...format.ownLabels(parent), ...format.labels };
}

/**
 * The name of a new revision. It ends with the hexadecimal SHA-1 of the parent's uid and `patchText`, so no
 * revision is stored twice. The hash does not serve security.
 */
export function nameOf(
  { prefix }: RevisionFormat,
  { metadata: { uid = '' } }: KubernetesObject,
  text: string,
): string {
  return `${prefix}-${nodeCrypto().createHash('sha1').update(uid).update(text).digest('hex')}`;
}

/** Fields of a stored revision, including its annotations. */
export interface StoredBody {
  readonly metadata?: { readonly annotations: Readonly<Record<string, string>> };
  readonly [field: string]: unknown;
}

/** All fields of a new revision except its metadata, of which only the annotations are included. */
export function bodyOf(
  { content }: RevisionFormat,
  { parentPatch, children }: RevisionContent,
): StoredBody {
  if (content === 'fields') return { parentPatch, ...(children.length > 0 && { children }) };
  // The API requires a number. It does not order the revisions: the latest revision is the one that matches
  // the parent.
  return { ...inAnnotation(children), data: { parentPatch }, revision: 1 };
}

/** The merge patch that replaces the children of a stored revision. */
export function changeOf(
  { content }: RevisionFormat,
  children: readonly ClaimedNames[],
): StoredBody {
  if (content === 'data') return inAnnotation(children);
  return { children: children.length > 0 ? children : null };
}

function inAnnotation(children: readonly ClaimedNames[]): StoredBody {
  return { metadata: { annotations: { [REVISION_CHILDREN]: JSON.stringify(children) } } };
}

/**
 * The content of a stored revision. Anyone may have written the values.
 *
 * @throws OperatorError `DECODE` with the name of the object. Without the content it is not known which
 *   children the revision keeps.
 */
export function contentOf({ content }: RevisionFormat, object: KubernetesObject): RevisionContent {
  const fields = object as KubernetesObject & Partial<Record<string, unknown>>;
  const { data } = fields as { readonly data?: Partial<RevisionContent> | null };
  const text = object.metadata.annotations?.[REVISION_CHILDREN] ?? '[]';
  const isInData = content === 'data';
  const patch: unknown = isInData ? data?.parentPatch : fields.parentPatch;
  const claimed: unknown = (isInData ? parsed(text, object) : fields.children) ?? [];
  if (!isMapping(patch) || !Array.isArray(claimed) || !claimed.every(isClaimedNames)) {
    throw unreadable(object);
  }
  return { parentPatch: patch, children: claimed };
}

function parsed(text: string, object: KubernetesObject): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw unreadable(object, error);
  }
}

function unreadable(object: KubernetesObject, cause?: unknown): OperatorError {
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
