import type { KubernetesObject } from '../../model/object.ts';
import type { Resource } from '../../model/resource.ts';

/** What a client wants to do with an object. `CONNECT` is a subresource such as `exec`. */
export type AdmissionOperation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

/** The client that sent the request, as the API server has authenticated it. */
export interface AdmissionUser {
  /** Such as `system:serviceaccount:shop:deployer`. Empty if the API server sent none. */
  readonly username: string;
  /** Undefined for users without one, such as those of client certificates. */
  readonly uid: string | undefined;
  /** The groups of the user, such as `system:masters`. */
  readonly groups: readonly string[];
  /** More about the user, from the authenticator. */
  readonly extra: Readonly<Record<string, readonly string[]>>;
}

interface RequestFacts {
  /** Undefined when the API server makes the name later, from `generateName`. */
  readonly name: string | undefined;
  /** Undefined for a cluster-scoped object. */
  readonly namespace: string | undefined;
  /** The resource of the webhook. Objects of other versions have been converted to its version. */
  readonly resource: Resource;
  /** Undefined for the object itself. */
  readonly subresource: string | undefined;
  /** Who sent the request to the API server. */
  readonly user: AdmissionUser;
  /** True when the API server will store nothing. */
  readonly dryRun: boolean;
  /** `CreateOptions`, `UpdateOptions` or `DeleteOptions`, also for a patch. Empty for a `CONNECT`. */
  readonly options: Readonly<Record<string, unknown>>;
}

/**
 * One question of the API server. Everything in it is frozen: copy before changing. Nothing of it is verified
 * beyond its form, because every Pod that reaches the gate can send a question.
 *
 * @typeParam T - the type of the objects. They come from a client and may break the schema of the kind.
 * @typeParam O - the operations of the webhook; `operation` tells them apart.
 */
export type AdmissionRequest<
  T extends KubernetesObject = KubernetesObject,
  O extends AdmissionOperation = AdmissionOperation,
> = RequestFacts &
  {
    readonly [Each in O]: Each extends 'CREATE'
      ? {
          readonly operation: 'CREATE';
          /** The new object. A mutating webhook is asked before it has a uid and, with `generateName`, a name in `metadata`. */
          readonly object: T;
          readonly oldObject: undefined;
        }
      : Each extends 'UPDATE'
        ? {
            readonly operation: 'UPDATE';
            /** The object as it would be stored. */
            readonly object: T;
            /** The object as it is stored. */
            readonly oldObject: T;
          }
        : Each extends 'DELETE'
          ? {
              readonly operation: 'DELETE';
              readonly object: undefined;
              /** The object that is to be deleted. */
              readonly oldObject: T;
            }
          : {
              readonly operation: 'CONNECT';
              /** The options of the connection, such as `PodExecOptions`. Undefined if there are none. */
              readonly object: Readonly<Record<string, unknown>> | undefined;
              readonly oldObject: undefined;
            };
  }[O];
