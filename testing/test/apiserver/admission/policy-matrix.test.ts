import { describe, expect, test } from 'vitest';
import type { ApiServer } from '../../../src/apiserver/api-server.ts';
import { CONFIG_MAPS, configMap, startCluster, type TestCluster } from '../support/cluster.ts';

const ADMISSION = 'admissionregistration.k8s.io/v1';

/** Installs a policy and a binding of the same name. */
function enforce(server: ApiServer, spec: object, binding: object = {}): void {
  server.create({
    apiVersion: ADMISSION,
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: 'p' },
    spec: { validations: [{ expression: 'false', message: 'no' }], ...spec },
  } as never);
  server.create({
    apiVersion: ADMISSION,
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name: 'b' },
    spec: { policyName: 'p', validationActions: ['Deny'], ...binding },
  } as never);
}

function about(rule: object, more: object = {}): object {
  const resources = ['configmaps', 'namespaces'];
  const whole = { operations: ['*'], apiGroups: [''], apiVersions: ['v1'], resources, ...rule };
  return { matchConstraints: { resourceRules: [whole], ...more } };
}

type Write = (cluster: TestCluster) => Promise<{ readonly status: number }>;

const OLD = configMap('old', { labels: { app: 'a' } });

/** Writes of each operation and scope; what they write about is there before the policy is. */
const WRITES: Readonly<Record<string, Write>> = {
  'create in a namespace': ({ send }) =>
    send('POST', CONFIG_MAPS, configMap('new', { labels: { app: 'a' } })),
  'update in a namespace': ({ send }) => send('PATCH', `${CONFIG_MAPS}/old`, { data: { k: '2' } }),
  'delete in a namespace': ({ send }) => send('DELETE', `${CONFIG_MAPS}/old`),
  'create of a namespace': ({ send }) =>
    send('POST', '/api/v1/namespaces', { metadata: { name: 'n', labels: { app: 'a' } } }),
};

describe('[F-18] [admission 6] operations and scopes of a policy', () => {
  test.each<[string, object, string, boolean]>([
    ['CREATE', {}, 'create in a namespace', true],
    ['CREATE', {}, 'update in a namespace', false],
    ['CREATE', {}, 'create of a namespace', true],
    ['UPDATE', {}, 'update in a namespace', true],
    ['UPDATE', {}, 'delete in a namespace', false],
    ['DELETE', {}, 'delete in a namespace', true],
    ['DELETE', {}, 'create in a namespace', false],
    ['*', {}, 'delete in a namespace', true],
    ['*', { scope: 'Cluster' }, 'create in a namespace', false],
    ['*', { scope: 'Cluster' }, 'create of a namespace', true],
    ['*', { scope: 'Namespaced' }, 'update in a namespace', true],
    ['*', { scope: 'Namespaced' }, 'create of a namespace', false],
    ['*', { resourceNames: ['old'] }, 'update in a namespace', true],
    ['*', { resourceNames: ['old'] }, 'create in a namespace', false],
  ])('with a policy for the operation %s and the rule %j, a %s is denied: %s', async (operation, rule, write, denied) => {
    const cluster = await startCluster();
    cluster.server.create(OLD);
    enforce(cluster.server, about({ operations: [operation], ...rule }));

    const { status } = (await WRITES[write]?.(cluster)) ?? {};

    expect(status === 422).toBe(denied);
  });
});

describe('[F-18] [admission 6] selectors and conditions of a policy', () => {
  const labels = (app: string): object => ({ matchLabels: { app } });
  const condition = (expression: string): object => ({
    matchConditions: [{ name: 'c', expression }],
  });

  test.each<[string, object, object, object, string, boolean]>([
    ['objectSelector', { objectSelector: labels('a') }, {}, {}, 'create in a namespace', true],
    ['objectSelector', { objectSelector: labels('b') }, {}, {}, 'create in a namespace', false],
    ['objectSelector', { objectSelector: labels('a') }, {}, {}, 'delete in a namespace', true],
    [
      'namespaceSelector',
      { namespaceSelector: labels('b') },
      {},
      {},
      'create in a namespace',
      false,
    ],
    [
      'namespaceSelector',
      { namespaceSelector: labels('a') },
      {},
      {},
      'create of a namespace',
      true,
    ],
    ['binding', {}, {}, { objectSelector: labels('b') }, 'create in a namespace', false],
    ['binding', {}, {}, { objectSelector: labels('a') }, 'create in a namespace', true],
    ['condition', {}, condition('object != null'), {}, 'create in a namespace', true],
    ['condition', {}, condition('object != null'), {}, 'delete in a namespace', false],
    ['condition', {}, condition('oldObject == null'), {}, 'create in a namespace', true],
    ['condition', {}, condition("request.namespace == 'n'"), {}, 'create of a namespace', true],
    ['condition', {}, condition('namespaceObject == null'), {}, 'create of a namespace', true],
    [
      'condition',
      {},
      condition("namespaceObject.metadata.name == 'default'"),
      {},
      'update in a namespace',
      true,
    ],
    [
      'condition',
      {},
      condition('request.options.kind == "DeleteOptions"'),
      {},
      'delete in a namespace',
      true,
    ],
    [
      'condition',
      {},
      condition('has(request.options.fieldManager)'),
      {},
      'create in a namespace',
      false,
    ],
  ])('with the %s %j %j %j in a policy, a %s is denied: %s', async (_what, constraints, spec, matchResources, write, denied) => {
    const cluster = await startCluster();
    cluster.server.create(OLD);
    enforce(cluster.server, { ...about({}, constraints), ...spec }, { matchResources });

    const { status } = (await WRITES[write]?.(cluster)) ?? {};

    expect(status === 422).toBe(denied);
  });
});

describe('[F-18] [admission 6] parameters of a policy', () => {
  const paramKind = { apiVersion: 'v1', kind: 'Secret' };
  const validations = [
    {
      expression: 'object.data.k != params.stringData.k',
      messageExpression: "'not ' + params.metadata.name",
    },
  ];
  const secret = (name: string, k: string, namespace = 'default'): object => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace, labels: { limits: 'yes' } },
    data: { k },
  });

  const NOT_FOUND =
    'failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction';
  const byLabel = { selector: { matchLabels: { limits: 'yes' } } };

  test.each<[string, object, string, string | undefined]>([
    [
      'a parameter exists, and the rule holds',
      { name: 'l1', parameterNotFoundAction: 'Deny' },
      'x',
      undefined,
    ],
    [
      'a parameter exists, and the rule fails',
      { name: 'l1', parameterNotFoundAction: 'Deny' },
      '1',
      'not l1',
    ],
    [
      'a parameter is missing, which is allowed',
      { name: 'l9', parameterNotFoundAction: 'Allow' },
      '1',
      undefined,
    ],
    [
      'a parameter is missing, which is denied',
      { name: 'l9', parameterNotFoundAction: 'Deny' },
      '1',
      NOT_FOUND,
    ],
    [
      'a parameter is in another namespace',
      { name: 'l3', namespace: 'kube-system', parameterNotFoundAction: 'Deny' },
      '3',
      'not l3',
    ],
    [
      'a selector finds two parameters, and the rule fails for the first',
      { ...byLabel, parameterNotFoundAction: 'Deny' },
      '1',
      'not l1',
    ],
    [
      'a selector finds two parameters, and the rule fails for the second',
      { ...byLabel, parameterNotFoundAction: 'Deny' },
      '2',
      'not l2',
    ],
    [
      'a selector finds two parameters, and the rule holds for both',
      { ...byLabel, parameterNotFoundAction: 'Deny' },
      '3',
      undefined,
    ],
    [
      'a selector finds no parameter, which is denied',
      { selector: { matchLabels: { limits: 'no' } }, parameterNotFoundAction: 'Deny' },
      '1',
      NOT_FOUND,
    ],
    [
      'a selector finds no parameter, which is allowed',
      { selector: { matchLabels: { limits: 'no' } }, parameterNotFoundAction: 'Allow' },
      '1',
      undefined,
    ],
  ])('a policy uses its parameters: %s', async (_what, paramRef, k, denial) => {
    const { server, send } = await startCluster();
    server.create(secret('l1', '1') as never);
    server.create(secret('l2', '2') as never);
    server.create(secret('l3', '3', 'kube-system') as never);
    const checks = validations.map((one) => ({
      ...one,
      expression: one.expression.replace('stringData', 'data'),
    }));
    const kind = { ...paramKind, kind: 'ConfigMap' };
    enforce(server, { ...about({}), paramKind: kind, validations: checks }, { paramRef });

    const { status, body } = await send('POST', CONFIG_MAPS, configMap('a', {}, { k }));

    expect(status).toBe(denial === undefined ? 201 : 422);
    if (denial !== undefined)
      expect(body.message).toMatch(new RegExp(`denied request: ${denial}$`));
  });

  test('a policy with failurePolicy Ignore ignores missing parameters', async () => {
    const { server, send } = await startCluster();
    const kind = { ...paramKind, kind: 'ConfigMap' };
    const paramRef = { name: 'none', parameterNotFoundAction: 'Deny' };
    enforce(server, { ...about({}), paramKind: kind, failurePolicy: 'Ignore' }, { paramRef });

    const { status } = await send('POST', CONFIG_MAPS, configMap('a'));

    expect(status).toBe(201);
  });

  test('if the namespaced parameter of a policy has no namespace, the policy refuses cluster-scoped objects', async () => {
    const { server, send } = await startCluster();
    const kind = { ...paramKind, kind: 'ConfigMap' };
    const rule = { apiGroups: ['storage.k8s.io'], resources: ['storageclasses'] };
    enforce(
      server,
      { ...about(rule), paramKind: kind },
      { paramRef: { name: 'l1', parameterNotFoundAction: 'Allow' } },
    );

    const { body } = await send('POST', '/apis/storage.k8s.io/v1/storageclasses', {
      metadata: { name: 's' },
      provisioner: 'a.example/p',
    });

    expect(body.message).toContain(
      'failed to configure binding: cannot use namespaced paramRef in policy binding that matches cluster-scoped resources',
    );
  });
});

describe('[admission 7] failures, warnings and costs of a ValidatingAdmissionPolicy', () => {
  test.each([
    ['Fail', 422],
    ['Ignore', 201],
  ])('with failurePolicy %s, a write is answered %i if the expression of a policy fails', async (failurePolicy, code) => {
    const { server, send } = await startCluster();
    const validations = [{ expression: 'object.data.none.size() > 0' }];
    enforce(server, { ...about({}), failurePolicy, validations });

    const { status, body } = await send('POST', CONFIG_MAPS, configMap('a'));

    expect(status).toBe(code);
    if (code !== 422) return;
    expect(body.message).toContain(
      "denied request: expression 'object.data.none.size() > 0' resulted in error: no such key: none",
    );
  });

  test('a policy with the actions Warn and Audit adds a warning and an audit annotation, and denies nothing', async () => {
    const { server, send } = await startCluster();
    enforce(server, about({}), { validationActions: ['Warn', 'Audit'] });

    const { status, headers } = await send('POST', CONFIG_MAPS, configMap('a'));

    expect(status).toBe(201);
    expect(headers.get('warning')).toBe(
      `299 - "Validation failed for ValidatingAdmissionPolicy 'p' with binding 'b': no"`,
    );
    const noted = server.requests.at(-1)?.auditAnnotations ?? {};
    expect(
      JSON.parse(noted['validation.policy.admission.k8s.io/validation_failure'] ?? ''),
    ).toEqual([
      {
        message: 'no',
        policy: 'p',
        binding: 'b',
        expressionIndex: 0,
        validationActions: ['Warn', 'Audit'],
      },
    ]);
  });

  test('a policy writes audit annotations, and skips null and empty values', async () => {
    const { server, send } = await startCluster();
    const auditAnnotations = [
      { key: 'name', valueExpression: "' the ' + object.metadata.name" },
      { key: 'none', valueExpression: 'null' },
      { key: 'empty', valueExpression: "''" },
    ];
    enforce(server, { ...about({}), validations: [{ expression: 'true' }], auditAnnotations });

    const { status } = await send('POST', CONFIG_MAPS, configMap('a'));

    expect(status).toBe(201);
    expect(server.requests.at(-1)?.auditAnnotations).toEqual({ 'p/name': 'the a' });
  });

  test('a policy can check which permissions the user has', async () => {
    const { server, send } = await startCluster({
      authorization: 'RBAC',
      authentication: { anonymous: { name: 'jane', groups: ['devs'] } },
    });
    const check = (question: string): object => ({
      expression: `authorizer.${question}`,
      message: question,
    });
    server.create({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: 'writer' },
      rules: [
        { apiGroups: [''], resources: ['configmaps'], verbs: ['create', 'approve'] },
        { apiGroups: ['apps'], resources: ['deployments/scale'], verbs: ['get'] },
        { nonResourceURLs: ['/metrics'], verbs: ['get'] },
      ],
    } as never);
    server.create({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: 'writer' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'writer' },
      subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'jane' }],
    } as never);
    enforce(server, {
      ...about({ operations: ['CREATE'] }),
      validations: [
        check("requestResource.check('approve').allowed()"),
        check(
          "group('apps').resource('deployments').subresource('scale').namespace('x').name('y').check('get').allowed()",
        ),
        check("path('/metrics').check('get').allowed()"),
        { expression: "!authorizer.group('').resource('secrets').check('get').allowed()" },
        {
          expression:
            "!authorizer.serviceAccount('default', 'default').group('').resource('configmaps').check('approve').allowed()",
        },
        {
          expression: "authorizer.requestResource.check('erase').allowed()",
          message: 'may not erase',
        },
      ],
    });

    const { body } = await send('POST', CONFIG_MAPS, configMap('a'));

    expect(body.message).toMatch(/denied request: may not erase$/);
  });

  test('a policy whose expression exceeds the cost budget denies the write', async () => {
    const { server, send } = await startCluster();
    const data = Object.fromEntries(Array.from({ length: 400 }, (_, at) => [`k${at}`, 'v']));
    const validations = [
      { expression: 'object.data.all(a, object.data.all(b, object.data.all(c, a + b + c != "")))' },
    ];
    enforce(server, { ...about({}), validations });

    const { status, body } = await send('POST', CONFIG_MAPS, configMap('a', {}, data));

    expect(status).toBe(422);
    expect(body.message).toContain('running out of cost budget');
  });
});
