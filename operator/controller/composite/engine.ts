import { ConfigurationError } from '../../core/errors.ts';
import { type Controller, controller } from '../controller.ts';
import { AWAIT_CHANGE } from '../reconciler.ts';
import type { CompositeEngineOptions } from './engine-options.ts';

/**
 * A controller that brings the children of each parent to the answer of a function.
 *
 * @throws ConfigurationError `CONFIG` as `controller` does.
 */
export function compositeEngine(options: CompositeEngineOptions): Controller {
  if (options.children.length === 0) {
    throw new ConfigurationError('a composite needs children', {
      context: { controller: options.name },
    });
  }
  return controller({
    ...options.controller,
    name: options.name,
    for: options.parent,
    reconcile: async () => AWAIT_CHANGE,
  });
}
