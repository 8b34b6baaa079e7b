import { type ErrorContext, OperatorError } from '../core/errors.ts';
import { apiVersionOf, type Resource, resourceName } from '../model/resource.ts';

/** Between two looks at an object that is being deleted; its end is an event where it is watched. */
const LOOK_AGAIN_MS = 5_000;

/** An object that is in the way is being deleted, and can be made, or changed, when it is gone. */
export class BeingDeletedError extends OperatorError {
  override readonly name = 'BeingDeletedError';
  /** When to look again, unless an event comes first. */
  readonly retryAfterMs: number = LOOK_AGAIN_MS;

  constructor(message: string, options: ErrorOptions & { readonly context?: ErrorContext } = {}) {
    super(message, { ...options, code: 'BEING_DELETED', layer: 'api-server' });
  }
}

/**
 * A status cannot be written: the object is there, and the installed definition does not declare the
 * status subresource in this version. Nothing was written, and nothing but the definition can mend it.
 */
export class NoStatusSubresourceError extends OperatorError {
  override readonly name = 'NoStatusSubresourceError';

  constructor(resource: Resource, options: ErrorOptions = {}) {
    super(
      `the installed definition of ${resourceName(resource)} has no status subresource in ${resource.version}: add "subresources: { status: {} }" to that version of the CustomResourceDefinition, or install the one of this release`,
      {
        ...options,
        code: 'CONFIG',
        layer: 'configuration',
        context: { definition: resourceName(resource), apiVersion: apiVersionOf(resource) },
      },
    );
  }
}

/**
 * Thrown by a reconciler for a failure that no retry can mend, such as a spec that makes no sense.
 *
 * The controller logs and counts it, forgets earlier failures of the key and does not try again by
 * itself; a new event for the key reconciles it again.
 */
export class TerminalError extends OperatorError {
  override readonly name = 'TerminalError';

  constructor(message: string, options: ErrorOptions & { context?: ErrorContext } = {}) {
    super(message, { ...options, code: 'USER_CODE', layer: 'user-code' });
  }
}
