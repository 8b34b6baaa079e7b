/**
 * `npm start`, as a newcomer runs it on a machine with kubectl: a process of its own, no terminal.
 *
 * @module-tag kubectl
 */
import { test } from 'vitest';
import { expectDemoRollsPods } from './support/demo.ts';

test('the demo restarts the sample’s Pods through a real kubectl proxy, prints 40 lines, and exits with 0', {
  timeout: 60_000,
}, async () => {
  await expectDemoRollsPods(process.env, /ambassador +kubectl proxy v1\.\d+\.\d+ is at/);
});
