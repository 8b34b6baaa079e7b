import { ApiError, isAlreadyExists, isConflict } from './status.ts';

/**
 * What an `ApiError` 409 can mean, and which predicate says so. `Status.reason` and `details.causes`
 * decide; the text only where the server says it nowhere else.
 *
 * | meaning | isConflict | of its own |
 * |---|---|---|
 * | the object has another resourceVersion | yes | `isVersionConflict` |
 * | the object is gone, or there is another one (a patch: 422) | yes | `isUidMismatch` |
 * | a field belongs to another manager (server-side apply) | yes | `isApplyConflict` |
 * | another object that counts, such as a quota, has changed | yes | `isVersionConflict`, of that name |
 * | a webhook refuses | as it says | – |
 * | an object of that name exists | no | `isAlreadyExists` |
 * | it exists and is being deleted | no | `isAlreadyExists` and `isBeingDeleted` |
 */

/** A field that an apply wants and another manager has. */
export interface ApplyConflict {
  /** The other manager, as in `metadata.managedFields`. */
  readonly manager: string;
  /** As the server writes it: `.spec.replicas`. */
  readonly field: string;
}

/** The server's texts about a uid that is not the expected one: neither reason nor causes tell. */
const UID_TEXTS: readonly RegExp[] = [
  /\buid mismatch: /, // an apply, of what is gone
  /Precondition failed: UID in precondition: /, // an update
  /the UID in the precondition \(.*\) does not match the UID in record/, // a delete
];

/** As the API server begins what a webhook has answered; its status and reason are the webhook's. */
const WEBHOOK_TEXT = /admission webhook ".*" denied the request/;

/**
 * True when an update, a patch or a delete named a resourceVersion that the object does not have any
 * more: the one conflict that a fresh read and another try can mend. See `retryOnConflict`.
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

/** True when a write was meant for an object that is gone, or that another one has followed. */
export function isUidMismatch(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  if (isConflict(error)) return UID_TEXTS.some((text) => text.test(error.message));
  // A patch or an apply of what another object has followed: its uid is a field that cannot change.
  return (
    error.status === 422 &&
    (error.details.causes ?? []).some(({ field }) => field === 'metadata.uid')
  );
}

/** True when fields of a server-side apply belong to other managers: `applyConflictsOf` names them. */
export function isApplyConflict(error: unknown): boolean {
  return isConflict(error) && applyConflictsOf(error).length > 0;
}

/** The fields that a server-side apply did not get, and whose they are; empty for any other error. */
export function applyConflictsOf(error: unknown): readonly ApplyConflict[] {
  if (!(error instanceof ApiError)) return [];
  return (error.details.causes ?? [])
    .filter(({ reason }) => reason === 'FieldManagerConflict')
    .map(({ message = '', field = '' }) => ({ manager: managerIn(message), field }));
}

/** True when an object of that name exists, and is being deleted: it can be created afterwards. */
export function isBeingDeleted(error: unknown): boolean {
  return (
    isAlreadyExists(error) &&
    error instanceof ApiError &&
    error.message.includes('object is being deleted: ')
  );
}

/** True when the namespace that a new object should be in does not exist. */
export function isNamespaceMissing(error: unknown): boolean {
  return error instanceof ApiError && error.status === 404 && error.details.kind === 'namespaces';
}

/** True when the namespace that a new object should be in is being deleted. */
export function isNamespaceTerminating(error: unknown): boolean {
  return (
    error instanceof ApiError &&
    error.status === 403 &&
    (error.details.causes ?? []).some(({ reason }) => reason === 'NamespaceTerminating')
  );
}

/** `conflict with "hpa"`, or `conflict with "kubectl" with subresource "scale" using v1`: the name. */
function managerIn(message: string): string {
  const quoted = /^conflict with "((?:[^"\\]|\\.)*)"/.exec(message)?.[1] ?? '';
  return quoted.replace(/\\(.)/g, '$1');
}
