/** F-8: what a patch may change of who an object is, and in which order the server refuses. */
import { describe, expect, test } from 'vitest';
import {
  JSON_PATCH,
  MERGE,
  SAMPLES,
  type SampleKind,
  STRATEGIC,
  withObjects,
} from './patched-objects.ts';

const MODIFIED =
  'the object has been modified; please apply your changes to the latest version and try again';
const UNNAMED =
  'the name of the object (it based on URL) was undeterminable: name must be provided';

describe('[F-8] the order of checks of a patch', () => {
  test.each([
    ['Secret', JSON_PATCH, 'secrets "none" not found'],
    ['Secret', STRATEGIC, 'secrets "none" not found'],
    ['Box', MERGE, 'boxes.a.example "none" not found'],
    ['StatefulSet', MERGE, 'statefulsets.apps "none" not found'],
  ] as const)('a patch of a missing object is answered 404 before the body is read: %s %s', async (kind, type, message) => {
    const { cluster } = await withObjects();
    const path = SAMPLES[kind].path.replace(/it$/, 'none');

    const answer = await cluster.send('PATCH', path, '[{', { 'content-type': type });

    expect([answer.status, answer.body.message]).toEqual([404, message]);
  });

  test('the media type of a patch is checked before its options, and the options before the object', async () => {
    const { cluster } = await withObjects();
    const path = `${SAMPLES.Secret.path.replace(/it$/, 'none')}?fieldValidation=Maybe`;
    const send = (type: string) => cluster.send('PATCH', path, '[{', { 'content-type': type });

    expect((await send(MERGE)).status).toBe(422);
    expect((await send('application/json')).status).toBe(415);
  });

  test('the media type of a patch is case-sensitive', async () => {
    const { patch } = await withObjects();

    const large = await patch('Secret', 'application/Merge-Patch+json', {});
    const withCharset = await patch('Secret', `${MERGE}; charset=utf-8`, {});

    expect([large.status, withCharset.status]).toEqual([415, 200]);
  });

  test.each([
    ['application/json', ''],
    [STRATEGIC, ''],
    [STRATEGIC, '/status'],
    [STRATEGIC, '/scale'],
  ])('a patch of type %s is refused for a custom resource at %s', async (type, where) => {
    const { patch } = await withObjects();

    const answer = await patch('Box', type, {}, where);

    expect([answer.status, answer.body.message]).toEqual([
      415,
      'the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml',
    ]);
  });

  test.each([
    [JSON_PATCH, '{}', 'json: cannot unmarshal object into Go value of type jsonpatch.Patch'],
    [MERGE, '"x"', 'Invalid JSON Patch'],
    [MERGE, '{"a', 'Invalid JSON Patch'],
    [STRATEGIC, '7', 'json: cannot unmarshal number into Go value of type map[string]interface {}'],
  ])('a malformed patch without field validation is refused: %s %s', async (type, body, message) => {
    const { patch } = await withObjects();

    const answer = await patch('Secret', type, body, '?fieldValidation=Ignore');

    expect([answer.status, answer.body.message]).toEqual([400, message]);
  });
});

describe('[F-8] null as the body of a patch', () => {
  test.each([
    ['Secret', ''],
    ['PriorityClass', '?fieldValidation=Strict'],
    ['Box', '?fieldValidation=Ignore'],
    ['Box', '/status'],
    ['ReplicaSet', '/scale'],
  ] as const)('null as a merge patch is refused: %s%s', async (kind, where) => {
    const { patch } = await withObjects();

    const { status, body } = await patch(kind, MERGE, 'null', where);

    expect([status, body.reason, body.message]).toEqual([400, 'BadRequest', 'Invalid JSON Patch']);
  });

  test.each([
    ['StatefulSet', STRATEGIC],
    ['Secret', JSON_PATCH],
    ['Box', JSON_PATCH],
  ] as const)('a %s does not change when the body null is sent as %s', async (kind, type) => {
    const { cluster, patch } = await withObjects();
    const before = await cluster.send('GET', SAMPLES[kind].path);

    const answer = await patch(kind, type, 'null');

    expect([answer.status, answer.body]).toEqual([200, before.body]);
  });
});

describe('[F-8] name, namespace, uid and resourceVersion in a patch', () => {
  const identities: readonly (readonly [SampleKind, object, number, string])[] = [
    ['Secret', { name: null }, 400, UNNAMED],
    ['Box', { name: '' }, 400, UNNAMED],
    [
      'Secret',
      { name: 'that' },
      400,
      'the name of the object (that) does not match the name on the URL (it)',
    ],
    [
      'StatefulSet',
      { name: 'that', namespace: 'there' },
      400,
      'the namespace of the provided object does not match the namespace sent on the request',
    ],
    ['Secret', { resourceVersion: 'x7' }, 500, 'strconv.ParseUint: parsing "x7": invalid syntax'],
    [
      'Secret',
      { uid: 'another', resourceVersion: '1' },
      409,
      `Operation cannot be fulfilled on secrets "it": ${MODIFIED}`,
    ],
    [
      'RuntimeClass',
      { resourceVersion: null },
      422,
      'runtimeclasses.node.k8s.io "it" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update',
    ],
    [
      'Box',
      { resourceVersion: '0' },
      422,
      'boxes.a.example "it" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update',
    ],
    [
      'PriorityClass',
      { uid: 'another' },
      422,
      'PriorityClass.scheduling.k8s.io "it" is invalid: metadata.uid: Invalid value: "another": field is immutable',
    ],
  ];

  test.each(
    identities,
  )('a patch of a %s with metadata %j is answered %i', async (kind, metadata, status, message) => {
    const { patch } = await withObjects();

    const answer = await patch(kind, MERGE, { metadata });

    expect([answer.status, answer.body.message]).toEqual([status, message]);
  });

  test.each([
    ['Secret', { resourceVersion: '' }],
    ['StatefulSet', { resourceVersion: '0' }],
    ['Secret', { uid: null }],
    ['Box', { namespace: null, uid: '' }],
    ['PriorityClass', { namespace: 'anywhere' }],
  ] as const)('a patch of a %s ignores the metadata %j', async (kind, identity) => {
    const { cluster, patch } = await withObjects();
    const before = await cluster.send('GET', SAMPLES[kind].path);

    const answer = await patch(kind, MERGE, { metadata: { ...identity, labels: { team: 'red' } } });

    const { uid, name, namespace } = before.body.metadata;
    expect(answer.body.metadata).toMatchObject({ uid, name, labels: { team: 'red' } });
    expect(answer.body.metadata.namespace).toBe(namespace);
  });

  test.each([
    'Secret',
    'StatefulSet',
    'PriorityClass',
    'Box',
  ] as const)('a JSON patch that removes the name of a %s is answered 400', async (kind) => {
    const { patch } = await withObjects();

    const answer = await patch(kind, JSON_PATCH, [{ op: 'remove', path: '/metadata/name' }]);

    expect([answer.status, answer.body.message]).toEqual([400, UNNAMED]);
  });

  test.each([
    ['StatefulSet', 'namespace'],
    ['Secret', 'resourceVersion'],
    ['PriorityClass', 'uid'],
    ['ReplicaSet', 'creationTimestamp'],
    ['Box', 'uid'],
  ] as const)('a JSON patch of a %s cannot remove its %s', async (kind, field) => {
    const { cluster, patch } = await withObjects();
    const before = await cluster.send('GET', SAMPLES[kind].path);

    const answer = await patch(kind, JSON_PATCH, [{ op: 'remove', path: `/metadata/${field}` }]);

    expect([answer.status, answer.body]).toEqual([200, before.body]);
  });

  test('a JSON patch that removes the metadata is refused because the name is missing', async () => {
    const { patch } = await withObjects();

    const answer = await patch('Secret', JSON_PATCH, [{ op: 'remove', path: '/metadata' }]);

    expect([answer.status, answer.body.message]).toEqual([400, UNNAMED]);
  });

  test('a PUT without a name is refused, and a PUT of a cluster-scoped object drops the namespace', async () => {
    const { cluster } = await withObjects();
    const { path, object } = SAMPLES.PriorityClass;
    const put = (metadata: object) => cluster.send('PUT', path, { ...object, metadata });

    const nameless = await put({});
    const placed = await put({ name: 'it', namespace: 'anywhere' });

    expect([nameless.status, nameless.body.message]).toEqual([400, UNNAMED]);
    expect([placed.status, placed.body.metadata.namespace]).toEqual([200, undefined]);
  });
});

describe('[F-8] the kind in a patch', () => {
  const SCHEME = 'k8s.io/kubernetes/pkg/api/legacyscheme/scheme.go:30';

  test.each<[SampleKind, object, string]>([
    ['Secret', { kind: 'Node' }, 'converting (v1.Node) to (core.Secret): unknown conversion'],
    [
      'StatefulSet',
      { kind: 'Job', apiVersion: 'batch/v1' },
      'converting (v1.Job) to (apps.StatefulSet): unknown conversion',
    ],
    [
      'PriorityClass',
      { kind: 'Pear' },
      `no kind "Pear" is registered for version "scheduling.k8s.io/v1" in scheme "${SCHEME}"`,
    ],
    [
      'Secret',
      { apiVersion: 'v9' },
      `no kind "Secret" is registered for version "v9" in scheme "${SCHEME}"`,
    ],
    ['Secret', { apiVersion: 'x/y/z' }, 'unexpected GroupVersion string: x/y/z'],
    [
      'Secret',
      { kind: {} },
      "couldn't get version/kind; json parse error: json: cannot unmarshal object into Go struct field .kind of type string",
    ],
    ['Box', { metadata: [] }, 'json: cannot unmarshal array into Go value of type v1.ObjectMeta'],
    [
      'Box',
      { metadata: { annotations: { a: false } } },
      'json: cannot unmarshal bool into Go struct field ObjectMeta.annotations of type string',
    ],
  ])('a patch of a %s with %j is answered 422, and the error quotes the result', async (kind, body, why) => {
    const { patch } = await withObjects();

    const { status, body: answer } = await patch(kind, MERGE, body);

    expect(status).toBe(422);
    expect(answer.message).toMatch(/^ "" is invalid: patch: Invalid value: "\{\\"apiVersion\\":/);
    expect(answer.message.endsWith(`}": ${why}`)).toBe(true);
  });

  test('a patch that changes the kind may be refused by the decoder of the new kind', async () => {
    const { patch } = await withObjects();

    const answer = await patch('Secret', MERGE, { kind: 'ConfigMap', data: { key: 7 } });

    expect(answer.body.message).toMatch(
      /cannot unmarshal number into Go struct field ConfigMap.data/,
    );
  });

  test('a JSON patch that turns the object into a list is answered 422', async () => {
    const { patch } = await withObjects();

    const answer = await patch('Box', JSON_PATCH, [{ op: 'replace', path: '', value: [1] }]);

    expect(answer.status).toBe(422);
    expect(answer.body.message).toMatch(/Invalid value: "\[1\]": couldn't get version\/kind;/);
  });

  test('a patch that removes the kind does not remove it, and a patch that removes apiVersion is refused', async () => {
    const { patch } = await withObjects();

    const kindless = await patch('Secret', MERGE, { kind: null });
    const versionless = await patch('Secret', MERGE, { apiVersion: null });

    expect([kindless.status, kindless.body.kind]).toEqual([200, 'Secret']);
    expect([versionless.status, versionless.body.message]).toEqual([400, UNNAMED]);
    expect(versionless.headers.get('warning')).toContain('unknown field \\"metadata\\"');
  });

  test.each([
    [
      { kind: 'Bag' },
      422,
      'Bag.a.example "it" is invalid: kind: Invalid value: "Bag": must be Box',
    ],
    [
      { apiVersion: 'b.example/v1' },
      422,
      'Box.b.example "it" is invalid: apiVersion: Invalid value: "b.example/v1": must be a.example/v1',
    ],
    [
      { apiVersion: '' },
      500,
      "Internal error occurred: Object 'apiVersion' is missing in 'object has no apiVersion field'",
    ],
  ])('a patch of a custom resource with %j is answered %i', async (body, status, message) => {
    const { patch } = await withObjects();

    const answer = await patch('Box', MERGE, body);

    expect([answer.status, answer.body.message]).toEqual([status, message]);
  });

  test('a patch that empties the kind of a custom resource is answered 422', async () => {
    const { patch } = await withObjects();

    const answer = await patch('Box', MERGE, { kind: '' });

    expect(answer.body.message).toMatch(/": Object 'Kind' is missing in '\{"apiVersion":.*\}'$/);
  });

  test('a strategic merge patch does not change the kind, whatever kind the patch contains', async () => {
    const { cluster, patch } = await withObjects();
    const other = { kind: 'Pear', apiVersion: 'fruit/v1', metadata: { labels: { team: 'red' } } };

    const answer = await patch('StatefulSet', STRATEGIC, other);

    const stored = await cluster.send('GET', SAMPLES.StatefulSet.path);
    expect(answer.status).toBe(200);
    for (const { body } of [answer, stored]) {
      expect(body).toMatchObject({ kind: 'StatefulSet', apiVersion: 'apps/v1' });
    }
  });
});
