/** What an operator with a Lease does as a process: its end, its exit code. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Child, chancery, folderWith } from './child.ts';
import { configMap } from './printed.ts';
import { startServer } from './server.ts';

const STUBBORN = `
import { controller, source } from 'chancery';
import { configMaps } from 'chancery/kubernetes';
export default controller({
  name: 'stubborn',
  for: source(configMaps, { namespace: 'all' }),
  reconcile: (_object, { key, log, signal }) => {
    let heed;
    log.info({}, 'reconciling for ever');
    signal.addEventListener('abort', () => {
      log.info({}, 'signal aborted');
      ON_ABORT
      if (process.env.HEEDS_SIGNAL) heed();
    });
    return new Promise((resolve) => {
      heed = resolve;
    });
  },
});`;

/** An operator that leads, with a reconcile that never ends. */
async function leading(onAbort: string, environment: Readonly<Record<string, string>> = {}) {
  const server = await startServer();
  server.create(configMap('a'));
  const folder = folderWith({ 'stubborn.ts': STUBBORN.replace('ON_ABORT', onAbort) });
  const child = chancery(['run', join(folder, 'stubborn.ts')], {
    CHANCERY_API_URL: server.url,
    POD_NAMESPACE: 'demo',
    WATCH_NAMESPACE: '*',
    CHANCERY_LEADER_ELECTION: 'true',
    CHANCERY_LEASE_DURATION: '5',
    CHANCERY_LEASE_RENEW_DEADLINE: '3',
    CHANCERY_LEASE_RETRY_PERIOD: '1',
    CHANCERY_SHUTDOWN_TIMEOUT: '-1',
    ...environment,
  });
  await child.stderr.until(logged(child, 'reconciling for ever'));
  return { server, child };
}

function logged(child: Child, message: string, times = 1): () => boolean {
  return () => child.stderr.records.filter(({ msg }) => msg === message).length >= times;
}

describe('[D-5] a process that loses leadership', () => {
  test('[D-5] a leader exits with 3 at once if another process takes its Lease', async () => {
    const { server, child } = await leading('');

    server.patch('coordination.k8s.io/v1', 'Lease', 'demo', 'stubborn-leader', {
      spec: { holderIdentity: 'another' },
    });

    expect(await child.exit).toBe(3);
  });

  test('[LE-9] a leader that cannot renew its Lease exits with 3 before the Lease expires', async () => {
    const { server, child } = await leading('');

    await server.stop();

    expect(await child.exit).toBe(3);
    const lines = child.stderr.lines.slice(0, -1).map((line) => JSON.parse(line));
    const timeOf = (message: string): number =>
      Date.parse(lines.find(({ msg }) => msg === message)?.time);
    expect(timeOf('stopped') - timeOf('leadership lost')).toBeLessThan(1_500);
    expect(child.stderr.lines.at(-1)).toMatch(/^chancery run: /);
  });

  test('[LE-9] a process is killed after the loss of leadership if its stop hook never returns', async () => {
    const { server, child } = await leading('for (;;);');

    await server.stop();

    expect(await child.exit).toBe('SIGKILL');
    expect(child.stderr.records.at(-1)).toMatchObject({ msg: 'signal aborted' });
  });
});

describe('[real R-4] with CHANCERY_ON_LEADERSHIP_LOST=standby', () => {
  const STANDBY = {
    CHANCERY_ON_LEADERSHIP_LOST: 'standby',
    CHANCERY_SHUTDOWN_TIMEOUT: '5',
    HEEDS_SIGNAL: 'yes',
  };

  test('[real R-4] with `standby`, a process that lost leadership can lead again, and exits with 0', async () => {
    const { server, child } = await leading('', STANDBY);
    const hold = (holderIdentity: string): void =>
      void server.patch('coordination.k8s.io/v1', 'Lease', 'demo', 'stubborn-leader', {
        spec: { holderIdentity },
      });

    hold('another');
    await child.stderr.until(logged(child, 'leadership lost'));
    hold('');
    await child.stderr.until(logged(child, 'reconciling for ever', 2));
    child.kill('SIGTERM');

    expect(await child.exit).toBe(0);
    expect(logged(child, 'leads', 2)()).toBe(true);
    expect(logged(child, 'leadership lost', 2)()).toBe(false);
  });

  test('[real R-4] [D-5] a process that is on standby exits with 0 when it is stopped', async () => {
    const { server, child } = await leading('', STANDBY);
    server.patch('coordination.k8s.io/v1', 'Lease', 'demo', 'stubborn-leader', {
      spec: { holderIdentity: 'another', leaseDurationSeconds: 3_600 },
    });
    await child.stderr.until(logged(child, 'controller stopped'));

    child.kill('SIGTERM');

    expect(await child.exit).toBe(0);
  });

  test('[real R-4] with standby, the process exits with 3 if a reconcile ignores its signal', async () => {
    const { server, child } = await leading('', { ...STANDBY, HEEDS_SIGNAL: '' });

    await server.stop();

    expect(await child.exit).toBe(3);
  });
});
