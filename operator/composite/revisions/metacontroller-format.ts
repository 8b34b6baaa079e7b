import { OperatorError } from '../../core/errors.ts';
import { type KubernetesObject, keyOf } from '../../model/object.ts';
import { defineResource, type Resource } from '../../model/resource.ts';
import { isLabelValue, type LabelSelector, selectorFromObject } from '../../model/selector.ts';
import { type RevisionFormat, revisionContent, revisionHash } from './revision-format.ts';

const API_GROUP = 'metacontroller.k8s.io/apiGroup';
const RESOURCE = 'metacontroller.k8s.io/resource';
const CONTROLLER_UID = 'controller-uid';

/** Characters of a name before the hash: 253 without the 40 of the hash and the dash before it. */
const PREFIX_CHARS = 253 - 41;

const controllerRevisions: Resource = defineResource({
  group: 'metacontroller.k8s.io',
  version: 'v1alpha1',
  plural: 'controllerrevisions',
  kind: 'ControllerRevision',
  namespaced: true,
});

interface MetacontrollerRevisions {
  readonly parentResource: Resource;
  /** True: children and revisions of a parent have the label `controller-uid`. */
  readonly generateSelector: boolean;
  /** The selector of a parent without `generateSelector`. */
  readonly selector?: ((parent: KubernetesObject) => LabelSelector | undefined) | undefined;
}

/**
 * Revisions as Metacontroller stores them, to the byte: name, labels and content. Each system continues with those of the
 * other.
 */
export function metacontrollerFormat(options: MetacontrollerRevisions): RevisionFormat {
  const { group, plural } = options.parentResource;
  const labels = withoutUnusable({ [API_GROUP]: group, [RESOURCE]: plural });
  const prefix = `${plural}.${group === '' ? 'core' : group}`.slice(0, PREFIX_CHARS);
  return {
    resource: controllerRevisions,
    labels,
    labelsOf: (parent) => ({ ...ownLabels(parent, options), ...labels }),
    adopts(parent) {
      const given = options.generateSelector ? undefined : options.selector?.(parent);
      const selector = given === undefined ? [] : selectorFromObject(given);
      if (selector.length === 0) return undefined;
      return [...selector, ...selectorFromObject({ matchLabels: labels })];
    },
    nameOf: (parent, text) => `${prefix}-${revisionHash(parent, text)}`,
    bodyOf: ({ parentPatch, children }) => ({
      parentPatch,
      ...(children.length > 0 && { children }),
    }),
    changeOf: (children) => ({ children: children.length > 0 ? children : null }),
    read(object) {
      const { parentPatch, children } = object as {
        readonly parentPatch?: unknown;
        readonly children?: unknown;
      };
      return revisionContent(object, parentPatch, children);
    },
  };
}

/** A group may be longer than the value of a label. The API server would refuse every revision with such a label. */
function withoutUnusable(labels: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(labels).filter(([, value]) => isLabelValue(value)));
}

function ownLabels(
  parent: KubernetesObject,
  { generateSelector }: MetacontrollerRevisions,
): Readonly<Record<string, string>> {
  if (generateSelector) return { [CONTROLLER_UID]: parent.metadata.uid ?? '' };
  const { spec } = parent as { readonly spec?: Spec | null };
  const labels: unknown = spec?.template?.metadata?.labels ?? {};
  if (isLabels(labels)) return labels;
  throw new OperatorError('spec.template.metadata.labels of a parent must be texts by name', {
    code: 'USER_CODE',
    layer: 'user-code',
    context: { parent: keyOf(parent) },
  });
}

interface Spec {
  readonly template?: { readonly metadata?: { readonly labels?: unknown } | null } | null;
}

function isLabels(value: unknown): value is Readonly<Record<string, string>> {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every((text) => typeof text === 'string')
  );
}
