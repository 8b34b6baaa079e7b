import type { Interceptor } from '../call.ts';

/** Aborts calls with `signal`. A call that has its own signal uses only its own. */
export function abortWith(signal: AbortSignal): Interceptor {
  return (next) => (call) => {
    // A signal that is undefined is treated as no signal.
    if (call.options.signal !== undefined) return next(call);
    return next({ ...call, options: { ...call.options, signal } });
  };
}
