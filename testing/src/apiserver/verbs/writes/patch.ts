import type { Cluster } from '../../cluster/cluster.ts';
import type { Steps } from '../../cluster/steps.ts';
import { notAPatch, unsupportedMediaType } from '../../failures/request-failures.ts';
import type { Fractions } from '../../objects/go-json.ts';
import { type Json, withMetadata } from '../../objects/metadata.ts';
import type { StoredObject } from '../../objects/stored-object.ts';
import { requireDepth } from '../../objects/stored-size.ts';
import { applyJsonPatch } from '../../patch/json/json-patch.ts';
import { applyMergePatch } from '../../patch/json/merge-patch.ts';
import {
  APPLY,
  JSON_PATCH,
  MERGE_PATCH,
  readJsonPatch,
  readMergePatch,
  readStrategicPatch,
  STRATEGIC_PATCH,
} from '../../patch/read-patch.ts';
import { applyStrategicMergePatch } from '../../patch/strategic/strategic-merge-patch.ts';
import type { ServedResource } from '../../registry/served-resource.ts';
import type { PatchOptions } from '../../request/options.ts';
import { requireKind, type Target, uidIsImmutable } from '../target.ts';
import type { Patched } from './apply.ts';
import { applyObject } from './apply.ts';
import {
  type DecodedPatch,
  decodeBuiltIn,
  decodeCustom,
  decodeMerge,
  unfit,
  withoutApiVersion,
} from './decode-patched.ts';
import { strictDecodingError } from './field-validation.ts';
import { type Change, checkIdentity, requireResourceVersion, updateObject } from './update.ts';

/** A patch as the client sent it: its media type, and its body as a string. */
export interface Patch {
  readonly mediaType: string;
  readonly text: string;
}

const CUSTOM_TYPES = [JSON_PATCH, MERGE_PATCH, APPLY];
const ALL_TYPES = [JSON_PATCH, MERGE_PATCH, STRATEGIC_PATCH, APPLY];

/**
 * Checks the media type of a PATCH. The server makes this check before all others.
 * @throws ApiError 415 for a media type that this resource cannot be patched with.
 */
export function requirePatchType(mediaType: string, { custom }: ServedResource): void {
  if (custom && !CUSTOM_TYPES.includes(mediaType)) throw unsupportedMediaType(CUSTOM_TYPES);
  if (!ALL_TYPES.includes(mediaType)) throw notAPatch();
}

/** Patches an object with a server-side apply, a JSON patch, a merge patch or a strategic merge patch. */
export function* patchObject(
  cluster: Cluster,
  target: Target,
  patch: Patch,
  options: PatchOptions,
): Steps<Patched> {
  const { served } = target;
  if (patch.mediaType === APPLY) {
    return yield* applyObject(cluster, target, patch.text, options);
  }
  const change = (live: StoredObject): Change => {
    const object = patchedObject(live, patch, served, options);
    requireSameObject(object, live, target, options);
    return { object: withMetadata(object, { uid: live.metadata.uid }) };
  };
  const object = yield* updateObject(cluster, target, change, options);
  return { object, created: false };
}

type PatchedKind = Pick<ServedResource, 'group' | 'version' | 'kind'>;

/**
 * An object after a JSON patch, a merge patch or a strategic merge patch. As on a real server, the patch is
 * only parsed when the object exists.
 *
 * @param kind - the kind of the object, or the kind of the subresource, such as Scale.
 * @throws ApiError 400, 413, 422 or 500 for a patch that cannot be parsed or applied, or whose
 * result is not an object of this kind.
 */
export function patchedObject(
  live: StoredObject,
  { mediaType, text }: Patch,
  kind: PatchedKind | ServedResource,
  options: PatchOptions,
): StoredObject {
  const isChecked = options.fieldValidation !== 'Ignore';
  const document = live as Json;
  const decoded = (merged: unknown, fractions: Fractions): DecodedPatch =>
    'custom' in kind && kind.custom
      ? decodeCustom(merged, kind)
      : decodeBuiltIn(merged, kind, fractions);
  if (mediaType === STRATEGIC_PATCH) {
    const { value, findings } = readStrategicPatch(text);
    const merge = applyStrategicMergePatch(document, value, live);
    return checked(decodeMerge(merge, kind), findings, options);
  }
  if (mediaType === MERGE_PATCH) {
    const { value, findings, fractions } = readMergePatch(text, isChecked);
    return checked(decoded(applyMergePatch(document, value), fractions), findings, options);
  }
  const { value, findings, fractions } = readJsonPatch(text, isChecked);
  const patched = applyJsonPatch(document, value, !/[<>&\u2028\u2029]/.test(text));
  requireDepth(patched);
  return checked(decoded(patched, fractions), findings, options);
}

/** @throws ApiError 422 for unknown and duplicate fields if `fieldValidation` is `Strict`. */
function checked(
  { object, unknown, quote }: DecodedPatch,
  ofPatch: readonly string[],
  { fieldValidation, warn }: PatchOptions,
): StoredObject {
  const findings = [...ofPatch, ...unknown.map((field) => `unknown field "${field}"`)];
  if (findings.length === 0 || fieldValidation === 'Ignore') return object;
  if (fieldValidation === 'Strict') throw unfit(quote, strictDecodingError(findings));
  for (const text of new Set(findings)) warn(text);
  return object;
}

/**
 * Checks name, namespace, version, uid and kind, in the server's order.
 *
 * @throws ApiError 400, 409 or 422 if the patch changes one of these fields, and 500 for a custom object
 * without a version.
 */
function requireSameObject(
  object: StoredObject,
  live: StoredObject,
  target: Target,
  { subresource }: PatchOptions,
): void {
  const { served, name } = target;
  const { uid } = object.metadata;
  checkIdentity(withMetadata(object, { uid: undefined }), live, target);
  requireResourceVersion(object, served, name);
  if (served.custom && !object.apiVersion) throw withoutApiVersion();
  // Metadata, kind and version of a custom object are ignored in a write of its status.
  if (served.custom && subresource === 'status') return;
  if (uid && uid !== live.metadata.uid) throw uidIsImmutable(target, uid);
  requireKind(object, live, name);
}
