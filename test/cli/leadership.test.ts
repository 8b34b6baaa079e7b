/** What an operator with a Lease does as a process: its end, its exit code. */
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Child, chancery, folderWith } from './child.ts';
import { configMap } from './printed.ts';
import { startServer } from './server.ts';

const STUBBORN = `
import { configMaps, controller, source } from 'chancery';
export default controller({
  name: 'stubborn',
  for: source(configMaps, { namespace: 'all' }),
  reconcile: (key, object, { log, signal }) => {
    log.info({}, 'reconciling for ever');
    signal.addEventListener('abort', () => {
      log.info({}, 'signal aborted');
      ON_ABORT
    });
    return new Promise(() => {});
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

function logged(child: Child, message: string): () => boolean {
  return () => child.stderr.records.some(({ msg }) => msg === message);
}

describe('[D-5] leadership that is lost', () => {
  test('[D-5] because another took the Lease: exit code 3 at once', async () => {
    const { server, child } = await leading('');

    server.patch('coordination.k8s.io/v1', 'Lease', 'demo', 'stubborn-leader', {
      spec: { holderIdentity: 'another' },
    });

    expect(await child.exit).toBe(3);
  });

  test('[LE-9] because nothing can be renewed: gone with 3 before another may lead, though a reconcile hangs', async () => {
    const { server, child } = await leading('');

    await server.stop();

    expect(await child.exit).toBe(3);
    const lines = child.stderr.lines.slice(0, -1).map((line) => JSON.parse(line));
    const timeOf = (message: string): number =>
      Date.parse(lines.find(({ msg }) => msg === message)?.time);
    expect(timeOf('stopped') - timeOf('leadership lost')).toBeLessThan(1_500);
    expect(child.stderr.lines.at(-1)).toMatch(/^chancery run: /);
  });

  test('[LE-9] a stop hook that never returns is killed', async () => {
    const { server, child } = await leading('for (;;);');

    await server.stop();

    expect(await child.exit).toBe('SIGKILL');
    expect(child.stderr.records.at(-1)).toMatchObject({ msg: 'signal aborted' });
  });
});
