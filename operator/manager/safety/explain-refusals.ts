import { refusedRequest } from '../../access/filter/refused-request.ts';
import type { Placement } from '../../access/placement.ts';
import { requiredAccess } from '../../access/required-access.ts';
import type { Interceptor } from '../../client/call.ts';
import { filterRefused } from '../../client/response-failure.ts';
import type { Declared } from '../../controller/access-declaration.ts';
import { isController } from '../../controller/controller.ts';
import { AmbassadorError } from '../../core/errors.ts';

/** What a process declares, as far as it is known before it runs. */
export interface KnownAccess {
  readonly declarations: readonly Declared[];
  readonly placement: Placement;
}

/**
 * Errors say why the filter of the ambassador refused a request, as far as it follows from the declarations of the
 * process. They are read when a request is refused.
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
  // Hooks and the controllers of Metacontroller name at run time what nothing in the process declares.
  const isComplete = declarations.every(isController);
  if (why === undefined && isComplete) return error;
  return filterRefused(
    { method, path },
    why ?? 'what its filter was generated from does not name it',
  );
}
