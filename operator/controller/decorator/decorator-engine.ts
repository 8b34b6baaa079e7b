import type { KubernetesObject } from '../../model/object.ts';
import { type Controller, controller } from '../controller.ts';
import { AWAIT_CHANGE } from '../reconciler.ts';
import type { DecoratorEngineOptions } from './engine-options.ts';

/** The controller that decorates the objects of one resource. */
export function decoratorEngine(options: DecoratorEngineOptions): Controller {
  return controller<KubernetesObject>({
    ...options.controller,
    name: options.name,
    for: options.objects,
    owns: options.attachments.map(({ source }) => ({ source })),
    reconcile: async () => AWAIT_CHANGE,
  });
}
