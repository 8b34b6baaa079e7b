/** What a restart is made of: the words that the engine, the workload kinds and the gates share. */
import type { Rule } from '../contract/decide.ts';
import type { ResourceRef } from '../contract/resource-type.ts';

/** One resource that a workload wants, and that is not what its records say. */
export interface Change extends ResourceRef {
  /** SHA-1 of the content, as the original computes it; of the deletion marker when `deleted`. */
  readonly hash: string;
  /** The resource is gone, and `--reload-on-delete` makes that a change. */
  readonly deleted: boolean;
  /** The container of the Pod template that carries the variable, and that `containerRefs` names. */
  readonly container: string;
  /** The rule of `decide` that made the resource concern the workload. */
  readonly rule: Rule;
  /** True for the auto rules and for search; false for a named list. */
  readonly auto: boolean;
}

/** One environment variable of the Pod template that a restart sets or removes. */
export interface VariableChange {
  /** Name of the app container. */
  readonly container: string;
  /** Name of the variable. */
  readonly name: string;
  /** Undefined: the variable is removed. */
  readonly value: string | undefined;
}

/**
 * One restart of one workload, for everything that has changed. Only what differs from the workload is in it:
 * a value that the template has already is left out.
 */
export interface RestartPlan {
  /** The resources that caused the restart, sorted by type and name; one at least. */
  readonly changes: readonly Change[];
  /**
   * Variables of the Pod template. Under `--reload-strategy=annotations` only those that are there already, so
   * that no old value is taken for a record later.
   */
  readonly variables: readonly VariableChange[];
  /** Annotations of the Pod template, among them `last-reloaded-from`; null removes one. */
  readonly templateAnnotations: Readonly<Record<string, string | null>>;
  /**
   * Annotations of the workload's own metadata that go with the restart; null removes one. The baseline is
   * among them, and what the gates wrote while the restart had to wait.
   */
  readonly annotations: Readonly<Record<string, string | null>>;
}
