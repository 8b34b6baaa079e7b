/**
 * etcd, kube-apiserver and kubectl proxy, as a test with `CHANCERY_TEST_ENV=kubebuilder` has them. Started by
 * `apiserver.ts`; answers each message with what the three have taken so far.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import process from 'node:process';
import { startTestEnv } from '@chancery/testing';
import type { Taken } from './apiserver-process.ts';

process.env.CHANCERY_TEST_ENV = 'kubebuilder';
const env = await startTestEnv();
await env.get('v1', 'Namespace', undefined, 'default');
process.send?.({ url: env.url });

process.on('message', async ({ ask }: { readonly ask: string }) => {
  if (ask !== 'end') {
    process.send?.(taken());
    return;
  }
  await env.stop();
  process.disconnect();
});

/** Of the processes that this one has started. */
function taken(): Taken {
  const ids = execFileSync('pgrep', ['--parent', String(process.pid)], { encoding: 'utf8' });
  const each = ids.trim().split('\n').map(takenBy);
  const sum = (of: (taken: Omit<Taken, 'heapBytes'>) => number): number =>
    each.reduce((total, one) => total + of(one), 0);
  return {
    residentBytes: sum(({ residentBytes }) => residentBytes),
    heapBytes: 0,
    processorMs: sum(({ processorMs }) => processorMs),
  };
}

/** See proc(5): the ticks of user and system are fields 14 and 15, and there are 100 in a second. */
function takenBy(id: string): Omit<Taken, 'heapBytes'> {
  const [, kib = '0'] =
    /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${id}/status`, 'utf8')) ?? [];
  const fields = readFileSync(`/proc/${id}/stat`, 'utf8')
    .replace(/^.*\) /s, '')
    .split(' ');
  return {
    residentBytes: Number(kib) * 1_024,
    processorMs: (Number(fields[11]) + Number(fields[12])) * 10,
  };
}
