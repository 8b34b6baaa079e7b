import type { KubernetesObject } from '../../model/object.ts';
import type { Resource } from '../../model/resource.ts';

/** What a client wants to do with an object. `CONNECT` opens a subresource such as `exec`. */
export type AdmissionOperation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

/** The client that sent the request, as the API server has authenticated it. */
export interface AdmissionUser {
  /**
   * The name of the user, for example `system:serviceaccount:shop:deployer`. Empty if the API server sent no
   * name.
   */
  readonly username: string;
  /** Undefined for users without a uid, such as users with client certificates. */
  readonly uid: string | undefined;
  /** The groups of the user, such as `system:masters`. */
  readonly groups: readonly string[];
  /** Further data about the user, from the authenticator. */
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

interface RequestFacts {
  /** The name of the object. Undefined when the API server generates it later from `generateName`. */
  readonly name: string | undefined;
  /** Undefined for a cluster-scoped object. */
  readonly namespace: string | undefined;
  /**
   * The resource of the webhook. Objects of other versions have been converted to the version of
   * this resource.
   */
  readonly resource: Resource;
  /** Undefined if the request is for the object itself. */
  readonly subresource: string | undefined;
  /** Who sent the request to the API server. */
  readonly user: AdmissionUser;
  /** True for a dry run, in which the API server stores nothing. */
  readonly dryRun: boolean;
  /** `CreateOptions`, `UpdateOptions` or `DeleteOptions`, also for a patch. Empty for a `CONNECT`. */
  readonly options: Readonly<Record<string, unknown>>;
}

/**
 * One review request of the API server. Everything in it is frozen, so copy an object before changing it.
 * Every Pod that reaches the gate can send such a request, and only the types of the fields are checked.
 *
 * @typeParam T - the type of the objects. They come from a client and may violate the schema of the kind.
 * @typeParam O - the operations of the webhook; `operation` distinguishes them.
 */
export type AdmissionRequest<
  T extends KubernetesObject = KubernetesObject,
  O extends AdmissionOperation = AdmissionOperation,
> = RequestFacts &
  {
    readonly [Each in O]: Each extends 'CREATE'
      ? {
          readonly operation: 'CREATE';
          /**
           * The new object. When a mutating webhook is called, the object has no uid yet and, with
           * `generateName`, no name in `metadata`.
           */
          readonly object: T;
          readonly oldObject: undefined;
        }
      : Each extends 'UPDATE'
        ? {
            readonly operation: 'UPDATE';
            /** The object as the API server would store it. */
            readonly object: T;
            /** The stored object. */
            readonly oldObject: T;
          }
        : Each extends 'DELETE'
          ? {
              readonly operation: 'DELETE';
              readonly object: undefined;
              /** The object that will be deleted. */
              readonly oldObject: T;
            }
          : {
              readonly operation: 'CONNECT';
              /** The options of the connection, such as `PodExecOptions`. Undefined if there are none. */
              readonly object: Readonly<Record<string, unknown>> | undefined;
              readonly oldObject: undefined;
            };
  }[O];
