import { OperatorError } from '../core/errors.ts';
import { pods } from '../model/builtin.ts';
import type { KubernetesObject, Target } from '../model/object.ts';
import { type Resource, resourceName } from '../model/resource.ts';
import { AROUND_CALLS, type PartsAround } from './around-calls.ts';
import type { CallHandler, Interceptor, Next } from './call.ts';
import type {
  ApplyOptions,
  CallOptions,
  Client,
  DeleteOptions,
  EvictOptions,
  ListOptions,
  Patch,
  Stored,
  UpdateOptions,
  WriteOptions,
} from './client.ts';

/**
 * A Client that passes its calls to `handle`. Use it in a test that creates the answers itself, or to reach
 * an API server in another way. Each method of the client calls `handle` once. For an object without
 * `metadata.uid`, `applyExisting` rejects with an OperatorError `USER_CODE` and does not call `handle`.
 */
export function clientOf(handle: CallHandler): Client {
  return new CallClient(handle as Next);
}

/**
 * `client` with interceptors around its calls. The first interceptor is the outermost: it is the first to get
 * a call, and the last to get the answer. `client` itself does not change.
 *
 * @throws OperatorError `USER_CODE` when `client` was created by another implementation or another copy of
 *   this package. Use `clientOf` to create such a client.
 */
export function intercept(client: Client, ...interceptors: readonly Interceptor[]): Client {
  const handle = interceptors.reduceRight<Next>(
    // The cast is safe if the interceptor returns the answer of each verb, as `CallHandler` requires.
    (next, interceptor) => interceptor(next) as Next,
    CallClient.nextOf(client),
  );
  return new CallClient(handle);
}

/**
 * `client` with the layers `parts` around its calls, in addition to the layers that it already has. The
 * layers have the same order as in `AROUND_CALLS`. A layer replaces an earlier layer with the same name.
 * Layers that are added later are outside of all interceptors that `intercept` has added before. `client`
 * itself does not change.
 *
 * @throws OperatorError `USER_CODE` in the same cases as `intercept`.
 */
export function surround(client: Client, parts: PartsAround): Client {
  return CallClient.surround(client, parts);
}

/**
 * The methods of a client, each turned into a call. An interceptor is not generic, so the casts give the
 * answer the type of the object or of the resource. They are safe, because `rest-client.ts` checks the kind.
 */
class CallClient implements Client {
  /** Makes the calls. This is the innermost function, inside of all layers. */
  readonly #handle: Next;
  readonly #parts: PartsAround;
  /**
   * `#handle` with the layers around it. It is created at the first call, because many attempts make no call.
   */
  #surrounded: Next | undefined;

  constructor(handle: Next, parts: PartsAround = {}) {
    this.#handle = handle;
    this.#parts = parts;
  }

  static nextOf(client: Client): Next {
    const own = CallClient.#own(client);
    return (call) => own.#next(call);
  }

  static surround(client: Client, parts: PartsAround): CallClient {
    const own = CallClient.#own(client);
    return new CallClient(own.#handle, { ...own.#parts, ...parts });
  }

  static #own(client: Client): CallClient {
    if (#handle in client) return client;
    throw new OperatorError('only a client that clientOf has made can be intercepted', {
      code: 'USER_CODE',
      layer: 'user-code',
    });
  }

  get #next(): Next {
    this.#surrounded ??= AROUND_CALLS.reduceRight<Next>(
      (next, name) => (this.#parts[name]?.(next) as Next | undefined) ?? next,
      this.#handle,
    );
    return this.#surrounded;
  }

  get<T extends KubernetesObject>(
    resource: Resource<T>,
    target: Target,
    options: CallOptions = {},
  ): Promise<Stored<T>> {
    return this.#next({ verb: 'get', resource, target, options }) as Promise<Stored<T>>;
  }

  find<T extends KubernetesObject>(
    resource: Resource<T>,
    target: Target,
    options: CallOptions = {},
  ): Promise<Stored<T> | undefined> {
    return this.#next({ verb: 'find', resource, target, options }) as Promise<
      Stored<T> | undefined
    >;
  }

  list<T extends KubernetesObject>(
    resource: Resource<T>,
    options: ListOptions = {},
  ): Promise<readonly Stored<T>[]> {
    return this.#next({ verb: 'list', resource, options }) as Promise<readonly Stored<T>[]>;
  }

  create<T extends KubernetesObject>(
    resource: Resource<T>,
    object: T,
    options: WriteOptions = {},
  ): Promise<T> {
    return this.#next({ verb: 'create', resource, object, options }) as Promise<T>;
  }

  apply<T extends KubernetesObject>(
    resource: Resource<T>,
    object: T,
    options: ApplyOptions = {},
  ): Promise<T> {
    return this.#next({ verb: 'apply', resource, object, options }) as Promise<T>;
  }

  async applyExisting<T extends KubernetesObject>(
    resource: Resource<T>,
    object: T,
    options: ApplyOptions = {},
  ): Promise<T> {
    requireUid(resource, object);
    return this.#next({ verb: 'apply', resource, object, options }) as Promise<T>;
  }

  update<T extends KubernetesObject>(
    resource: Resource<T>,
    object: T,
    options: UpdateOptions = {},
  ): Promise<T> {
    return this.#next({ verb: 'update', resource, object, options }) as Promise<T>;
  }

  patch<T extends KubernetesObject>(
    resource: Resource<T>,
    target: Target,
    patch: Patch,
    options: WriteOptions = {},
  ): Promise<T> {
    return this.#next({ verb: 'patch', resource, target, patch, options }) as Promise<T>;
  }

  delete(resource: Resource, target: Target, options: DeleteOptions = {}): Promise<void> {
    return this.#next({ verb: 'delete', resource, target, options });
  }

  evict(target: Target, options: EvictOptions = {}): Promise<void> {
    return this.#next({ verb: 'evict', resource: pods, target, options });
  }
}

/**
 * Requires a uid in the object. If the body of an apply contains a uid, the apply cannot create an object
 * again that was deleted meanwhile.
 */
function requireUid(resource: Resource, { metadata }: KubernetesObject): void {
  if ((metadata.uid ?? '') !== '') return;
  throw new OperatorError('applyExisting needs metadata.uid, of the object as it was read', {
    code: 'USER_CODE',
    layer: 'user-code',
    context: { resource: resourceName(resource), name: metadata.name },
  });
}
