import type { Clock } from 'chancery';
import type { Meter } from 'chancery/internal';
import type { ConfiguredHooks } from '../controller-parts.ts';
import { HookError } from '../hook-error.ts';
import type { HookFunction } from '../hook-function.ts';
import { METACONTROLLER_METRICS } from './metric-names.ts';

interface Measuring {
  readonly controller: string;
  readonly meter: Meter;
  readonly clock: Clock;
}

/** Returns hooks that do the same, and whose calls are counted and timed. */
export function measuredHooks(hooks: ConfiguredHooks, measuring: Measuring): ConfiguredHooks {
  return Object.fromEntries(
    Object.entries(hooks).map(([hook, called]) => [hook, measured(hook, called, measuring)]),
  );
}

function measured(
  hook: string,
  called: HookFunction,
  { controller, meter, clock }: Measuring,
): HookFunction {
  const call: HookFunction['call'] = async (...given) => {
    const begun = clock.monotonic();
    let result = 'ok';
    try {
      return await called.call(...given);
    } catch (error) {
      result = error instanceof HookError ? error.reason : 'Error';
      throw error;
    } finally {
      const seconds = (clock.monotonic() - begun) / 1_000;
      meter.count(METACONTROLLER_METRICS.hookCalls, { controller, hook, result });
      meter.observe(METACONTROLLER_METRICS.hookSeconds, { controller, hook }, seconds);
    }
  };
  const { mode, version, answers, description } = called;
  return { mode, version, answers, description, call, close: () => called.close() };
}
