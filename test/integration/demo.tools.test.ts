/**
 * `npm start`, as a newcomer runs it on a machine with kubectl: a process of its own, no terminal.
 *
 * @module-tag kubectl
 */
import { test } from 'vitest';
import { expectDemoRollsPods } from './support/demo.ts';

test('rolls the Pods of the sample behind a real kubectl proxy, tells it in 40 lines, and ends with 0', {
  timeout: 60_000,
}, async () => {
  await expectDemoRollsPods(process.env, /ambassador +kubectl proxy v1\.\d+\.\d+ is at/);
});
