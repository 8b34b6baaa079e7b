import { requireCreate } from '../../auth/create-by-write.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import { convertedFromStored } from '../../cluster/converted.ts';
import { runSteps } from '../../cluster/steps.ts';
import { badRequest } from '../../failures/failure.ts';
import {
  methodNotAllowed,
  noSuchMediaType,
  notServed,
  unknownResource,
} from '../../failures/request-failures.ts';
import { fromStored } from '../../registry/served-resource.ts';
import { parseDeletionOptions } from '../../request/delete-options.ts';
import {
  type ListOptions,
  parseListOptions,
  parseResourceVersion,
} from '../../request/list-options.ts';
import { deleteObject } from '../../verbs/deletes/delete.ts';
import { deleteAll } from '../../verbs/deletes/delete-collection.ts';
import { isShownWhenGone } from '../../verbs/deletes/deletion.ts';
import { getWhenFresh, listWhenFresh, requireReady } from '../../verbs/reads/fresh-read.ts';
import { listObjects } from '../../verbs/reads/list.ts';
import { answerReview } from '../../verbs/subresources/review.ts';
import { keyOfTarget, type Target } from '../../verbs/target.ts';
import { createByUpdate, createObject } from '../../verbs/writes/create.ts';
import { replacedBy, updateObject } from '../../verbs/writes/update.ts';
import { decodeObject, decodeOptions, readBody } from '../exchange/body.ts';
import { COLLECTION, CUSTOM, OBJECT, type Offer, STREAMS } from '../exchange/negotiate.ts';
import { presentList, presentObject, viewOf, watchViewOf } from '../exchange/present.ts';
import { handleSubresource } from './handle-subresource.ts';
import { createVirtual, isVirtual, warnOfDeprecation } from './handle-virtual.ts';
import {
  asAnswer,
  type Handling,
  metadataOfDone,
  send,
  sendList,
  writeOptions,
  writerOf,
} from './handling.ts';
import { patchTarget } from './patch-target.ts';

/**
 * Answers a request to a resource, its objects or their subresources.
 * @throws ApiError for every request that the server refuses.
 */
export async function handleResource(parts: Omit<Handling, 'view'>): Promise<void> {
  const { exchange, info, cluster } = parts;
  const view = viewOf(exchange, offerOf(parts), cluster.clock.now());
  const handling = { ...parts, view };
  warnOfDeprecation(handling);
  await parts.served.gate?.({
    method: exchange.method,
    signal: parts.signal,
    warn: (text) => exchange.warn(text),
  });
  if (info.subresource !== undefined) return handleSubresource(handling, targetOf(handling));
  if (info.name === undefined) return handleCollection(handling);
  return handleObject(handling, targetOf(handling));
}

/** The formats in which a resource can be sent. Only built-in kinds have a router. */
function offerOf({ served, info, exchange }: Omit<Handling, 'view'>): Offer {
  if (served.custom) return CUSTOM;
  return info.name === undefined && exchange.method === 'GET' ? COLLECTION : OBJECT;
}

function targetOf({ served, info }: Handling): Target {
  if (served.namespaced && info.namespace === undefined) throw notServed(served);
  const { namespace, name = '' } = info;
  const why = segmentProblem(name);
  if (why !== undefined) {
    throw badRequest(`Name parameter invalid: ${JSON.stringify(name)}: ${why}`);
  }
  return { served, namespace, name };
}

/**
 * The reason why a name cannot be a segment of a path (`IsValidPathSegmentName`); undefined if it can be one.
 */
function segmentProblem(name: string): string | undefined {
  if (name === '.' || name === '..') return `may not be '${name}'`;
  return name.includes('%') ? "may not contain '%'" : undefined;
}

function allow({ served }: Handling, verb: string): void {
  if (!served.verbs.includes(verb)) throw methodNotAllowed();
}

async function handleCollection(handling: Handling): Promise<void> {
  const { exchange, served, info, cluster, signal } = handling;
  if (exchange.method === 'POST') return create(handling);
  if (exchange.method === 'DELETE') return deleteCollection(handling);
  if (exchange.method !== 'GET') throw methodNotAllowed();
  const { behaviour } = cluster;
  const options = parseListOptions(exchange.query, served, info.namespace, info.watch, behaviour);
  allow(handling, options.watch ? 'watch' : 'list');
  if (options.watch) {
    await requireReady(cluster, served, signal);
    return beginWatch(handling, options);
  }
  const list = await listWhenFresh(cluster, served, options, signal);
  await sendList(handling, 200, presentList(list, served, handling.view));
}

async function create(handling: Handling): Promise<void> {
  const { exchange, cluster, served, info } = handling;
  allow(handling, 'create');
  const text = await readBody(exchange);
  const options = writeOptions(exchange, 'CreateOptions');
  const body = decodeObject(exchange, text, served);
  const review = answerReview(cluster, served, info.namespace, body, options);
  if (review !== undefined) return send(handling, 201, review);
  if (isVirtual(served)) return createVirtual(handling, body);
  const created = await runSteps(createObject(cluster, served, info.namespace, body, options));
  send(handling, 201, presentObject(asAnswer(created, options.dryRun), served, handling.view));
}

async function deleteCollection(handling: Handling): Promise<void> {
  const { exchange, cluster, served, info } = handling;
  allow(handling, 'deletecollection');
  const body = await readBody(exchange);
  const options = parseDeletionOptions(
    exchange.query,
    decodeOptions(exchange, body, 'DeleteOptions'),
  );
  const { behaviour } = cluster;
  const listed = parseListOptions(exchange.query, served, info.namespace, false, behaviour);
  const list = await runSteps(listObjects(cluster, served, listed));
  await deleteAll(cluster, served, list.items, options, writerOf(exchange), handling.signal);
  await sendList(handling, 200, presentList(list, served, handling.view));
}

async function handleObject(handling: Handling, target: Target): Promise<void> {
  const { exchange, served } = handling;
  switch (exchange.method) {
    case 'GET':
      return get(handling, target);
    case 'PUT':
      return replace(handling, target);
    case 'PATCH':
      return patchTarget(handling, target, undefined);
    case 'DELETE':
      return remove(handling, target);
    default:
      throw served.verbs.length === 0 ? unknownResource() : methodNotAllowed();
  }
}

async function get(handling: Handling, target: Target): Promise<void> {
  const { exchange, cluster, served, info } = handling;
  allow(handling, 'get');
  if (info.watch) return watchOne(handling, target);
  const asked = parseResourceVersion(exchange.query.get('resourceVersion') ?? '', false);
  const stored = await getWhenFresh(cluster, target, asked, handling.signal);
  const object = fromStored(served, await runSteps(convertedFromStored(served, stored)));
  send(handling, 200, presentObject(object, served, handling.view));
}

/** Answers `/watch/…/<name>`, the older way to write `fieldSelector=metadata.name=<name>`. */
function watchOne(handling: Handling, { name }: Target): void {
  const { exchange, served, info, cluster } = handling;
  const query = new URLSearchParams(exchange.query);
  query.set('fieldSelector', `metadata.name=${name}`);
  const options = parseListOptions(query, served, info.namespace, true, cluster.behaviour);
  beginWatch(handling, options);
}

/**
 * Begins a watch.
 * @throws ApiError 406 for YAML, which cannot be streamed.
 */
function beginWatch({ watch, view }: Handling, options: ListOptions): void {
  if (view.form.mediaType === 'yaml') throw noSuchMediaType(STREAMS);
  watch(options, watchViewOf(view));
}

async function replace(handling: Handling, target: Target): Promise<void> {
  const { exchange, cluster, served } = handling;
  allow(handling, 'update');
  const text = await readBody(exchange);
  const options = writeOptions(exchange, 'UpdateOptions');
  const body = decodeObject(exchange, text, served);
  if (served.createOnUpdate && isAbsent(cluster, target)) {
    requireCreate(cluster, target, options.caller);
    const created = await runSteps(createByUpdate(cluster, target, body, options));
    return send(
      handling,
      201,
      presentObject(asAnswer(created, options.dryRun), served, handling.view),
    );
  }
  const object = await runSteps(updateObject(cluster, target, replacedBy(body, target), options));
  send(handling, 200, presentObject(object, served, handling.view));
}

function isAbsent({ storage }: Cluster, target: Target): boolean {
  return storage.get(target.served.storedAs, keyOfTarget(target)) === undefined;
}

async function remove(handling: Handling, target: Target): Promise<void> {
  const { exchange, cluster, served } = handling;
  allow(handling, 'delete');
  const options = parseDeletionOptions(
    exchange.query,
    decodeOptions(exchange, await readBody(exchange), 'DeleteOptions'),
  );
  const { gone, object } = await runSteps(
    deleteObject(cluster, target, options, writerOf(exchange)),
  );
  if (!gone || isShownWhenGone(served.storedAs)) {
    return send(handling, 200, presentObject(object, served, handling.view));
  }
  const { group, plural } = served;
  exchange.json(200, {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: metadataOfDone(cluster, options.dryRun ? undefined : object),
    status: 'Success',
    details: {
      name: target.name,
      ...(group === '' ? {} : { group }),
      kind: plural,
      uid: object.metadata.uid,
    },
  });
}
