import { describe, expect, test } from 'vitest';
import { CONFIG_MAPS, configMap, startCluster } from '../../support/cluster.ts';
import {
  configuration,
  patchOf,
  type Respond,
  startRawWebhook,
  startWebhook,
  webhook,
} from '../../support/webhook-server.ts';

const set = (key: string, value: string): object => ({ op: 'add', path: `/data/${key}`, value });

/** A webhook that notes its turn in the object: `data.turns` has the letters of all turns. */
function turns(letter: string, more: readonly object[] = []): Respond {
  return ({ object }) => patchOf([set('turns', `${object.data.turns ?? ''}${letter}`), ...more]);
}

const OPEN_DEFINITION = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'foos.a.example' },
  spec: {
    group: 'a.example',
    scope: 'Namespaced',
    names: { plural: 'foos', singular: 'foo', kind: 'Foo', listKind: 'FooList' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        },
      },
    ],
  },
} as never;

describe('a mutating webhook', () => {
  test('a mutating webhook changes the object, and no manager owns the added fields', async () => {
    const { server, send } = await startCluster();
    const { url, reviews } = await startWebhook(() => patchOf([set('added', 'yes')]));
    server.create(configuration('Mutating', 'w', [webhook('x.a.example', { url })]));

    const { status, body } = await send('POST', `${CONFIG_MAPS}?fieldManager=me`, configMap('a'));

    expect([status, body.data]).toEqual([201, { k: 'v', added: 'yes' }]);
    const [{ manager, fieldsV1 }] = body.metadata.managedFields;
    expect([manager, fieldsV1['f:data']]).toEqual(['me', { '.': {}, 'f:k': {} }]);
    expect(reviews[0].object.metadata.managedFields).toHaveLength(1);
    expect(reviews[0].object.metadata).not.toHaveProperty('uid');
  });

  test('mutating webhooks run in the order of their configurations, and each gets the changes of earlier webhooks', async () => {
    const { server, send } = await startCluster();
    const [a, b, c] = await Promise.all(
      ['a', 'b', 'c'].map((letter) => startWebhook(turns(letter))),
    );
    server.create(configuration('Mutating', 'z', [webhook('c.a.example', { url: c?.url })]));
    server.create(
      configuration('Mutating', 'm', [
        webhook('b.a.example', { url: b?.url }),
        webhook('a.a.example', { url: a?.url }),
      ]),
    );

    const { body } = await send('POST', CONFIG_MAPS, configMap('a'));

    expect(body.data.turns).toBe('bac');
  });

  test('[admission 8] a mutating webhook with IfNeeded runs again after a later webhook has changed the object', async () => {
    const { server, send } = await startCluster();
    const first = await startWebhook(turns('1'));
    const never = await startWebhook(turns('2'));
    const last = await startWebhook(turns('3'));
    const again = { reinvocationPolicy: 'IfNeeded' };
    server.create(
      configuration('Mutating', 'w', [
        webhook('one.a.example', { url: first.url }, again),
        webhook('two.a.example', { url: never.url }),
        webhook('three.a.example', { url: last.url }),
      ]),
    );

    const { body } = await send('POST', CONFIG_MAPS, configMap('a'));

    expect(body.data.turns).toBe('1231');
  });

  test('a mutating webhook that did not match in the first round is not called in the second round', async () => {
    const { server, send } = await startCluster();
    const early = await startWebhook(turns('e'));
    const labelling = await startWebhook(() =>
      patchOf([{ op: 'add', path: '/metadata/labels', value: { wanted: 'yes' } }]),
    );
    const objectSelector = { matchLabels: { wanted: 'yes' } };
    const again = { reinvocationPolicy: 'IfNeeded' };
    server.create(
      configuration('Mutating', 'w', [
        webhook('one.a.example', { url: early.url }, { ...again, objectSelector }),
        webhook('two.a.example', { url: labelling.url }, again),
      ]),
    );

    const { body } = await send('POST', CONFIG_MAPS, configMap('a'));

    expect(body.metadata.labels).toEqual({ wanted: 'yes' });
    expect(early.reviews).toEqual([]);
  });

  test('a mutating webhook cannot change the uid or the namespace of an object', async () => {
    const { server, send } = await startCluster();
    const replace = (path: string, value: unknown): Promise<{ url: string }> =>
      startWebhook(() => patchOf([{ op: 'add', path, value }]));
    const uid = await replace('/metadata/uid', 'mine');
    server.create(configuration('Mutating', 'w', [webhook('x.a.example', { url: uid.url })]));
    const created = await send('POST', CONFIG_MAPS, configMap('a'));
    const other = await replace('/metadata/namespace', 'kube-system');
    server.patch(
      'admissionregistration.k8s.io/v1',
      'MutatingWebhookConfiguration',
      undefined,
      'w',
      {
        webhooks: [webhook('x.a.example', { url: other.url })],
      },
    );

    const moved = await send('POST', CONFIG_MAPS, configMap('b'));
    const renamed = await send('PATCH', `${CONFIG_MAPS}/a`, { data: { k: '2' } });

    expect(created.body.metadata.uid).not.toBe('mine');
    expect([moved.status, renamed.status]).toEqual([400, 400]);
  });

  test('a mutating webhook gets and sets integers above 2^53 exactly', async () => {
    const { server, send } = await startCluster();
    const seen: string[] = [];
    const patch = '[{"op":"add","path":"/spec/more","value":9007199254740995}]';
    const { url } = await startRawWebhook((text) => {
      seen.push(text);
      const { uid } = JSON.parse(text).request;
      const encoded = Buffer.from(patch).toString('base64');
      return `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","response":{"uid":"${uid}",
        "allowed":true,"patchType":"JSONPatch","patch":"${encoded}"}}`;
    });
    server.create(OPEN_DEFINITION);
    const rules = [
      {
        operations: ['CREATE'],
        apiGroups: ['a.example'],
        apiVersions: ['v1'],
        resources: ['foos'],
      },
    ];
    server.create(configuration('Mutating', 'w', [webhook('x.a.example', { url }, { rules })]));

    const { status, text } = await send(
      'POST',
      '/apis/a.example/v1/namespaces/default/foos',
      '{"apiVersion":"a.example/v1","kind":"Foo","metadata":{"name":"a"},"spec":{"size":9007199254740993}}',
    );

    expect([status, seen[0]]).toEqual([201, expect.stringContaining('"size":9007199254740993')]);
    expect(text).toContain('"spec":{"more":9007199254740995,"size":9007199254740993}');
  });

  test('a mutating webhook is called for a deletion, which fails if the webhook answers with a patch', async () => {
    const { server, send } = await startCluster();
    const { url } = await startWebhook(() => patchOf([set('a', 'b')]));
    const rules = [
      { operations: ['DELETE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] },
    ];
    server.create(configuration('Mutating', 'w', [webhook('x.a.example', { url }, { rules })]));
    await send('POST', CONFIG_MAPS, configMap('a'));

    const { status, body } = await send('DELETE', `${CONFIG_MAPS}/a`);

    expect(status).toBe(500);
    expect(body.message).toBe(
      'Internal error occurred: admission webhook "x.a.example" attempted to modify the object, which is not supported for this operation',
    );
  });

  test.each([
    [
      [{ op: 'remove', path: '/data/none' }],
      "error in remove for path: '/data/none': Unable to remove nonexistent key: none: missing value",
    ],
    [
      [{ op: 'replace', path: '/spec/none', value: 1 }],
      'replace operation does not apply: doc is missing path: /spec/none: missing value',
    ],
    [
      [{ op: 'add', path: '/data', value: { k: 1 } }],
      'json: cannot unmarshal number into Go struct field ConfigMap.data of type string',
    ],
  ])('a request fails if the patch of a mutating webhook cannot be applied: %j', async (operations, words) => {
    const { server, send } = await startCluster();
    const { url } = await startWebhook(() => patchOf(operations));
    const open = { failurePolicy: 'Ignore' };
    server.create(configuration('Mutating', 'w', [webhook('x.a.example', { url }, open)]));

    const { status, body } = await send('POST', CONFIG_MAPS, configMap('a'));

    expect([status, body.message]).toEqual([500, `Internal error occurred: ${words}`]);
  });

  test.each([
    [
      { allowed: true, patch: 'W10=' },
      'webhook returned response.patch but not response.patchType',
    ],
    [
      { allowed: true, patchType: 'JSONPatch' },
      'webhook returned response.patchType but not response.patch',
    ],
  ])('a mutating webhook that answers with %j makes the request fail', async (response, words) => {
    const { server, send } = await startCluster();
    const { url } = await startWebhook(() => response);
    server.create(configuration('Mutating', 'w', [webhook('x.a.example', { url })]));

    const { body } = await send('POST', CONFIG_MAPS, configMap('a'));

    expect(body.message).toBe(
      `Internal error occurred: failed calling webhook "x.a.example": received invalid webhook response: ${words}`,
    );
  });

  test('an update is tried again if the object is written during the webhook call', async () => {
    const { server, send } = await startCluster();
    await send('POST', CONFIG_MAPS, configMap('a', {}, { n: '0' }));
    let asked = 0;
    const { url } = await startWebhook(() => {
      asked++;
      if (asked === 1) server.patch('v1', 'ConfigMap', 'default', 'a', { data: { n: '1' } });
      return patchOf([set('asked', String(asked))]);
    });
    server.create(configuration('Mutating', 'w', [webhook('x.a.example', { url })]));

    const { status, body } = await send('PATCH', `${CONFIG_MAPS}/a`, { data: { mine: 'yes' } });

    expect([status, body.data]).toEqual([200, { n: '1', mine: 'yes', asked: '2' }]);
  });

  test('a mutating webhook gets a custom resource with its defaults, and the fields that it adds are validated and pruned', async () => {
    const { server, send } = await startCluster();
    server.create({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: 'foos.a.example' },
      spec: {
        group: 'a.example',
        scope: 'Namespaced',
        names: { plural: 'foos', singular: 'foo', kind: 'Foo', listKind: 'FooList' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: {
              openAPIV3Schema: {
                type: 'object',
                properties: {
                  spec: {
                    type: 'object',
                    properties: {
                      size: { type: 'integer', default: 3, maximum: 9 },
                      name: { type: 'string' },
                    },
                  },
                },
              },
            },
          },
        ],
      },
    } as never);
    const { url, reviews } = await startWebhook(({ object }) =>
      patchOf([
        { op: 'add', path: '/spec/unknown', value: 1 },
        { op: 'replace', path: '/spec/size', value: object.spec.name === 'big' ? 10 : 4 },
      ]),
    );
    const rules = [
      {
        operations: ['CREATE'],
        apiGroups: ['a.example'],
        apiVersions: ['v1'],
        resources: ['foos'],
      },
    ];
    server.create(configuration('Mutating', 'w', [webhook('x.a.example', { url }, { rules })]));
    const path = '/apis/a.example/v1/namespaces/default/foos';
    const foo = (name: string): object => ({
      apiVersion: 'a.example/v1',
      kind: 'Foo',
      metadata: { name },
      spec: { name },
    });

    const small = await send('POST', path, foo('small'));
    const big = await send('POST', path, foo('big'));

    expect(reviews[0].object.spec).toEqual({ name: 'small', size: 3 });
    expect(small.body.spec).toEqual({ name: 'small', size: 4 });
    expect(big.body.message).toContain('spec.size: Invalid value: 10');
  });
});
