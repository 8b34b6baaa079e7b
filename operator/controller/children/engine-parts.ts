import type { KubernetesObject } from '../../model/object.ts';
import type { Resource } from '../../model/resource.ts';
import type { Fight } from '../policies/key-gate.ts';
import type { AppliedMemory } from './applied-memory.ts';

/**
 * Called when another object, the argument `by`, has the name of a child. The call comes before the error is
 * thrown, so that the key can wait until that object is gone. `by` is undefined if such an object existed and
 * is now gone.
 */
export type Refused = (
  resource: Resource,
  child: KubernetesObject,
  by: KubernetesObject | undefined,
) => void;

/** What composites and decorators can use in an attempt, and reconcilers cannot. */
interface EngineParts {
  /** The memory of what this controller has applied. */
  readonly memory: AppliedMemory;
  readonly refused: Refused;
  /**
   * The fight with another writer that this attempt has found. Before the first write of this attempt: the
   * fight that the previous attempt has found.
   */
  readonly fight: () => Fight | undefined;
  /** True when the controller itself records an Event if the reconcile ends with this failure. */
  readonly isTold: (thrown: unknown) => boolean;
}

const PARTS = Symbol('engine parts');

/** `context` with `parts`. Copies of the result also have `parts`. */
export function withEngineParts<C extends object>(context: C, parts: EngineParts): C {
  return { ...context, [PARTS]: parts };
}

/** The EngineParts of a context; undefined when the context was not created by a controller. */
export function enginePartsOf(context: object): EngineParts | undefined {
  return (context as { readonly [PARTS]?: EngineParts })[PARTS];
}
