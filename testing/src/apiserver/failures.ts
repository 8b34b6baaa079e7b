import { ApiError, type Resource, type StatusDetails } from 'chancery';
import type { Status, StatusCause } from 'chancery/internal';
import { apiVersionOf } from 'chancery/internal';

/** A Status as the server writes it: every field in the order of Go's struct. */
export type StatusBody = Status & { readonly metadata: { readonly continue?: string } };

/** An ApiError that knows its answer to the letter. */
class Refusal extends ApiError {
  readonly body: StatusBody;

  constructor(body: StatusBody) {
    super(body);
    this.body = body;
  }
}

interface Words {
  readonly code: number;
  readonly reason?: string;
  readonly message: string;
  readonly details?: StatusDetails;
  readonly continue?: string;
}

/** The general form; the functions below have the texts of kube-apiserver v1.36. */
export function failure({ code, reason, message, details, ...list }: Words): ApiError {
  return new Refusal({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: list.continue === undefined ? {} : { continue: list.continue },
    status: 'Failure',
    message,
    ...(reason === undefined ? {} : { reason }),
    ...(details === undefined ? {} : { details }),
    code,
  });
}

/** The body with which an error is answered. */
export function statusOf(error: ApiError): StatusBody {
  if (error instanceof Refusal) return error.body;
  const { message = 'no message', details = {} } = error.statusWithValues();
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    ...(error.reason === '' ? {} : { reason: error.reason }),
    ...(error.reason === 'BadRequest' ? {} : { details }),
    code: error.status,
  };
}

export type Named = Pick<Resource, 'group' | 'plural'>;
export type Kinded = Pick<Resource, 'group' | 'kind'>;

/** `configmaps` or `leases.coordination.k8s.io`. */
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

export function badRequest(message: string): ApiError {
  return failure({ code: 400, reason: 'BadRequest', message });
}

export function internalError(message: string): ApiError {
  return failure({ code: 500, message });
}

export function notFound(resource: Named, name: string): ApiError {
  const message = `${pluralOf(resource)} "${name}" not found`;
  return failure({ code: 404, reason: 'NotFound', message, details: detailsOf(resource, name) });
}

/** Nothing is served at the path. Before 1.38 the answer is a line of text instead. */
export function unknownPath(): ApiError {
  const message = 'the server could not find the requested resource';
  return failure({ code: 404, reason: 'NotFound', message });
}

export function isUnknownPath(error: ApiError): boolean {
  return error.status === 404 && statusOf(error).details === undefined;
}

/** A resource that a built-in group version does not have: a router answers, which fills in no detail. */
export function unknownResource(): ApiError {
  const message = 'the server could not find the requested resource';
  return failure({ code: 404, reason: 'NotFound', message, details: {} });
}

/** A path that does not fit the scope of its resource: custom resources are not routes. */
export function notServed({ custom }: { readonly custom: boolean }): ApiError {
  return custom ? unknownPath() : unknownResource();
}

export function methodNotAllowed(): ApiError {
  const message = 'the server does not allow this method on the requested resource';
  return failure({ code: 405, reason: 'MethodNotAllowed', message, details: {} });
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

/** No name could be made of `generateName` that nobody has. */
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

/** A precondition of a deletion: the server names the kind here, not the resource. */
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

/** The reasons that a policy may give, with their codes (`reasonToCode` in k8s.io/apiserver). */
const POLICY_CODES: Readonly<Record<string, number>> = {
  Forbidden: 403,
  Unauthorized: 401,
  RequestEntityTooLarge: 413,
  Invalid: 422,
};

/**
 * The denial of a policy (k8s.io/apiserver, pkg/admission/plugin/policy/validating/dispatcher.go): a
 * 403 by its words, with another reason, and with a cause that names no field.
 *
 * @param reason - of the validation; empty for `Invalid`.
 */
export function policyDenied(resource: Named, name: string, why: string, reason: string): ApiError {
  return failure({
    code: POLICY_CODES[reason] ?? 422,
    reason: reason || 'Invalid',
    message: `${pluralOf(resource)} "${name}" is forbidden: ${why}`,
    details: detailsOf(resource, name, [{ message: why }]),
  });
}

/** One entry of a 422: the field, and the text behind it. */
export interface FieldError {
  readonly field: string;
  readonly reason:
    | 'FieldValueInvalid'
    | 'FieldValueRequired'
    | 'FieldValueNotSupported'
    | 'FieldValueForbidden'
    | 'FieldValueDuplicate'
    | 'FieldValueTypeInvalid'
    | 'FieldValueNotFound'
    | 'FieldValueTooMany'
    | 'FieldValueTooLong'
    | 'InternalError';
  readonly message: string;
}

export function invalid(
  { kind, group }: Kinded,
  name: string,
  fields: readonly FieldError[],
): ApiError {
  const qualified = group === '' ? kind : `${kind}.${group}`;
  // What is found twice is a cause twice, but said once.
  const texts = [...new Set(fields.map(({ field, message }) => `${field}: ${message}`))];
  const [only = ''] = texts;
  const list = texts.length === 1 ? only : `[${texts.join(', ')}]`;
  return failure({
    code: 422,
    reason: 'Invalid',
    message: `${qualified} "${name}" is invalid: ${list}`,
    details: {
      ...(name === '' ? {} : { name }),
      ...(group === '' ? {} : { group }),
      kind,
      causes: fields.map(({ field, reason, message }) => ({ reason, message, field })),
    },
  });
}

/** A bad query parameter or option, such as `dryRun`. */
export function invalidOptions(
  kind: 'ListOptions' | 'CreateOptions' | 'UpdateOptions' | 'PatchOptions' | 'DeleteOptions',
  fields: readonly FieldError[],
): ApiError {
  return invalid({ kind, group: 'meta.k8s.io' }, '', fields);
}

export function expired(message: string, continueToken?: string): ApiError {
  const token = continueToken === undefined ? {} : { continue: continueToken };
  return failure({ code: 410, reason: 'Expired', message, ...token });
}

export function tooLargeResourceVersion(asked: number | bigint, current: number): ApiError {
  return failure({
    code: 504,
    reason: 'Timeout',
    message: `Timeout: Too large resource version: ${asked}, current: ${current}`,
    details: {
      causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
      retryAfterSeconds: 1,
    },
  });
}

export function unsupportedMediaType(accepted: readonly string[]): ApiError {
  const list = accepted.join(', ');
  return failure({
    code: 415,
    reason: 'UnsupportedMediaType',
    message: `the body of the request was in an unknown format - accepted media types include: ${list}`,
  });
}

/** A PATCH with a content type that is no patch at all. */
export function notAPatch(): ApiError {
  const message = '415: Unsupported Media Type';
  return failure({ code: 415, reason: 'UnsupportedMediaType', message, details: {} });
}

export function notAcceptable(available: readonly string[]): ApiError {
  const message = `406: Not Acceptable\n\nAvailable representations: ${available.join(', ')}`;
  return failure({ code: 406, reason: 'NotAcceptable', message, details: {} });
}

/** A body that does not decode into the kind of the resource. */
export function cannotBeHandled(
  resource: Pick<Resource, 'group' | 'version' | 'kind'>,
  found: { readonly kind: string; readonly version: string },
  why: string,
): ApiError {
  return badRequest(
    `${found.kind} in version "${found.version}" cannot be handled as a ${resource.kind}: ${why}`,
  );
}

export function versionMismatch(
  found: string,
  resource: Pick<Resource, 'group' | 'version'>,
): ApiError {
  const expected = apiVersionOf(resource);
  return badRequest(
    `the API version in the data (${found}) does not match the expected API version (${expected})`,
  );
}
