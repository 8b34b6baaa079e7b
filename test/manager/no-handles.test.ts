/** D-4: a program that embeds a manager ends by itself when the manager has. */

import { join } from 'node:path';
import { expect, test } from 'vitest';
import { folderWith, freePort, start } from '../cli/child.ts';
import { configMap } from '../cli/printed.ts';
import { startServer } from '../cli/server.ts';

const INDEX = new URL('../../operator/index.ts', import.meta.url).href;
const LOW_LEVEL = new URL('../../operator/low-level.ts', import.meta.url).href;
const KUBERNETES = new URL('../../operator/kubernetes.ts', import.meta.url).href;

/** Nothing in it ends the process. */
const PROGRAM = `
import { controller, source } from ${JSON.stringify(INDEX)};
import { createManager } from ${JSON.stringify(LOW_LEVEL)};
import { configMaps } from ${JSON.stringify(KUBERNETES)};
let stoppedAt;
const manager = await createManager({
  controllers: [controller({
    name: 'one',
    for: source(configMaps, { namespace: 'all' }),
    async reconcile(object, { event }) {
      event('Normal', 'Seen', 'it is there');
      console.log('reconciled');
      return {};
    },
  })],
  runnables: [{
    name: 'beside',
    run: (signal) => new Promise((done) => signal.addEventListener('abort', () => done())),
  }],
});
process.once('SIGTERM', () => void manager.stop());
process.on('exit', (code) => {
  const tookMs = Math.round(performance.now() - stoppedAt);
  console.log(JSON.stringify({ code, tookMs }));
});
await manager.run();
stoppedAt = performance.now();
`;

test('[D-4] a stopping process exits within a second, without process.exit', async () => {
  const server = await startServer();
  server.create(configMap('a'));
  const folder = folderWith({ 'program.mjs': PROGRAM });
  const child = start(process.execPath, [join(folder, 'program.mjs')], {
    CHANCERY_API_URL: server.url,
    CHANCERY_HEALTH_PORT: `${await freePort()}`,
    CHANCERY_HEALTH_HOST: '127.0.0.1',
    CHANCERY_METRICS_PORT: `${await freePort()}`,
    CHANCERY_METRICS_HOST: '127.0.0.1',
    CHANCERY_LEADER_ELECTION: 'true',
    POD_NAMESPACE: 'demo',
    WATCH_NAMESPACE: '*',
  });
  await child.stdout.until(() => child.stdout.lines.includes('reconciled'));

  child.kill('SIGTERM');

  expect(await child.exit).toBe(0);
  const { code, tookMs } = JSON.parse(child.stdout.lines.at(-1) ?? '');
  expect(code).toBe(0);
  expect(tookMs).toBeLessThan(1_000);
  expect(server.get('coordination.k8s.io/v1', 'Lease', 'demo', 'one-leader')).toMatchObject({
    spec: { holderIdentity: '' },
  });
});
