/** Modules that export webhooks: what commands see of them, and that a process answers them. */

import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { parseYamlDocuments } from '../../operator/core/yaml.ts';
import { post } from '../manager/webhooks/post.ts';
import { reviewOf } from '../webhook/reviews.ts';
import { chancery, folderWith, freePort } from './child.ts';
import { invoke } from './invocation.ts';
import { startServer } from './server.ts';

const COLOURS = `
import { deny, source, validatingWebhook } from 'chancery';
import { configMaps, secrets } from 'chancery/kubernetes';

export default [validatingWebhook({
  name: 'colours.shop.example.com',
  resource: configMaps,
  reads: [source(secrets, { labelSelector: 'app=x' })],
  failurePolicy: 'Fail',
  validate: (_request, { store }) => deny(\`of \${store(secrets).list().length}\`),
})];`;

const WITH_ARGUMENTS = `
import { withArguments } from 'chancery';
import webhooks from './colours.mjs';

export default withArguments({ arguments: {}, create: () => ({ webhooks }) });`;

const ONE_HANGS = `
import { validatingWebhook } from 'chancery';
import { configMaps } from 'chancery/kubernetes';

export default validatingWebhook({
  name: 'colours.shop.example.com',
  resource: configMaps,
  timeoutSeconds: 40,
  validate: () => {},
});`;

test.each([
  'colours.mjs',
  'arguments.mjs',
])('`run --check` prints the webhooks of %s', async (name) => {
  const folder = folderWith({ 'colours.mjs': COLOURS, 'arguments.mjs': WITH_ARGUMENTS });

  const { exit, stdout } = invoke(['run', '--check', join(folder, name)]);

  expect(await exit).toBe(0);
  expect(stdout.records).toEqual([
    {
      webhook: 'colours.shop.example.com',
      type: 'validating',
      rules: [
        {
          apiGroups: [''],
          apiVersions: ['v1'],
          resources: ['configmaps'],
          operations: ['CREATE', 'UPDATE'],
          scope: 'Namespaced',
        },
      ],
      failurePolicy: 'Fail',
      timeoutSeconds: 10,
      reads: [
        {
          apiVersion: 'v1',
          plural: 'secrets',
          kind: 'Secret',
          namespace: 'configured',
          labelSelector: 'app=x',
        },
      ],
    },
  ]);
});

test('if the configuration of a webhook is invalid, startup fails with exit code 2 and a message of one line', async () => {
  const folder = folderWith({ 'colours.mjs': ONE_HANGS });

  const { exit, stderr } = invoke(['run', '--check', join(folder, 'colours.mjs')]);

  expect(await exit).toBe(2);
  expect(stderr.lines).toEqual([expect.stringContaining('a whole number from 1 to 30, not 40')]);
});

test('`generate rbac` includes the sources that webhooks read', async () => {
  const folder = folderWith({ 'colours.mjs': COLOURS });
  const command = ['generate', 'rbac', join(folder, 'colours.mjs'), '--namespace', 'shop'];

  const { exit, stdout } = invoke(command);

  expect(await exit).toBe(0);
  const text = stdout.lines.join('\n');
  expect(text).toContain('- secrets');
  expect(text).not.toContain('admissionregistration');
  expect(text).not.toContain('configmaps');
});

test('the operator has the name of its only controller, even if there is also a webhook', async () => {
  const shop = `
import { controller } from 'chancery';
import { configMaps } from 'chancery/kubernetes';
import webhooks from './colours.mjs';

export default [...webhooks, controller({ name: 'shop', for: configMaps, reconcile: () => {} })];`;
  const folder = folderWith({ 'colours.mjs': COLOURS, 'shop.mjs': shop });

  const { exit, stdout } = invoke(['generate', 'rbac', join(folder, 'shop.mjs')]);

  expect(await exit).toBe(0);
  expect(parseYamlDocuments(stdout.lines.join('\n'))).toMatchObject([
    { kind: 'Role', metadata: { name: 'shop' } },
    { kind: 'RoleBinding', subjects: [{ name: 'shop', namespace: 'shop' }] },
  ]);
});

test('a process that has only webhooks answers them until it is stopped', async () => {
  const server = await startServer();
  const folder = folderWith({ 'colours.mjs': COLOURS });
  const port = await freePort();

  const child = chancery(['run', join(folder, 'colours.mjs')], {
    CHANCERY_API_URL: server.url,
    CHANCERY_WEBHOOK_LISTEN: `127.0.0.1:${port}`,
  });
  await child.stderr.until(() => child.stderr.lines.some((line) => line.includes('is healthy')));
  const got = await post(`http://127.0.0.1:${port}`, JSON.stringify(reviewOf()));
  child.kill('SIGTERM');

  expect(JSON.parse(got.text).response.status.message).toBe('of 0');
  expect(await child.exit).toBe(0);
});

const CONVERTED = `
import { controller } from 'chancery';
import { conversion, customResource, Type } from 'chancery/schema';

const v1 = { version: 'v1', spec: Type.Object({ size: Type.String() }) };
const v2 = { version: 'v2', spec: Type.Object({ size: Type.String() }) };

export const crates = customResource({
  group: 'example.com',
  kind: 'Crate',
  ...v2,
  otherVersions: [v1],
  convert: [conversion(v1, v2, { up: ({ spec }) => ({ spec }), down: ({ spec }) => ({ spec }) })],
});

export default controller({ name: 'crates', for: crates, reconcile() {} });`;

test('a dry run converts no objects, and does not open the conversion port', async () => {
  const server = await startServer();
  server.applyManifest(CRATES);
  const folder = folderWith({ 'crates.mjs': CONVERTED });
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  onTestFinished(() => void other.close());
  const { port } = other.address() as AddressInfo;

  const { exit, stderr } = invoke(['run', '--dry-run', join(folder, 'crates.mjs')], {
    env: { CHANCERY_API_URL: server.url, CHANCERY_WEBHOOK_LISTEN: `127.0.0.1:${port}` },
  });

  expect(await exit).toBe(0);
  expect(stderr.lines).toContain('dry run: crates.example.com is not converted');
});

const CRATES = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: crates.example.com }
spec:
  group: example.com
  scope: Namespaced
  names: { plural: crates, singular: crate, kind: Crate, listKind: CrateList }
  versions:
    - { name: v2, served: true, storage: true, schema: { openAPIV3Schema: { type: object } } }
`;

test('a dry run prints which webhooks it does not answer', async () => {
  const server = await startServer();
  const folder = folderWith({ 'colours.mjs': COLOURS });

  const { exit, stderr } = invoke(['run', '--dry-run', join(folder, 'colours.mjs')], {
    env: { CHANCERY_API_URL: server.url },
  });

  expect(await exit).toBe(0);
  expect(stderr.lines).toContain('dry run: colours.shop.example.com is not served');
});
