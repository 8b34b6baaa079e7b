import { refusedRequest } from '../../access/filter/refused-request.ts';
import type { Placement } from '../../access/placement.ts';
import { requestPath } from '../../access/request-path.ts';
import { requiredAccess } from '../../access/required-access.ts';
import type { Interceptor } from '../../client/call.ts';
import { filterRefused } from '../../client/response-failure.ts';
import type { Declared } from '../../controller/access-declaration.ts';
import { isController } from '../../controller/controller.ts';
import { AmbassadorError } from '../../core/errors.ts';
import { resourceName } from '../../model/resource.ts';

/** The access that a process declares, as far as this is known before the run. */
export interface KnownAccess {
  readonly declarations: readonly Declared[];
  readonly placement: Placement;
}

/**
 * An interceptor for requests that the ambassador's filter refuses. It adds to the error why the request was
 * refused, as far as the declarations of the process explain it. The declarations are read only in this case.
 */
export function explainRefusals(known: () => KnownAccess): Interceptor {
  return (next) => (call) =>
    next(call).catch((error: unknown) => {
      throw error instanceof AmbassadorError ? explained(error, known()) : error;
    });
}

function explained(
  error: AmbassadorError,
  { declarations, placement }: KnownAccess,
): AmbassadorError {
  const { method, path } = error.context;
  if (error.code !== 'AMBASSADOR_FORBIDDEN') return error;
  if (typeof method !== 'string' || typeof path !== 'string') return error;
  const why = refusedRequest(requiredAccess(declarations, placement), { method, path });
  const whole = why ?? undeclared(declarations, path);
  return whole === undefined ? error : filterRefused({ method, path }, whole);
}

/** Why the request was refused. Undefined for a path without a resource. */
function undeclared(declarations: readonly Declared[], path: string): string | undefined {
  // Hooks and the controllers of Metacontroller choose resources at run time, and the process does not
  // declare these.
  if (!declarations.some(isController))
    return 'what its filter was generated from does not name it';
  const asked = requestPath(path);
  return (
    asked &&
    `no controller declares ${resourceName(asked)}: add it to owns, watches or permissions of the controller`
  );
}
