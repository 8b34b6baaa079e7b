import { convertedFromStored } from '../../cluster/converted.ts';
import { runSteps, type Steps } from '../../cluster/steps.ts';
import { withMetadata } from '../../objects/metadata.ts';
import type { StoredObject } from '../../objects/stored-object.ts';
import { APPLY } from '../../patch/read-patch.ts';
import { fromStored } from '../../registry/served-resource.ts';
import { scaleOf, withScale } from '../../verbs/subresources/scale.ts';
import { requireStored, type Target } from '../../verbs/target.ts';
import { applyScale } from '../../verbs/writes/apply-scale.ts';
import { patchedObject, requirePatchType } from '../../verbs/writes/patch.ts';
import { requireScale, SCALE } from '../../verbs/writes/require-scale.ts';
import { type Change, updateObject } from '../../verbs/writes/update.ts';
import { decodeObject, type RequestBody, readBody } from '../exchange/body.ts';
import { type Handling, send, writeOptions } from './handling.ts';
import { patchOptions, patchTypeOf } from './patch-target.ts';

/** Answers a request to `/scale` with an autoscaling/v1 Scale instead of the object. */
export async function handleScale(handling: Handling, target: Target): Promise<void> {
  const { exchange, cluster, served } = handling;
  if (exchange.method === 'GET') {
    const stored = requireStored(cluster, target);
    const object = fromStored(served, await runSteps(convertedFromStored(served, stored)));
    return send(handling, 200, scaleOf(object, served));
  }
  if (exchange.method === 'PATCH') requirePatchType(patchTypeOf(exchange), served);
  const body = await readBody(exchange);
  const isApply = exchange.method === 'PATCH' && patchTypeOf(exchange) === APPLY;
  const steps = isApply
    ? applyScale(cluster, target, body.text, patchOptions(exchange, 'scale'))
    : write(handling, target, body);
  const object = await runSteps(steps);
  send(handling, 200, scaleOf(object, served));
}

function write(handling: Handling, target: Target, body: RequestBody): Steps<StoredObject> {
  const { exchange, cluster, served } = handling;
  const change = (
    wanted: (live: StoredObject) => StoredObject,
  ): ((live: StoredObject) => Change) => {
    return (live) => {
      const scale = wanted(live);
      requireScale(scale, live, target);
      return { object: withScale(live, withMetadata(scale, { uid: undefined }), served) };
    };
  };
  if (exchange.method === 'PUT') {
    const scale = decodeObject(exchange, body, served, SCALE);
    const options = writeOptions(exchange, 'UpdateOptions', 'scale');
    return updateObject(
      cluster,
      target,
      change(() => scale),
      options,
    );
  }
  const options = patchOptions(exchange, 'scale');
  const patch = { mediaType: patchTypeOf(exchange), text: body.text };
  const patched = (live: StoredObject): StoredObject =>
    patchedObject(scaleOf(live, served), patch, SCALE, options);
  return updateObject(cluster, target, change(patched), options);
}
