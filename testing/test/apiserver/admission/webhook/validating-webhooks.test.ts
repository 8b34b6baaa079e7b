import { describe, expect, test } from 'vitest';
import { freePort } from '../../../../src/ports/free-port.ts';
import { eventually } from '../../../../src/time/eventually.ts';
import { FakeClock } from '../../../../src/time/fake-clock.ts';
import { CONFIG_MAPS, configMap, startCluster } from '../../support/cluster.ts';
import { configuration, startWebhook, webhook } from '../../support/webhook-server.ts';

const ALLOW = (): object => ({ allowed: true });

describe('a validating webhook', () => {
  test('[F-18] the refusal of a validating webhook has the Status of the webhook, and the message of Kubernetes', async () => {
    const { server, send } = await startCluster();
    const { url } = await startWebhook(({ object }) =>
      object.data.color === 'red'
        ? { allowed: false, status: { code: 422, reason: 'Invalid', message: 'no red' } }
        : { allowed: true },
    );
    server.create(configuration('Validating', 'w', [webhook('color.a.example', { url })]));

    const refused = await send('POST', CONFIG_MAPS, configMap('a', {}, { color: 'red' }));
    const accepted = await send('POST', CONFIG_MAPS, configMap('b', {}, { color: 'blue' }));
    const changed = await send('PATCH', `${CONFIG_MAPS}/b`, { data: { color: 'red' } });

    expect(refused.body).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: 'admission webhook "color.a.example" denied the request: no red',
      reason: 'Invalid',
      code: 422,
    });
    expect([refused.status, accepted.status, changed.status]).toEqual([422, 201, 422]);
  });

  test.each([
    [{}, 400, 'without explanation'],
    [{ status: { reason: 'Forbidden', code: 403 } }, 403, ': Forbidden'],
    [{ status: { code: 200, message: 'fine?' } }, 400, ': fine?'],
  ])('a write that a validating webhook denies with %j is answered %i', async (response, code, words) => {
    const { server, send } = await startCluster();
    const { url } = await startWebhook(() => ({ allowed: false, ...response }));
    server.create(configuration('Validating', 'w', [webhook('x.a.example', { url })]));

    const { status, body } = await send('POST', CONFIG_MAPS, configMap('a'));

    expect([status, body.code]).toEqual([code, code]);
    expect(body.message).toBe(
      `admission webhook "x.a.example" denied the request${words.startsWith(':') ? '' : ' '}${words}`,
    );
  });

  test('a validating webhook gets the same request, user, objects and options as from Kubernetes', async () => {
    const { server, send } = await startCluster();
    const { url, reviews } = await startWebhook(ALLOW);
    const rules = [
      { operations: ['*'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] },
    ];
    server.create(configuration('Validating', 'w', [webhook('x.a.example', { url }, { rules })]));

    await send('POST', `${CONFIG_MAPS}?fieldManager=me&fieldValidation=Strict`, {
      metadata: { generateName: 'a-' },
    });
    const [created] = reviews;
    const { name } = created.object.metadata;
    await send('PATCH', `${CONFIG_MAPS}/${name}?dryRun=All`, { data: { a: '1' } });
    await send('DELETE', `${CONFIG_MAPS}/${name}?gracePeriodSeconds=7`);
    const [, patched, deleted] = reviews;

    expect(created).toMatchObject({
      kind: { group: '', version: 'v1', kind: 'ConfigMap' },
      resource: { group: '', version: 'v1', resource: 'configmaps' },
      requestKind: { group: '', version: 'v1', kind: 'ConfigMap' },
      requestResource: { group: '', version: 'v1', resource: 'configmaps' },
      namespace: 'default',
      operation: 'CREATE',
      userInfo: { username: 'kubernetes-admin' },
      dryRun: false,
      oldObject: null,
      options: {
        kind: 'CreateOptions',
        apiVersion: 'meta.k8s.io/v1',
        fieldManager: 'me',
        fieldValidation: 'Strict',
      },
    });
    expect(created).not.toHaveProperty('name');
    expect(name).toMatch(/^a-\w+/);
    expect(patched).toMatchObject({
      name,
      operation: 'UPDATE',
      dryRun: true,
      object: { data: { a: '1' } },
      options: { kind: 'UpdateOptions', dryRun: ['All'] },
    });
    expect(patched.oldObject.metadata.name).toBe(name);
    expect(deleted).toMatchObject({
      operation: 'DELETE',
      object: null,
      oldObject: { metadata: { name } },
      options: { kind: 'DeleteOptions', gracePeriodSeconds: 7 },
    });
    expect(new Set(reviews.map(({ uid }) => uid)).size).toBe(3);
  });

  test('a validating webhook adds warnings to the answer, and audit annotations to the request', async () => {
    const { server, send } = await startCluster();
    const { url } = await startWebhook(() => ({
      allowed: true,
      warnings: ['old field "a"', 'old field "a"', 'with\nline'],
      auditAnnotations: { seen: 'yes' },
    }));
    server.create(configuration('Validating', 'w', [webhook('x.a.example', { url })]));

    const { headers } = await send('POST', CONFIG_MAPS, configMap('a'));

    expect(headers.get('warning')).toBe('299 - "old field \\"a\\""');
    expect(server.requests.at(-1)?.auditAnnotations).toEqual({ 'x.a.example/seen': 'yes' });
  });

  test('the API server cuts long warnings of a webhook, and drops warnings beyond a total length', async () => {
    const { server, send } = await startCluster();
    const { url } = await startWebhook(() => ({
      allowed: true,
      warnings: [...'abcdefghijklmnopqrst'].map((letter) => letter.repeat(300)),
    }));
    server.create(configuration('Validating', 'w', [webhook('x.a.example', { url })]));

    const { headers } = await send('POST', CONFIG_MAPS, configMap('a'));

    const texts = (headers.get('warning') ?? '').split(', ').map((one) => one.length - 8);
    expect(texts).toEqual(Array.from({ length: 16 }, () => 256));
  });

  test('a validating webhook is not called for policies and webhook configurations', async () => {
    const { server, send } = await startCluster();
    const { url } = await startWebhook(() => ({ allowed: false }));
    const rules = [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*'] }];
    server.create(configuration('Validating', 'w', [webhook('x.a.example', { url }, { rules })]));

    const refused = await send('POST', CONFIG_MAPS, configMap('a'));
    const path = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/w';
    const removed = await send('DELETE', path);

    expect([refused.status, removed.status]).toEqual([400, 200]);
  });

  test('validating webhooks are called in parallel, and the first refusal is the answer', async () => {
    const { server, send } = await startCluster();
    const waiting: (() => void)[] = [];
    const both = new Promise<void>((resolve) => waiting.push(resolve));
    let asked = 0;
    const { url } = await startWebhook(async (_, { path }) => {
      if (++asked === 2) waiting[0]?.();
      await both;
      return path.startsWith('/no')
        ? { allowed: false, status: { message: 'no' } }
        : { allowed: true };
    });
    server.create(
      configuration('Validating', 'w', [
        webhook('one.a.example', { url: `${url}/yes` }),
        webhook('two.a.example', { url: `${url}/no` }),
      ]),
    );

    const { body } = await send('POST', CONFIG_MAPS, configMap('a'));

    expect(body.message).toBe('admission webhook "two.a.example" denied the request: no');
  });
});

describe('an admission webhook that fails', () => {
  test('[F-18] [admission 10] with failurePolicy Fail, but not with Ignore, writes are refused while a webhook is unreachable', async () => {
    const { server, send } = await startCluster();
    const port = await freePort();
    const url = `http://127.0.0.1:${port}/validate`;
    server.create(configuration('Validating', 'closed', [webhook('x.a.example', { url })]));

    const refused = await send('POST', CONFIG_MAPS, configMap('a'));
    server.patch(
      'admissionregistration.k8s.io/v1',
      'ValidatingWebhookConfiguration',
      undefined,
      'closed',
      {
        webhooks: [webhook('x.a.example', { url }, { failurePolicy: 'Ignore' })],
      },
    );
    const passed = await send('POST', CONFIG_MAPS, configMap('b'));
    await startWebhook(() => ({ allowed: false, status: { message: 'back' } }), { port });
    const asked = await send('POST', CONFIG_MAPS, configMap('c'));

    const why = `failed calling webhook "x.a.example": failed to call webhook: Post "${url}?timeout=10s": dial tcp 127.0.0.1:${port}: connect: connection refused`;
    expect(refused.body).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: `Internal error occurred: ${why}`,
      reason: 'InternalError',
      details: { causes: [{ message: why }] },
      code: 500,
    });
    expect(passed.status).toBe(201);
    expect(asked.body.message).toContain('denied the request: back');
    expect(server.requests.at(-2)?.auditAnnotations).toEqual({
      'failed-open.validating.webhook.admission.k8s.io/round_0_index_0': 'x.a.example',
    });
  });

  test('a webhook call times out after timeoutSeconds on the clock of the server', async () => {
    const clock = new FakeClock();
    const { server, send } = await startCluster({ clock });
    const { url, reviews } = await startWebhook(() => undefined);
    const timeout = { timeoutSeconds: 3 };
    server.create(configuration('Validating', 'w', [webhook('x.a.example', { url }, timeout)]));

    const answer = send('POST', CONFIG_MAPS, configMap('a'));
    await eventually(() => reviews.length === 1);
    await clock.advance(3_000);

    const { status, body } = await answer;
    expect(status).toBe(500);
    expect(body.message).toContain(`Post "${url}/?timeout=3s": context deadline exceeded`);
  });

  test.each([
    ['null in place of a review', 'null', "couldn't get version/kind"],
    ['a review without a kind', '{"a":1}', `Object 'Kind' is missing in '{"a":1}'`],
    ['text that is not JSON', 'ok', "couldn't get version/kind; json parse error"],
    ['an empty body', '', '0-length response with status code: 200'],
  ])('the API server reports a webhook that answers %s', async (_what, text, words) => {
    const { server, send } = await startCluster();
    const { url } = await startWebhook((_request, { response }) => {
      response.end(text);
      return undefined;
    });
    server.create(configuration('Validating', 'w', [webhook('x.a.example', { url })]));

    const { status, body } = await send('POST', CONFIG_MAPS, configMap('a'));

    expect(status).toBe(500);
    expect(body.message).toContain(
      'failed calling webhook "x.a.example": failed to call webhook: ',
    );
    expect(body.message).toContain(words);
  });

  test.each([
    [404, 'the server could not find the requested resource'],
    [500, 'an error on the server ("broken") has prevented the request from succeeding'],
    [503, 'the server is currently unable to handle the request'],
  ])('the API server reports a webhook that answers with status %i', async (code, words) => {
    const { server, send } = await startCluster();
    const { url } = await startWebhook((_request, { response }) => {
      response.statusCode = code;
      response.end('broken\n');
      return undefined;
    });
    server.create(configuration('Validating', 'w', [webhook('x.a.example', { url })]));

    const { body } = await send('POST', CONFIG_MAPS, configMap('a'));

    expect(body.message).toMatch(new RegExp(`failed to call webhook: ${escaped(words)}$`));
  });

  test.each([
    [{ uid: 'other' }, /expected response\.uid="[^"]+", got "other"$/],
    [{ patch: 'W10=' }, /validating webhook may not return response\.patch$/],
    [{ patchType: 'JSONPatch' }, /validating webhook may not return response\.patchType$/],
  ])('the API server reports a webhook that answers with %j', async (response, words) => {
    const { server, send } = await startCluster();
    const { url } = await startWebhook(() => ({ allowed: true, ...response }));
    server.create(configuration('Validating', 'w', [webhook('x.a.example', { url })]));

    const { body } = await send('POST', CONFIG_MAPS, configMap('a'));

    expect(body.message).toContain('received invalid webhook response: ');
    expect(body.message).toMatch(words);
  });
});

function escaped(text: string): string {
  return text.replace(/[()"?.*+]/g, '\\$&');
}
