import type { KubernetesObject } from '../../model/object.ts';
import type { Resource } from '../../model/resource.ts';
import type { Fight } from '../policies/key-gate.ts';
import type { AppliedMemory } from './applied-memory.ts';

/**
 * Called when `by` has the name of a child, before the error is thrown, so that the key can wait until `by` is gone.
 * `by` is undefined if the object had the name and is gone by now.
 */
export type Refused = (
  resource: Resource,
  child: KubernetesObject,
  by: KubernetesObject | undefined,
) => void;

/** What composites and decorators use of an attempt beyond what a reconciler may use. */
interface EngineParts {
  /** What this controller has applied. */
  readonly memory: AppliedMemory;
  readonly refused: Refused;
  /** The fight of this attempt, or, before it writes, of the attempt before. */
  readonly fight: () => Fight | undefined;
  /** True when the controller itself records an Event if the reconcile ends with this failure. */
  readonly isTold: (thrown: unknown) => boolean;
}

const PARTS = Symbol('engine parts');

/** `context` with these parts. Its copies have them, too. */
export function withEngineParts<C extends object>(context: C, parts: EngineParts): C {
  return { ...context, [PARTS]: parts };
}

/** The parts of a context; undefined when no controller has made it. */
export function enginePartsOf(context: object): EngineParts | undefined {
  return (context as { readonly [PARTS]?: EngineParts })[PARTS];
}
