import type { JsonPatchOperation } from '../../client/client.ts';
import { encodeExact } from '../../client/rest-client.ts';
import { boundedText, visibleText } from '../../core/text/visible-text.ts';
import type { DenialReason, Denied } from '../decision.ts';
import type { Webhook } from '../webhook.ts';
import { REVIEW_VERSION } from './read-review.ts';

/**
 * Limits for the warnings of an answer. The API server cuts warnings of more than 256 characters, and drops
 * warnings when all together have more than 4,096 characters.
 */
const MAX_WARNING_CHARS = 255;
const MAX_WARNINGS_CHARS = 4_096;

/** The HTTP status of each reason, as in `k8s.io/apimachinery/pkg/api/errors`. */
const CODES: Readonly<Record<DenialReason, number>> = {
  Unauthorized: 401,
  Forbidden: 403,
  RequestEntityTooLarge: 413,
  Invalid: 422,
};

/** The review that allows a request. If there are no operations, it has neither a patch nor a patch type. */
export function allowedReview(
  uid: string,
  warnings: readonly string[],
  operations: readonly JsonPatchOperation[] = [],
): string {
  const patch = operations.length === 0 ? undefined : base64(encodeExact(operations));
  return reviewText({
    uid,
    allowed: true,
    ...warningsOf(warnings),
    ...(patch !== undefined && { patchType: 'JSONPatch', patch }),
  });
}

/**
 * The review that denies a request. The API server puts the name of the webhook before the message. If the
 * denial is about a field, `kubectl` prints only the kind, the name and the causes.
 */
export function deniedReview(
  uid: string,
  { message, reason, field, warnings }: Denied,
  { name, group, kind }: DeniedObject,
): string {
  const text = boundedText(visibleText(message));
  const cause = { reason: 'FieldValueInvalid', message: text, field };
  const details = {
    ...(name !== undefined && { name }),
    ...(group !== '' && { group }),
    ...{ kind, causes: [cause] },
  };
  return reviewText({
    uid,
    allowed: false,
    status: {
      status: 'Failure',
      code: CODES[reason],
      reason,
      message: field === undefined ? text : `${field}: ${text}`,
      ...(field !== undefined && { details }),
    },
    ...warningsOf(warnings),
  });
}

/** The object of a denied request. */
interface DeniedObject {
  /** Undefined if the object has no name yet. */
  readonly name: string | undefined;
  readonly group: string;
  readonly kind: string;
}

/**
 * The review that refuses a request because the function or the hook of the webhook has failed. It reveals
 * nothing about the object.
 */
export function failedReview(uid: string, { name, hook }: Pick<Webhook, 'name' | 'hook'>): string {
  // For a hook, the message begins with the same words as in shell-operator.
  const what =
    hook === undefined ? `the function of webhook ${name} failed` : `Hook failed: ${hook}`;
  const message = `${what}, and the operator's log says why, with uid ${uid}`;
  const status = { status: 'Failure', code: 500, reason: 'InternalError', message };
  return reviewText({ uid, allowed: false, status });
}

function reviewText(response: object): string {
  return JSON.stringify({ apiVersion: REVIEW_VERSION, kind: 'AdmissionReview', response });
}

/**
 * The warnings within the limits. Line breaks and control characters are removed, because a header cannot
 * contain them.
 */
function warningsOf(warnings: readonly string[]): { readonly warnings?: readonly string[] } {
  const shown: string[] = [];
  let chars = 0;
  for (const warning of warnings) {
    const text = cut(visibleText(warning).replaceAll(/\s+/g, ' ').trim());
    chars += text.length;
    if (chars > MAX_WARNINGS_CHARS) break;
    if (text !== '') shown.push(text);
  }
  return shown.length === 0 ? {} : { warnings: shown };
}

/** Cuts a warning that is too long. If this splits a surrogate pair, the remaining half becomes U+FFFD. */
function cut(text: string): string {
  if (text.length <= MAX_WARNING_CHARS) return text;
  return `${text.slice(0, MAX_WARNING_CHARS - 1)}…`.toWellFormed();
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
