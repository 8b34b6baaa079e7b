import type { StoredObject } from '../cluster-access.ts';
import { methodNotAllowed, notAPatch, unknownResource } from '../failures.ts';
import { isObject, type Json } from '../objects/metadata.ts';
import { applyJsonPatch } from '../patch/json-patch.ts';
import { applyMergePatch } from '../patch/merge-patch.ts';
import { JSON_PATCH, MERGE_PATCH, readPatch, STRATEGIC_PATCH } from '../patch/read-patch.ts';
import { fromStored, subresourceOf } from '../registry/served-resource.ts';
import { parseDeletionOptions } from '../request/delete-options.ts';
import { evictPod } from '../verbs/evict.ts';
import { scaleOf, withScale } from '../verbs/scale.ts';
import { requireStored, type Target } from '../verbs/target.ts';
import { requestToken, TOKEN_REQUEST } from '../verbs/token-request.ts';
import { requireResourceVersion, updateObject } from '../verbs/update.ts';
import { decodeObject, mediaTypeOf, type RequestBody, readBody } from './body.ts';
import { CONNECTIONS, handleConnection } from './handle-connection.ts';
import { createBinding } from './handle-virtual.ts';
import { type Handling, send, writeOptions } from './handling.ts';
import { patchTarget } from './patch-target.ts';
import { presentObject } from './present.ts';

const METHODS: Readonly<Record<string, string>> = {
  GET: 'get',
  PUT: 'update',
  PATCH: 'patch',
  POST: 'create',
  DELETE: 'delete',
};

/** Answers a request to a subresource of an object. */
export async function handleSubresource(handling: Handling, target: Target): Promise<void> {
  const { exchange, served, info } = handling;
  // What follows `proxy/` is a path of the one that is connected to.
  const name = info.subresource?.replace(/^proxy\/.*/, 'proxy') ?? '';
  const subresource = subresourceOf(served, name);
  if (subresource === undefined) throw unknownResource();
  if (!subresource.verbs.includes(METHODS[exchange.method] ?? '')) throw methodNotAllowed();
  if (CONNECTIONS.has(name)) return handleConnection(handling, target, name);
  if (name === 'binding') return createBinding(handling, target);
  if (name === 'token') return token(handling, target);
  if (subresource.name === 'eviction') return evict(handling, target);
  if (subresource.name === 'scale') return scale(handling, target);
  // An approval is a condition of the status.
  const part = name === 'approval' ? 'status' : name;
  if (exchange.method === 'PATCH') return patchTarget(handling, target, part);
  if (exchange.method === 'PUT') return replace(handling, target, part);
  const object = fromStored(served, requireStored(handling.cluster, target));
  send(handling, 200, presentObject(object, served, handling.view));
}

async function token(handling: Handling, target: Target): Promise<void> {
  const { exchange, cluster, served } = handling;
  const body = decodeObject(exchange, await readBody(exchange), served, TOKEN_REQUEST) as Json;
  send(handling, 201, requestToken(cluster, target, body));
}

async function replace(handling: Handling, target: Target, subresource: string): Promise<void> {
  const { exchange, cluster, served } = handling;
  const text = await readBody(exchange);
  const options = writeOptions(exchange, 'UpdateOptions', subresource);
  const body = decodeObject(exchange, text, served);
  requireStored(cluster, target);
  requireResourceVersion(body, served);
  const object = updateObject(cluster, target, () => ({ object: body }), options);
  send(handling, 200, presentObject(object, served, handling.view));
}

async function evict({ exchange, cluster, served }: Handling, target: Target): Promise<void> {
  const text = await readBody(exchange);
  const eviction = { group: 'policy', version: 'v1', kind: 'Eviction' };
  const body = decodeObject(exchange, text, served, eviction) as Json;
  const options = isObject(body.deleteOptions) ? body.deleteOptions : undefined;
  evictPod(cluster, target, parseDeletionOptions(exchange.query, options));
  const success = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 };
  exchange.json(201, success);
}

async function scale(handling: Handling, target: Target): Promise<void> {
  const { exchange, cluster, served } = handling;
  if (exchange.method === 'GET') {
    const object = fromStored(served, requireStored(cluster, target));
    return send(handling, 200, scaleOf(object, served));
  }
  const body = await readBody(exchange);
  const kind = exchange.method === 'PUT' ? 'UpdateOptions' : 'PatchOptions';
  const options = writeOptions(exchange, kind, 'scale');
  const object = updateObject(
    cluster,
    target,
    (live) => ({ object: withScale(live, wantedScale(handling, live, body), served) }),
    options,
  );
  send(handling, 200, scaleOf(object, served));
}

function wantedScale(
  { exchange, served }: Handling,
  live: StoredObject,
  body: RequestBody,
): StoredObject {
  const kind = { group: 'autoscaling', version: 'v1', kind: 'Scale' };
  if (exchange.method === 'PUT') return decodeObject(exchange, body, served, kind);
  const current = scaleOf(live, served) as Json;
  const mediaType = mediaTypeOf(exchange);
  if (mediaType !== JSON_PATCH && !SCALE_MERGES.includes(mediaType)) throw notAPatch();
  const { value: patch } = readPatch(mediaType, body.text);
  const patched =
    mediaType === JSON_PATCH ? applyJsonPatch(current, patch) : applyMergePatch(current, patch);
  return patched as unknown as StoredObject;
}

const SCALE_MERGES: readonly string[] = [MERGE_PATCH, STRATEGIC_PATCH];
