import { pods } from '../model/builtin.ts';
import type { KubernetesObject } from '../model/object.ts';
import type { Resource } from '../model/resource.ts';
import { type ApiError, isAlreadyExists, isConflict, isNotFound } from '../model/status.ts';
import { isAsPatched, isAsUpdated, isGuarded, isOwnCreation } from './carried-out.ts';
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
import { Repeater, type RepeaterOptions, type Repetition } from './repeater.ts';
import { isUnserved } from './response-failure.ts';

export type RetryingClientOptions = RepeaterOptions;

/**
 * `client`, whose calls are made again where that is safe, within a budget of 10 s:
 *
 * - what the API server never saw (`fate: 'not-sent'`), except what the ambassador's filter refused:
 *   after 100 ms, then twice as long each time;
 * - what the server was too busy for (429, 503): after what its `Retry-After` asks for, 60 s at most,
 *   or after 0.5 s, then twice as long each time. A disruption budget's 429 is not repeated;
 * - where the outcome is unknown, what can be done twice without harm: reads; an apply; an update or
 *   a patch that a resourceVersion or a `test` guards; a delete or eviction of one uid; the creation
 *   of an object with a name. A refusal of the second attempt may then be due to the first: the
 *   object is read, and the call succeeds when it is as we wanted it. Never the creation of an object
 *   with `generateName`, which would make two.
 *
 * Delays are stretched by up to a fifth. A delay that would pass the budget is not begun: the call
 * fails at once with what it last failed with. The budget bounds the waiting, not an attempt under
 * way, for to cut off a write is not to know what became of it.
 *
 * @throws as `client` does. When any attempt left the outcome unknown and no later one settled it,
 *   the AmbassadorError of that attempt.
 */
export function retryingClient(client: Client, options: RetryingClientOptions): Client {
  return new RetryingClient(client, new Repeater(options));
}

const READ = { verb: 'GET', afterUnknown: true } as const;

class RetryingClient implements Client {
  readonly #client: Client;
  readonly #repeater: Repeater;

  constructor(client: Client, repeater: Repeater) {
    this.#client = client;
    this.#repeater = repeater;
  }

  get<T extends KubernetesObject>(
    resource: Resource<T>,
    target: Target,
    options: CallOptions = {},
  ): Promise<Stored<T>> {
    const attempt = () => this.#client.get(resource, target, options);
    return this.#repeater.run(attempt, READ, options.signal);
  }

  find<T extends KubernetesObject>(
    resource: Resource<T>,
    target: Target,
    options: CallOptions = {},
  ): Promise<Stored<T> | undefined> {
    const attempt = () => this.#client.find(resource, target, options);
    return this.#repeater.run(attempt, READ, options.signal);
  }

  list<T extends KubernetesObject>(
    resource: Resource<T>,
    options: ListOptions = {},
  ): Promise<readonly Stored<T>[]> {
    return this.#repeater.run(() => this.#client.list(resource, options), READ, options.signal);
  }

  create<T extends KubernetesObject>(
    resource: Resource<T>,
    object: T,
    options: WriteOptions = {},
  ): Promise<T> {
    const hasName = (object.metadata.name ?? '') !== '';
    return this.#write(() => this.#client.create(resource, object, options), options, {
      verb: 'POST',
      afterUnknown: hasName && options.subresource === undefined,
      settle: (refusal) =>
        this.#asWanted(isAlreadyExists(refusal), resource, object.metadata, options, (live) =>
          isOwnCreation(live, object),
        ),
    });
  }

  apply<T extends KubernetesObject>(
    resource: Resource<T>,
    object: T,
    options: ApplyOptions = {},
  ): Promise<T> {
    const attempt = () => this.#client.apply(resource, object, options);
    return this.#write(attempt, options, { verb: 'PATCH', afterUnknown: true });
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
    const attempt = () => this.#client.update(resource, object as Versioned<T>, options);
    return this.#write(attempt, options, {
      verb: 'PUT',
      afterUnknown: options.force !== true && (object.metadata.resourceVersion ?? '') !== '',
      settle: (refusal) =>
        this.#asWanted(isConflict(refusal), resource, object.metadata, options, (live) =>
          isAsUpdated(live, object, options.subresource),
        ),
    });
  }

  patch<T extends KubernetesObject>(
    resource: Resource<T>,
    target: Target,
    patch: Patch,
    options: WriteOptions = {},
  ): Promise<T> {
    return this.#write(() => this.#client.patch(resource, target, patch, options), options, {
      verb: 'PATCH',
      afterUnknown: isGuarded(patch),
      settle: (refusal) =>
        this.#asWanted(
          isConflict(refusal) || refusal.status === 422,
          resource,
          target,
          options,
          (live) => isAsPatched(live, patch),
        ),
    });
  }

  delete(resource: Resource, target: Target, options: DeleteOptions = {}): Promise<void> {
    const attempt = () => this.#client.delete(resource, target, options);
    return this.#repeater.run(
      attempt,
      this.#removal('DELETE', resource, target, options),
      options.signal,
    );
  }

  evict(pod: Target, options: EvictOptions = {}): Promise<void> {
    const attempt = () => this.#client.evict(pod, options);
    return this.#repeater.run(attempt, this.#removal('POST', pods, pod, options), options.signal);
  }

  #write<T>(
    attempt: () => Promise<T>,
    { dryRun, signal }: WriteOptions,
    repetition: Repetition<T>,
  ): Promise<T> {
    const { verb } = repetition;
    // What stores nothing can be asked as often as one likes.
    const rules = dryRun === true ? { verb, afterUnknown: true } : repetition;
    return this.#repeater.run(attempt, rules, signal);
  }

  /** The object as it is now, where a refusal may be due to us and the object is as we wanted it. */
  async #asWanted<T extends KubernetesObject>(
    mayBeOurs: boolean,
    resource: Resource<T>,
    target: Target,
    { signal }: CallOptions,
    isOurs: (live: T) => boolean,
  ): Promise<{ readonly value: T } | undefined> {
    if (!mayBeOurs) return undefined;
    const live = await this.#client.find(resource, targetOf(target), { signal });
    return live !== undefined && isOurs(live) ? { value: live } : undefined;
  }

  #removal(
    verb: 'DELETE' | 'POST',
    resource: Resource,
    target: Target,
    { preconditions, signal }: EvictOptions,
  ): Repetition<void> {
    const uid = preconditions?.uid;
    return {
      verb,
      afterUnknown: uid !== undefined,
      settle: async (refusal) => {
        if (isAbsent(refusal)) return { value: undefined };
        if (refusal.status !== 409) return undefined;
        const live = await this.#client.find(resource, targetOf(target), { signal });
        const isLeft = live?.metadata.uid === uid && live?.metadata.deletionTimestamp === undefined;
        return isLeft ? undefined : { value: undefined };
      },
    };
  }
}

function isAbsent(refusal: ApiError): boolean {
  return isNotFound(refusal) && !isUnserved(refusal);
}

function targetOf({ namespace, name }: Target): Target {
  return namespace === undefined ? { name } : { namespace, name };
}
