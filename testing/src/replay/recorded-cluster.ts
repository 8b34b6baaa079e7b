import type { KubernetesObject, ObjectKey } from 'chancery';
import type {
  ClusterAnswer,
  ClusterChange,
  ReplayCluster,
  ReplayClusterState,
} from 'chancery/internal';
import { keyOf } from 'chancery/internal-objects';
import { collectionOf, isBuiltInGroup } from 'chancery/internal-testing';
import { ApiServer } from '../apiserver/api-server.ts';
import type {
  CommittedEvent,
  ResourceName,
  StoredObject,
} from '../apiserver/objects/stored-object.ts';
import { StorageSnapshot } from '../apiserver/storage/snapshot.ts';

/**
 * The embedded API server in the state that a record describes. It answers those requests of a
 * replay that are not in the record. Objects have the recorded uids and resourceVersions, and only
 * the fields that the operator's caches had.
 */
export async function recordedCluster(state: ReplayClusterState): Promise<ReplayCluster> {
  const server = await ApiServer.inMemory({ clock: state.clock });
  const cluster = new RecordedCluster(server);
  try {
    cluster.fill(state);
  } catch (error) {
    await server.close();
    throw error;
  }
  return cluster;
}

class RecordedCluster implements ReplayCluster {
  readonly #server: ApiServer;
  readonly #changes: ClusterChange[] = [];
  /** Changes by other writers that have not been made on the server yet. */
  readonly #others: {
    readonly collection: string;
    readonly key: ObjectKey;
    readonly object: KubernetesObject | undefined;
  }[] = [];
  /** True while the state of the record is loaded into the server. */
  #isFilling = false;

  constructor(server: ApiServer) {
    this.#server = server;
    server.subscribe((resource, event) => {
      if (!this.#isFilling) this.#changes.push(changeOf(resource, event));
    });
  }

  fill({ sources, objects, definitions, resourceVersion }: ReplayClusterState): void {
    this.#isFilling = true;
    const defined = new Set(definitions.map(({ metadata: { name } }) => name));
    for (const definition of definitions) this.#server.create(definition);
    for (const source of sources) {
      const [group = ''] = source.apiVersion.split('/');
      if (isBuiltInGroup({ group })) continue;
      const definition = definitionOf(source);
      if (defined.has(definition.metadata.name)) continue;
      defined.add(definition.metadata.name);
      this.#server.create(definition);
    }
    const namespaces = new Set(
      [...objects.values()].flat().map(({ metadata }) => metadata.namespace),
    );
    for (const name of namespaces) {
      if (name === undefined || name === 'default' || name === 'kube-system') continue;
      this.#server.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    }
    for (const [collection, all] of objects) {
      for (const object of all) this.put(collection, object);
    }
    this.#flush(Number(resourceVersion));
    this.#isFilling = false;
  }

  async send({
    method,
    path,
    headers,
    body,
  }: Parameters<ReplayCluster['send']>[0]): Promise<ClusterAnswer> {
    this.#flush();
    return await new Promise((resolve, reject) => {
      let head: Omit<ClusterAnswer, 'body'> = { status: 0, headers: {} };
      const chunks: Buffer[] = [];
      const sent = { host: '127.0.0.1', ...headers };
      this.#server.exchange(
        { method, path, headers: sent, body },
        {
          head: (status, received) => {
            head = { status, headers: received };
          },
          data: (chunk) => void chunks.push(chunk),
          end: () => resolve({ ...head, body: Buffer.concat(chunks).toString('utf8') }),
          broken: () => reject(new Error('the embedded API server broke its answer off')),
        },
      );
    });
  }

  put(collection: string, object: KubernetesObject): void {
    this.#others.push({ collection, key: keyOf(object), object });
  }

  remove(collection: string, object: KubernetesObject): void {
    this.#others.push({ collection, key: keyOf(object), object: undefined });
  }

  changes(): readonly ClusterChange[] {
    return this.#changes.splice(0);
  }

  async close(): Promise<void> {
    await this.#server.close();
  }

  /**
   * Objects are loaded by a restore, because a client cannot choose the uid and resourceVersion in any
   * request.
   */
  #flush(revision?: number): void {
    if (this.#others.length === 0 && revision === undefined) return;
    const before = this.#server.snapshot();
    const collections = new Map(before.collections);
    for (const { collection, key, object } of this.#others.splice(0)) {
      const name = resourceNameOf(collection);
      const { objects, events = [], floor = 0 } = collections.get(name) ?? {};
      const changed = new Map<ObjectKey, StoredObject>(objects);
      if (object === undefined) changed.delete(key);
      else changed.set(key, object as StoredObject);
      collections.set(name, { objects: changed, events, floor });
    }
    this.#isFilling = true;
    this.#server.restore(new StorageSnapshot(revision ?? before.revision, collections));
    this.#isFilling = false;
  }
}

/** Converts `/apis/apps/v1/deployments` to `deployments.apps`. */
function resourceNameOf(collection: string): ResourceName {
  const [, root, ...rest] = collection.split('/');
  const plural = rest.at(-1) ?? '';
  return root === 'api' ? plural : `${plural}.${rest[0]}`;
}

function changeOf(resource: ResourceName, { type, object }: CommittedEvent): ClusterChange {
  const [plural = ''] = resource.split('.');
  const { apiVersion } = object;
  return { collection: collectionOf({ apiVersion, plural }), type, object };
}

/** A definition that accepts every field, because the record does not contain the real definition. */
function definitionOf({
  apiVersion,
  kind,
  plural,
  namespaced,
}: ReplayClusterState['sources'][number]): KubernetesObject {
  const [group = '', name = ''] = apiVersion.split('/');
  const schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const version = {
    ...{ name, served: true, storage: true, subresources: { status: {} } },
    schema: { openAPIV3Schema: schema },
  };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
      scope: namespaced ? 'Namespaced' : 'Cluster',
      versions: [version],
    },
  } as KubernetesObject;
}
