import process from 'node:process';
import { objectKey, rfc3339 } from 'chancery/internal-objects';
import { admitNew, admitWrite } from '../../admission/admit.ts';
import { mutate } from '../../admission/mutate.ts';
import { refuseEscalation } from '../../auth/escalation.ts';
import { type Caller, userInfo } from '../../auth/user.ts';
import { type AdmissionRequest, operationOptions } from '../../cluster/admission-request.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import { convertedFromStored, convertedToStored } from '../../cluster/converted.ts';
import type { Steps } from '../../cluster/steps.ts';
import { badRequest, internalError } from '../../failures/failure.ts';
import { invalid } from '../../failures/invalid.ts';
import { alreadyExists, forbidden, noFreeName, notFound } from '../../failures/object-failures.ts';
import { generateName } from '../../objects/generate-name.ts';
import { isObject, withFields, withMetadata } from '../../objects/metadata.ts';
import type { StoredObject } from '../../objects/stored-object.ts';
import {
  fromStored,
  type ServedResource,
  storedKind,
  toStored,
} from '../../registry/served-resource.ts';
import type { WriteOptions } from '../../request/options.ts';
import { newProblems } from '../../validation/fields/metadata.ts';
import { canonical, storable } from '../canonical.ts';
import { ownersAfter } from '../ownership.ts';
import { otherUid, requireKind, type Target } from '../target.ts';

/** The functions of this module are looked up at each use, because a simulation replaces them. */
const crypto = process.getBuiltinModule('node:crypto');

/** How many times the server tries to generate a name that is not taken. */
const NAME_ATTEMPTS = 8;

/**
 * Creates an object.
 * @returns the object in the served version.
 */
export function* createObject(
  cluster: Cluster,
  served: ServedResource,
  namespace: string | undefined,
  body: StoredObject,
  options: WriteOptions & { readonly managedFields?: readonly unknown[] },
): Steps<StoredObject> {
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
    uid: crypto.randomUUID(),
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
    toStored(served, withoutStatus(requestedBy(options.caller, named), served)),
    undefined,
    options.managedFields !== undefined,
  );
  const managedFields = (): readonly unknown[] =>
    options.managedFields ?? ownersAfter(served, undefined, prepared, options, rfc3339(nowMs));
  const request: AdmissionRequest = {
    operation: 'CREATE',
    served,
    subresource: options.subresource,
    namespace: served.storedAs === 'namespaces' ? body.metadata.name : namespace,
    name: body.metadata.name ?? '',
    object: undefined,
    previous: undefined,
    options: operationOptions('CreateOptions', options.sent),
    writer: options,
  };
  const admitted = yield* mutate(cluster, request, {
    object: prepared,
    managedFields,
    builtIn: (object) => admitNew(cluster, served, object),
    prepare: (object) => asCreated(served, requestedBy(options.caller, object), prepared),
  });
  const name = admitted.metadata.name ?? '';
  const whole = canonical(served, served.strategy.complete(admitted));
  if (served.custom) requireKind(whole, { kind: served.kind }, whole.metadata.name);
  const problems = newProblems(served, whole, served.strategy.validate(whole, undefined));
  // The error contains the stored kind, even if the object was sent as a different kind.
  if (problems.length > 0) throw invalid(storedKind(served), name, problems);
  // Fields that the server or a webhook adds get no owner.
  const owned = withMetadata(whole, { managedFields: managedFields() });
  yield* admitWrite(cluster, { ...request, object: fromStored(served, owned) });
  // The storage replaces this resourceVersion with the real one.
  const complete = storable(served, withMetadata(owned, { resourceVersion: '0' }));
  const stored = yield* convertedToStored(served, complete);
  const taken = cluster.storage.get(served.storedAs, objectKey(namespace, name));
  if (taken !== undefined) {
    if (!body.metadata.name) throw noFreeName(served, name);
    throw alreadyExists(served, name, taken.metadata.deletionTimestamp !== undefined);
  }
  const created = options.dryRun ? stored : cluster.storage.put(served.storedAs, stored);
  return fromStored(served, yield* convertedFromStored(served, created));
}

/**
 * Creates the object of a PUT if no object has its name. Only some kinds allow this. A resourceVersion in the
 * body is ignored, but a uid is an error, because it belongs to an object that no longer exists.
 *
 * @throws ApiError 400 for a name that differs from the name in the path, 409 for a body with a uid.
 */
export function* createByUpdate(
  cluster: Cluster,
  target: Target,
  body: StoredObject,
  options: WriteOptions,
): Steps<StoredObject> {
  const { resourceVersion: _, ...metadata } = body.metadata;
  if (metadata.name !== target.name) {
    throw badRequest(
      `the name of the object (${metadata.name ?? ''}) does not match the name on the URL (${target.name})`,
    );
  }
  if (metadata.uid) throw otherUid(target, metadata.uid, '');
  const named = { ...body, metadata };
  return yield* createObject(cluster, target.served, target.namespace, named, options);
}

/** Restores the fields that only the server sets, in a new object that a policy or webhook has changed. */
function asCreated(
  served: ServedResource,
  object: StoredObject,
  { metadata }: StoredObject,
): StoredObject {
  checkPlace(object, served, metadata.namespace);
  const { name = metadata.name } = object.metadata;
  const kept = withMetadata(object, {
    name,
    namespace: metadata.namespace,
    uid: metadata.uid,
    creationTimestamp: metadata.creationTimestamp,
    generation: metadata.generation,
    resourceVersion: undefined,
    deletionTimestamp: undefined,
    deletionGracePeriodSeconds: undefined,
    selfLink: undefined,
    managedFields: undefined,
  });
  return served.strategy.prepare(toStored(served, withoutStatus(kept, served)), undefined);
}

/**
 * Sets the requesting user of a certificate request to the sender, whatever the client wrote there.
 */
function requestedBy(caller: Caller | undefined, object: StoredObject): StoredObject {
  const { kind, apiVersion, spec } = object;
  const isRequest = kind === 'CertificateSigningRequest' && apiVersion === CERTIFICATES;
  if (!isRequest || !isObject(spec)) return object;
  const { username: _, uid: _uid, groups: _groups, extra: _extra, ...asked } = spec;
  const requester = caller === undefined ? {} : userInfo(caller);
  return withFields(object, { spec: { ...asked, ...requester } });
}

const CERTIFICATES = 'certificates.k8s.io/v1';

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

/** Refuses new objects in a namespace that is missing or terminating. */
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

/**
 * Removes the status of a new object if status is a subresource, because then a create cannot set the status.
 */
function withoutStatus(object: StoredObject, served: ServedResource): StoredObject {
  const own = served.subresources.some(({ name }) => name === 'status');
  if (!own || !('status' in object)) return object;
  const { status: _, ...rest } = object;
  return rest as unknown as StoredObject;
}
