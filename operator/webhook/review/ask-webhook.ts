import type { JsonPatchOperation } from '../../client/client.ts';
import { encodeExact } from '../../client/rest-client.ts';
import type { Log } from '../../controller/reconciler.ts';
import { withTimeout } from '../../core/abort.ts';
import type { Clock } from '../../core/clock.ts';
import { OperatorError } from '../../core/errors.ts';
import { parseExact } from '../../core/json/parse-exact.ts';
import { isMapping, type Mapping } from '../../core/mapping.ts';
import type { KubernetesObject } from '../../model/object.ts';
import { type Allowed, allow, type Denied, isDecision, patchOfHook } from '../decision.ts';
import type { Webhook } from '../webhook.ts';
import type { WebhookContext } from '../webhook-options.ts';
import type { AdmissionRequest } from './admission-request.ts';
import { jsonPatchOf } from './json-patch.ts';
import type { Review } from './read-review.ts';
import { allowedReview, deniedReview, failedReview } from './review-answer.ts';

/** The outcome of a review. `timeout` means that there was no answer. */
export type ReviewOutcome = 'allowed' | 'denied' | 'failed' | 'timeout';

/** What is needed to call a webhook's function, in addition to the review. */
export interface AskParts {
  readonly clock: Clock;
  readonly log: Log;
  readonly store: WebhookContext['store'];
  /** Time limit of the function in milliseconds. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** The result of a review. */
export interface AnsweredReview {
  readonly outcome: ReviewOutcome;
  /**
   * The review with the answer, as JSON. Undefined after a time-out; the API server then follows the failure
   * policy.
   */
  readonly text: string | undefined;
  /** Why the function failed. */
  readonly error?: Error;
}

/**
 * Calls the function of `webhook` once. A failure is logged and results in a refusal that reveals nothing
 * about the object. A result that arrives after the time limit is ignored.
 *
 * @throws `signal.reason` when aborted.
 */
export async function askWebhook(
  webhook: Webhook,
  { uid, request, text: review }: Review,
  parts: AskParts,
): Promise<AnsweredReview> {
  const { clock, log, signal, timeoutMs } = parts;
  if (!webhook.whileDeleting && isForObjectBeingDeleted(request)) {
    return { outcome: 'allowed', text: allowedReview(uid, []) };
  }
  const tooLate = timedOut(webhook, timeoutMs);
  try {
    const given = await withTimeout(
      { clock, signal, timeoutMs, tooLate: () => tooLate },
      async (signalled) =>
        webhook.handle(request, { log, store: parts.store, signal: signalled }, review),
    );
    const decision = decisionOf(webhook, request, given);
    if (!decision.allowed) {
      const { group, kind } = request.resource;
      const text = deniedReview(uid, decision, { name: request.name, group, kind });
      return { outcome: 'denied', text };
    }
    const operations = patchOf(webhook, request, decision);
    return { outcome: 'allowed', text: allowedReview(uid, decision.warnings, operations) };
  } catch (thrown) {
    signal.throwIfAborted();
    if (thrown === tooLate) {
      log.warn({ timeoutMs }, 'webhook took too long, the failure policy decides');
      return { outcome: 'timeout', text: undefined, error: tooLate };
    }
    const error = failureOf(webhook, thrown);
    log.error({ err: error }, 'webhook failed, the request is refused');
    return { outcome: 'failed', text: failedReview(uid, webhook), error };
  }
}

/**
 * True for an update of an object that is being deleted. Only the stored object is checked, because a client
 * can write a deletion time into the new object.
 */
function isForObjectBeingDeleted({ operation, oldObject }: AdmissionRequest): boolean {
  return operation === 'UPDATE' && typeof oldObject.metadata.deletionTimestamp === 'string';
}

/** @throws OperatorError `USER_CODE` when the function has returned something that is not a decision. */
function decisionOf(webhook: Webhook, request: AdmissionRequest, given: unknown): Allowed | Denied {
  if (given === undefined) return allow();
  if (isDecision(given)) return given;
  const isObject = webhook.type === 'mutating' && isMapping(given) && 'metadata' in given;
  if (isObject && request.object !== undefined) {
    return allow({ object: given as unknown as KubernetesObject });
  }
  const wanted =
    webhook.type === 'validating'
      ? 'allow(), deny(...) or nothing'
      : 'the changed object, allow(), deny(...) or nothing';
  throw misbehaved(
    webhook,
    `returned ${given === null ? 'null' : typeof given}: expected ${wanted}`,
  );
}

function patchOf(
  webhook: Webhook,
  { object: before }: AdmissionRequest,
  decision: Allowed,
): readonly JsonPatchOperation[] {
  const { object: changed } = decision;
  const given = patchOfHook(decision);
  if (given.length === 0 && (changed === undefined || changed === before)) return [];
  if (webhook.type === 'validating' || !isMapping(before)) {
    throw misbehaved(webhook, 'returned a changed object where nothing can be changed');
  }
  if (given.length > 0) {
    requireOtherPaths(webhook, before, given);
    return given;
  }
  const after = parseExact(encodeExact(changed)) as KubernetesObject;
  requireSameIdentity(webhook, before as unknown as KubernetesObject, after);
  return jsonPatchOf(before, after);
}

/**
 * Paths that a patch must not change, because this would change the identity of the object, or replace the
 * whole object.
 */
const IDENTITY: readonly string[] = [
  '',
  '/apiVersion',
  '/kind',
  '/metadata',
  '/metadata/name',
  '/metadata/namespace',
  '/metadata/uid',
];

/**
 * Like `requireSameIdentity`, but for a patch. An object with `generateName` has no name yet, and the patch
 * may set one.
 */
function requireOtherPaths(
  webhook: Webhook,
  { metadata }: Mapping,
  operations: readonly JsonPatchOperation[],
): void {
  const isNamed = isMapping(metadata) && metadata.name !== undefined;
  const fixed = IDENTITY.filter((path) => isNamed || path !== '/metadata/name');
  const path = operations
    .filter(({ op }) => op !== 'test')
    .flatMap((each) => (each.op === 'move' ? [each.path, each.from] : [each.path]))
    .find((each) => fixed.includes(each));
  if (path === undefined) return;
  throw misbehaved(webhook, `changed ${path || 'the whole object'}, which no patch may change`);
}

/**
 * Throws if the webhook has changed the identity of the object. The API server reads these fields before the
 * review, and does not accept other values afterwards.
 */
function requireSameIdentity(
  webhook: Webhook,
  before: KubernetesObject,
  after: KubernetesObject,
): void {
  const { name } = before.metadata as Partial<KubernetesObject['metadata']>;
  const changed = [
    ['apiVersion', before.apiVersion === after.apiVersion],
    ['kind', before.kind === after.kind],
    ['metadata', isMapping(after.metadata)],
    ['metadata.name', name === undefined || name === after.metadata?.name],
    ['metadata.namespace', before.metadata.namespace === after.metadata?.namespace],
    ['metadata.uid', before.metadata.uid === after.metadata?.uid],
  ].find(([, isSame]) => !isSame);
  if (changed === undefined) return;
  throw misbehaved(webhook, `changed ${changed[0]}, which no webhook may change`);
}

/** Matches V8's messages about writing to a frozen object. */
const FROZEN = /read only property|object is not extensible|Cannot (?:delete|redefine) property/;

function failureOf(webhook: Webhook, thrown: unknown): Error {
  if (thrown instanceof TypeError && FROZEN.test(thrown.message)) {
    return misbehaved(
      webhook,
      'changed its input or a cached object, which are read-only: return a changed copy',
      thrown,
    );
  }
  if (thrown instanceof Error) return thrown;
  return misbehaved(webhook, `threw ${typeof thrown}, which is no Error`);
}

function timedOut(webhook: Webhook, timeoutMs: number): OperatorError {
  return misbehaved(webhook, `has not answered within ${timeoutMs} ms`);
}

function misbehaved({ name, hook }: Webhook, problem: string, cause?: unknown): OperatorError {
  const of = hook === undefined ? '' : ` of hook ${hook}`;
  return new OperatorError(`webhook ${name}${of} ${problem}`, {
    code: 'USER_CODE',
    layer: 'user-code',
    cause,
    context: { webhook: name },
  });
}
