/**
 * A session of kubectl with Secrets through `chancery record`, and its replay.
 *
 * @module-tag kubectl
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ApiServer, eventually } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import { folderWith } from '../../../test/cli/child.ts';
import { recordingOf } from '../../../test/cli/record/recorded.ts';
import { pathOf } from '../../../test/tools/tools.ts';
import { recordingFolder } from './folder.ts';
import { folderConformance } from './report.ts';

const PASSWORD = 'correct horse & battery "staple"';
const OTHER = 'an-other-password-of-ours';
const base64 = (text: string): string => Buffer.from(text).toString('base64');

const MANIFEST = `apiVersion: v1
kind: Secret
metadata: { name: db, namespace: plants, labels: { app: db } }
stringData: { password: ${JSON.stringify(PASSWORD)} }
---
apiVersion: v1
kind: ConfigMap
metadata: { name: db, namespace: plants }
data: { url: "postgres://db:${OTHER}@db/x" }
`;

test('a kubectl session with Secrets is recorded without their values, and replayed without a difference', async () => {
  const server = await ApiServer.start({ authorization: 'RBAC', workloads: {} });
  onTestFinished(() => server.close());
  // As a replay makes it.
  await fetch(`${server.url}/api/v1/namespaces?fieldManager=kubectl-create`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'plants' } }),
  });
  await eventually(() => server.get('v1', 'ConfigMap', 'plants', 'kube-root-ca.crt'));
  const folder = folderWith({ 'db.yaml': MANIFEST });
  const file = join(folder, 'db.yaml');

  const recorded = await recordingOf(server.url, async (url) => {
    const kubectl = async (...args: readonly string[]): Promise<string> => {
      const env = { HOME: folder, KUBECONFIG: '/dev/null', PATH: '' };
      const words = [`--server=${url}`, '--namespace=plants', ...args];
      return (await promisify(execFile)(pathOf('kubectl'), words, { env })).stdout;
    };
    // In protobuf, since kubectl 1.33.
    await kubectl('create', 'secret', 'generic', 'cache', `--from-literal=password=${OTHER}`);
    await kubectl('apply', '-f', file);
    await kubectl('apply', '-f', file, '--server-side', '--force-conflicts');
    await kubectl('patch', 'secret', 'db', '-p', JSON.stringify({ stringData: { more: OTHER } }));
    const patch = [{ op: 'replace', path: '/data/more', value: base64(PASSWORD) }];
    await kubectl('patch', 'secret', 'db', '--type=json', '-p', JSON.stringify(patch));
    const read = JSON.parse(await kubectl('get', 'secret', 'db', '-o', 'json'));
    expect(read.data).toEqual({ password: base64(PASSWORD), more: base64(PASSWORD) });
    await kubectl('get', 'secrets');
    await kubectl('describe', 'secret', 'db');
    await kubectl('delete', '-f', file);
  });

  expect(recorded.said).toMatch(/: \d+ exchanges$/);
  expect(recorded.exchanges.length).toBeGreaterThan(15);
  for (const secret of [PASSWORD, OTHER, base64(PASSWORD), base64(OTHER)]) {
    const written = JSON.stringify(secret).slice(1, -1);
    for (const form of [
      secret,
      written,
      JSON.stringify(written).slice(1, -1),
      encodeURIComponent(secret),
    ]) {
      expect(recorded.text).not.toContain(form);
    }
  }
  const [result] = await folderConformance(recordingFolder(recorded.folder));
  expect(result?.exchanges.filter(({ differences }) => differences.length > 0)).toEqual([]);
});
