/** Errors about an object, with the messages of kube-apiserver v1.36. */

import type { ApiError, Resource, StatusDetails } from 'chancery';
import type { StatusCause } from 'chancery/internal';
import { failure } from './failure.ts';
import type { Kinded } from './invalid.ts';

type Named = Pick<Resource, 'group' | 'plural'>;

/** The name of a resource in messages: `configmaps` or `leases.coordination.k8s.io`. */
function pluralOf({ group, plural }: Named): string {
  return group === '' ? plural : `${plural}.${group}`;
}

function detailsOf(resource: Named, name: string, causes?: readonly StatusCause[]): StatusDetails {
  return {
    ...(name === '' ? {} : { name }),
    ...(resource.group === '' ? {} : { group: resource.group }),
    kind: resource.plural,
    ...(causes === undefined ? {} : { causes }),
  };
}

export function notFound(resource: Named, name: string): ApiError {
  const message = `${pluralOf(resource)} "${name}" not found`;
  return failure({ code: 404, reason: 'NotFound', message, details: detailsOf(resource, name) });
}

export function alreadyExists(resource: Named, name: string, deleting: boolean): ApiError {
  const what = `${pluralOf(resource)} "${name}" already exists`;
  return failure({
    code: 409,
    reason: 'AlreadyExists',
    message: deleting ? `object is being deleted: ${what}` : what,
    details: detailsOf(resource, name),
  });
}

/** The error when every generated name already belongs to an object. */
export function noFreeName(resource: Named, name: string): ApiError {
  const message = `${pluralOf(resource)} "${name}" already exists, the server was not able to generate a unique name for the object`;
  const details = { ...detailsOf(resource, name), retryAfterSeconds: 1 };
  return failure({ code: 409, reason: 'AlreadyExists', message, details });
}

export function conflict(resource: Named, name: string, why: string = MODIFIED): ApiError {
  const message = `Operation cannot be fulfilled on ${pluralOf(resource)} "${name}": ${why}`;
  return failure({ code: 409, reason: 'Conflict', message, details: detailsOf(resource, name) });
}

const MODIFIED =
  'the object has been modified; please apply your changes to the latest version and try again';

/** The error for a failed precondition of a deletion. This message contains the kind, not the resource. */
export function preconditionFailed({ kind, group }: Kinded, name: string, why: string): ApiError {
  const qualified = group === '' ? kind : `${kind}.${group}`;
  return failure({
    code: 409,
    reason: 'Conflict',
    message: `Operation cannot be fulfilled on ${qualified} "${name}": ${why}`,
    details: { name, ...(group === '' ? {} : { group }), kind },
  });
}

export function forbidden(
  resource: Named,
  name: string,
  why: string,
  causes?: readonly StatusCause[],
): ApiError {
  return failure({
    code: 403,
    reason: 'Forbidden',
    message: `${pluralOf(resource)} "${name}" is forbidden: ${why}`,
    details: detailsOf(resource, name, causes),
  });
}

/**
 * The reasons that a policy may give, with their status codes (`reasonToCode` in k8s.io/apiserver).
 */
const POLICY_CODES: Readonly<Record<string, number>> = {
  Forbidden: 403,
  Unauthorized: 401,
  RequestEntityTooLarge: 413,
  Invalid: 422,
};

/**
 * The error for a denial by a policy (k8s.io/apiserver,
 * pkg/admission/plugin/policy/validating/dispatcher.go). Its message is that of an error 403, but its reason
 * is not `Forbidden`, and its cause contains no field.
 *
 * @param reason - the `reason` of the failed validation; '' stands for `Invalid`.
 */
export function policyDenied(resource: Named, name: string, why: string, reason: string): ApiError {
  return failure({
    code: POLICY_CODES[reason] ?? 422,
    reason: reason || 'Invalid',
    message: `${pluralOf(resource)} "${name}" is forbidden: ${why}`,
    details: detailsOf(resource, name, [{ message: why }]),
  });
}

/**
 * The error for MutatingAdmissionPolicies that cannot be evaluated (k8s.io/apiserver,
 * pkg/admission/plugin/policy/generic/policy_dispatcher.go, Dispatch).
 */
export function mutationDenied(
  resource: Named,
  name: string,
  messages: readonly string[],
): ApiError {
  const causes = messages.map((message) => ({ message }));
  return failure({
    code: 403,
    reason: 'Invalid',
    message: messages[0] ?? '',
    details: detailsOf(resource, name, causes),
  });
}
