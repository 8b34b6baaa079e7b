import type { KubernetesObject, Resource } from 'chancery';
import type { ClusterAccess, DeleteOptions } from '../../cluster/cluster-access.ts';
import type { CommittedEvent, ResourceName, StoredObject } from '../../objects/stored-object.ts';

/**
 * Forwards every call to another ClusterAccess, and counts the writes. Refused writes are counted too,
 * because they also cost a controller time.
 */
export class CountedAccess implements ClusterAccess {
  readonly #access: ClusterAccess;
  readonly #admit: (resource: ResourceName, object: KubernetesObject) => void;
  #writes = 0;

  /** @param admit - checks an object before it is created, and throws if it must not be created. */
  constructor(
    access: ClusterAccess,
    admit: (resource: ResourceName, object: KubernetesObject) => void,
  ) {
    this.#access = access;
    this.#admit = admit;
  }

  /** The number of attempted writes since the last call. */
  takeWrites(): number {
    const writes = this.#writes;
    this.#writes = 0;
    return writes;
  }

  resources(): readonly Resource[] {
    return this.#access.resources();
  }

  resourceOf(apiVersion: string, kind: string): ResourceName | undefined {
    return this.#access.resourceOf(apiVersion, kind);
  }

  get(
    resource: ResourceName,
    namespace: string | undefined,
    name: string,
  ): StoredObject | undefined {
    return this.#access.get(resource, namespace, name);
  }

  list(resource: ResourceName, namespace?: string): readonly StoredObject[] {
    return this.#access.list(resource, namespace);
  }

  create(resource: ResourceName, object: KubernetesObject): StoredObject {
    this.#writes++;
    this.#admit(resource, object);
    return this.#access.create(resource, object);
  }

  update(resource: ResourceName, object: KubernetesObject): StoredObject {
    const { namespace, name } = object.metadata;
    return this.#counted(resource, namespace, name, () => this.#access.update(resource, object));
  }

  updateStatus(resource: ResourceName, object: KubernetesObject): StoredObject {
    const { namespace, name } = object.metadata;
    return this.#counted(resource, namespace, name, () =>
      this.#access.updateStatus(resource, object),
    );
  }

  patch(
    resource: ResourceName,
    namespace: string | undefined,
    name: string,
    mergePatch: object,
    subresource?: 'status',
  ): StoredObject {
    return this.#counted(resource, namespace, name, () =>
      this.#access.patch(resource, namespace, name, mergePatch, subresource),
    );
  }

  bind(namespace: string | undefined, name: string, nodeName: string): StoredObject {
    this.#writes++;
    return this.#access.bind(namespace, name, nodeName);
  }

  delete(
    resource: ResourceName,
    namespace: string | undefined,
    name: string,
    options?: DeleteOptions,
  ): void {
    this.#writes++;
    this.#access.delete(resource, namespace, name, options);
  }

  subscribe(resource: ResourceName, listener: (event: CommittedEvent) => void): () => void {
    return this.#access.subscribe(resource, listener);
  }

  subscribeAll(listener: (resource: ResourceName, event: CommittedEvent) => void): () => void {
    return this.#access.subscribeAll(listener);
  }

  /**
   * Counts a write if it changes something. A real controller would not send a write that changes nothing.
   */
  #counted(
    resource: ResourceName,
    namespace: string | undefined,
    name: string,
    write: () => StoredObject,
  ): StoredObject {
    const before = this.#access.get(resource, namespace, name)?.metadata.resourceVersion;
    this.#writes++;
    const written = write();
    if (written.metadata.resourceVersion === before) this.#writes--;
    return written;
  }
}
