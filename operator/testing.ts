/**
 * What stands in for a cluster in tests: a second public entry, `chancery/testing`, so that nothing
 * of it reaches an operator's image.
 *
 * @module
 */

export { FakeClock, settle } from './testing/fake-clock.ts';
