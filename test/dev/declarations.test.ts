import { expect, test } from 'vitest';
import { declarationsOf } from '../../operator/cli/dev/declarations.ts';
import { configMaps } from '../../operator/model/kubernetes/resources.ts';
import { allow } from '../../operator/webhook/decision.ts';
import { mutatingWebhook, validatingWebhook } from '../../operator/webhook/webhook.ts';

const check = validatingWebhook({
  name: 'check.settings.example.com',
  resource: configMaps,
  validate: () => allow(),
});

const change = mutatingWebhook({
  name: 'change.settings.example.com',
  resource: configMaps,
  mutate: ({ object }) => object,
});

const PLACE = { namespace: 'demo', allNamespaces: false };

test('webhooks are configured with the plain HTTP address at which the operator listens', () => {
  const listen = { host: '127.0.0.1', port: 20_123 };
  const { webhooks } = declarationsOf([], PLACE, { webhooks: [check, change], listen });

  expect(webhooks).toMatchObject([
    {
      kind: 'ValidatingWebhookConfiguration',
      webhooks: [
        {
          name: 'check.settings.example.com',
          clientConfig: { url: 'http://127.0.0.1:20123/validate/check.settings.example.com' },
          namespaceSelector: { matchExpressions: [{ operator: 'NotIn', values: ['kube-system'] }] },
        },
      ],
    },
    {
      kind: 'MutatingWebhookConfiguration',
      webhooks: [
        { clientConfig: { url: 'http://127.0.0.1:20123/mutate/change.settings.example.com' } },
      ],
    },
  ]);
});

test('no webhook is configured if the operator listens on a unix socket', () => {
  const listen = { host: '127.0.0.1', port: 9_440, socket: '/run/hooks.sock' };

  const declared = declarationsOf([], PLACE, { webhooks: [check], listen });

  expect([declared.webhooks, declared.conversionUrl]).toEqual([[], undefined]);
});

test.each([
  '127.0.0.1',
  '::1',
])('the conversion URL contains the address %s at which the operator listens', (host) => {
  const { conversionUrl = '' } = declarationsOf([], PLACE, {
    webhooks: [],
    listen: { host, port: 20_124 },
  });

  expect(new URL(conversionUrl)).toMatchObject({ port: '20124', pathname: '/convert' });
});
