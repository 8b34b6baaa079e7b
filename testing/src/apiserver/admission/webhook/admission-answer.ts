import { isObject, type Json } from '../../objects/metadata.ts';

/** The answer of a webhook. */
export interface Answer {
  readonly allowed: boolean;
  /** A JSON patch as a string; empty if the answer has none. */
  readonly patch: string;
  readonly patchType: string;
  readonly status: Json;
  readonly warnings: readonly string[];
  readonly auditAnnotations: Readonly<Record<string, string>>;
}

interface Expected {
  readonly uid: string;
  readonly version: 'v1' | 'v1beta1';
  readonly mutating: boolean;
}

/**
 * The answer in an AdmissionReview. If it is invalid, returns a string with the reason (k8s.io/apiserver,
 * pkg/admission/plugin/webhook/request/admissionreview.go, VerifyAdmissionResponse).
 */
export function verifiedAnswer(review: Json, expected: Expected): Answer | string {
  const { response } = review;
  if (!isObject(response)) return 'webhook response was absent';
  const patch = textOf(response.patch);
  if (expected.version === 'v1') {
    const problem = problemOf(review, response, patch, expected);
    if (problem !== undefined) return problem;
  }
  const hasPatch = expected.mutating && patch !== '';
  return {
    allowed: response.allowed === true,
    patch: hasPatch ? Buffer.from(patch, 'base64').toString() : '',
    patchType: expected.version === 'v1' ? textOf(response.patchType) : 'JSONPatch',
    status: isObject(response.status) ? response.status : {},
    warnings: Array.isArray(response.warnings) ? response.warnings.map(String) : [],
    auditAnnotations: annotationsOf(response.auditAnnotations),
  };
}

const REVIEW = 'admission.k8s.io/v1, Kind=AdmissionReview';

function problemOf(
  { kind, apiVersion }: Json,
  { uid, patchType }: Json,
  patch: string,
  expected: Expected,
): string | undefined {
  if (uid !== expected.uid) {
    return `expected response.uid=${JSON.stringify(expected.uid)}, got ${JSON.stringify(textOf(uid))}`;
  }
  const found = `${textOf(apiVersion)}, Kind=${textOf(kind)}`;
  if (found !== REVIEW) return `expected webhook response of ${REVIEW}, got ${found}`;
  const hasType = patchType !== undefined && patchType !== null;
  if (!expected.mutating) {
    if (patch !== '') return 'validating webhook may not return response.patch';
    return hasType ? 'validating webhook may not return response.patchType' : undefined;
  }
  if (patch !== '' && !hasType) {
    return 'webhook returned response.patch but not response.patchType';
  }
  if (patch === '' && hasType) return 'webhook returned response.patchType but not response.patch';
  return patchType === '' ? 'webhook returned invalid response.patchType of ""' : undefined;
}

function annotationsOf(value: unknown): Readonly<Record<string, string>> {
  if (!isObject(value)) return {};
  return Object.fromEntries(Object.entries(value).map(([key, text]) => [key, String(text)]));
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
