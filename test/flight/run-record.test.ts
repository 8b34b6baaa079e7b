/** `chancery run --record`: the record that a real process writes. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '@chancery/testing';
import { expect, test } from 'vitest';
import { readRecord } from '../../operator/flight/read-record.ts';
import { chancery, folderWith } from '../cli/child.ts';
import { startServer } from '../cli/server.ts';

const COPIER = `
import { controller, source } from 'chancery';
import { configMaps, secrets } from 'chancery/kubernetes';

export default controller({
  name: 'copier',
  for: source(secrets),
  owns: [configMaps],
  async reconcile(secret, { applyOwned, log }) {
    log.warn({ name: secret.metadata.name }, 'copies');
    await applyOwned(configMaps, {
      apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: secret.metadata.name + '-copy' },
      data: { copy: Buffer.from(secret.data.password, 'base64').toString() },
    });
  },
});`;

const PASSWORD = 'correct horse "battery" <staple>';

test('a record tells what a process was asked, what it answered, and why, without values of Secrets', async () => {
  const server = await startServer();
  server.create({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'pw', namespace: 'demo' },
    data: { password: Buffer.from(PASSWORD).toString('base64') },
  } as never);
  const folder = folderWith({ 'copier.ts': COPIER });
  const records = join(folder, 'records');

  const child = chancery(['run', join(folder, 'copier.ts'), '--record', records], {
    CHANCERY_API_URL: server.url,
    POD_NAMESPACE: 'demo',
  });
  await child.stderr.until(() => child.stderr.lines.some((line) => line.includes('copies')));
  await eventually(() => server.list('v1', 'configmaps', 'demo').some(({ metadata }) => metadata.name === 'pw-copy'));
  child.kill('SIGQUIT');
  await child.stderr.until(() => child.stderr.lines.some((line) => line.includes('flight record written')));
  child.kill('SIGTERM');

  expect(await child.exit).toBe(0);
  const [name = ''] = readdirSync(records);
  expect(statSync(join(records, name)).mode & 0o777).toBe(0o600);
  const record = await readRecord(join(records, name));
  console.log(JSON.stringify(record.header, null, 1));
  for (const line of record.lines) console.log(JSON.stringify(line).slice(0, 400));
  expect(record.cutOff).toBeUndefined();
});
