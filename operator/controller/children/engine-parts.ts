import type { KubernetesObject } from '../../model/object.ts';
import type { Resource } from '../../model/resource.ts';
import type { Fight } from '../policies/key-gate.ts';
import type { AppliedMemory } from './applied-memory.ts';

/**
 * Called when `by` has the name of a child, before the error is thrown, so that the key can wait until `by`
 * is gone. `by` is undefined if the object had the name and is now gone.
 */
export type Refused = (
  resource: Resource,
  child: KubernetesObject,
  by: KubernetesObject | undefined,
) => void;

/** The parts of an attempt that composites and decorators use and that reconcilers may not use. */
interface EngineParts {
  /** The memory of what this controller has applied. */
  readonly memory: AppliedMemory;
  readonly refused: Refused;
  /** The write fight of this attempt; before the attempt writes, that of the previous attempt. */
  readonly fight: () => Fight | undefined;
  /** True when the controller itself records an Event if the reconcile ends with this failure. */
  readonly isTold: (thrown: unknown) => boolean;
}

const PARTS = Symbol('engine parts');

/** `context` with these parts. Copies of the result also have them. */
export function withEngineParts<C extends object>(context: C, parts: EngineParts): C {
  return { ...context, [PARTS]: parts };
}

/** The parts of a context; undefined when the context was not created by a controller. */
export function enginePartsOf(context: object): EngineParts | undefined {
  return (context as { readonly [PARTS]?: EngineParts })[PARTS];
}
