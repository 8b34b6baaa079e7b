/** `chancery run --record`: the record that a real process writes. */
import { createHash } from 'node:crypto';
import { readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { eventually } from '@chancery/testing';
import { expect, test } from 'vitest';
import { readRecord } from '../../operator/flight/read-record.ts';
import type { RecordLine } from '../../operator/flight/record-line.ts';
import { chancery, folderWith, freePort } from '../cli/child.ts';
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

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** The password in the first list of Secrets. */
function listedSecret(lines: readonly RecordLine[]): string {
  const chunk = lines.find((line) => line.kind === 'chunk' && line.text.includes('SecretList'));
  return JSON.parse(chunk?.kind === 'chunk' ? chunk.text : '').items[0].data.password;
}

const PASSWORD = 'correct horse "battery" <staple>';

test('a record contains the requests, responses and causes of a process, without values of Secrets', async () => {
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
  await eventually(() =>
    server.list('v1', 'ConfigMap', 'demo').some(({ metadata }) => metadata.name === 'pw-copy'),
  );
  child.kill('SIGQUIT');
  await child.stderr.until(() =>
    child.stderr.lines.some((line) => line.includes('flight record written')),
  );
  child.kill('SIGTERM');

  expect(await child.exit).toBe(0);
  const [name = ''] = readdirSync(records);
  expect(statSync(join(records, name)).mode & 0o777).toBe(0o600);
  const record = await readRecord(join(records, name));
  expect(record).toMatchObject({
    unknownLines: 0,
    header: {
      reason: 'asked',
      why: 'received SIGQUIT',
      settings: { POD_NAMESPACE: 'demo' },
      modules: [{ path: join(folder, 'copier.ts'), sha256: sha256(COPIER) }],
      controllers: [
        { name: 'copier', for: 'secrets', sources: ['secrets', 'configmaps'], workers: 1 },
      ],
      sources: [
        { id: 'secrets', kind: 'Secret', namespaces: ['demo'], form: 'full' },
        { id: 'configmaps', kind: 'ConfigMap' },
      ],
      limits: { minutes: 10, megabytes: 64 },
    },
  });
  expect(record.cutOff).toBeUndefined();
  const { lines } = record;
  const [wake, begin, outcome] = (['wake', 'begin', 'outcome'] as const).map((kind) =>
    lines.find((line) => line.kind === kind),
  );
  expect(wake).toMatchObject({ key: 'demo/pw', cause: 'Secret demo/pw', via: 'for, first list' });
  expect(begin).toMatchObject({ controller: 'copier', key: 'demo/pw', attempt: 0 });
  expect(outcome).toMatchObject({ key: 'demo/pw', result: 'success' });
  const post = lines.find((line) => line.kind === 'request' && line.method === 'POST' && line.by);
  expect(post).toMatchObject({ by: { controller: 'copier', key: 'demo/pw' } });
  const id = post?.kind === 'request' ? post.id : 0;
  const exchange = lines.filter((line) => 'id' in line && line.id === id);
  expect(exchange.map(({ kind }) => kind)).toEqual(['request', 'answer', 'chunk', 'ended']);
  const sent = JSON.parse(post?.kind === 'request' ? (post.body ?? '') : '');
  const secret = listedSecret(lines);
  // What was copied agrees with what it was copied from, and both are placeholders.
  expect(sent.data.copy).toMatch(/^redacted-[0-9a-f]{16}$/);
  expect(Buffer.from(secret, 'base64').toString()).toBe(sent.data.copy);
  expect(JSON.stringify(lines)).not.toContain('horse');
});

test('POST /debug/record on the health port writes a record if a setting enables it', async () => {
  const server = await startServer();
  const folder = folderWith({ 'copier.ts': COPIER });
  const port = await freePort();
  const url = `http://127.0.0.1:${port}/debug/record`;

  const child = chancery(['run', join(folder, 'copier.ts')], {
    CHANCERY_API_URL: server.url,
    POD_NAMESPACE: 'demo',
    CHANCERY_HEALTH_PORT: `${port}`,
    CHANCERY_RECORD_DIR: join(folder, 'records'),
    CHANCERY_RECORD_ENDPOINT: 'true',
  });
  await child.stderr.until(() =>
    child.stderr.lines.some((line) => line.includes('controller started')),
  );
  const answer = await fetch(url, { method: 'POST' });
  const { file } = (await answer.json()) as { readonly file: string };

  expect(answer.status).toBe(200);
  expect(dirname(file)).toBe(join(folder, 'records'));
  const { header, cutOff } = await readRecord(file);
  expect({ cutOff, reason: header.reason, why: header.why }).toEqual({
    ...{ cutOff: undefined, reason: 'asked', why: 'POST /debug/record' },
  });
  expect((await fetch(url)).status).toBe(404);
  child.kill('SIGTERM');
  expect(await child.exit).toBe(0);
});
