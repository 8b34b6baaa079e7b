import { ApiError, isAlreadyExists, isConflict } from './status.ts';

/**
 * Why the API server refused a write. The reason also tells if the API server may accept the same write
 * later. Only an `invalid` write must be changed. All other refusals depend on something else in the cluster,
 * which may change at any time and without an event for the object.
 */
export type Refusal =
  /**
   * The schema or a rule of the API forbids the write. `fields` are the paths of the fields that the server
   * reports.
   */
  | { readonly kind: 'invalid'; readonly fields: readonly string[] }
  | {
      /**
       * The cause of the refusal is a ValidatingAdmissionPolicy, an admission webhook that refused or could
       * not be called, a ResourceQuota, Pod Security, or a ServiceAccount that does not exist.
       */
      readonly kind:
        | 'policy'
        | 'webhook'
        | 'webhook-failed'
        | 'quota'
        | 'pod-security'
        | 'service-account';
      /**
       * The name of the policy, the webhook or the quota. For Pod Security, the level and version, such as
       * `restricted:latest`. For a ServiceAccount, `namespace/name`.
       */
      readonly name: string;
    }
  /**
   * A right is missing (RBAC or another authorizer), the namespace is being deleted, or another admission
   * plug-in refused the write, for example because of a LimitRange.
   */
  | { readonly kind: 'rbac' | 'namespace-terminating' | 'admission' };

type Named = Extract<Refusal, { readonly name: string }>['kind'];

/*
 * The patterns below match messages of the API server, because neither the reason nor the causes distinguish
 * these refusals. Each pattern matches only at the beginning of the message, or right after the object
 * (`pods "a" is forbidden: …`), so that no value of an object can imitate a message. Sources, in
 * kubernetes/kubernetes:
 * - admission.NewForbidden: staging/src/k8s.io/apiserver/pkg/admission/errors.go
 * - policies: staging/src/k8s.io/apiserver/pkg/admission/plugin/policy/validating/dispatcher.go
 * - webhooks: .../admission/plugin/webhook/errors/statuserror.go (older ones without the object in front),
 *   .../admission/plugin/webhook/validating/dispatcher.go, .../pkg/util/webhook/error.go
 * - quotas: .../admission/plugin/resourcequota/controller.go
 * - Pod Security: staging/src/k8s.io/pod-security-admission/admission/admission.go
 * - accounts: plugin/pkg/admission/serviceaccount/admission.go
 * - rights: staging/src/k8s.io/apiserver/pkg/endpoints/handlers/responsewriters/errors.go,
 *   pkg/registry/rbac/validation/rule.go, plugin/pkg/admission/gc/gc_admission.go
 */

/** Matches `pods "a" is forbidden: `, or the beginning of an internal error of the server. */
const HEAD =
  /^(?:forbidden|[^\s":]+(?: "(?:[^"\\]|\\.)*")? is forbidden|Internal error occurred): /;

const NAMED: readonly (readonly [Named, RegExp])[] = [
  ['policy', /^ValidatingAdmissionPolicy '([^']*)' (?:with binding '[^']*' )?denied request: /],
  [
    'webhook',
    /^admission webhook "((?:[^"\\]|\\.)*)" denied the request(?:: | without explanation)/,
  ],
  ['webhook-failed', /^failed calling webhook "((?:[^"\\]|\\.)*)": /],
];

/** These refusals have the status 403 and the reason `Forbidden`, like a missing right. */
const NAMED_FORBIDDEN: readonly (readonly [Named, RegExp])[] = [
  ['quota', /^(?:exceeded|failed|status unknown for) quota: ([^,:]*)(?:[,:]|$)/i],
  ['pod-security', /^violates PodSecurity "([^"]*)": /],
  ['service-account', /^error looking up service account ([^\s:]+): /],
];

const MISSING_RIGHT: readonly RegExp[] = [
  /^User "(?:[^"\\]|\\.)*" cannot /,
  /^user "(?:[^"\\]|\\.)*" \(groups=.*\) is attempting to grant RBAC permissions not currently held/,
  /^cannot set blockOwnerDeletion /,
];

/**
 * Why the API server refused a write; undefined for every other error, such as a conflict, a missing object
 * or an overloaded server. docs/reference/errors.md explains each kind.
 */
export function refusalOf(error: unknown): Refusal | undefined {
  if (!(error instanceof ApiError) || isUidMismatch(error)) return undefined;
  const text = textOf(error);
  const why = text.replace(HEAD, '');
  const named = namedIn(why, NAMED);
  if (named !== undefined) return named;
  if (error.status === 422) {
    const fields = (error.details.causes ?? []).flatMap(({ field = '' }) => field || []);
    return fields.length === 0 ? undefined : { kind: 'invalid', fields };
  }
  if (error.status !== 403) return undefined;
  if (isNamespaceTerminating(error)) return { kind: 'namespace-terminating' };
  if (MISSING_RIGHT.some((form) => form.test(why))) return { kind: 'rbac' };
  return namedIn(why, NAMED_FORBIDDEN) ?? { kind: 'admission' };
}

/**
 * True when the same write can never be accepted unchanged: the server answers 422 and reports fields that
 * violate the schema or a rule of the API. Only a change of the write or of the schema helps. False for the
 * 422 of a ValidatingAdmissionPolicy or a webhook, for which `isAdmissionDenied` is true, and for the 422
 * about an object that was replaced by another one, for which `isUidMismatch` is true.
 */
export function isInvalid(error: unknown): boolean {
  return refusalOf(error)?.kind === 'invalid';
}

/**
 * True when the refusal may end without an event for the object. It was caused by a
 * ValidatingAdmissionPolicy, a webhook (including one that cannot be called), a ResourceQuota, Pod Security,
 * a missing ServiceAccount, or another admission plug-in. `refusalOf` returns which of these was the cause.
 */
export function isAdmissionDenied(error: unknown): boolean {
  const kind = refusalOf(error)?.kind;
  return kind !== undefined && !['invalid', 'rbac', 'namespace-terminating'].includes(kind);
}

/** True when the ambassador's user lacks the right to make the request: an RBAC rule is missing. */
export function isForbidden(error: unknown): boolean {
  return refusalOf(error)?.kind === 'rbac';
}

/** Server-side apply's message about a field that is missing in the schema of the installed definition. */
const UNDECLARED_TEXT = 'field not declared in schema';

/** True for the message of the 500 that `isUndeclaredField` detects. */
export function isUndeclaredText(message: string): boolean {
  return message.includes(UNDECLARED_TEXT);
}

/**
 * True when an applied field is not declared in the installed definition of the kind, because the definition
 * is too old or the field is misspelt. Server-side apply writes all fields or none, so nothing was written.
 * The message of the error contains the field. After an upgrade of the definition the same write is accepted.
 */
export function isUndeclaredField(error: unknown): boolean {
  // The server treats an undeclared field as an internal error, and sends no reason.
  return error instanceof ApiError && error.status === 500 && isUndeclaredText(error.message);
}

/**
 * The original message of the server. The patterns would not match a message in which values are hidden. The
 * original message is not stored anywhere.
 */
function textOf(error: ApiError): string {
  const { message } = error.statusWithValues();
  return typeof message === 'string' ? message : '';
}

function namedIn(why: string, forms: readonly (readonly [Named, RegExp])[]): Refusal | undefined {
  for (const [kind, form] of forms) {
    const name = form.exec(why)?.[1];
    if (name !== undefined) return { kind, name };
  }
  return undefined;
}

/**
 * The meanings of an `ApiError` 409, and the predicate for each. The predicates read `Status.reason` and
 * `details.causes`. They read the message only where `reason` and `causes` do not distinguish two meanings.
 *
 * | meaning | `isConflict` | predicate for this meaning |
 * |---|---|---|
 * | the object has another resourceVersion | yes | `isVersionConflict` |
 * | the object is gone, or was replaced by another one (a patch: 422) | yes | `isUidMismatch` |
 * | a field belongs to another manager (server-side apply) | yes | `isApplyConflict` |
 * | another object, such as a quota, has changed | yes | `isVersionConflict`, with that object's name |
 * | a webhook refuses | depends on the webhook | – |
 * | an object with this name exists | no | `isAlreadyExists` |
 * | an object with this name exists and is being deleted | no | `isAlreadyExists` and `isBeingDeleted` |
 */

/** A field that an apply tried to set and that belongs to another manager. */
export interface ApplyConflict {
  /** The other manager, as in `metadata.managedFields`. */
  readonly manager: string;
  /** Path as the server writes it: `.spec.replicas`. */
  readonly field: string;
}

/**
 * The server's messages about an unexpected uid. The reason and the causes of the Status do not report it.
 */
const UID_TEXTS: readonly RegExp[] = [
  /\buid mismatch: /, // an apply to a deleted object
  /Precondition failed: UID in precondition: /, // an update
  /the UID in the precondition \(.*\) does not match the UID in record/, // a delete
];

/**
 * The text that the API server puts before the message of a webhook. The webhook chooses the status and the
 * reason.
 */
const WEBHOOK_TEXT = /admission webhook ".*" denied the request/;

/**
 * True when an update, a patch or a delete contained an outdated resourceVersion. Only this conflict can be
 * resolved by reading the object again and repeating the write. See `retryOnConflict`.
 */
export function isVersionConflict(error: unknown): boolean {
  return (
    isConflict(error) &&
    error instanceof ApiError &&
    (error.details.causes ?? []).length === 0 &&
    (error.details.name ?? '') !== '' &&
    !isUidMismatch(error) &&
    !WEBHOOK_TEXT.test(error.message)
  );
}

/** True when a write was meant for an object that is gone or was replaced by another object. */
export function isUidMismatch(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  if (isConflict(error)) return UID_TEXTS.some((text) => text.test(error.message));
  // A patch or an apply to an object that was replaced by another object fails, because a uid cannot change.
  return (
    error.status === 422 &&
    (error.details.causes ?? []).some(({ field }) => field === 'metadata.uid')
  );
}

/**
 * True when fields of a server-side apply belong to other managers. `applyConflictsOf` returns the fields and
 * their managers.
 */
export function isApplyConflict(error: unknown): boolean {
  return isConflict(error) && applyConflictsOf(error).length > 0;
}

/** The fields that a server-side apply could not set, each with its manager. Empty for any other error. */
export function applyConflictsOf(error: unknown): readonly ApplyConflict[] {
  if (!(error instanceof ApiError)) return [];
  return (error.details.causes ?? [])
    .filter(({ reason }) => reason === 'FieldManagerConflict')
    .map(({ message = '', field = '' }) => ({ manager: managerIn(message), field }));
}

/**
 * True when an object with the same name exists and is being deleted. When it is gone, the new object can be
 * created.
 */
export function isBeingDeleted(error: unknown): boolean {
  return (
    isAlreadyExists(error) &&
    error instanceof ApiError &&
    error.message.includes('object is being deleted: ')
  );
}

/** True when the namespace of a new object is being deleted. */
export function isNamespaceTerminating(error: unknown): boolean {
  return (
    error instanceof ApiError &&
    error.status === 403 &&
    (error.details.causes ?? []).some(({ reason }) => reason === 'NamespaceTerminating')
  );
}

/**
 * The name of the field manager in a message such as `conflict with "hpa"` or
 * `conflict with "kubectl" with subresource "scale" using v1`.
 */
function managerIn(message: string): string {
  const quoted = /^conflict with "((?:[^"\\]|\\.)*)"/.exec(message)?.[1] ?? '';
  return quoted.replace(/\\(.)/g, '$1');
}
