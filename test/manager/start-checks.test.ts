/** What is tested at the start is no part of what others wait for. */
import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { ApiServer, eventually } from '@chancery/testing';
import { controller, source } from 'chancery';
import { configMaps } from 'chancery/kubernetes';
import { expect, onTestFinished, test } from 'vitest';
import type { Connection } from '../../operator/client/connection.ts';
import { newManager } from '../../operator/manager/manager.ts';
import { createLogger } from '../../operator/manager/observe/logger.ts';
import type { SelfTestMode } from '../../operator/manager/settings/settings.ts';

const silent = createLogger('error', new Writable({ write: (_chunk, _encoding, done) => done() }));
const hello = controller({
  name: 'hello',
  for: source(configMaps),
  reconcile: async () => {},
});

/** A manager whose ambassador has no answer to the self-test, ever. */
async function managerThatWaits(selfTest: SelfTestMode) {
  const server = await ApiServer.start();
  onTestFinished(() => server.close());
  const asked: string[] = [];
  const decorate = (connection: Connection): Connection => ({
    ...connection,
    transport: {
      ...connection.transport,
      send: (request) => {
        asked.push(`${request.method} ${request.path}`);
        return new Promise((_resolve, reject) => {
          request.signal.addEventListener('abort', () => reject(request.signal.reason));
        });
      },
    },
  });
  const settings = { apiUrl: server.url, healthPort: 0, metricsPort: 0, selfTest };
  const surroundings = { environment: {}, tokenFolders: [], logger: silent };
  const options = { controllers: [hello], settings, decorate, ...surroundings };
  const manager = await newManager(options);
  const running = manager.run();
  running.catch(() => {});
  onTestFinished(() => manager.stop());
  return { asked, manager, running, server };
}

test('if the self-test gets no answer, it delays no source', async () => {
  const { asked, manager } = await managerThatWaits('warn');

  await eventually(() => manager.ready && asked.length > 0);

  expect(asked.toSorted()).toEqual(['GET /chancery-self-test', 'OPTIONS /version']);
});

test('if the self-test is required, nothing is read before its result, and stopping before the result is no failure', async () => {
  const { asked, manager, running, server } = await managerThatWaits('require');
  await eventually(() => asked.length > 0);

  await manager.stop();
  await running;

  expect(server.requests).toEqual([]);
});

test('with the self-test off no request is sent', async () => {
  const { asked, manager } = await managerThatWaits('off');

  await eventually(() => manager.ready);

  expect(asked).toEqual([]);
});

test("import 'chancery' loads no file of the self-test", () => {
  const root = fileURLToPath(new URL('../../operator/', import.meta.url));
  const loaded = new Set<string>();
  const load = (file: string): void => {
    if (loaded.has(file)) return;
    loaded.add(file);
    const text = readFileSync(file, 'utf8');
    const imports = /^(?:import|export)\s(?!type\b)(?:[^'";]*?\sfrom\s)?'(\.[^']+)';/gm;
    for (const [, specifier = ''] of text.matchAll(imports)) load(join(dirname(file), specifier));
  };

  load(join(root, 'index.ts'));

  const files = [...loaded].map((file) => relative(root, file));
  expect(files).toContain('manager/create-manager.ts');
  expect(
    files.filter((file) => /self-test|access-check|visible-token|filter-test/.test(file)),
  ).toEqual([]);
  expect(
    files.filter((file) => /missing-(access|rules)|needed-rights|excess-rules|^cli\//.test(file)),
  ).toEqual([]);
});
