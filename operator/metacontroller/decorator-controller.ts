import type { Controller } from '../controller/controller.ts';
import { ConfigurationError } from '../core/errors.ts';
import type { Resource } from '../model/resource.ts';
import type { ConfiguredHooks, SharedParts } from './controller-parts.ts';
import type { DecoratorSpec } from './spec.ts';

/** One DecoratorController whose resources are known and whose hooks can be called. */
export interface DecoratorParts {
  readonly spec: DecoratorSpec;
  /** In the order of `spec.resources`. */
  readonly resources: readonly DecoratedResource[];
  /** In the order of `spec.attachments`. */
  readonly attachments: readonly Resource[];
  readonly hooks: ConfiguredHooks;
}

export interface DecoratedResource {
  readonly resource: Resource;
  /** Without it, a status is written to the object itself. */
  readonly hasStatusSubresource: boolean;
  /** Whether `status.conditions` can be written. */
  readonly hasConditions: boolean;
}

/**
 * The controllers that a DecoratorController declares: one for each of its resources.
 *
 * @throws ConfigurationError `CONFIG` when it has no sync hook.
 */
export function decoratorControllers(
  { spec, hooks }: DecoratorParts,
  _: SharedParts,
): readonly Controller[] {
  if (hooks.sync === undefined) {
    throw new ConfigurationError('a controller needs a sync hook', {
      context: { controller: spec.name },
    });
  }
  throw new ConfigurationError('not built yet', { context: { controller: spec.name } });
}
