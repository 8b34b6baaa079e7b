import type { Fight } from '../policies/key-gate.ts';
import type { AppliedMemory } from './applied-memory.ts';
import type { ChildSelection } from './child-selection.ts';

/** What composites and decorators use of an attempt beyond what a reconciler may use. */
interface EngineParts {
  /** What this controller has applied. */
  readonly memory: AppliedMemory;
  /** Refuses children that the caches of this controller would not show. */
  readonly childSelection: ChildSelection;
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
