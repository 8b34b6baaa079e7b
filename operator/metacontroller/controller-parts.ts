import type { ChildWriter } from '../controller/children/child-writer.ts';
import type { Related, RelatedRule } from '../controller/composite/engine-options.ts';
import type { ReconcileContext } from '../controller/reconciler.ts';
import type { KubernetesObject } from '../model/object.ts';
import type { Resource } from '../model/resource.ts';
import type { HookFunction } from './hook-function.ts';
import type { HookName, HookVersion, ResourceReference } from './spec.ts';

/** A hook that can be called, and the form of its requests and answers. */
export interface ConfiguredHook {
  readonly function: HookFunction;
  readonly version: HookVersion;
  /** `strict`: unknown and repeated fields of the answer are errors. */
  readonly answers: 'loose' | 'strict';
  /** Whether the objects of a request have `metadata.managedFields`, as those of the original have. */
  readonly managedFields: boolean;
}

/** The hooks of one controller. A controller without `sync` is refused. */
export type ConfiguredHooks = Readonly<Partial<Record<HookName, ConfiguredHook>>>;

/** What all controllers of a process share. */
export interface SharedParts {
  readonly writer: ChildWriter;
  /** How many parents of one controller are reconciled at a time. */
  readonly workers: number;
  /** For controllers without `resyncPeriodSeconds`. */
  readonly resyncPeriodMs: number;
  /** `delete`: an answer without `children` deletes all of them, as with the original. */
  readonly emptyChildren: 'refuse' | 'delete';
  /** Whether answers of version v2 may have fields that the original does not know. */
  readonly extensions: boolean;
  /**
   * Finds the resource that a rule of a customize hook names.
   *
   * @throws ConfigurationError when the API server does not serve it.
   */
  resolve(reference: ResourceReference, signal: AbortSignal): Promise<Resource>;
  /** Related objects whose resources become known with the answers of a customize hook. */
  related(rules: RulesOf): Related;
  /** Told of a failed reconcile, after its Event and its condition were written. */
  readonly failed?: (failure: ControllerFailure) => void;
}

/** Asks the customize hook. */
export type RulesOf = (
  parent: KubernetesObject,
  context: ReconcileContext,
) => Promise<readonly RelatedRule[]>;

/** For metrics and the status page. */
export interface ControllerFailure {
  readonly controller: string;
  readonly parent: KubernetesObject;
  /** `InvalidAnswer`, `HotLoop`, …: see `HookErrorReason`. */
  readonly reason: string;
  readonly error: unknown;
}
