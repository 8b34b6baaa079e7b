/**
 * The parts of Chancery that only the benchmarks use and that are not public. `npm run build` makes
 * `dist/operator/internal-bench.js` of this file, beside the public entry and from the same modules; the
 * published package leaves that file out.
 *
 * @module
 */

export { transformed } from '../operator/client/source.ts';
export type { HandlerRegistration } from '../operator/store/handlers.ts';
export { ListLimiter } from '../operator/watch/policy/list-limiter.ts';
