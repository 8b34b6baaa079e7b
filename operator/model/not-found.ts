import { isAdmissionDenied } from './refusal.ts';
import { ApiError } from './status.ts';

/**
 * The meanings of an `ApiError` 404, and the predicate for each. Only a Status that contains the name of the
 * object means that the object does not exist. Every other 404 proves nothing about objects.
 *
 * A write to a subresource that the definition of a custom resource does not declare is answered as if the
 * object were missing. After such a write, read the object to find out whether the object or the subresource
 * is missing.
 *
 * | answer | predicate |
 * |---|---|
 * | a Status whose `details` contain the name of the object | `isNotFound` |
 * | a Status whose `details` contain the name of its namespace | `isNotFound`, `isNamespaceMissing` |
 * | `404 page not found` as text: no such group or version, before Kubernetes 1.38 | `isUnserved` |
 * | a Status without `details`: no such group or version, from Kubernetes 1.38 on | `isUnserved` |
 * | a Status with empty `details`: a built-in version does not have the resource | `isUnserved` |
 * | a Status with the cause `UnexpectedServerResponse`: another server sent such a text | `isUnserved` |
 * | an admission webhook that refuses with the status 404 | `isAdmissionDenied` |
 *
 * Sources, in kubernetes/kubernetes under staging/src/k8s.io:
 * - apiserver/pkg/util/notfoundhandler/not_found_handler.go: both answers for an unknown group or version
 * - apiserver/pkg/server/handler.go: an unknown resource of a built-in version
 * - apimachinery/pkg/api/errors/errors.go: `NewNotFound`, `NewGenericServerResponse`
 * - apiserver/pkg/admission/plugin/webhook/errors/statuserror.go: the status that a webhook chose
 */
type Meaning = 'object' | 'path' | 'admission';

function meaningOf(error: unknown): Meaning | undefined {
  if (!(error instanceof ApiError) || error.status !== 404) return undefined;
  if (isAdmissionDenied(error)) return 'admission';
  return namesObject(error) && !isPassedOn(error) ? 'object' : 'path';
}

function namesObject({ details: { name } }: ApiError): boolean {
  return typeof name === 'string' && name !== '';
}

/**
 * True when the answer comes from a server that called another server as a client, such as an aggregated API
 * server. In this case client-go fills in the requested name, although the answer of the other server did not
 * contain it.
 */
function isPassedOn({ details: { causes } }: ApiError): boolean {
  return (
    Array.isArray(causes) && causes.some((cause) => cause?.reason === 'UnexpectedServerResponse')
  );
}

/**
 * True when the object does not exist, because the API server's answer contains the name of the object or of
 * its namespace. False when the API server does not serve the resource, which `isUnserved` recognises; the
 * object may exist nevertheless.
 *
 * After a write to a subresource of a custom resource it is also true when the definition does not declare
 * the subresource. In this case call `Client.find` to find out whether the object exists.
 */
export function isNotFound(error: unknown): boolean {
  return meaningOf(error) === 'object';
}

/**
 * True when the API server does not serve the path of the request: the group, the version or the resource
 * does not exist, for example while a CustomResourceDefinition is reinstalled. This proves nothing about
 * objects: they may exist, and be served again later. Try again later, and delete nothing because of this
 * error.
 */
export function isUnserved(error: unknown): boolean {
  return meaningOf(error) === 'path';
}

/** True when the namespace of a new object does not exist. */
export function isNamespaceMissing(error: unknown): boolean {
  return isNotFound(error) && (error as ApiError).details.kind === 'namespaces';
}
