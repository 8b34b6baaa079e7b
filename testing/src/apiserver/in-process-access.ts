import type { KubernetesObject, Resource } from 'chancery';
import { isNotFound, resourceName } from 'chancery/internal-objects';
import type { Cluster } from './cluster/cluster.ts';
import type { ClusterAccess, DeleteOptions } from './cluster/cluster-access.ts';
import { runNow } from './cluster/steps.ts';
import { unknownResource } from './failures/request-failures.ts';
import type { Json } from './objects/metadata.ts';
import type { CommittedEvent, ResourceName, StoredObject } from './objects/stored-object.ts';
import { applyMergePatch } from './patch/json/merge-patch.ts';
import { fromStored, type ServedResource } from './registry/served-resource.ts';
import { DEFAULT_DELETION } from './request/delete-options.ts';
import { internalWrite } from './request/options.ts';
import { deleteObject } from './verbs/deletes/delete.ts';
import { assignPod } from './verbs/subresources/bind.ts';
import { requireStored, type Target } from './verbs/target.ts';
import { createObject } from './verbs/writes/create.ts';
import { type Change, updateObject } from './verbs/writes/update.ts';

/** Reads and writes objects without HTTP, with one field manager. No webhooks are called. */
export class InProcessAccess implements ClusterAccess {
  readonly #cluster: Cluster;
  readonly #manager: string;

  constructor(cluster: Cluster, manager: string) {
    this.#cluster = cluster;
    this.#manager = manager;
  }

  resources(): readonly Resource[] {
    const stored = this.#cluster.registry.all().filter((served) => served.verbs.includes('list'));
    return stored.filter((served) => served.shape === undefined && isStorageVersion(served));
  }

  resourceOf(apiVersion: string, kind: string): ResourceName | undefined {
    const served = this.#cluster.registry.byGroupKind(apiVersion, kind);
    return served === undefined ? undefined : resourceName(served);
  }

  /** Creates an object in the resource of its apiVersion and kind. */
  createObject(object: KubernetesObject): StoredObject {
    const resource = this.resourceOf(object.apiVersion, object.kind);
    if (resource === undefined) throw unknownResource();
    return this.create(resource, object);
  }

  get(
    resource: ResourceName,
    namespace: string | undefined,
    name: string,
  ): StoredObject | undefined {
    const target = this.#target(resource, namespace, name);
    try {
      return fromStored(target.served, requireStored(this.#cluster, target));
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }

  list(resource: ResourceName, namespace?: string): readonly StoredObject[] {
    const served = this.#served(resource);
    const stored = this.#cluster.storage.list(served.storedAs, namespace);
    return stored.map((object) => fromStored(served, object));
  }

  create(resource: ResourceName, object: KubernetesObject): StoredObject {
    const served = this.#served(resource);
    const body = object as StoredObject;
    const { namespace } = object.metadata;
    const options = internalWrite(this.#manager);
    return runNow(createObject(this.#cluster, served, namespace, body, options));
  }

  update(resource: ResourceName, object: KubernetesObject): StoredObject {
    return this.#write(resource, object, undefined);
  }

  updateStatus(resource: ResourceName, object: KubernetesObject): StoredObject {
    return this.#write(resource, object, 'status');
  }

  patch(
    resource: ResourceName,
    namespace: string | undefined,
    name: string,
    mergePatch: object,
    subresource?: 'status',
  ): StoredObject {
    const target = this.#target(resource, namespace, name);
    const change = (live: StoredObject): Change => ({
      object: applyMergePatch(live as Json, mergePatch) as unknown as StoredObject,
    });
    const options = internalWrite(this.#manager, subresource);
    return runNow(updateObject(this.#cluster, target, change, options));
  }

  bind(namespace: string | undefined, name: string, nodeName: string): StoredObject {
    const target = this.#target('pods', namespace, name);
    return assignPod(this.#cluster, target, nodeName, { dryRun: false });
  }

  delete(
    resource: ResourceName,
    namespace: string | undefined,
    name: string,
    options: DeleteOptions = {},
  ): void {
    const target = this.#target(resource, namespace, name);
    const writer = internalWrite(this.#manager);
    const whole = { ...DEFAULT_DELETION, ...options };
    runNow(deleteObject(this.#cluster, target, whole, writer));
  }

  subscribe(resource: ResourceName, listener: (event: CommittedEvent) => void): () => void {
    return this.subscribeAll((changed, event) => {
      if (changed === resource) listener(event);
    });
  }

  subscribeAll(listener: (resource: ResourceName, event: CommittedEvent) => void): () => void {
    return this.#cluster.storage.subscribe(listener);
  }

  #write(
    resource: ResourceName,
    object: KubernetesObject,
    subresource: 'status' | undefined,
  ): StoredObject {
    const { namespace, name } = object.metadata;
    const target = this.#target(resource, namespace, name);
    const options = internalWrite(this.#manager, subresource);
    const change = (): Change => ({ object: object as StoredObject });
    return runNow(updateObject(this.#cluster, target, change, options));
  }

  #target(resource: ResourceName, namespace: string | undefined, name: string): Target {
    return { served: this.#served(resource), namespace, name };
  }

  #served(resource: ResourceName): ServedResource {
    const served = this.#cluster.registry.byName(resource);
    if (served === undefined) throw unknownResource();
    return served;
  }
}

function isStorageVersion(served: ServedResource): boolean {
  return served.version === served.storageVersion;
}
