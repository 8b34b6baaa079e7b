import type { Controller } from '../controller/controller.ts';
import { ConfigurationError } from '../core/errors.ts';
import type { Resource } from '../model/resource.ts';
import type { ConfiguredHooks, SharedParts } from './controller-parts.ts';
import type { CompositeSpec } from './spec.ts';

/** One CompositeController whose resources are known and whose hooks can be called. */
export interface CompositeParts {
  readonly spec: CompositeSpec;
  readonly parent: Resource;
  /** In the order of `spec.children`. */
  readonly children: readonly Resource[];
  readonly hooks: ConfiguredHooks;
  /** Whether the parent's definition lets `status.conditions` be written. */
  readonly hasConditions: boolean;
}

/**
 * The controller that a CompositeController declares.
 *
 * @throws ConfigurationError `CONFIG` when it has no sync hook.
 */
export function compositeController({ spec, hooks }: CompositeParts, _: SharedParts): Controller {
  if (hooks.sync === undefined) {
    throw new ConfigurationError('a controller needs a sync hook', {
      context: { controller: spec.name },
    });
  }
  throw new ConfigurationError('not built yet', { context: { controller: spec.name } });
}
