import type { Clock } from '../core/clock.ts';
import { DEFAULT_PAGE_SIZE } from './list-all.ts';

export interface ReflectorSettings {
  /** Objects in a list page. */
  readonly pageSize: number;
  /** The server is asked to end each watch after a random time of [min, max) seconds. */
  readonly watchTimeoutSeconds: readonly [min: number, max: number];
  /** Mean time between authoritative relists; 0 turns them off. */
  readonly relistIntervalMs: number;
}

/**
 * - Watch timeout: client-go's 5 to 10 minutes. Behind a load balancer that cuts idle flows choose
 *   less than its limit.
 * - Relist: 30 minutes; every other means of finding a divergence acts sooner, this one is for
 *   those that no watch can show (an API server whose own watch cache lost an event).
 */
export const DEFAULT_REFLECTOR_SETTINGS: ReflectorSettings = Object.freeze({
  pageSize: DEFAULT_PAGE_SIZE,
  watchTimeoutSeconds: [300, 600],
  relistIntervalMs: 30 * 60 * 1_000,
} as const);

export interface ReflectorOptions extends Partial<ReflectorSettings> {
  readonly clock: Clock;
  /** Uniform numbers in [0, 1). Default `Math.random`. */
  readonly random?: () => number;
}
