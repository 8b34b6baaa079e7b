import type { KubernetesObject, Resource, Source } from 'chancery';
import type { ChildWriter, InformerHandle } from 'chancery/internal';
import type { HookFunction } from './hook-function.ts';
import type { HookName, ResourceReference } from './spec.ts';

/** The hooks of one controller. A controller without `sync` is refused. */
export type ConfiguredHooks = Readonly<Partial<Record<HookName, HookFunction>>>;

/** What all controllers of a process share. */
export interface SharedParts {
  readonly writer: ChildWriter;
  /** How many parents of one controller are reconciled at a time. */
  readonly workers: number;
  /** For controllers without `resyncPeriodSeconds`. 0: never. */
  readonly resyncPeriodMs: number;
  /** `delete`: an answer without `children` deletes all of them, as with the original. */
  readonly emptyChildren: 'refuse' | 'delete';
  /** Whether answers of version v2 may have fields that the original does not know. */
  readonly extensions: boolean;
  /** Where the revisions of cluster-scoped parents are stored. Undefined: such parents cannot have rolling updates. */
  readonly revisionsNamespace: string | undefined;
  /** Whether webhooks get `metadata.managedFields`, as those of the original do. Programs and modules never do. */
  readonly managedFields: boolean;
  /**
   * Finds the resource that a rule of a customize hook names.
   *
   * @throws ConfigurationError when the API server does not serve it.
   */
  resolve(reference: ResourceReference, signal: AbortSignal): Promise<Resource>;
  /** Lists and watches related objects, see `RunnableContext.open`. */
  open(source: Source): InformerHandle<KubernetesObject>;
  /** Told of a failed reconcile, after its Event and its condition were written. */
  readonly failed?: (failure: ControllerFailure) => void;
}

/** For metrics and the status page. */
export interface ControllerFailure {
  readonly controller: string;
  readonly parent: KubernetesObject;
  /** `InvalidAnswer`, `HotLoop`, …: see `HookErrorReason`. */
  readonly reason: string;
  readonly error: unknown;
}
