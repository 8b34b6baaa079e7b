import type { ChildWriter } from '../../controller/children/child-writer.ts';
import type { ControllerOptions } from '../../controller/controller.ts';
import type { ReconcileContext } from '../../controller/reconciler.ts';
import type { Source } from '../../controller/source.ts';
import type { KubernetesObject } from '../../model/object.ts';
import type { StatusFields } from '../../model/status-fields.ts';
import type { DesiredChild } from '../child.ts';
import type { ChildType, Related, RelatedObjects } from '../engine-options.ts';

/** One call of the function that decides. */
export interface DecoratorRequest {
  /** The decorated object, with its finalizer. */
  readonly object: KubernetesObject;
  /** Its attachments by the name of their resource. Every declared resource is there. */
  readonly attachments: ReadonlyMap<string, readonly KubernetesObject[]>;
  /** The objects that its rules select, by the name of their resource. Every resource of a rule is there. */
  readonly related: ReadonlyMap<string, RelatedObjects>;
  readonly finalizing: boolean;
  readonly context: ReconcileContext;
}

/** What the function answers. */
export interface DecoratorAnswer {
  /** Every attachment that should exist. */
  readonly attachments: readonly DesiredChild[];
  /** Labels to set; null deletes a label. */
  readonly labels?: Readonly<Record<string, string | null>> | undefined;
  /** Annotations to set; null deletes an annotation. */
  readonly annotations?: Readonly<Record<string, string | null>> | undefined;
  /** Replaces the status. Null or left out: the status stays as it is. */
  readonly status?: Readonly<Record<string, unknown>> | null | undefined;
  readonly resyncAfterMs?: number | undefined;
  /** Nothing is left to do for an object that is finalized. Without effect otherwise. */
  readonly finalized?: boolean | undefined;
}

/**
 * How the engine decorates the objects of one resource: it brings their labels, annotations, status and attachments
 * to the answer of a function. `decorator` and the controllers of Metacontroller's contract are this engine with
 * different options.
 */
export interface DecoratorEngineOptions {
  /** Name of the controller. */
  readonly name: string;
  /** Marks attachments. Two decorators of one object must have different ones. */
  readonly decorator: string;
  /** The decorated objects, see `decoratedSource`. */
  readonly objects: Source;
  /** A rolling update behaves as the update without `rolling-`. */
  readonly attachments: readonly ChildType[];
  /** False: the object is not decorated. If it carries the finalizer, it is finalized. Default: all are. */
  readonly selects?: (object: KubernetesObject) => boolean;
  /** Without a status subresource, the status is written with the object itself. */
  readonly hasStatusSubresource: boolean;
  /** Drop changes that leave generation, labels and annotations as they are. */
  readonly ignoreStatusChanges?: boolean;
  readonly writer: ChildWriter;
  /** Name of the finalizer, and whether there is a function for it. Without one, a finalizer of that name is removed. */
  readonly finalizer?: { readonly name: string; readonly isUsed: boolean };
  readonly related?: Related;
  /** Decides. */
  sync(request: DecoratorRequest): Promise<DecoratorAnswer>;
  /**
   * How failures are told to people, besides the log: by a Warning Event `SyncError` on the object, and, where
   * `condition` is true, by a condition of its status, which goes away with the next success. Left out: by the log only.
   */
  readonly failures?: { readonly condition: boolean };
  /** The fields that the condition may have. Left out: any. */
  readonly statusFields?: StatusFields;
  /** Told of a failed reconcile. Not told of lost races and of caches that are not ready. */
  readonly failed?: (
    object: KubernetesObject,
    error: unknown,
    context: ReconcileContext,
  ) => Promise<void>;
  /** Further options of the controller. */
  readonly controller: Partial<ControllerOptions<KubernetesObject>>;
}
