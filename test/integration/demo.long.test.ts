/** `npm start`, as a newcomer runs it on a machine without kubectl: a process of its own, no terminal. */
import { test } from 'vitest';
import { expectDemoRollsPods } from './support/demo.ts';

test('rolls the Pods of the sample behind a stand-in where there is no kubectl, tells it in 40 lines, and ends with 0', {
  timeout: 60_000,
}, async () => {
  await expectDemoRollsPods({ PATH: '/nonexistent' }, /a stand-in for kubectl proxy is at/);
});
