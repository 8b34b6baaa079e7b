import type { Clock } from 'chancery';
import type { Meter } from 'chancery/internal';
import type { Hook } from '../hook.ts';
import { RateLimit } from '../queue/rate-limit.ts';
import type { HookStatus } from './engine-options.ts';
import type { HookBindings } from './hook-bindings.ts';
import { HOOK_METRICS } from './metric-names.ts';

const COUNTERS = [
  HOOK_METRICS.runSuccess,
  HOOK_METRICS.runErrors,
  HOOK_METRICS.runAllowedErrors,
] as const;

/** The state of one hook, over all its queues. */
export class HookState {
  readonly hook: Hook;
  readonly bindings: HookBindings;
  readonly rateLimit: RateLimit | undefined;
  readonly #clock: Clock;
  #runs = 0;
  #errors = 0;
  #lastRunAt: string | undefined;
  #lastError: string | undefined;

  constructor(hook: Hook, bindings: HookBindings, clock: Clock, meter: Meter) {
    this.hook = hook;
    this.bindings = bindings;
    this.#clock = clock;
    const limit = hook.config.rateLimit;
    this.rateLimit = limit === undefined ? undefined : new RateLimit(limit);
    // Counters start at 0, because an alert on their growth needs a value before the first
    // increase.
    for (const { name, queue } of [...hook.config.schedules, ...hook.config.kubernetes]) {
      const labels = { hook: hook.name, binding: name, queue };
      for (const counter of COUNTERS) meter.count(counter, labels, 0);
    }
  }

  /** Records that an attempt begins. */
  began(): void {
    this.#runs += 1;
    this.#lastRunAt = new Date(this.#clock.now()).toISOString();
  }

  succeeded(): void {
    this.#lastError = undefined;
  }

  failed(error: string): void {
    this.#errors += 1;
    this.#lastError = error;
  }

  status(): HookStatus {
    return {
      name: this.hook.name,
      runs: this.#runs,
      errors: this.#errors,
      lastRunAt: this.#lastRunAt,
      lastError: this.#lastError,
      waitsFor: this.bindings.waitsFor,
    };
  }
}
