import type { Pod } from '../model/builtin.ts';
import type { KubernetesObject, Target } from '../model/object.ts';
import type { Resource } from '../model/resource.ts';
import type {
  ApplyOptions,
  CallOptions,
  DeleteOptions,
  EvictOptions,
  ListOptions,
  Patch,
  Stored,
  UpdateOptions,
  WriteOptions,
} from './client.ts';

/** A call that changes nothing. */
export type ReadCall =
  | {
      readonly verb: 'get' | 'find';
      readonly resource: Resource;
      readonly target: Target;
      readonly options: CallOptions;
    }
  | { readonly verb: 'list'; readonly resource: Resource; readonly options: ListOptions };

/** A call that stores an object. The answer is that object. */
export type WriteCall =
  | {
      readonly verb: 'create';
      readonly resource: Resource;
      readonly object: KubernetesObject;
      readonly options: WriteOptions;
    }
  | {
      /** This call is also used for `applyExisting`. The object then has a uid. */
      readonly verb: 'apply';
      readonly resource: Resource;
      readonly object: KubernetesObject;
      readonly options: ApplyOptions;
    }
  | {
      readonly verb: 'update';
      readonly resource: Resource;
      readonly object: KubernetesObject;
      readonly options: UpdateOptions;
    }
  | {
      readonly verb: 'patch';
      readonly resource: Resource;
      readonly target: Target;
      readonly patch: Patch;
      readonly options: WriteOptions;
    };

/** A call that requests the removal of an object. */
export type RemoveCall =
  | {
      readonly verb: 'delete';
      readonly resource: Resource;
      readonly target: Target;
      readonly options: DeleteOptions;
    }
  | {
      readonly verb: 'evict';
      readonly resource: Resource<Pod>;
      readonly target: Target;
      readonly options: EvictOptions;
    };

/**
 * One call of a `Client`. `verb` is the name of the method, and determines which other members exist.
 * `resource` and `options` always exist; `options` is empty when the caller passed none.
 */
export type Call = ReadCall | WriteCall | RemoveCall;

/** The answer to each verb. */
interface Answers {
  readonly get: Stored<KubernetesObject>;
  readonly find: Stored<KubernetesObject> | undefined;
  readonly list: readonly Stored<KubernetesObject>[];
  readonly create: KubernetesObject;
  readonly apply: KubernetesObject;
  readonly update: KubernetesObject;
  readonly patch: KubernetesObject;
  readonly delete: undefined;
  readonly evict: undefined;
}

/** The answer to a call: an object; for `list` an array of objects; for `delete` and `evict` undefined. */
export type AnswerTo<C extends Call> = Answers[C['verb']];

/** Makes a call and resolves to its answer. The type of the call determines the type of the answer. */
export type Next = <C extends Call>(call: C) => Promise<AnswerTo<C>>;

/** Makes calls of all verbs. For each verb it must resolve to the type of answer that `AnswerTo` declares. */
export type CallHandler = (call: Call) => Promise<AnswerTo<Call>>;

/**
 * Wraps the calls of a client, see `intercept`. The interceptor gets `next` once, and returns a function that
 * gets each call. This function can pass the call to `next` unchanged or changed, once, several times, or not
 * at all. It can inspect or replace the answer, pass failures on, or throw other errors.
 */
export type Interceptor = (next: Next) => CallHandler;

/** The HTTP method of each verb. */
export const HTTP_METHODS: Readonly<
  Record<Call['verb'], 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'>
> = {
  get: 'GET',
  find: 'GET',
  list: 'GET',
  create: 'POST',
  apply: 'PATCH',
  update: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
  evict: 'POST',
};

/** True for a call that changes nothing. */
export function isRead(call: Call): call is ReadCall {
  return call.verb === 'get' || call.verb === 'find' || call.verb === 'list';
}

/** True for a call that requests the removal of an object. */
export function isRemoval(call: Call): call is RemoveCall {
  return call.verb === 'delete' || call.verb === 'evict';
}
