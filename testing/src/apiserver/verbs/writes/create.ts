import { randomUUID } from 'node:crypto';
import { objectKey, rfc3339 } from 'chancery';
import { admitNew, admitWrite } from '../../admission/admit.ts';
import { refuseEscalation } from '../../auth/escalation.ts';
import { operationOptions } from '../../cluster/admission-request.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import { badRequest, internalError } from '../../failures/failure.ts';
import { invalid } from '../../failures/invalid.ts';
import { alreadyExists, forbidden, noFreeName, notFound } from '../../failures/object-failures.ts';
import { generateName } from '../../objects/generate-name.ts';
import { withMetadata } from '../../objects/metadata.ts';
import type { StoredObject } from '../../objects/stored-object.ts';
import {
  fromStored,
  type ServedResource,
  storedKind,
  toStored,
} from '../../registry/served-resource.ts';
import type { WriteOptions } from '../../request/options.ts';
import { newMetadata } from '../../validation/fields/metadata.ts';
import { canonical, storable } from '../canonical.ts';
import { ownersAfter } from '../ownership.ts';
import { otherUid, type Target } from '../target.ts';

/** How often a generated name that is taken is generated again. */
const NAME_ATTEMPTS = 8;

/** Creates an object. @returns it as the served version shows it. */
export function createObject(
  cluster: Cluster,
  served: ServedResource,
  namespace: string | undefined,
  body: StoredObject,
  options: WriteOptions & { readonly managedFields?: readonly unknown[] },
): StoredObject {
  checkPlace(body, served, namespace);
  if (body.metadata.resourceVersion) {
    throw internalError('resourceVersion should not be set on objects to be created');
  }
  if (served.closed !== undefined) throw forbidden(served, body.metadata.name ?? '', served.closed);
  checkNamespace(cluster, served, namespace, body.metadata.name ?? '');

  const nowMs = cluster.clock.now();
  const named = withMetadata(body, {
    name: freeName(cluster, served, namespace, body),
    namespace,
    uid: randomUUID(),
    creationTimestamp: rfc3339(nowMs),
    resourceVersion: undefined,
    generation: served.strategy.generations ? 1 : undefined,
    deletionTimestamp: undefined,
    deletionGracePeriodSeconds: undefined,
    selfLink: undefined,
    managedFields: undefined,
  });
  const escalation = { served, namespace, object: named, live: undefined };
  refuseEscalation(cluster, escalation, options.caller);
  const prepared = served.strategy.prepare(
    toStored(served, withoutStatus(named, served)),
    undefined,
  );
  const name = prepared.metadata.name ?? '';
  const whole = canonical(served, served.strategy.complete(admitNew(cluster, served, prepared)));
  const problems = [...newMetadata(whole, served), ...served.strategy.validate(whole, undefined)];
  // The error names the stored kind, whichever shape the object came in.
  if (problems.length > 0) throw invalid(storedKind(served), name, problems);
  admitWrite(cluster, {
    operation: 'CREATE',
    served,
    subresource: options.subresource,
    namespace,
    name,
    object: fromStored(served, whole),
    previous: undefined,
    options: operationOptions('CreateOptions', options.sent),
    writer: options,
  });
  const taken = cluster.storage.get(served.storedAs, objectKey(namespace, name));
  if (taken !== undefined) {
    if (!body.metadata.name) throw noFreeName(served, name);
    throw alreadyExists(served, name, taken.metadata.deletionTimestamp !== undefined);
  }

  // Fields that the server adds have no owner.
  const managedFields =
    options.managedFields ?? ownersAfter(served, undefined, prepared, options, rfc3339(nowMs));
  // The storage puts the real one in the place of this one.
  const complete = storable(served, withMetadata(whole, { managedFields, resourceVersion: '0' }));
  const stored = options.dryRun ? complete : cluster.storage.put(served.storedAs, complete);
  return fromStored(served, stored);
}

/**
 * Creates the object of a PUT whose name is free: some kinds allow that. A
 * resourceVersion does not matter then; a uid does, for it is that of an object which is gone.
 *
 * @throws ApiError 400 for another name than that of the path, 409 for a uid.
 */
export function createByUpdate(
  cluster: Cluster,
  target: Target,
  body: StoredObject,
  options: WriteOptions,
): StoredObject {
  const { resourceVersion: _, ...metadata } = body.metadata;
  if (metadata.name !== target.name) {
    throw badRequest(
      `the name of the object (${metadata.name ?? ''}) does not match the name on the URL (${target.name})`,
    );
  }
  if (metadata.uid) throw otherUid(target, metadata.uid, '');
  return createObject(cluster, target.served, target.namespace, { ...body, metadata }, options);
}

function checkPlace(
  body: StoredObject,
  served: ServedResource,
  namespace: string | undefined,
): void {
  const named = body.metadata.namespace;
  if (named && namespace !== undefined && named !== namespace) {
    throw badRequest(
      'the namespace of the provided object does not match the namespace sent on the request',
    );
  }
  if (served.namespaced && namespace === undefined) {
    throw badRequest('an empty namespace may not be set during creation');
  }
}

/** New objects go only into a namespace that is there and stays. */
function checkNamespace(
  { storage }: Cluster,
  served: ServedResource,
  namespace: string | undefined,
  name: string,
): void {
  if (!served.namespaced || namespace === undefined) return;
  const found = storage.get('namespaces', objectKey(undefined, namespace));
  if (found === undefined) throw notFound({ group: '', plural: 'namespaces' }, namespace);
  if (found.metadata.deletionTimestamp === undefined) return;
  const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
  throw forbidden(served, name, why, [
    {
      reason: 'NamespaceTerminating',
      message: `namespace ${namespace} is being terminated`,
      field: 'metadata.namespace',
    },
  ]);
}

function freeName(
  { storage }: Cluster,
  served: ServedResource,
  namespace: string | undefined,
  { metadata }: StoredObject,
): string {
  if (metadata.name || !metadata.generateName) return metadata.name ?? '';
  let name = '';
  for (let attempt = 0; attempt < NAME_ATTEMPTS; attempt++) {
    name = generateName(metadata.generateName);
    if (storage.get(served.storedAs, objectKey(namespace, name)) === undefined) break;
  }
  return name;
}

/** Where status is a subresource of its own, a create cannot set it. */
function withoutStatus(object: StoredObject, served: ServedResource): StoredObject {
  const own = served.subresources.some(({ name }) => name === 'status');
  if (!own || !('status' in object)) return object;
  const { status: _, ...rest } = object;
  return rest as unknown as StoredObject;
}
