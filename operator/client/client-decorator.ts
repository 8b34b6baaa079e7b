import type { KubernetesObject } from '../model/object.ts';
import type { Resource } from '../model/resource.ts';
import type {
  ApplyOptions,
  CallOptions,
  Client,
  DeleteOptions,
  EvictOptions,
  ListOptions,
  Patch,
  Stored,
  Target,
  UpdateOptions,
  Versioned,
  WriteOptions,
} from './client.ts';
import { requireUid } from './existing.ts';

/** A call that changes nothing. */
export type ReadCall<T extends KubernetesObject = KubernetesObject> =
  | {
      readonly verb: 'get' | 'find';
      readonly resource: Resource<T>;
      readonly target: Target;
      readonly options: CallOptions;
    }
  | { readonly verb: 'list'; readonly resource: Resource<T>; readonly options: ListOptions };

/** A call that stores an object and is answered with it. */
export type WriteCall<T extends KubernetesObject = KubernetesObject> =
  | {
      readonly verb: 'create';
      readonly resource: Resource<T>;
      readonly object: T;
      readonly options: WriteOptions;
    }
  | {
      /** `applyExisting` is one as well: its object has a uid. */
      readonly verb: 'apply';
      readonly resource: Resource<T>;
      readonly object: T;
      readonly options: ApplyOptions;
    }
  | {
      readonly verb: 'update';
      readonly resource: Resource<T>;
      readonly object: T;
      readonly options: UpdateOptions;
    }
  | {
      readonly verb: 'patch';
      readonly resource: Resource<T>;
      readonly target: Target;
      readonly patch: Patch;
      readonly options: WriteOptions;
    };

/** A call that asks for an object to go. */
export type RemoveCall =
  | {
      readonly verb: 'delete';
      readonly resource: Resource;
      readonly target: Target;
      readonly options: DeleteOptions;
    }
  | { readonly verb: 'evict'; readonly target: Target; readonly options: EvictOptions };

/**
 * What is done around the calls of a client: each is given the call and what makes it, `next`, which
 * takes the call as it was given or changed. `call.options` is always there.
 */
export interface AroundCalls {
  read?<R, C extends ReadCall>(call: C, next: (call: C) => Promise<R>): Promise<R>;
  write?<T extends KubernetesObject, C extends WriteCall<T>>(
    call: C,
    next: (call: C) => Promise<T>,
  ): Promise<T>;
  remove?<C extends RemoveCall>(call: C, next: (call: C) => Promise<void>): Promise<void>;
}

/** `client`, with something around its calls. What `around` does not name is passed on as it is. */
export function decorateClient(client: Client, around: AroundCalls): Client {
  return new DecoratedClient(client, around);
}

class DecoratedClient implements Client {
  readonly #client: Client;
  readonly #around: Required<AroundCalls>;

  constructor(client: Client, around: AroundCalls) {
    this.#client = client;
    this.#around = { ...PASSED_ON, ...around };
  }

  get<T extends KubernetesObject>(
    resource: Resource<T>,
    target: Target,
    options: CallOptions = {},
  ): Promise<Stored<T>> {
    return this.#around.read({ verb: 'get' as const, resource, target, options }, (call) =>
      this.#client.get(call.resource, call.target, call.options),
    );
  }

  find<T extends KubernetesObject>(
    resource: Resource<T>,
    target: Target,
    options: CallOptions = {},
  ): Promise<Stored<T> | undefined> {
    return this.#around.read({ verb: 'find' as const, resource, target, options }, (call) =>
      this.#client.find(call.resource, call.target, call.options),
    );
  }

  list<T extends KubernetesObject>(
    resource: Resource<T>,
    options: ListOptions = {},
  ): Promise<readonly Stored<T>[]> {
    return this.#around.read({ verb: 'list' as const, resource, options }, (call) =>
      this.#client.list(call.resource, call.options),
    );
  }

  create<T extends KubernetesObject>(
    resource: Resource<T>,
    object: T,
    options: WriteOptions = {},
  ): Promise<T> {
    return this.#around.write({ verb: 'create' as const, resource, object, options }, (call) =>
      this.#client.create(call.resource, call.object, call.options),
    );
  }

  apply<T extends KubernetesObject>(
    resource: Resource<T>,
    object: T,
    options: ApplyOptions = {},
  ): Promise<T> {
    return this.#around.write({ verb: 'apply' as const, resource, object, options }, (call) =>
      this.#client.apply(call.resource, call.object, call.options),
    );
  }

  async applyExisting<T extends KubernetesObject>(
    resource: Resource<T>,
    object: T,
    options: ApplyOptions = {},
  ): Promise<T> {
    requireUid(resource, object);
    return this.apply(resource, object, options);
  }

  update<T extends KubernetesObject>(
    resource: Resource<T>,
    object: T,
    options: UpdateOptions = {},
  ): Promise<T> {
    return this.#around.write({ verb: 'update' as const, resource, object, options }, (call) =>
      this.#client.update(call.resource, call.object as Versioned<T>, call.options),
    );
  }

  patch<T extends KubernetesObject>(
    resource: Resource<T>,
    target: Target,
    patch: Patch,
    options: WriteOptions = {},
  ): Promise<T> {
    const given = { verb: 'patch' as const, resource, target, patch, options };
    return this.#around.write(given, (call) =>
      this.#client.patch(call.resource, call.target, call.patch, call.options),
    );
  }

  delete(resource: Resource, target: Target, options: DeleteOptions = {}): Promise<void> {
    return this.#around.remove({ verb: 'delete' as const, resource, target, options }, (call) =>
      this.#client.delete(call.resource, call.target, call.options),
    );
  }

  evict(target: Target, options: EvictOptions = {}): Promise<void> {
    return this.#around.remove({ verb: 'evict' as const, target, options }, (call) =>
      this.#client.evict(call.target, call.options),
    );
  }
}

const PASSED_ON: Required<AroundCalls> = {
  read: (call, next) => next(call),
  write: (call, next) => next(call),
  remove: (call, next) => next(call),
};
