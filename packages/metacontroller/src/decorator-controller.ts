import type { Controller, LabelSelector, Resource } from 'chancery';
import {
  type DecoratorEngineOptions,
  engine,
  reasonOf,
  type StatusFields,
  selectedObjects,
} from 'chancery/internal';
import { childTypes } from './child-sources.ts';
import { askHooks } from './controller-hook.ts';
import { controllerName } from './controller-name.ts';
import { controllerOptions, showsManagedFields } from './controller-options.ts';
import type { ConfiguredHooks, SharedParts } from './controller-parts.ts';
import { decorationAnswer } from './json/children-answers.ts';
import { relatedOf } from './related-rules.ts';
import type { DecoratorSpec } from './spec.ts';

/** A DecoratorController with resolved resources and callable hooks. */
export interface DecoratorParts {
  readonly spec: DecoratorSpec;
  /** The decorated resources, in the order of `spec.resources`. */
  readonly resources: readonly DecoratedResource[];
  /** The resources of attachments, in the order of `spec.attachments`. */
  readonly attachments: readonly Resource[];
  readonly hooks: ConfiguredHooks;
}

export interface DecoratedResource {
  readonly resource: Resource;
  /** If false, the status is written to the object itself. */
  readonly hasStatusSubresource: boolean;
  /**
   * The status fields that the engine may write. Undefined when there is no definition, or when it
   * cannot be read.
   */
  readonly statusFields: StatusFields | undefined;
}

type Shape = DecoratorSpec['resources'][number];

/**
 * The controllers that a DecoratorController declares: one per resource.
 *
 * @throws ConfigurationError `CONFIG` when the controller has no sync hook, and for an invalid
 * selector.
 */
export function decoratorControllers(
  parts: DecoratorParts,
  shared: SharedParts,
): readonly Controller[] {
  const { hooks, attachments: types } = parts;
  const sync = askHooks(parts.spec, { hooks, types, shared }, decorationAnswer);
  return parts.spec.resources.flatMap((shape, index) => {
    const decorated = parts.resources[index];
    if (decorated === undefined) return [];
    const name = controllerName('decorator', parts.spec.name, String(index + 1));
    return [engine({ ...engineOptions(parts, shared, { name, shape, decorated }), sync })];
  });
}

function engineOptions(
  { spec, attachments, resources, hooks }: DecoratorParts,
  shared: SharedParts,
  { name, shape, decorated }: { name: string; shape: Shape; decorated: DecoratedResource },
): Omit<DecoratorEngineOptions, 'sync'> {
  const managedFields = showsManagedFields(hooks, shared);
  const finalizer = `metacontroller.io/decoratorcontroller-${spec.name}`;
  const selected = selectedObjects(
    decorated.resource,
    { labels: shape.labelSelector, annotations: annotationsOf(shape) },
    { finalizer: hooks.finalize && finalizer, managedFields },
  );
  const related = relatedOf(spec, { name, hooks, shared, managedFields });
  const { failed } = shared;
  const { statusFields } = decorated;
  return {
    name,
    decorator: spec.name,
    parent: selected.source,
    selects: selected.selects,
    children: childTypes(spec.attachments, attachments, {
      owners: resources.map(({ resource }) => resource),
      generateSelector: false,
      adopts: false,
      managedFields,
    }),
    hasStatusSubresource: decorated.hasStatusSubresource,
    ignoreStatusChanges: shape.ignoreStatusChanges,
    writer: shared.writer,
    finalizer: { name: finalizer, isUsed: hooks.finalize !== undefined },
    ...(related && { related }),
    ...(statusFields && { statusFields }),
    failures: { condition: statusFields?.conditions !== undefined },
    ...(failed && {
      failed: async (object, error) =>
        failed({ controller: spec.name, parent: object, reason: reasonOf(error), error }),
    }),
    controller: controllerOptions(spec, shared),
  };
}

/** The annotation selector, written as a label selector. */
function annotationsOf({ annotationSelector }: Shape): LabelSelector | undefined {
  return annotationSelector && { matchExpressions: annotationSelector };
}
