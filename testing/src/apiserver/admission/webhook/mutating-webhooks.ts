import type { ApiError } from 'chancery';
import type { AdmissionRequest } from '../../cluster/admission-request.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import { convertedTo } from '../../cluster/converted.ts';
import type { Steps } from '../../cluster/steps.ts';
import { parseGoJson } from '../../objects/go-json.ts';
import { jsonEquals } from '../../objects/json-value.ts';
import type { StoredObject } from '../../objects/stored-object.ts';
import { ADMISSION_GROUP } from '../request/match.ts';
import { patchedObject } from '../request/patched-object.ts';
import type { Reinvocation } from '../request/reinvocation.ts';
import type { Answer } from './admission-answer.ts';
import { ask, CallFailed, denial, refusalOf, requestFor, serverError } from './call-webhook.ts';
import { type Webhook, webhooksOf } from './webhook.ts';

const CONFIGURATIONS = `mutatingwebhookconfigurations.${ADMISSION_GROUP}`;

export function hasMutatingWebhooks({ storage }: Cluster): boolean {
  return storage.list(CONFIGURATIONS).length > 0;
}

/**
 * Calls the matching webhooks one after the other. Each webhook gets the object with the changes of the
 * previous webhooks (k8s.io/apiserver, pkg/admission/plugin/webhook/mutating/dispatcher.go).
 *
 * @returns the object in the version of the request.
 * @throws ApiError when a webhook denies the request, or fails and its `failurePolicy` is not `Ignore`.
 */
export function* callMutatingWebhooks(
  cluster: Cluster,
  request: AdmissionRequest,
  reinvocation: Reinvocation,
): Steps<StoredObject | undefined> {
  reinvocation.enter(request.object);
  let current = request;
  for (const webhook of webhooksOf(cluster, CONFIGURATIONS)) {
    const seen = yield* requestFor(cluster, webhook, current);
    const key = `${webhook.configuration}/${webhook.name}`;
    if (seen === undefined || !reinvocation.takesPart(key)) continue;
    const changed = yield* changedBy(cluster, webhook, seen);
    if (changed !== seen.object && !jsonEquals(changed, seen.object)) {
      reinvocation.changed();
      const object = changed && (yield* convertedTo(request.served, seen.served, changed));
      current = { ...current, object };
    }
    reinvocation.took(key, webhook.spec.reinvocationPolicy);
  }
  reinvocation.leave(current.object);
  return current.object;
}

function* changedBy(
  cluster: Cluster,
  webhook: Webhook,
  seen: AdmissionRequest,
): Steps<StoredObject | undefined> {
  try {
    const answer = yield* ask(cluster, webhook, seen, true);
    if (answer === undefined) return seen.object;
    if (!answer.allowed) throw denial(webhook, answer);
    return patched(webhook, answer, seen);
  } catch (error) {
    const refusal = refusalOf(error, webhook);
    if (refusal !== undefined) throw refusal;
    return seen.object;
  }
}

function patched(
  webhook: Webhook,
  { patch, patchType }: Answer,
  { object, served }: AdmissionRequest,
): StoredObject | undefined {
  if (patch === '') return object;
  const operations = operationsOf(webhook, patch);
  if (operations.length === 0) return object;
  if (object === undefined) throw cannotModify(webhook);
  if (patchType !== 'JSONPatch') {
    throw new CallFailed(webhook, `unsupported patch type ${JSON.stringify(patchType)}`);
  }
  const result = patchedObject(object, operations, served);
  if (typeof result === 'string') throw serverError(result);
  return result;
}

function operationsOf(webhook: Webhook, patch: string): readonly unknown[] {
  try {
    const operations = parseGoJson(patch).value;
    if (operations === null) return [];
    if (Array.isArray(operations)) return operations;
    throw new Error('json: cannot unmarshal object into Go value of type jsonpatch.Patch');
  } catch (error) {
    const why = (error as Error).message;
    throw new CallFailed(webhook, `received undecodable patch in webhook response: ${why}`);
  }
}

function cannotModify({ name }: Webhook): ApiError {
  return serverError(
    `admission webhook ${JSON.stringify(name)} attempted to modify the object, which is not supported for this operation`,
  );
}
