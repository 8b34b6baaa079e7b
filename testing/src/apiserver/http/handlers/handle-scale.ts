import { convertedFromStored } from '../../cluster/converted.ts';
import { runSteps, type Steps } from '../../cluster/steps.ts';
import { notAPatch } from '../../failures/request-failures.ts';
import type { Json } from '../../objects/metadata.ts';
import type { StoredObject } from '../../objects/stored-object.ts';
import { applyJsonPatch } from '../../patch/json/json-patch.ts';
import { applyMergePatch } from '../../patch/json/merge-patch.ts';
import {
  APPLY,
  JSON_PATCH,
  MERGE_PATCH,
  readPatch,
  STRATEGIC_PATCH,
} from '../../patch/read-patch.ts';
import { fromStored } from '../../registry/served-resource.ts';
import { scaleOf, withScale } from '../../verbs/subresources/scale.ts';
import { requireStored, type Target } from '../../verbs/target.ts';
import { applyScale } from '../../verbs/writes/apply-scale.ts';
import { updateObject } from '../../verbs/writes/update.ts';
import { decodeObject, mediaTypeOf, type RequestBody, readBody } from '../exchange/body.ts';
import { type Handling, send, writeOptions } from './handling.ts';
import { patchOptions } from './patch-target.ts';

const SCALE = { group: 'autoscaling', version: 'v1', kind: 'Scale' };

/** Answers a request to `/scale`: an autoscaling/v1 Scale in the place of the object. */
export async function handleScale(handling: Handling, target: Target): Promise<void> {
  const { exchange, cluster, served } = handling;
  if (exchange.method === 'GET') {
    const stored = requireStored(cluster, target);
    const object = fromStored(served, await runSteps(convertedFromStored(served, stored)));
    return send(handling, 200, scaleOf(object, served));
  }
  const body = await readBody(exchange);
  const isApply = exchange.method === 'PATCH' && mediaTypeOf(exchange) === APPLY;
  const steps = isApply
    ? applyScale(cluster, target, body.text, patchOptions(exchange, 'scale'))
    : write(handling, target, body);
  const object = await runSteps(steps);
  send(handling, 200, scaleOf(object, served));
}

function write(handling: Handling, target: Target, body: RequestBody): Steps<StoredObject> {
  const { exchange, cluster, served } = handling;
  const options =
    exchange.method === 'PUT'
      ? writeOptions(exchange, 'UpdateOptions', 'scale')
      : patchOptions(exchange, 'scale');
  return updateObject(
    cluster,
    target,
    (live) => ({ object: withScale(live, wantedScale(handling, live, body), served) }),
    options,
  );
}

function wantedScale(
  { exchange, served }: Handling,
  live: StoredObject,
  body: RequestBody,
): StoredObject {
  if (exchange.method === 'PUT') return decodeObject(exchange, body, served, SCALE);
  const current = scaleOf(live, served) as Json;
  const mediaType = mediaTypeOf(exchange);
  if (mediaType !== JSON_PATCH && !MERGES.includes(mediaType)) throw notAPatch();
  const { value: patch } = readPatch(mediaType, body.text);
  const patched =
    mediaType === JSON_PATCH ? applyJsonPatch(current, patch) : applyMergePatch(current, patch);
  return patched as unknown as StoredObject;
}

const MERGES: readonly string[] = [MERGE_PATCH, STRATEGIC_PATCH];
