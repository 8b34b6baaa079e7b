import process from 'node:process';
import type { ApiError, StatusDetails } from 'chancery';
import { compiledConditions, conditionsHold } from '../../cel/match-conditions.ts';
import { type AdmissionRequest, nameInRefusals } from '../../cluster/admission-request.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import { answerOf, type Steps } from '../../cluster/steps.ts';
import { failure } from '../../failures/failure.ts';
import { forbidden } from '../../failures/object-failures.ts';
import { isObject, type Json } from '../../objects/metadata.ts';
import { WebhookError } from '../../webhooks/webhook-client.ts';
import { celVariables } from '../policy/policy-variables.ts';
import { inVersion, matchedResource } from '../request/match.ts';
import { requestFields } from '../request/request-fields.ts';
import { type Answer, verifiedAnswer } from './admission-answer.ts';
import type { Webhook } from './webhook.ts';

const { randomUUID } = process.getBuiltinModule('node:crypto');

/**
 * The request as it is sent to a webhook, with the objects in the version that a rule of the webhook matches.
 * Undefined when the webhook does not match the request (k8s.io/apiserver,
 * pkg/admission/plugin/webhook/generic/webhook.go, ShouldCallHook).
 *
 * @throws ApiError 403 when match conditions cannot be evaluated, unless the webhook's `failurePolicy` is
 * `Ignore`.
 */
export function* requestFor(
  cluster: Cluster,
  { spec, failsClosed }: Webhook,
  request: AdmissionRequest,
): Steps<AdmissionRequest | undefined> {
  const constraints = { ...spec, resourceRules: spec.rules };
  const served = matchedResource(cluster, constraints, request);
  if (served === undefined) return undefined;
  const seen = yield* inVersion(served, request);
  const conditions = compiledConditions(spec);
  if (conditions.length === 0) return seen;
  const result = conditionsHold(conditions, celVariables(cluster, seen));
  if (typeof result === 'boolean') return result ? seen : undefined;
  if (!failsClosed) return undefined;
  throw forbidden(request.served, nameInRefusals(request), result.error);
}

/** A failed call of a webhook. `failurePolicy` decides what happens then. */
export class CallFailed extends Error {
  override readonly name = 'CallFailed';

  constructor({ name }: Webhook, reason: string) {
    super(`failed calling webhook ${JSON.stringify(name)}: ${reason}`);
  }
}

/**
 * Calls a webhook.
 * @returns the answer of the webhook; undefined for a write from inside the server, for which no webhook is
 * called.
 *
 * @throws CallFailed when there is no answer.
 */
export function* ask(
  cluster: Cluster,
  webhook: Webhook,
  request: AdmissionRequest,
  mutating: boolean,
): Steps<Answer | undefined> {
  const { clientConfig, timeoutMs } = webhook;
  const version = reviewVersion(webhook);
  const uid = randomUUID();
  const review = {
    kind: 'AdmissionReview',
    apiVersion: `admission.k8s.io/${version}`,
    request: {
      uid,
      ...requestFields(request),
      object: request.object ?? null,
      oldObject: request.previous ?? null,
    },
  };
  let answer: Json | undefined;
  try {
    answer = yield* answerOf(() => cluster.webhooks.post(clientConfig, review, timeoutMs));
  } catch (error) {
    if (!(error instanceof WebhookError)) throw error;
    throw new CallFailed(webhook, `failed to call webhook: ${error.message}`);
  }
  if (answer === undefined) return undefined;
  const verified = verifiedAnswer(answer, { uid, version, mutating });
  if (typeof verified === 'string') {
    throw new CallFailed(webhook, `received invalid webhook response: ${verified}`);
  }
  const { writer } = request;
  for (const [key, value] of Object.entries(verified.auditAnnotations)) {
    writer.annotate(`${webhook.name}/${key}`, value);
  }
  for (const text of verified.warnings) writer.warn(text);
  return verified;
}

/**
 * The error with which a request is refused after a failed call of a webhook. Undefined if the failure is
 * ignored.
 */
export function refusalOf(error: unknown, { failsClosed }: Webhook): unknown {
  if (!(error instanceof CallFailed)) return error;
  return failsClosed ? serverError(error.message) : undefined;
}

/** An error inside the server (k8s.io/apimachinery, pkg/api/errors, NewInternalError). */
export function serverError(why: string): ApiError {
  return failure({
    code: 500,
    reason: 'InternalError',
    message: `Internal error occurred: ${why}`,
    details: { causes: [{ message: why }] },
  });
}

/**
 * The error for a denial, with the Status in the webhook's answer (k8s.io/apiserver,
 * pkg/admission/plugin/webhook/errors/statuserror.go).
 */
export function denial({ name }: Webhook, { status }: Answer): ApiError {
  const by = `admission webhook ${JSON.stringify(name)} denied the request`;
  const { code, message, reason, details } = status;
  const why = message || reason;
  return failure({
    code: typeof code === 'number' && code >= 400 ? code : 400,
    message: why ? `${by}: ${why}` : `${by} without explanation`,
    ...(reason ? { reason: String(reason) } : {}),
    ...(isObject(details) ? { details: details as StatusDetails } : {}),
  });
}

function reviewVersion(webhook: Webhook): 'v1' | 'v1beta1' {
  const { admissionReviewVersions } = webhook.spec;
  for (const version of Array.isArray(admissionReviewVersions) ? admissionReviewVersions : []) {
    if (version === 'v1' || version === 'v1beta1') return version;
  }
  const why = 'webhook does not accept known AdmissionReview versions (v1, v1beta1)';
  throw new CallFailed(webhook, `could not create admission objects: ${why}`);
}
