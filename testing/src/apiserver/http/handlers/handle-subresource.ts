import { convertedFromStored } from '../../cluster/converted.ts';
import { runSteps } from '../../cluster/steps.ts';
import { badRequest } from '../../failures/failure.ts';
import { notFound } from '../../failures/object-failures.ts';
import { methodNotAllowed, unknownResource } from '../../failures/request-failures.ts';
import { isObject, type Json } from '../../objects/metadata.ts';
import type { StoredObject } from '../../objects/stored-object.ts';
import { fromStored, subresourceOf } from '../../registry/served-resource.ts';
import { parseDeletionOptions } from '../../request/delete-options.ts';
import { evictPod } from '../../verbs/subresources/evict.ts';
import { requestToken, TOKEN_REQUEST } from '../../verbs/subresources/token-request.ts';
import { requireStored, type Target } from '../../verbs/target.ts';
import { replacedBy, updateObject } from '../../verbs/writes/update.ts';
import { decodeObject, type Expected, type RequestBody, readBody } from '../exchange/body.ts';
import { presentObject } from '../exchange/present.ts';
import { admitSubresource } from './admit-subresource.ts';
import { CONNECTIONS, handleConnection } from './handle-connection.ts';
import { handleScale } from './handle-scale.ts';
import { createBinding } from './handle-virtual.ts';
import { type Handling, send, sendDone, writeOptions } from './handling.ts';
import { patchTarget } from './patch-target.ts';

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
  // What follows `proxy/` is a path on the proxied target.
  const name = info.subresource?.replace(/^proxy\/.*/, 'proxy') ?? '';
  const subresource = subresourceOf(served, name);
  if (subresource === undefined) {
    // Paths of built-in kinds are routes. Custom resources have one handler for all paths. Its error contains
    // the name of the object, even if that object does not exist (apiextensions-apiserver,
    // customresource_handler.go, ServeHTTP).
    throw served.custom ? notFound(served, target.name) : unknownResource();
  }
  if (!subresource.verbs.includes(METHODS[exchange.method] ?? '')) throw methodNotAllowed();
  if (CONNECTIONS.has(name)) return handleConnection(handling, target, name);
  if (name === 'binding') return createBinding(handling, target);
  if (name === 'token') return token(handling, target);
  if (subresource.name === 'eviction') return evict(handling, target);
  if (subresource.name === 'scale') return handleScale(handling, target);
  // An approval is stored as a condition in the status.
  const part = name === 'approval' ? 'status' : name;
  if (exchange.method === 'PATCH') return patchTarget(handling, target, part);
  if (exchange.method === 'PUT') return replace(handling, target, part);
  const stored = requireStored(handling.cluster, target);
  const object = fromStored(served, await runSteps(convertedFromStored(served, stored)));
  send(handling, 200, presentObject(object, served, handling.view));
}

async function token(handling: Handling, target: Target): Promise<void> {
  const { exchange, cluster, served } = handling;
  const body = decodeObject(exchange, await readBody(exchange), served, TOKEN_REQUEST) as Json;
  await admitSubresource(handling, target, 'token', body as unknown as StoredObject);
  send(handling, 201, requestToken(cluster, target, body));
}

async function replace(handling: Handling, target: Target, subresource: string): Promise<void> {
  const { exchange, cluster, served } = handling;
  const text = await readBody(exchange);
  const options = writeOptions(exchange, 'UpdateOptions', subresource);
  const body = decodeObject(exchange, text, served);
  const object = await runSteps(updateObject(cluster, target, replacedBy(body, target), options));
  send(handling, 200, presentObject(object, served, handling.view));
}

/** The version of an Eviction: `policy/v1`, or the older `policy/v1beta1`. */
function evictionIn({ text }: RequestBody): Expected {
  const version = /policy\/v1beta1\b/.test(text) ? 'v1beta1' : 'v1';
  return { group: 'policy', version, kind: 'Eviction' };
}

/** @throws ApiError 400 for an Eviction whose Pod differs from the Pod in the path. */
function requireSamePod({ metadata }: Json, { name, namespace }: Target): void {
  const named = isObject(metadata) ? metadata : {};
  if (named.namespace && named.namespace !== namespace) {
    throw badRequest(
      'the namespace of the provided object does not match the namespace sent on the request',
    );
  }
  if (named.name !== name) throw badRequest('name in URL does not match name in Eviction object');
}

async function evict(handling: Handling, target: Target): Promise<void> {
  const { exchange, cluster, served } = handling;
  const text = await readBody(exchange);
  const body = decodeObject(exchange, text, served, evictionIn(text)) as Json;
  requireSamePod(body, target);
  const dryRun = exchange.query.getAll('dryRun');
  await admitSubresource(handling, target, 'eviction', body as unknown as StoredObject);
  // Unlike in a deletion, these options from the body do not replace the options from the query.
  const options = isObject(body.deleteOptions) ? { dryRun, ...body.deleteOptions } : undefined;
  sendDone(handling, evictPod(cluster, target, parseDeletionOptions(exchange.query, options)));
}
