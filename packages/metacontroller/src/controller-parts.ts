import type { KubernetesObject, Resource, Source } from 'chancery';
import type { ChildWriter, InformerHandle } from 'chancery/internal';
import type { HookFunction } from './hook-function.ts';
import type { HookName, ResourceReference } from './spec.ts';

/** The hooks of one controller. A controller without `sync` is refused. */
export type ConfiguredHooks = Readonly<Partial<Record<HookName, HookFunction>>>;

/** The objects and settings that all controllers of a process share. */
export interface SharedParts {
  readonly writer: ChildWriter;
  /** Number of parents of one controller that are reconciled concurrently. */
  readonly workers: number;
  /**
   * Period in milliseconds after which parents are reconciled again, for controllers without
   * `resyncPeriodSeconds`. 0 means never.
   */
  readonly resyncPeriodMs: number;
  /** With `delete`, an answer without `children` deletes all children, as in Metacontroller. */
  readonly emptyChildren: 'refuse' | 'delete';
  /** True when answers of version v2 may have fields that Metacontroller does not know. */
  readonly extensions: boolean;
  /**
   * The namespace for the revisions of cluster-scoped parents. If undefined, such parents cannot
   * have rolling updates.
   */
  readonly revisionsNamespace: string | undefined;
  /**
   * True when webhooks get `metadata.managedFields`, as in Metacontroller. Programs and modules
   * never get it.
   */
  readonly managedFields: boolean;
  /**
   * Finds the resource for a rule of a customize hook.
   *
   * @throws ConfigurationError when the API server does not serve the resource.
   */
  resolve(reference: ResourceReference, signal: AbortSignal): Promise<Resource>;
  /** Lists and watches related objects, see `RunnableContext.open`. */
  open(source: Source): InformerHandle<KubernetesObject>;
  /** Called after a failed reconcile, once the Event and the condition about it are written. */
  readonly failed?: (failure: ControllerFailure) => void;
}

/** A failed reconcile, for metrics and the status page. */
export interface ControllerFailure {
  readonly controller: string;
  readonly parent: KubernetesObject;
  /** The reason of the failure, such as `InvalidAnswer` or `HotLoop`: see `HookErrorReason`. */
  readonly reason: string;
  readonly error: unknown;
}
