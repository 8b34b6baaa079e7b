import {
  ApiError,
  type Client,
  type KubernetesObject,
  keyOf,
  matchesSelector,
  type ObjectKey,
  objectKey,
  type Permission,
  parseSelector,
  type Resource,
  resourceName,
  type Source,
} from 'chancery';
import { type ConfigMap, configMaps, type Pod, pods } from 'chancery/kubernetes';
import type {
  DeleteOptions,
  ListOptions,
  Patch,
  Store,
  Stored,
  Target,
  WriteOptions,
} from 'chancery/low-level';

/** What a test writes down; the cluster adds what an API server adds. */
export type Draft<T extends KubernetesObject> = Omit<T, 'apiVersion' | 'kind'>;

/** Called before every call; what it throws is the answer. */
export type Fault = (call: { verb: string; resource: string; name: string }) => void;

/**
 * The part of an API server that the reconciler can notice: uids, resourceVersions, generations,
 * preconditions, merge patches, the status subresource, evictions and disruption budgets.
 */
export class FakeCluster implements Client {
  readonly #objects = new Map<string, Map<ObjectKey, KubernetesObject>>();
  readonly #missing = new Set<string>();
  readonly #withoutStatus = new Set<string>();
  readonly #frozen = new Map<string, readonly KubernetesObject[]>();
  #counter = 0;
  fault: Fault = () => {};
  /** What the caller may do; everything else is answered 403. Undefined: everything. */
  permissions: readonly Permission[] | undefined;
  /** Milliseconds that an eviction is refused for, or undefined when it is granted. */
  budget: (pod: Pod) => { retryAfterSeconds?: number } | undefined = () => undefined;

  /** As after `kubectl delete crd`: the resource is not served. */
  uninstall(resource: Resource): void {
    this.#missing.add(resourceName(resource));
  }

  install(resource: Resource): void {
    this.#missing.delete(resourceName(resource));
  }

  /** From now on caches of `resource` stay as they are: a watch that is behind. */
  freezeCaches(resource: Resource): void {
    this.#frozen.set(resourceName(resource), this.all(resource));
  }

  dropStatusSubresource(resource: Resource): void {
    this.#withoutStatus.add(resourceName(resource));
  }

  /** Creates or replaces an object, as a person does with `kubectl apply`. */
  put<T extends KubernetesObject>(resource: Resource<T>, draft: Draft<T>): T {
    const metadata = { namespace: 'default', ...draft.metadata };
    const before = this.#of(resource).get(keyOf({ metadata }));
    const { uid = before?.metadata.uid ?? this.#next('uid') } = metadata;
    const object = { ...this.#typeMeta(resource), ...draft, metadata: { ...metadata, uid } } as T;
    return this.#store(resource, object, before);
  }

  /** Merges into an object, as a person does with `kubectl edit`. */
  edit<T extends KubernetesObject>(resource: Resource<T>, name: string, change: object): T {
    const before = this.#get(resource, { namespace: 'default', name });
    return this.#store(resource, merged(before, change) as T, before);
  }

  remove(resource: Resource, name: string): void {
    this.#of(resource).delete(objectKey('default', name));
  }

  all<T extends KubernetesObject>(resource: Resource<T>): readonly T[] {
    return [...this.#of(resource).values()] as T[];
  }

  read<T extends KubernetesObject>(resource: Resource<T>, name: string): T | undefined {
    return this.#of(resource).get(objectKey('default', name)) as T | undefined;
  }

  /** A cache that is behind only after `freezeCaches`. */
  store<T extends KubernetesObject>(source: Source<T>): Store<T> {
    const isServed = !this.#missing.has(resourceName(source.resource));
    const selector = parseSelector(source.labelSelector ?? '');
    const list = (): T[] => {
      if (!isServed) throw new Error('store read before the first list');
      const frozen = this.#frozen.get(resourceName(source.resource)) as readonly T[] | undefined;
      const objects = frozen ?? this.all(source.resource);
      return objects.filter(({ metadata }) => matchesSelector(selector, metadata.labels));
    };
    return {
      synced: isServed,
      list,
      get: (key) => list().find((object) => keyOf(object) === key),
      byIndex: () => {
        throw new Error('no source of config-restart has an index');
      },
    };
  }

  async get<T extends KubernetesObject>(resource: Resource<T>, target: Target): Promise<Stored<T>> {
    this.#arrive('get', resource, target);
    return this.#get(resource, target) as Stored<T>;
  }

  async find<T extends KubernetesObject>(
    resource: Resource<T>,
    target: Target,
  ): Promise<Stored<T> | undefined> {
    this.#arrive('get', resource, target);
    const key = objectKey(target.namespace, target.name);
    return this.#of(resource).get(key) as Stored<T> | undefined;
  }

  async list<T extends KubernetesObject>(
    resource: Resource<T>,
    { namespace, labelSelector }: ListOptions,
  ): Promise<readonly Stored<T>[]> {
    this.#arrive('list', resource, { name: '' });
    const selector = parseSelector(labelSelector ?? '');
    return (this.all(resource) as readonly Stored<T>[]).filter(
      ({ metadata }) =>
        (namespace === undefined || metadata.namespace === namespace) &&
        matchesSelector(selector, metadata.labels),
    );
  }

  async create<T extends KubernetesObject>(resource: Resource<T>, object: T): Promise<T> {
    this.#arrive('create', resource, object.metadata);
    if (this.#of(resource).has(keyOf(object))) throw failure(409, 'AlreadyExists');
    return this.put(resource, object);
  }

  async patch<T extends KubernetesObject>(
    resource: Resource<T>,
    target: Target,
    { type, body }: Patch,
    { subresource }: WriteOptions,
  ): Promise<T> {
    this.#arrive('patch', resource, target, subresource);
    if (type !== 'merge') throw new Error(`the fake has no ${type} patches`);
    const before = this.#get(resource, target);
    checkPreconditions(before, (body as Partial<KubernetesObject>).metadata ?? {});
    if (subresource === undefined) return this.#store(resource, merged(before, body) as T, before);
    if (this.#withoutStatus.has(resourceName(resource))) throw notFound(target.name);
    const { status } = body as { status?: object };
    return this.#store(resource, merged(before, { status }) as T, before);
  }

  async delete(resource: Resource, target: Target, options: DeleteOptions): Promise<void> {
    this.#arrive('delete', resource, target);
    this.#remove(resource, target, options.preconditions ?? {});
  }

  async evict(
    target: Target,
    { preconditions = {} }: { preconditions?: DeleteOptions['preconditions'] },
  ): Promise<void> {
    this.#arrive('create', pods, target, 'eviction');
    const refusal = this.budget(this.#get(pods, target));
    if (refusal !== undefined) {
      const causes = [{ reason: 'DisruptionBudget', message: 'the budget needs all of them' }];
      throw failure(429, 'TooManyRequests', { causes, ...refusal });
    }
    this.#remove(pods, target, preconditions);
  }

  apply(): Promise<never> {
    return Promise.reject(new Error('the fake has no server-side apply'));
  }

  applyExisting(): Promise<never> {
    return this.apply();
  }

  update(): Promise<never> {
    return Promise.reject(new Error('the fake has no update'));
  }

  /** A Pod on a node terminates until somebody removes it; another is gone at once. */
  #remove(
    resource: Resource,
    target: Target,
    preconditions: NonNullable<DeleteOptions['preconditions']>,
  ): void {
    const before = this.#get(resource, target);
    checkPreconditions(before, preconditions);
    const isOnNode = (before as Pod).spec?.nodeName !== undefined;
    if (!isOnNode) this.#of(resource).delete(keyOf(before));
    else {
      const deletionTimestamp = '2030-01-01T00:00:00Z';
      this.#store(resource, merged(before, { metadata: { deletionTimestamp } }), before);
    }
  }

  #store<T extends KubernetesObject>(resource: Resource<T>, object: T, before?: T): T {
    if (before && JSON.stringify(before) === JSON.stringify(object)) return before;
    const isSpecSame = JSON.stringify(specOf(before)) === JSON.stringify(specOf(object));
    const hasSpec = specOf(object) !== undefined;
    const generation = (before?.metadata.generation ?? 0) + (isSpecSame ? 0 : 1);
    const metadata = {
      ...object.metadata,
      ...(hasSpec ? { generation } : {}),
      resourceVersion: this.#next(''),
    };
    const stored = structuredClone({ ...object, metadata });
    this.#of(resource).set(keyOf(stored), stored);
    return stored;
  }

  #get<T extends KubernetesObject>(resource: Resource<T>, { namespace, name }: Target): T {
    const found = this.#of(resource).get(objectKey(namespace, name));
    if (found === undefined) throw notFound(name);
    return found as T;
  }

  #of<T extends KubernetesObject>(resource: Resource<T>): Map<ObjectKey, T> {
    const name = resourceName(resource);
    const objects = this.#objects.get(name) ?? new Map<ObjectKey, KubernetesObject>();
    this.#objects.set(name, objects);
    return objects as Map<ObjectKey, T>;
  }

  #arrive(
    verb: string,
    resource: Resource,
    { name }: Pick<Target, 'name'>,
    subresource?: string,
  ): void {
    const isPermitted = (permission: Permission): boolean =>
      resourceName(permission.resource) === resourceName(resource) &&
      permission.subresource === subresource &&
      permission.verbs.some((each) => each === verb);
    if (this.permissions?.some(isPermitted) === false) throw failure(403, 'Forbidden');
    const suffix = subresource === undefined ? '' : `/${subresource}`;
    this.fault({ verb, resource: resourceName(resource) + suffix, name });
  }

  #typeMeta({ group, version, kind }: Resource): Pick<KubernetesObject, 'apiVersion' | 'kind'> {
    return { apiVersion: group === '' ? version : `${group}/${version}`, kind };
  }

  #next(prefix: string): string {
    return `${prefix}${++this.#counter}`;
  }
}

/** The answer of an API server that refuses. */
export function failure(code: number, reason: string, details: object = {}): ApiError {
  return new ApiError({ code, reason, message: reason, details });
}

function notFound(name: string): ApiError {
  return failure(404, 'NotFound', { name });
}

/** `data` of a ConfigMap in the cluster. */
export function dataOf(cluster: FakeCluster, name: string): ConfigMap['data'] {
  return cluster.read(configMaps, name)?.data;
}

function checkPreconditions(
  { metadata }: KubernetesObject,
  { uid, resourceVersion }: { uid?: string; resourceVersion?: string },
): void {
  const isOther = uid !== undefined && uid !== metadata.uid;
  const isChanged = resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion;
  if (isOther || isChanged) throw failure(409, 'Conflict');
}

function specOf(object: KubernetesObject | undefined): unknown {
  return (object as { spec?: unknown } | undefined)?.spec;
}

/** RFC 7386. */
function merged<T extends object>(target: T, patch: object): T {
  const result = { ...target } as Record<string, unknown>;
  for (const [key, value] of Object.entries(patch)) {
    if (value === undefined) continue;
    if (value === null) delete result[key];
    else if (typeof value !== 'object' || Array.isArray(value)) result[key] = value;
    else {
      const inner = result[key];
      result[key] = merged(typeof inner === 'object' && inner !== null ? inner : {}, value);
    }
  }
  return result as T;
}
