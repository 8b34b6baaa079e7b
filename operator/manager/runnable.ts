import { ConfigurationError } from '../core/errors.ts';
import { isDns1035Label } from '../model/dns-name.ts';

/**
 * When something is asked to stop, in this order: `intake` is what gives the controllers work,
 * `controllers` stops together with them, `others` after them and before the sources and Events.
 */
export type StopPhase = 'intake' | 'controllers' | 'others';

/** Something that runs beside the controllers, for as long as the process lives. */
export interface Runnable {
  /** Lower-case words joined by `-`; names it in logs. */
  readonly name: string;
  /**
   * Works until `signal` aborts. To return earlier is to be done; to throw ends the operator, with 1.
   * What it rejects with once `signal` has aborted is logged at most.
   */
  run(signal: AbortSignal): Promise<void>;
  /**
   * One replica at a time may run it: it starts with leadership and its signal aborts when that is
   * lost. Default true; without leader election in the settings, all replicas run it.
   */
  readonly needsLeaderElection?: boolean;
  /** Default `others`. */
  readonly stopPhase?: StopPhase;
}

/** Registered, so that what a module declared that has loaded this file anew is understood as well. */
const DECLARED: unique symbol = Symbol.for('chancery.runnable');

/**
 * Declares a runnable, so that a module can export it beside controllers. Starts nothing.
 *
 * @throws ConfigurationError `CONFIG` when the name is unusable.
 */
export function runnable(declaration: Runnable): Runnable {
  const { name } = declaration;
  if (!isDns1035Label(name)) {
    throw new ConfigurationError('runnable name must be at most 63 of a-z, 0-9 and "-"', {
      context: { name },
    });
  }
  return Object.freeze({
    needsLeaderElection: true,
    stopPhase: 'others',
    ...declaration,
    run: (signal: AbortSignal) => declaration.run(signal),
    [DECLARED]: true,
  });
}

/** True for what `runnable()` returned; how `chancery run` tells it from any other export. */
export function isRunnable(value: unknown): value is Runnable {
  return typeof value === 'object' && value !== null && DECLARED in value;
}
