/** The guide's examples, word for word: a test below holds the two equal. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { configMap, startTestEnv } from '@chancery/testing';
import { allow, deny, validatingWebhook } from 'chancery';
import { configMaps } from 'chancery/kubernetes';
import { expect, test } from 'vitest';

test('a ConfigMap without an owner is refused', async () => {
  const owners = validatingWebhook({
    name: 'owners.settings.example.com',
    resource: configMaps,
    validate: ({ object }) =>
      object.metadata.labels?.owner === undefined ? deny('the label owner is missing') : allow(),
  });
  await using env = await startTestEnv({ webhooks: [owners] });
  const namespace = await env.namespace();

  const refused = env.create(configMap('a', { namespace }));

  await expect(refused).rejects.toThrow(
    'admission webhook "owners.settings.example.com" denied the request: the label owner is missing',
  );
});

/** Denies everything. */
const DENY = createServer(async (request, response) => {
  const { request: asked, ...review } = JSON.parse(await text(request));
  const answer = { uid: asked.uid, allowed: false, status: { message: `not ${asked.name}` } };
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ ...review, response: answer }));
});

const WEBHOOK = `
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: { name: deny }
webhooks:
  - name: deny.settings.example.com
    clientConfig: { service: { namespace: shop, name: hooks, path: /validate } }
    rules:
      - { operations: [CREATE], apiGroups: [''], apiVersions: [v1], resources: [configmaps] }
    sideEffects: None
    admissionReviewVersions: [v1]
`;

test('a webhook behind a service is called', async () => {
  await once(DENY.listen(0, '127.0.0.1'), 'listening');
  const { port } = DENY.address() as AddressInfo;
  const webhookServices = { 'shop/hooks': `http://127.0.0.1:${port}` };
  await using env = await startTestEnv({ embedded: { webhookServices } });
  const namespace = await env.namespace();
  await env.apply(WEBHOOK);

  const refused = env.create(configMap('a', { namespace }));

  await expect(refused).rejects.toThrow('denied the request: not a');
  DENY.close();
});

test('with-webhooks.md has the same code as this file', () => {
  const here = readFileSync(new URL(import.meta.url), 'utf8');
  const guide = readFileSync(
    new URL('../../docs/guides/test/with-webhooks.md', import.meta.url),
    'utf8',
  );
  const blocks = [...guide.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = '']) => code);

  expect(blocks).toHaveLength(2);
  for (const block of blocks) expect(here).toContain(block);
});
