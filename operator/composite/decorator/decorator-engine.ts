import { type Controller, controller, type Permission } from '../../controller/controller.ts';
import { TerminalError } from '../../controller/errors.ts';
import { and } from '../../controller/predicate.ts';
import type { Outcome, ReconcileContext } from '../../controller/reconciler.ts';
import { isLostRace } from '../../controller/run/failure.ts';
import { OperatorError } from '../../core/errors.ts';
import type { KubernetesObject } from '../../model/object.ts';
import { indexedByOwner } from '../child-types.ts';
import { engineWiring, withOwnFinalizer } from '../engine.ts';
import { isQuiet, publicMessage } from '../failures.ts';
import { carries, decoratedChanges, isConcerned } from './decorated-changes.ts';
import { Decorating } from './decorating.ts';
import type { DecoratorEngineOptions } from './engine-options.ts';
import { stateFailure } from './failure-condition.ts';

/**
 * The controller that decorates the objects of one resource.
 *
 * @throws ConfigurationError `CONFIG` as `controller` does.
 */
export function decoratorEngine(given: DecoratorEngineOptions): Controller {
  const options = { ...given, attachments: given.attachments.map(indexedByOwner) };
  const { attachments, controller: rest, related } = options;
  const wired = engineWiring({
    children: attachments,
    controller: rest,
    ...(related && { related }),
  });
  const decorating = new Decorating(options);
  const changes = decoratedChanges(options);
  const declared = controller<KubernetesObject>({
    consistency: 'wait',
    ...rest,
    ...wired,
    name: options.name,
    for: options.objects,
    predicate: rest.predicate === undefined ? changes : and(changes, rest.predicate),
    permissions: [...permissionsOf(options), ...(wired.permissions ?? [])],
    async reconcile(object, context): Promise<Outcome> {
      if (!isConcerned(object, options)) {
        related?.forget(context.key);
        return;
      }
      try {
        return await decorating.decorate(object, context);
      } catch (error) {
        await tell(object, error, options, context);
        throw isCleanup(object, options) ? retried(error) : error;
      }
    },
    gone(key) {
      related?.forget(key);
    },
  });
  return withOwnFinalizer(declared, options.finalizer);
}

function permissionsOf({
  objects: { resource },
  hasStatusSubresource,
}: DecoratorEngineOptions): readonly Permission[] {
  const own = { resource, verbs: ['patch'] } as const;
  return hasStatusSubresource ? [own, { ...own, subresource: 'status' }] : [own];
}

function isCleanup(
  object: KubernetesObject,
  { finalizer, selects }: Pick<DecoratorEngineOptions, 'finalizer' | 'selects'>,
): boolean {
  const isDue = object.metadata.deletionTimestamp !== undefined || selects?.(object) === false;
  return isDue && finalizer?.isUsed === true && carries(object, finalizer);
}

/** A cleanup is always retried: otherwise the object could never be deleted. */
function retried(error: unknown): unknown {
  if (!(error instanceof TerminalError)) return error;
  const { message } = error;
  return new OperatorError(message, { code: 'USER_CODE', layer: 'user-code', cause: error });
}

/** Tells people about a failure. Never throws. */
async function tell(
  object: KubernetesObject,
  error: unknown,
  options: DecoratorEngineOptions,
  context: ReconcileContext,
): Promise<void> {
  if (context.signal.aborted || isLostRace(error)) return;
  const { failed, failures } = options;
  try {
    await failed?.(object, error, context);
    if (failures !== undefined && !isQuiet(error)) {
      context.event('Warning', 'SyncError', publicMessage(error));
      if (failures.condition) await stateFailure(object, error, options, context);
    }
  } catch (err) {
    context.log.warn({ err }, 'a failure could not be stated on its object');
  }
}
