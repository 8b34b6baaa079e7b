/** `npm start`, as a newcomer runs it on a machine without kubectl: a process of its own, no terminal. */
import { test } from 'vitest';
import { expectDemoRollsPods } from './support/demo.ts';

test('the demo without kubectl restarts the sample’s Pods through a stand-in for the proxy, prints 40 lines, and exits with 0', {
  timeout: 60_000,
}, async () => {
  await expectDemoRollsPods({ PATH: '/nonexistent' }, /a stand-in for kubectl proxy is at/);
});
