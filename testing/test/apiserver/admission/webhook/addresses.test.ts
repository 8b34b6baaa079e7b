import { describe, expect, test } from 'vitest';
import { CertificateAuthority } from '../../../../src/apiserver/tls/certificate-authority.ts';
import { CONFIG_MAPS, configMap, startCluster } from '../../support/cluster.ts';
import { configuration, startWebhook, webhook } from '../../support/webhook-server.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');

const SERVICE = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'hooks', namespace: 'shop' },
  spec: { ports: [{ port: 443 }] },
} as never;

const NAMESPACE = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } };

/** An authority, and a webhook whose certificate it has signed. */
async function secureWebhook(hosts: readonly string[]): Promise<{
  readonly url: string;
  readonly port: number;
  readonly caBundle: string;
}> {
  const authority = new CertificateAuthority();
  const { url, port } = await startWebhook(() => ({ allowed: true }), {
    tls: authority.issue(hosts),
  });
  return { url, port, caBundle: base64(authority.certificate) };
}

describe('admission webhooks with https', () => {
  test('[F-18] the API server calls a webhook if an authority in the caBundle has signed its certificate', async () => {
    const { server, send } = await startCluster();
    const { url, caBundle } = await secureWebhook(['127.0.0.1']);
    server.create(configuration('Validating', 'w', [webhook('x.a.example', { url, caBundle })]));

    const { status } = await send('POST', CONFIG_MAPS, configMap('a'));

    expect(status).toBe(201);
  });

  test.each([
    [
      'another authority has signed its certificate',
      ['127.0.0.1'],
      new CertificateAuthority().certificate,
      'x509: certificate signed by unknown authority',
    ],
    [
      'its certificate has another name',
      ['other.example'],
      undefined,
      "x509: cannot validate certificate for 127.0.0.1 because it doesn't contain any IP SANs",
    ],
  ])('[F-18] the API server does not trust a webhook when %s', async (_why, hosts, authority, words) => {
    const { server, send } = await startCluster();
    const { url, ...own } = await secureWebhook(hosts);
    const caBundle = authority === undefined ? own.caBundle : base64(authority);
    server.create(configuration('Validating', 'w', [webhook('x.a.example', { url, caBundle })]));

    const { status, body } = await send('POST', CONFIG_MAPS, configMap('a'));

    expect(status).toBe(500);
    expect(body.message).toBe(
      `Internal error occurred: failed calling webhook "x.a.example": failed to call webhook: Post "${url}/?timeout=10s": tls: failed to verify certificate: ${words}`,
    );
  });

  test('an https webhook that answers in plain HTTP makes the call fail', async () => {
    const { server, send } = await startCluster();
    const { port } = await startWebhook(() => ({ allowed: true }));
    const url = `https://127.0.0.1:${port}`;
    server.create(configuration('Validating', 'w', [webhook('x.a.example', { url })]));

    const { body } = await send('POST', CONFIG_MAPS, configMap('a'));

    expect(body.message).toMatch(/http: server gave HTTP response to HTTPS client$/);
  });
});

describe('admission webhooks behind a Service', () => {
  test('a webhook is called at the address configured for its Service, with a certificate for the name of the Service', async () => {
    const { port, caBundle } = await secureWebhook(['hooks.shop.svc']);
    const { server, send } = await startCluster({
      webhookServices: { 'shop/hooks': `127.0.0.1:${port}` },
    });
    const clientConfig = { service: { namespace: 'shop', name: 'hooks', path: '/v' }, caBundle };
    server.create(configuration('Validating', 'w', [webhook('x.a.example', clientConfig)]));

    const { status } = await send('POST', CONFIG_MAPS, configMap('a'));

    expect(status).toBe(201);
  });

  test('a webhook with an http address is called without TLS, at the path and port of its Service', async () => {
    const paths: string[] = [];
    const { url } = await startWebhook((_request, { path }) => {
      paths.push(path);
      return { allowed: true };
    });
    const { server, send } = await startCluster({ webhookServices: { 'shop/hooks:8443': url } });
    const service = { namespace: 'shop', name: 'hooks', path: '/validate/x', port: 8443 };
    const timeout = { timeoutSeconds: 5 };
    server.create(configuration('Validating', 'w', [webhook('x.a.example', { service }, timeout)]));

    const { status } = await send('POST', CONFIG_MAPS, configMap('a'));

    expect([status, paths]).toEqual([201, ['/validate/x?timeout=5s']]);
  });

  test('a webhook call fails when its Service does not exist, and when the Service has no address', async () => {
    const { server, send } = await startCluster();
    const service = { namespace: 'shop', name: 'hooks', path: '/v' };
    server.create(configuration('Validating', 'w', [webhook('x.a.example', { service })]));

    const absent = await send('POST', CONFIG_MAPS, configMap('a'));
    server.create(NAMESPACE);
    server.create(SERVICE);
    const empty = await send('POST', CONFIG_MAPS, configMap('a'));

    const post = 'failed to call webhook: Post "https://hooks.shop.svc:443/v?timeout=10s": ';
    expect(absent.body.message).toContain(`${post}service "hooks" not found`);
    expect(empty.body.message).toContain(`${post}no endpoints available for service "hooks"`);
  });
});

describe('validation of webhook configurations', () => {
  const path = '/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations';
  const url = 'https://a.example';

  test('a webhook configuration gets the defaults of Kubernetes', async () => {
    const { send } = await startCluster();
    const service = { namespace: 'shop', name: 'hooks' };

    const { body } = await send(
      'POST',
      path,
      configuration('Mutating', 'w', [webhook('x.a.example', { service })]),
    );

    expect(body.webhooks).toMatchObject([
      {
        clientConfig: { service: { port: 443 } },
        failurePolicy: 'Fail',
        matchPolicy: 'Equivalent',
        namespaceSelector: {},
        objectSelector: {},
        reinvocationPolicy: 'Never',
        rules: [{ scope: '*' }],
        timeoutSeconds: 10,
      },
    ]);
  });

  test.each<[string, object, string]>([
    ['name', webhook('short.name', { url }), 'should be a domain with at least three segments'],
    ['clientConfig', webhook('x.a.b', {}), 'exactly one of url or service is required'],
    [
      'sideEffects',
      webhook('x.a.b', { url }, { sideEffects: 'Some' }),
      'supported values: "None", "NoneOnDryRun"',
    ],
    [
      'timeoutSeconds',
      webhook('x.a.b', { url }, { timeoutSeconds: 31 }),
      'the timeout value must be between 1 and 30 seconds',
    ],
    [
      'admissionReviewVersions',
      webhook('x.a.b', { url }, { admissionReviewVersions: ['v9'] }),
      'must include at least one of v1, v1beta1',
    ],
    ['clientConfig.url', webhook('x.a.b', { url: `${url}/?a=b` }), 'query parameters'],
    [
      'matchConditions[0].expression',
      webhook('x.a.b', { url }, { matchConditions: [{ name: 'a', expression: 'nothing.a' }] }),
      "undeclared reference to 'nothing'",
    ],
  ])('a webhook configuration with a wrong %s is refused', async (field, wrong, words) => {
    const { send } = await startCluster();

    const { status, body } = await send('POST', path, configuration('Mutating', 'w', [wrong]));

    expect(status).toBe(422);
    expect(body.details.causes.map((one: { field: string }) => one.field)).toEqual([
      `webhooks[0].${field}`,
    ]);
    expect(body.message).toContain(words);
  });
});
