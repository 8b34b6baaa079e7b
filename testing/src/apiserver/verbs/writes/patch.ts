import { apiVersionOf } from 'chancery/internal';
import { builtInKindName } from '../../built-in-types/built-in-types.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import type { Steps } from '../../cluster/steps.ts';
import { failure } from '../../failures/failure.ts';
import { conflict } from '../../failures/object-failures.ts';
import { notAPatch, unsupportedMediaType } from '../../failures/request-failures.ts';
import { goJson } from '../../objects/canonical.ts';
import { isObject, type Json } from '../../objects/metadata.ts';
import type { StoredObject } from '../../objects/stored-object.ts';
import { requireDepth } from '../../objects/stored-size.ts';
import { decodeStruct, describeMismatch } from '../../objects/struct-decoder.ts';
import { applyJsonPatch } from '../../patch/json/json-patch.ts';
import { applyMergePatch } from '../../patch/json/merge-patch.ts';
import {
  APPLY,
  JSON_PATCH,
  MERGE_PATCH,
  readPatch,
  STRATEGIC_PATCH,
} from '../../patch/read-patch.ts';
import { applyStrategicMergePatch } from '../../patch/strategic/strategic-merge-patch.ts';
import type { ServedResource } from '../../registry/served-resource.ts';
import type { PatchOptions } from '../../request/options.ts';
import { type Target, uidIsImmutable } from '../target.ts';
import type { Patched } from './apply.ts';
import { applyObject } from './apply.ts';
import { reportStrictly, strictDecodingError } from './field-validation.ts';
import { type Change, updateObject } from './update.ts';

/** A patch as it came: its media type, and the text of its body. */
export interface Patch {
  readonly mediaType: string;
  readonly text: string;
}

const CUSTOM_TYPES = [JSON_PATCH, MERGE_PATCH, APPLY];
const ALL_TYPES = [JSON_PATCH, MERGE_PATCH, STRATEGIC_PATCH, APPLY];

/** Patches an object in one of the four ways. @throws ApiError 415 for a fifth. */
export function* patchObject(
  cluster: Cluster,
  target: Target,
  patch: Patch,
  options: PatchOptions,
): Steps<Patched> {
  const { served } = target;
  if (!ALL_TYPES.includes(patch.mediaType)) throw notAPatch();
  if (served.custom && !CUSTOM_TYPES.includes(patch.mediaType)) {
    throw unsupportedMediaType(CUSTOM_TYPES);
  }
  if (patch.mediaType === APPLY) {
    return yield* applyObject(cluster, target, patch.text, options);
  }
  const read = readPatch(patch.mediaType, patch.text);
  let findings: readonly string[] = [];
  const change = (live: StoredObject): Change => {
    const patched = patchedObject(live, read.value, patch.mediaType, target);
    findings = [...read.findings, ...patched.unknown.map((field) => `unknown field "${field}"`)];
    refuseStrictly(patched.object, findings, options);
    return { object: patched.object };
  };
  const object = yield* updateObject(cluster, target, change, options);
  reportStrictly(served, findings, options);
  return { object, created: false };
}

interface PatchedObject {
  readonly object: StoredObject;
  readonly unknown: readonly string[];
}

function patchedObject(
  live: StoredObject,
  patch: unknown,
  mediaType: string,
  target: Target,
): PatchedObject {
  const merged = mergedBy(mediaType, live, patch);
  const { object, unknown } = readBack(merged, target.served);
  const { uid } = object.metadata ?? {};
  if (uid !== live.metadata.uid) throw uidIsImmutable(target, uid);
  if (object.metadata.resourceVersion !== live.metadata.resourceVersion) {
    throw conflict(target.served, target.name);
  }
  return { object, unknown };
}

/** What came of the patch, as the server decodes it again. */
function readBack(merged: Json, served: ServedResource): PatchedObject {
  const typeName = builtInKindName(apiVersionOf(served), served.kind);
  if (typeName === undefined) {
    const object = merged as unknown as StoredObject;
    return { object, unknown: served.strategy.unknownFields(object) };
  }
  const { value, unknown, mismatch } = decodeStruct(merged, typeName);
  if (mismatch !== undefined) throw unfitPatch(merged, describeMismatch(mismatch));
  const metadata = isObject(value.metadata) ? value.metadata : {};
  return { object: { ...value, metadata } as unknown as StoredObject, unknown };
}

/** @throws ApiError 422 where the request is strict: a patch is refused in another way than a body. */
function refuseStrictly(
  object: StoredObject,
  findings: readonly string[],
  { fieldValidation }: PatchOptions,
): void {
  if (findings.length === 0 || fieldValidation !== 'Strict') return;
  throw unfitPatch(object as Json, strictDecodingError(findings));
}

function unfitPatch(object: Json, why: string): Error {
  const message = `Invalid value: ${JSON.stringify(goJson(object))}: ${why}`;
  return failure({
    code: 422,
    reason: 'Invalid',
    message: ` "" is invalid: patch: ${message}`,
    details: { causes: [{ reason: 'FieldValueInvalid', message, field: 'patch' }] },
  });
}

function mergedBy(mediaType: string, live: StoredObject, patch: unknown): Json {
  const document = live as Json;
  if (mediaType === JSON_PATCH) {
    const patched = applyJsonPatch(document, patch);
    requireDepth(patched);
    return patched;
  }
  if (mediaType === MERGE_PATCH) return applyMergePatch(document, patch);
  return applyStrategicMergePatch(document, patch, live);
}
