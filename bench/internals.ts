/**
 * The internal parts of Chancery that the benchmarks use. `npm run build` compiles this file to
 * `dist/operator/internal-bench.js`, next to the public entry and from the same modules. The published
 * package leaves that file out.
 *
 * @module
 */

export { transformed } from '../operator/client/source.ts';
export type { HandlerRegistration } from '../operator/store/handlers.ts';
export { ListLimiter } from '../operator/watch/policy/list-limiter.ts';
