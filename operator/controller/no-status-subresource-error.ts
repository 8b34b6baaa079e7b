import { OperatorError } from '../core/errors.ts';
import { apiVersionOf, type Resource, resourceName } from '../model/resource.ts';

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
