import {
  ConfigurationError,
  type Controller,
  type KubernetesObject,
  type LabelSelector,
  type Resource,
} from 'chancery';
import {
  type ChildType,
  createRevisions,
  engine,
  isRolling,
  metacontrollerFormat,
  type Revisions,
  reasonOf,
  type StatusFields,
  selectedObjects,
} from 'chancery/internal';
import { childTypes } from './child-sources.ts';
import { askHooks } from './controller-hook.ts';
import { controllerName } from './controller-name.ts';
import { controllerOptions, showsManagedFields } from './controller-options.ts';
import type { ConfiguredHooks, SharedParts } from './controller-parts.ts';
import { compositeAnswer } from './json/children-answers.ts';
import { relatedOf } from './related-rules.ts';
import type { CompositeSpec } from './spec.ts';

/** A CompositeController with resolved resources and callable hooks. */
export interface CompositeParts {
  readonly spec: CompositeSpec;
  readonly parent: Resource;
  /** The resources of children, in the order of `spec.children`. */
  readonly children: readonly Resource[];
  readonly hooks: ConfiguredHooks;
  /**
   * The status fields of the parent that the engine may write. Undefined when the definition of the
   * parent cannot be read.
   */
  readonly statusFields: StatusFields | undefined;
}

/**
 * The controller that a CompositeController declares.
 *
 * @throws ConfigurationError `CONFIG` when the controller has no sync hook, and for rolling updates
 * of cluster-scoped parents without a namespace for revisions.
 */
export function compositeController(parts: CompositeParts, shared: SharedParts): Controller {
  const { spec, parent, hooks, statusFields } = parts;
  const sync = askHooks(spec, { hooks, types: parts.children, shared }, compositeAnswer);
  const name = controllerName('composite', spec.name);
  const managedFields = showsManagedFields(hooks, shared);
  const { generateSelector } = spec;
  const finalizer = `metacontroller.io/compositecontroller-${spec.name}`;
  const selected = selectedObjects(
    parent,
    { labels: spec.parent.labelSelector },
    { finalizer: hooks.finalize && finalizer, managedFields },
  );
  const children = childTypes(spec.children, parts.children, {
    owners: [parent],
    generateSelector,
    adopts: true,
    managedFields,
  });
  const related = relatedOf(spec, { name, hooks, shared, managedFields });
  const revisions = revisionsOf(parts, name, children, shared);
  const { failed } = shared;
  return engine({
    name,
    parent: selected.source,
    selects: selected.selects,
    children,
    generateSelector,
    ...(!generateSelector && { selector: selectorOf }),
    writer: shared.writer,
    status: 'replace',
    finalizer: { name: finalizer, isUsed: hooks.finalize !== undefined },
    ...(related && { related }),
    ...(revisions && { revisions }),
    sync,
    ...(statusFields && { statusFields }),
    failures: { condition: statusFields?.conditions !== undefined },
    ...(failed && {
      failed: async (object, error) =>
        failed({ controller: spec.name, parent: object, reason: reasonOf(error), error }),
    }),
    ignoreStatusChanges: spec.parent.ignoreStatusChanges,
    controller: controllerOptions(spec, shared),
  });
}

function revisionsOf(
  { spec, parent: parentResource }: CompositeParts,
  controller: string,
  children: readonly ChildType[],
  { writer, revisionsNamespace }: SharedParts,
): Revisions | undefined {
  if (!children.some(isRolling)) return undefined;
  if (!parentResource.namespaced && revisionsNamespace === undefined) {
    throw new ConfigurationError(
      'a rolling update of cluster-scoped parents keeps its revisions in the namespace of the operator: set POD_NAMESPACE',
    );
  }
  const { generateSelector } = spec;
  return createRevisions({
    controller,
    parentResource,
    children,
    writer,
    format: metacontrollerFormat({ parentResource, generateSelector, selector: selectorOf }),
    fieldPaths: spec.parent.revisionFieldPaths,
    namespace: revisionsNamespace,
  });
}

/** The selector of a parent. A missing selector is treated as empty, which the engine refuses. */
function selectorOf(parent: KubernetesObject): LabelSelector {
  const { spec } = parent as { readonly spec?: { readonly selector?: unknown } | null };
  const selector = spec?.selector;
  return typeof selector === 'object' && selector !== null ? selector : {};
}
