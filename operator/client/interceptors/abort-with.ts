import type { Interceptor } from '../call.ts';

/** Aborts calls when `signal` aborts. A call with a signal in its options uses only that signal. */
export function abortWith(signal: AbortSignal): Interceptor {
  return (next) => (call) => {
    // A signal that is undefined is treated as no signal.
    if (call.options.signal !== undefined) return next(call);
    return next({ ...call, options: { ...call.options, signal } });
  };
}
