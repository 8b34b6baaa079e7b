import { describe, expect, test } from 'vitest';
import { CONFIG_MAPS, configMap, startCluster } from './support/cluster.ts';

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
const lease = (metadata: object = {}): object => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name: 'l', ...metadata },
  spec: { holderIdentity: 'a' },
});

describe('[F-5] a PUT of an existing object', () => {
  test('a PUT of a ConfigMap needs no resourceVersion', async () => {
    const { send } = await startCluster();
    await send('POST', CONFIG_MAPS, configMap('a'));

    const { status, body } = await send('PUT', `${CONFIG_MAPS}/a`, configMap('a', {}, { k: 'w' }));

    expect([status, body.data]).toEqual([200, { k: 'w' }]);
  });

  test('a PUT with an old resourceVersion causes a conflict, and the error contains the resource', async () => {
    const { send } = await startCluster();
    const { body: created } = await send('POST', CONFIG_MAPS, configMap('a'));
    await send('PATCH', `${CONFIG_MAPS}/a`, { data: { k: 'w' } });

    const { status, body } = await send('PUT', `${CONFIG_MAPS}/a`, created);

    expect(status).toBe(409);
    expect(body).toMatchObject({
      reason: 'Conflict',
      message:
        'Operation cannot be fulfilled on configmaps "a": the object has been modified; please apply your changes to the latest version and try again',
      details: { name: 'a', kind: 'configmaps' },
    });
  });

  test('a PUT with another uid causes a conflict, and the error contains the storage key', async () => {
    const { send } = await startCluster();
    const { body: created } = await send('POST', CONFIG_MAPS, configMap('a'));

    const { status, body } = await send(
      'PUT',
      `${CONFIG_MAPS}/a`,
      configMap('a', { uid: 'other' }),
    );

    expect([status, body.message]).toEqual([
      409,
      `Operation cannot be fulfilled on configmaps "a": StorageError: invalid object, Code: 4, Key: /registry/configmaps/default/a, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: other, UID in object meta: ${created.metadata.uid}`,
    ]);
  });

  test('a PUT with a resourceVersion that is not a number is answered 500', async () => {
    const { send } = await startCluster();
    await send('POST', CONFIG_MAPS, configMap('a'));

    const { status, body } = await send(
      'PUT',
      `${CONFIG_MAPS}/a`,
      configMap('a', { resourceVersion: 'x' }),
    );

    expect([status, body.message]).toEqual([500, 'strconv.ParseUint: parsing "x": invalid syntax']);
  });

  test.each([
    [
      'another name',
      { name: 'b' },
      'the name of the object (b) does not match the name on the URL (a)',
    ],
    [
      'another namespace',
      { namespace: 'b' },
      'the namespace of the provided object does not match the namespace sent on the request',
    ],
  ])('a PUT with %s is a bad request', async (_, metadata, message) => {
    const { send } = await startCluster();
    await send('POST', CONFIG_MAPS, configMap('a'));

    const { status, body } = await send('PUT', `${CONFIG_MAPS}/a`, configMap('a', metadata));

    expect([status, body.message]).toEqual([400, message]);
  });

  test('a PUT of a ConfigMap that does not exist is answered 404', async () => {
    const { send } = await startCluster();

    const { status, body } = await send('PUT', `${CONFIG_MAPS}/a`, configMap('a'));

    expect([status, body.message]).toEqual([404, 'configmaps "a" not found']);
  });
});

describe('[F-5] a PUT of a Lease', () => {
  test('a PUT of a Lease that does not exist creates it, whatever its resourceVersion', async () => {
    const { send } = await startCluster();

    const { status, body } = await send('PUT', `${LEASES}/l`, lease({ resourceVersion: '4711' }));

    expect([status, body.spec]).toEqual([201, { holderIdentity: 'a' }]);
  });

  test('a PUT with a uid does not create a missing Lease', async () => {
    const { send } = await startCluster();

    const { status, body } = await send('PUT', `${LEASES}/l`, lease({ uid: 'gone' }));

    expect([status, body.message]).toEqual([
      409,
      'Operation cannot be fulfilled on leases.coordination.k8s.io "l": StorageError: invalid object, Code: 4, Key: /registry/leases/default/l, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: gone, UID in object meta: ',
    ]);
    expect((await send('GET', `${LEASES}/l`)).status).toBe(404);
  });

  test('a PUT of an existing Lease needs a resourceVersion', async () => {
    const { send } = await startCluster();
    await send('POST', LEASES, lease());

    const { status, body } = await send('PUT', `${LEASES}/l`, lease());

    expect([status, body.message]).toEqual([
      422,
      'leases.coordination.k8s.io "l" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update',
    ]);
  });

  test('a PUT of a Lease with another name than in the path is a bad request', async () => {
    const { send } = await startCluster();

    const { status } = await send('PUT', `${LEASES}/other`, lease());

    expect(status).toBe(400);
  });

  test('a dry run of a PUT creates no Lease and returns no resourceVersion', async () => {
    const { send } = await startCluster();

    const { status, body } = await send('PUT', `${LEASES}/l?dryRun=All`, lease());

    expect(status).toBe(201);
    expect(body.metadata).not.toHaveProperty('resourceVersion');
    expect((await send('GET', `${LEASES}/l`)).status).toBe(404);
  });
});

test.each([
  ['configmaps', CONFIG_MAPS, 404],
  ['roles', '/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles', 201],
  ['endpoints', '/api/v1/namespaces/default/endpoints', 201],
])('[F-5] a PUT of %s that do not exist creates them only if the kind allows it', async (_, path, status) => {
  const { send } = await startCluster();

  const answer = await send('PUT', `${path}/a`, { metadata: { name: 'a' } });

  expect(answer.status).toBe(status);
});
