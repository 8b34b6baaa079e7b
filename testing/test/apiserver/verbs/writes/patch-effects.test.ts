/** F-8: what patches of each kind leave behind, of objects and of their subresources. */
import { describe, expect, test } from 'vitest';
import { JSON_PATCH, MERGE, SAMPLES, STRATEGIC, withObjects } from './patched-objects.ts';

interface Entry {
  readonly manager: string;
  readonly operation: string;
  readonly subresource?: string;
  readonly fieldsV1: object;
}

describe('[F-8] managedFields after a patch', () => {
  test.each([
    [JSON_PATCH, [{ op: 'add', path: '/metadata/labels/tier', value: 'db' }]],
    [MERGE, { metadata: { labels: { tier: 'db' } } }],
    [STRATEGIC, { metadata: { labels: { tier: 'db' } } }],
  ])('a patch of type %s gives its manager only the fields that it changes', async (type, body) => {
    const { patch } = await withObjects();

    const answer = await patch('StatefulSet', type, body, '?fieldManager=painter');

    const entry = answer.body.metadata.managedFields.find(
      (one: Entry) => one.manager === 'painter',
    );
    expect(entry).toMatchObject({ operation: 'Update', apiVersion: 'apps/v1' });
    expect(entry.fieldsV1).toEqual({ 'f:metadata': { 'f:labels': { 'f:tier': {} } } });
  });

  test('an empty managedFields list in a patch or PUT removes all managedFields', async () => {
    const { cluster, patch } = await withObjects();
    const { path, object } = SAMPLES.Secret;

    const patched = await patch('PriorityClass', MERGE, { metadata: { managedFields: [] } });
    const put = await cluster.send('PUT', path, {
      ...object,
      metadata: { name: 'it', managedFields: [] },
    });

    expect(patched.body.metadata.managedFields).toBeUndefined();
    expect(put.body.metadata.managedFields).toBeUndefined();
  });

  test('a dry run of a patch returns its result and stores nothing', async () => {
    const { cluster, patch } = await withObjects();
    const body = [{ op: 'remove', path: '/metadata/labels' }];

    const dry = await patch('Box', JSON_PATCH, body, '?dryRun=All&fieldManager=dry');

    const stored = await cluster.send('GET', SAMPLES.Box.path);
    expect(dry.body.metadata.labels).toBeUndefined();
    expect(stored.body.metadata.labels).toEqual({ team: 'blue' });
    expect(stored.body.metadata.managedFields.map((one: Entry) => one.manager)).not.toContain(
      'dry',
    );
  });
});

describe('[F-8] a strategic merge patch over HTTP', () => {
  const inTemplate = (spec: object): object => ({ spec: { template: { spec } } });

  test.each<[object, number, string]>([
    [
      inTemplate({ containers: [{ name: 'main', ports: [{ name: 'web' }] }] }),
      500,
      'map: map[name:web] does not contain declared merge key: containerPort',
    ],
    [
      inTemplate({ containers: ['main'] }),
      500,
      'list element types are not identical: [[map[image:web:1 imagePullPolicy:IfNotPresent name:main ports:[map[containerPort:8080 protocol:TCP]] resources:map[] terminationMessagePath:/dev/termination-log terminationMessagePolicy:File] map[image:log:1 imagePullPolicy:IfNotPresent name:side resources:map[] terminationMessagePath:/dev/termination-log terminationMessagePolicy:File]] [main]]',
    ],
    [
      { spec: { updateStrategy: { $retainKeys: ['type'], rollingUpdate: {} } } },
      400,
      'invalid patch format of retainKeys',
    ],
  ])('a strategic merge patch %j is answered %i', async (body, status, message) => {
    const { patch } = await withObjects();

    const answer = await patch('StatefulSet', STRATEGIC, body);

    expect([answer.status, answer.body.message]).toEqual([status, message]);
  });

  test('a strategic merge patch with a value of a wrong type is answered 422, and the error quotes the patch without its directives', async () => {
    const { patch } = await withObjects();
    const body = {
      metadata: { labels: { team: null, tier: true } },
      ...inTemplate({ '$setElementOrder/containers': [{ name: 'side' }, { name: 'main' }] }),
    };

    const answer = await patch('StatefulSet', STRATEGIC, body);

    expect([answer.status, answer.body.message]).toEqual([
      422,
      ' "" is invalid: patch: Invalid value: "map[metadata:map[labels:map[team:<nil> tier:true]] spec:map[template:map[spec:map[]]]]": unrecognized type: string',
    ]);
  });

  test('unknown fields of a strategic merge patch are reported in sorted order, as warning or error', async () => {
    const { patch } = await withObjects();
    const body = { speck: {}, metadata: { label: 1, annotation: 2 } };

    const warned = await patch('StatefulSet', STRATEGIC, body);
    const strict = await patch('StatefulSet', STRATEGIC, body, '?fieldValidation=Strict');

    const fields = ['metadata.annotation', 'metadata.label', 'speck'];
    expect(warned.headers.get('warning')).toBe(
      fields.map((field) => `299 - "unknown field \\"${field}\\""`).join(', '),
    );
    expect(strict.body.message).toContain(
      `strict decoding error: ${fields.map((field) => `unknown field "${field}"`).join(', ')}`,
    );
  });
});

describe('[F-8] a patch of a status', () => {
  const METADATA = {
    labels: { team: 'red' },
    annotations: { note: 'm' },
    finalizers: null,
  };

  test('a patch of a status changes the metadata that the kind allows', async () => {
    const { patch } = await withObjects();

    const { body } = await patch('ReplicaSet', MERGE, { metadata: METADATA }, '/status');

    expect(body.metadata).toMatchObject({ labels: { team: 'red' }, annotations: { note: 'm' } });
    expect(body.metadata.finalizers).toBeUndefined();
  });

  test('a patch of a custom status changes no metadata and ignores uid and kind', async () => {
    const { patch } = await withObjects();
    const metadata = { ...METADATA, uid: 'another' };
    const body = { kind: 'Bag', metadata, status: { size: 2 } };

    const answer = await patch('Box', MERGE, body, '/status');

    expect(answer.status).toBe(200);
    expect(answer.body.status).toEqual({ size: 2 });
    expect(answer.body.metadata).toMatchObject({
      labels: { team: 'blue' },
      annotations: { note: 'n' },
      finalizers: ['a.example/hold'],
    });
  });

  test.each([
    [
      'StatefulSet',
      { currentReplicas: 2, replicas: 1 },
      ['status.currentReplicas: Invalid value: 2: cannot be greater than status.replicas'],
    ],
    [
      'ReplicaSet',
      { fullyLabeledReplicas: -3, readyReplicas: 1, availableReplicas: 2, replicas: 2 },
      [
        'status.fullyLabeledReplicas: Invalid value: -3: must be greater than or equal to 0',
        'status.availableReplicas: Invalid value: 2: cannot be greater than readyReplicas',
      ],
    ],
  ] as const)('a status patch of %s with %j is answered 422', async (kind, status, problems) => {
    const { patch } = await withObjects();

    const answer = await patch(kind, MERGE, { status }, '/status');

    expect(answer.status).toBe(422);
    for (const problem of problems) expect(answer.body.message).toContain(problem);
    expect(answer.body.details.causes).toHaveLength(problems.length);
  });

  test('a status patch cannot decrease the collisionCount', async () => {
    const { patch } = await withObjects();
    const count = (collisionCount: number) =>
      patch('StatefulSet', MERGE, { status: { collisionCount } }, '/status');

    await count(4);

    expect((await count(3)).body.message).toMatch(
      /status.collisionCount: .* cannot be decremented$/,
    );
    expect((await count(5)).status).toBe(200);
  });
});

describe('[F-8] a patch of a scale', () => {
  test.each<[body: object, status: number, message: RegExp]>([
    [
      { spec: { replicas: -5 } },
      422,
      /^Scale.autoscaling "it" is invalid: spec.replicas: Invalid value: -5: must be greater than or equal to 0$/,
    ],
    [
      { metadata: { uid: 'another' } },
      409,
      /^Operation cannot be fulfilled on replicasets\/scale.apps "it": Precondition failed: UID in precondition: another, UID in object meta: [0-9a-f-]{36}$/,
    ],
    [{ metadata: { name: 'that' } }, 400, /^the name of the object \(that\) does not match/],
    [
      { metadata: { name: null } },
      400,
      /based on URL\) was undeterminable: name must be provided$/,
    ],
    [
      { spec: { replicas: [] } },
      422,
      /cannot unmarshal array into Go struct field ScaleSpec.spec.replicas of type int32$/,
    ],
    [
      { kind: 'ReplicaSet', apiVersion: 'apps/v1' },
      422,
      /converting \(v1.ReplicaSet\) to \(autoscaling.Scale\)/,
    ],
  ])('a scale patch %j is answered %i', async (body, status, message) => {
    const { patch } = await withObjects();

    const answer = await patch('ReplicaSet', MERGE, body, '/scale');

    expect(answer.status).toBe(status);
    expect(answer.body.message).toMatch(message);
  });

  test.each([
    [JSON_PATCH, [{ op: 'replace', path: '/spec/replicas', value: 6 }]],
    [MERGE, { spec: { replicas: 6 } }],
    [STRATEGIC, { spec: { replicas: 6 } }],
  ])('a scale patch of type %s sets the replicas of the object', async (type, body) => {
    const { cluster, patch } = await withObjects();

    const answer = await patch('ReplicaSet', type, body, '/scale');

    const { body: object } = await cluster.send('GET', SAMPLES.ReplicaSet.path);
    expect([answer.body.kind, object.spec.replicas]).toEqual(['Scale', 6]);
  });

  test('a scale patch with an unknown field causes a warning', async () => {
    const { patch } = await withObjects();

    const answer = await patch('Box', MERGE, { spec: { replica: 6 } }, '/scale');

    expect(answer.headers.get('warning')).toBe('299 - "unknown field \\"spec.replica\\""');
  });

  test('a scale patch of a custom resource ignores the uid', async () => {
    const { patch } = await withObjects();

    const answer = await patch('Box', MERGE, { metadata: { uid: 'another' } }, '/scale');

    expect(answer.status).toBe(200);
  });
});
