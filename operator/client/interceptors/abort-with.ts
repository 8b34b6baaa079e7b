import type { Interceptor } from '../call.ts';

/** Aborts calls with `signal`. A call that has a signal of its own keeps that one alone. */
export function abortWith(signal: AbortSignal): Interceptor {
  return (next) => (call) => {
    // A signal that is given as undefined is none.
    if (call.options.signal !== undefined) return next(call);
    return next({ ...call, options: { ...call.options, signal } });
  };
}
