import { OperatorError } from '../core/errors.ts';
import type { KubernetesObject } from '../model/object.ts';
import type { ControllerFailure } from './controller-parts.ts';

/** A failure with the reason that errors of hooks and of the API server have, or with their code. */
export function failureOf(
  controller: string,
  parent: KubernetesObject,
  error: unknown,
): ControllerFailure {
  return { controller, parent, reason: reasonOf(error), error };
}

function reasonOf(error: unknown): string {
  if (!(error instanceof OperatorError)) return 'Error';
  const { reason } = error as { readonly reason?: unknown };
  return typeof reason === 'string' && reason !== '' ? reason : error.code;
}
