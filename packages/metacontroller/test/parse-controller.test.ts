/** Objects as people write them and as clusters store them, read as specs. */
import { describe, expect, test } from 'vitest';
import type { KubernetesObject } from '../../../operator/model/object.ts';
import { parseController } from '../src/parse/parse-controller.ts';
import type { CompositeSpec, ConnectionSpec, DecoratorSpec, WebhookSpec } from '../src/spec.ts';
import { composite, decorator, hooked, PARENT, refusal } from './support/controller-objects.ts';

function webhookOf(webhook: object, spec: object = {}): WebhookSpec | undefined {
  return parseController(hooked(webhook, spec)).hooks.sync?.webhook;
}

function connectionOf(webhook: object, spec: object = {}): ConnectionSpec | undefined {
  return webhookOf({ url: 'https://a.example/x', ...webhook }, spec)?.connection;
}

describe('a CompositeController', () => {
  test('a CompositeController with only a parent gets the defaults for all other fields', () => {
    const object = composite();

    expect(parseController(object)).toEqual({
      kind: 'CompositeController',
      name: 'mills',
      uid: 'u-1',
      object,
      resyncPeriodMs: undefined,
      hooks: {},
      relatedResources: [],
      parent: {
        ...PARENT,
        labelSelector: undefined,
        revisionFieldPaths: ['spec'],
        ignoreStatusChanges: false,
      },
      children: [],
      generateSelector: false,
    });
  });

  test.each([
    [undefined, 'keep'],
    ['OnDelete', 'keep'],
    ['Recreate', 'recreate'],
    ['InPlace', 'apply'],
    ['RollingRecreate', 'rolling-recreate'],
    ['RollingInPlace', 'rolling-apply'],
  ])('with the method %s, children of a type are updated by %s', (method, update) => {
    const child = { apiVersion: 'v1', resource: 'pods' };
    const strategy = method === undefined ? {} : { updateStrategy: { method } };

    const { children } = parseController(
      composite({ childResources: [{ ...child, ...strategy }] }),
    ) as CompositeSpec;

    expect(children).toEqual([{ ...child, update, statusChecks: [] }]);
  });

  test('a parsed CompositeController has status checks, a selector and revision paths', () => {
    const conditions = [
      { type: 'Ready', status: 'True' },
      { type: 'Milled', reason: 'Done' },
    ];

    const spec = parseController(
      composite({
        parentResource: {
          ...PARENT,
          labelSelector: {
            matchLabels: { a: 'b' },
            matchExpressions: [{ key: 'c', operator: 'Exists' }],
          },
          revisionHistory: { fieldPaths: ['spec.stones', 'metadata.labels'] },
          ignoreStatusChanges: true,
        },
        childResources: [
          { apiVersion: 'v1', resource: 'pods', updateStrategy: { statusChecks: { conditions } } },
        ],
        generateSelector: true,
      }),
    ) as CompositeSpec;

    expect(spec).toMatchObject({
      generateSelector: true,
      parent: {
        labelSelector: {
          matchLabels: { a: 'b' },
          matchExpressions: [{ key: 'c', operator: 'Exists' }],
        },
        revisionFieldPaths: ['spec.stones', 'metadata.labels'],
        ignoreStatusChanges: true,
      },
      children: [{ update: 'keep', statusChecks: conditions }],
    });
  });

  test('with an empty list of revision paths, the revisions of a CompositeController contain spec', () => {
    const parentResource = { ...PARENT, revisionHistory: { fieldPaths: [] } };

    const { parent } = parseController(composite({ parentResource })) as CompositeSpec;

    expect(parent.revisionFieldPaths).toEqual(['spec']);
  });

  test.each([
    [30, 30_000],
    [1, 1_000],
    [0, 1_000],
    [-5, 1_000],
  ])('[contract 96] with a resync period of %i s, the hook is called every %i ms', (resyncPeriodSeconds, ms) => {
    expect(parseController(composite({ resyncPeriodSeconds })).resyncPeriodMs).toBe(ms);
  });

  test('a child type that is declared twice is used once', () => {
    const pods = { apiVersion: 'v1', resource: 'pods' };

    const { children } = parseController(
      composite({ childResources: [pods, pods] }),
    ) as CompositeSpec;

    expect(children).toHaveLength(1);
  });
});

describe('a DecoratorController', () => {
  test('a parsed DecoratorController has resources with both selectors, and attachments without rolling updates', () => {
    const attachment = (resource: string, method: string) => ({
      ...{ apiVersion: 'v1', resource },
      updateStrategy: { method },
    });

    const spec = parseController(
      decorator({
        resources: [
          {
            apiVersion: 'apps/v1',
            resource: 'statefulsets',
            labelSelector: { matchLabels: { tier: 'mill' } },
            annotationSelector: {
              matchAnnotations: { 'mill.example/service': 'any text, {even} this' },
              matchExpressions: [
                { key: 'mill.example/off', operator: 'DoesNotExist' },
                { key: 'mill.example/size', operator: 'NotIn', values: ['big', ''] },
              ],
            },
          },
          { apiVersion: 'v1', resource: 'nodes', ignoreStatusChanges: true },
        ],
        attachments: [
          attachment('services', 'RollingInPlace'),
          attachment('secrets', 'RollingRecreate'),
          attachment('pods', 'OnDelete'),
        ],
      }),
    ) as DecoratorSpec;

    expect(spec.kind).toBe('DecoratorController');
    expect(spec.resources).toEqual([
      {
        apiVersion: 'apps/v1',
        resource: 'statefulsets',
        labelSelector: { matchLabels: { tier: 'mill' } },
        annotationSelector: [
          { key: 'mill.example/service', operator: 'In', values: ['any text, {even} this'] },
          { key: 'mill.example/off', operator: 'DoesNotExist', values: [] },
          { key: 'mill.example/size', operator: 'NotIn', values: ['big', ''] },
        ],
        ignoreStatusChanges: false,
      },
      {
        apiVersion: 'v1',
        resource: 'nodes',
        labelSelector: undefined,
        annotationSelector: undefined,
        ignoreStatusChanges: true,
      },
    ]);
    expect(spec.attachments.map(({ resource, update }) => [resource, update])).toEqual([
      ['services', 'apply'],
      ['secrets', 'recreate'],
      ['pods', 'keep'],
    ]);
  });
});

describe('an object that was stored under an older definition', () => {
  test('an object stored by an older definition gets missing defaults, and loses unknown fields, nulls and the status', () => {
    const reference = { name: 'a', namespace: 'b' };
    const stored = composite({
      oldField: 1,
      resyncPeriodSeconds: null,
      hooks: {
        sync: {
          webhook: {
            url: 'http://a.example/',
            caBundle: { secretRef: reference },
            clientTLS: { secretRef: reference },
            basicAuth: { secretRef: reference },
          },
        },
      },
    });

    const spec = parseController({ ...stored, status: { old: true } } as KubernetesObject);

    expect(spec.hooks.sync).toMatchObject({ version: 'v1', answers: 'loose' });
    const key = (name: string) => ({ kind: 'Secret', ...reference, key: name });
    expect(spec.hooks.sync?.webhook?.connection).toEqual({
      caBundle: key('ca.crt'),
      clientTls: { certificate: key('tls.crt'), privateKey: key('tls.key') },
      basicAuth: { username: key('username'), password: key('password') },
    });
    expect(spec.object).not.toHaveProperty('status');
    expect(spec.object).toMatchObject({
      spec: {
        hooks: { sync: { version: 'v1', webhook: { basicAuth: { usernameKey: 'username' } } } },
      },
    });
    expect(Object.keys((spec.object as unknown as { spec: object }).spec)).toEqual([
      'parentResource',
      'hooks',
    ]);
  });

  test('an empty key in a reference means the default key', () => {
    const secretRef = { name: 'a', namespace: 'b', key: '' };

    expect(connectionOf({ caBundle: { configMapRef: secretRef } })).toEqual({
      caBundle: { kind: 'ConfigMap', name: 'a', namespace: 'b', key: 'ca.crt' },
    });
  });
});

describe('parsing of a hook', () => {
  test('a hook may be declared without a webhook, and then only a function can serve it', () => {
    const { hooks } = parseController(
      composite({ hooks: { sync: {}, finalize: { version: 'v2' }, preUpdateChild: {} } }),
    );

    expect(hooks).toEqual({
      sync: { version: 'v1', answers: 'loose', webhook: undefined },
      finalize: { version: 'v2', answers: 'strict', webhook: undefined },
    });
  });

  test.each([
    ['v1', undefined, 'loose'],
    ['v2', undefined, 'strict'],
    ['v1', 'strict', 'strict'],
    ['v2', 'loose', 'loose'],
  ])('[contract 26] with version %s and the mode %s, the answers of a hook get %s checks', (version, mode, answers) => {
    const webhook = {
      url: 'http://a.example',
      ...(mode !== undefined && { responseUnMarshallMode: mode }),
    };

    const { hooks } = parseController(composite({ hooks: { customize: { version, webhook } } }));

    expect(hooks.customize?.answers).toBe(answers);
  });

  test.each<[object, string]>([
    [{ url: 'https://A.Example:8443/x?y=z' }, 'https://A.Example:8443/x?y=z'],
    [
      { url: 'http://127.1/a', service: { name: 'a', namespace: 'b' }, path: '/c' },
      'http://127.1/a',
    ],
    [{ service: { name: 'hooks', namespace: 'shop' }, path: '/sync' }, 'http://hooks.shop:80/sync'],
    [
      { service: { name: 'hooks', namespace: 'shop', port: 8443, protocol: 'https' }, path: '' },
      'https://hooks.shop:8443',
    ],
    [
      { service: { name: 'hooks', namespace: 'shop.svc.cluster.local' }, path: '/a?b=c' },
      'http://hooks.shop.svc.cluster.local:80/a?b=c',
    ],
  ])('[contract 18] a hook with %j is called at %s', (webhook, url) => {
    expect(webhookOf(webhook)?.url).toBe(url);
  });

  test.each([
    [undefined, 10_000],
    ['0s', 10_000],
    ['0', 10_000],
    ['-3s', 10_000],
    ['1m30.5s', 90_500],
    ['250ms', 250],
  ])('[contract 8] a hook with the time-out %s has %i ms to answer', (timeout, ms) => {
    const webhook = { url: 'http://a.example', ...(timeout !== undefined && { timeout }) };

    expect(webhookOf(webhook)?.timeoutMs).toBe(ms);
  });

  test.each([
    [undefined, undefined],
    [{}, undefined],
    [{ enabled: false, cacheTimeoutSeconds: 5 }, undefined],
    [{ enabled: true }, { cacheTimeoutMs: undefined, cacheCleanupMs: undefined }],
    [
      { enabled: true, cacheTimeoutSeconds: 5 },
      { cacheTimeoutMs: 5_000, cacheCleanupMs: undefined },
    ],
    [
      { enabled: true, cacheTimeoutSeconds: 0, cacheCleanupSeconds: 7 },
      { cacheTimeoutMs: undefined, cacheCleanupMs: 7_000 },
    ],
    [
      { enabled: true, cacheTimeoutSeconds: -1, cacheCleanupSeconds: -1 },
      { cacheTimeoutMs: undefined, cacheCleanupMs: undefined },
    ],
  ])('[metacontroller M5] a hook with the etag %j stores answers as %j', (etag, expected) => {
    expect(webhookOf({ url: 'http://a.example', ...(etag && { etag }) })?.etag).toEqual(expected);
  });

  test('a hook sends the authentication scheme and the credentials from its settings', () => {
    const secretRef = { name: 'a', namespace: 'b', key: 'c' };
    const credentials = { kind: 'Secret', ...secretRef };

    expect(connectionOf({ authorization: { secretRef } })).toEqual({
      authorization: { scheme: 'Bearer', credentials },
    });
    expect(connectionOf({ authorization: { type: ' Token ', secretRef } })).toEqual({
      authorization: { scheme: 'Token', credentials },
    });
    expect(connectionOf({ authorization: { type: ' ', secretRef } })).toEqual({
      authorization: { scheme: 'Bearer', credentials },
    });
  });
});

describe('parsing of an endpoint', () => {
  const secretRef = { name: 'a', namespace: 'b', key: 'c' };
  const secured = (...hosts: string[]) => ({
    endpointConfigs: hosts.map((host, at) => ({
      host,
      authorization: { type: `T${at}`, secretRef },
    })),
  });
  const schemeFor = (url: string, ...hosts: string[]) =>
    connectionOf({ url }, secured(...hosts))?.authorization?.scheme;

  test.each([
    ['https://hooks.shop/a', 'hooks.shop'],
    ['https://hooks.shop/a', 'hooks.shop:443'],
    ['https://hooks.shop:443/a', 'hooks.shop'],
    ['https://hooks.shop:443/a', 'hooks.shop:443'],
    ['http://hooks.shop', 'hooks.shop:80'],
    ['http://hooks.shop:80/', 'hooks.shop'],
    ['HTTP://Hooks.SHOP/a', 'hOOks.shop'],
    ['http://user:word@hooks.shop:8080/a', 'hooks.shop:8080'],
    ['http://[::1]:8080/a', '[::1]:8080'],
    ['http://127.1/a', '127.1'],
  ])('the URL %s matches an endpoint with the host %s', (url, host) => {
    expect(schemeFor(url, host)).toBe('T0');
  });

  test.each([
    ['https://hooks.shop/a', 'hooks.shop:80'],
    ['http://hooks.shop/a', 'hooks.shop:443'],
    ['http://hooks.shop:8080/a', 'hooks.shop'],
    ['http://hooks.shop:8080/a', 'hooks.shop:80'],
    ['http://hooks.shop/a', 'shop'],
    ['http://hooks.shop/a', 'a.hooks.shop'],
    ['http://hooks.shop/other.example', 'other.example'],
    ['http://other.example@hooks.shop/', 'other.example'],
  ])('the URL %s does not match an endpoint with the host %s', (url, host) => {
    expect(schemeFor(url, host)).toBeUndefined();
  });

  test('the first matching endpoint is used', () => {
    expect(schemeFor('http://a.example', 'b.example', 'a.example', 'A.example')).toBe('T1');
  });

  test('an endpoint can also match the `service` of a webhook', () => {
    const service = { name: 'hooks', namespace: 'shop', port: 8080 };

    const { connection } = webhookOf({ service, path: '/' }, secured('hooks.shop:8080')) ?? {};

    expect(connection?.authorization?.scheme).toBe('T0');
  });

  test('[contract 19] an endpoint has no effect if the webhook itself has one of the four connection fields', () => {
    const caBundle = { inline: 'PEM' };

    expect(connectionOf({ url: 'http://a.example', caBundle }, secured('a.example'))).toEqual({
      caBundle: { inline: 'PEM' },
    });
  });

  test('an endpoint is not checked if no hook uses it', () => {
    const broken = { host: 'b.example', caBundle: {} };

    expect(connectionOf({}, { endpointConfigs: [broken] })).toEqual({});
    expect(refusal(hooked({ url: 'http://b.example' }, { endpointConfigs: [broken] })).path).toBe(
      'spec.endpointConfigs[0].caBundle',
    );
  });
});

describe('the annotation with related resources', () => {
  const RELATED = 'metacontroller.chancery.dev/related-resources';
  const annotated = (text: unknown) => composite({}, { annotations: { [RELATED]: text } });

  test.each([
    ['', []],
    [' , ', []],
    [
      'v1/configmaps, apps/v1/deployments,v1/configmaps',
      [
        { apiVersion: 'v1', resource: 'configmaps' },
        { apiVersion: 'apps/v1', resource: 'deployments' },
      ],
    ],
  ])('the annotation %j lists related resources', (text, related) => {
    expect(parseController(annotated(text)).relatedResources).toEqual(related);
  });

  test.each([
    'configmaps',
    'v1/',
    '/v1/pods',
    'apps/v1/deployments/status',
    'v1/Pods',
    'v1 pods',
    5,
  ])('the annotation %j is refused', (text) => {
    const { path, message } = refusal(annotated(text));

    expect(path).toBe(`metadata.annotations[${RELATED}]`);
    expect(message).toContain('expected a');
  });
});
