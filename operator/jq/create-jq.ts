import type { Clock } from '../core/clock.ts';
import { ConfigurationError } from '../core/errors.ts';
import type { Jq } from './jq.ts';

/** Runs jq programs. Opens nothing before the first of them. */
export function createJq(_options: { readonly clock: Clock }): Jq {
  const missing = (): Promise<never> =>
    Promise.reject(new ConfigurationError('there is no jq yet'));
  return { check: missing, run: missing, close: () => Promise.resolve() };
}
