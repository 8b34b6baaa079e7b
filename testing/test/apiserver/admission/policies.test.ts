import { describe, expect, test } from 'vitest';
import type { ApiServer } from '../../../src/apiserver/api-server.ts';
import { startCluster } from '../support/cluster.ts';

const ADMISSION = 'admissionregistration.k8s.io/v1';
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';

interface Policy {
  readonly name?: string;
  readonly spec: object;
  readonly binding?: object;
}

/** Rules for one resource. */
function about(group: string, resource: string, operations: readonly string[] = ['*']): object {
  const rule = { apiGroups: [group], apiVersions: ['v1'], operations, resources: [resource] };
  return { resourceRules: [rule] };
}

function enforce(server: ApiServer, { name = 'team', spec, binding = {} }: Policy): void {
  server.create({
    apiVersion: ADMISSION,
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name },
    spec,
  } as never);
  server.create({
    apiVersion: ADMISSION,
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name },
    spec: { policyName: name, validationActions: ['Deny'], ...binding },
  } as never);
}

/** A policy about ConfigMaps with one validation. */
function ofConfigMaps(expression: string, more: object = {}): object {
  return {
    matchConstraints: about('', 'configmaps'),
    validations: [{ expression }],
    ...more,
  };
}

function deployment(name: string, labels: object): object {
  const template = {
    metadata: { labels: { app: name } },
    spec: { containers: [{ name: 'c', image: 'nginx:1' }] },
  };
  const spec = { replicas: 0, selector: { matchLabels: { app: name } }, template };
  return { metadata: { name, labels }, spec };
}

const configMap = (name: string, data: object = {}, labels: object = {}): object => ({
  metadata: { name, labels },
  data,
});

describe('[real R-1] a ValidatingAdmissionPolicy', () => {
  test('a validating policy denies with the Status that was recorded from a real server', async () => {
    const { server, send } = await startCluster();
    enforce(server, {
      spec: {
        matchConstraints: about('apps', 'deployments', ['CREATE', 'UPDATE']),
        validations: [
          {
            expression: "'team' in object.metadata.?labels.orValue({})",
            message: 'every Deployment needs a team',
          },
        ],
      },
    });

    const refused = await send('POST', DEPLOYMENTS, deployment('example-foo', {}));
    const accepted = await send('POST', DEPLOYMENTS, deployment('other', { team: 'blue' }));
    const changed = await send('PATCH', `${DEPLOYMENTS}/other`, {
      metadata: { labels: { team: null } },
    });

    const why =
      "ValidatingAdmissionPolicy 'team' with binding 'team' denied request: every Deployment needs a team";
    expect(refused.status).toBe(422);
    expect(refused.body).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: `deployments.apps "example-foo" is forbidden: ${why}`,
      reason: 'Invalid',
      details: {
        name: 'example-foo',
        group: 'apps',
        kind: 'deployments',
        causes: [{ message: why }],
      },
      code: 422,
    });
    expect([accepted.status, changed.status]).toEqual([201, 422]);
  });

  test('a validating policy denies nothing after its binding is deleted', async () => {
    const { server, send } = await startCluster();
    enforce(server, { spec: ofConfigMaps('false') });

    const before = await send('POST', CONFIG_MAPS, configMap('a'));
    server.delete(ADMISSION, 'ValidatingAdmissionPolicyBinding', undefined, 'team');
    const after = await send('POST', CONFIG_MAPS, configMap('a'));

    expect([before.status, after.status]).toEqual([422, 201]);
    expect(before.body.message).toContain('denied request: failed expression: false');
  });

  test.each([
    ['Forbidden', 403],
    ['Unauthorized', 401],
    ['RequestEntityTooLarge', 413],
    ['Invalid', 422],
  ])('[admission 7] the reason %s of a validating policy decides the status code, and messageExpression outranks message', async (reason, code) => {
    const { server, send } = await startCluster();
    const validations = [
      {
        expression: "object.data.size == 'small'",
        reason,
        message: 'unused',
        messageExpression: "'not ' + object.data.size",
      },
    ];
    enforce(server, { spec: { matchConstraints: about('', 'configmaps'), validations } });

    const { status, body } = await send('POST', CONFIG_MAPS, configMap('a', { size: 'big' }));

    expect([status, body.reason]).toEqual([code, reason]);
    expect(body.message).toMatch(/denied request: not big$/);
  });

  test('a validating policy can use the old object, the request, its user, the namespace and variables', async () => {
    const { server, send } = await startCluster({ authorization: 'RBAC' });
    enforce(server, {
      spec: {
        matchConstraints: about('', 'configmaps', ['UPDATE', 'DELETE']),
        variables: [
          { name: 'owner', expression: "oldObject.data['owner']" },
          { name: 'broken', expression: 'object.none.at.all' },
          { name: 'isOwner', expression: 'request.userInfo.username == variables.owner' },
        ],
        validations: [
          {
            expression: `variables.isOwner || (request.operation == 'DELETE' && object == null
              && request.name == 'free' && request.namespace == namespaceObject.metadata.name)`,
          },
        ],
      },
    });
    for (const [name, owner] of [
      ['mine', 'kubernetes-admin'],
      ['free', 'jane'],
      ['hers', 'jane'],
    ] as const) {
      await send('POST', CONFIG_MAPS, configMap(name, { owner }));
    }

    const statuses: number[] = [];
    for (const name of ['mine', 'free', 'hers']) {
      const change = await send('PATCH', `${CONFIG_MAPS}/${name}`, { data: { a: 'b' } });
      const deletion = await send('DELETE', `${CONFIG_MAPS}/${name}`);
      statuses.push(change.status, deletion.status);
    }

    expect(statuses).toEqual([200, 200, 422, 200, 422, 422]);
  });

  test.each([
    ['another resource', { matchConstraints: about('', 'secrets') }],
    ['another operation', { matchConstraints: about('', 'configmaps', ['UPDATE']) }],
    ['a subresource only', { matchConstraints: about('', 'configmaps/status') }],
    [
      'namespaces with a label',
      {
        matchConstraints: {
          ...about('', '*'),
          namespaceSelector: { matchLabels: { strict: 'yes' } },
        },
      },
    ],
    [
      'objects with a label',
      {
        matchConstraints: {
          ...about('*', '*'),
          objectSelector: { matchExpressions: [{ key: 'strict', operator: 'Exists' }] },
        },
      },
    ],
    [
      'resources that it does not exclude',
      {
        matchConstraints: {
          ...about('', 'configmaps'),
          excludeResourceRules: [
            { apiGroups: [''], apiVersions: ['*'], operations: ['*'], resources: ['configmaps'] },
          ],
        },
      },
    ],
    [
      'requests that meet a condition',
      { matchConditions: [{ name: 'c', expression: "request.userInfo.username == 'jane'" }] },
    ],
  ])('a validating policy that is restricted to %s accepts other writes', async (_what, more) => {
    const { server, send } = await startCluster();
    enforce(server, { spec: ofConfigMaps('false', more) });

    const { status } = await send('POST', CONFIG_MAPS, configMap('a'));

    expect(status).toBe(201);
  });

  test('a binding with label selectors denies only matching objects in matching namespaces', async () => {
    const { server, send } = await startCluster();
    server.patch('v1', 'Namespace', undefined, 'default', {
      metadata: { labels: { strict: 'y' } },
    });
    enforce(server, {
      spec: ofConfigMaps('false'),
      binding: {
        matchResources: {
          namespaceSelector: { matchLabels: { strict: 'y' } },
          objectSelector: { matchLabels: { a: 'b' } },
        },
      },
    });

    const labelled = await send('POST', CONFIG_MAPS, configMap('a', {}, { a: 'b' }));
    const bare = await send('POST', CONFIG_MAPS, configMap('b'));

    expect([labelled.status, bare.status]).toEqual([422, 201]);
  });

  test('a validating policy that cannot be evaluated denies the write, unless its failurePolicy is Ignore', async () => {
    const { server, send } = await startCluster();
    enforce(server, {
      name: 'open',
      spec: ofConfigMaps('object.x.y == true', { failurePolicy: 'Ignore' }),
    });
    const open = await send('POST', CONFIG_MAPS, configMap('a'));
    enforce(server, { name: 'shut', spec: ofConfigMaps('object.x.y == 1') });

    const shut = await send('POST', CONFIG_MAPS, configMap('b'));

    expect([open.status, shut.status]).toEqual([201, 422]);
    expect(shut.body.message).toMatch(
      /denied request: expression 'object\.x\.y == 1' resulted in error: no such key: x$/,
    );
  });

  test('a validating policy that returns no bool or uses an unknown variable is refused', async () => {
    const { send } = await startCluster();
    const create = (expression: string): ReturnType<typeof send> =>
      send('POST', '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies', {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'ValidatingAdmissionPolicy',
        metadata: { name: 'typed' },
        spec: ofConfigMaps(expression),
      });

    const untyped = await create('object.data.open');
    const unknown = await create('object.data.size() > limit');

    expect([untyped.status, unknown.status]).toEqual([422, 422]);
    expect(untyped.body.message).toContain('must evaluate to bool but got dyn');
    expect(unknown.body.message).toContain(
      "compilation failed: ERROR: <input>:1:22: undeclared reference to 'limit' (in container '')",
    );
  });

  test('a validating policy can match the subresource `scale`, and can warn instead of deny', async () => {
    const { server, send } = await startCluster();
    await send('POST', DEPLOYMENTS, deployment('a', {}));
    enforce(server, {
      spec: {
        matchConstraints: about('apps', 'deployments/scale'),
        validations: [{ expression: 'object.spec.replicas <= 3', message: 'at most 3' }],
      },
      binding: { validationActions: ['Warn', 'Audit'] },
    });
    const scaled = { spec: { replicas: 5 } };

    const direct = await send('PATCH', `${DEPLOYMENTS}/a`, { spec: { replicas: 4 } });
    const scale = await send('PATCH', `${DEPLOYMENTS}/a/scale`, scaled);

    expect([direct.status, scale.status]).toEqual([200, 200]);
    expect(direct.headers.get('warning')).toBeNull();
    expect(scale.headers.get('warning')).toContain(
      "Validation failed for ValidatingAdmissionPolicy 'team' with binding 'team': at most 3",
    );
  });

  test('a validating policy does not apply to policies, so that it can be deleted', async () => {
    const { server, send } = await startCluster();
    enforce(server, {
      spec: { matchConstraints: about('*', '*'), validations: [{ expression: 'false' }] },
    });

    const other = await send('POST', CONFIG_MAPS, configMap('a'));
    const path = `/apis/${ADMISSION}/validatingadmissionpolicies/team`;
    const { status } = await send('DELETE', path);

    expect([other.status, status]).toEqual([422, 200]);
  });

  test('a validating policy with an expression that does not compile is refused', async () => {
    const { send } = await startCluster();
    const path = `/apis/${ADMISSION}/validatingadmissionpolicies`;
    const policy = (spec: object): object => ({ metadata: { name: 'p' }, spec });

    const broken = await send('POST', path, policy(ofConfigMaps('self.x')));

    expect(broken.status).toBe(422);
    expect(broken.body.details.causes[0]).toMatchObject({
      field: 'spec.validations[0].expression',
    });
    expect(broken.body.message).toContain("undeclared reference to 'self'");
  });
});
