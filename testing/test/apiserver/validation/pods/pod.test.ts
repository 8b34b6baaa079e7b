import { describe, expect, test } from 'vitest';
import { startCluster } from '../../support/cluster.ts';
import { changedBy, problemsOf, type Row } from '../../support/validated.ts';

const POD = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace: 'default' },
  spec: { containers: [{ name: 'c', image: 'nginx:1.27' }] },
};

const LABEL =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const TWO = { 'spec.containers[1]': { name: 'd', image: 'nginx' } };
const VOLUME = { 'spec.volumes': [{ name: 'v', emptyDir: {} }] };
const C = 'spec.containers[0]';

test('[F-12] a Pod with one valid container has no validation errors', () => {
  const problems = problemsOf(POD);

  expect(problems).toEqual([]);
});

const CONTAINERS: readonly Row[] = [
  ['no containers', { 'spec.containers': [] }, ['spec.containers: Required value']],
  [
    'an empty container',
    { 'spec.containers': [{}] },
    [`${C}.name: Required value`, `${C}.image: Required value`],
  ],
  ['a bad name', { [`${C}.name`]: 'A_b' }, [`${C}.name: Invalid value: "A_b": ${LABEL}`]],
  [
    'a name with dots',
    { [`${C}.name`]: 'a.b' },
    [`${C}.name: Invalid value: "a.b": must not contain dots`],
  ],
  [
    'a duplicate name',
    { ...TWO, 'spec.containers[1].name': 'c' },
    ['spec.containers[1].name: Duplicate value: "c"'],
  ],
  [
    'an init container of the same name',
    { 'spec.initContainers': [{ name: 'c', image: 'i' }] },
    ['spec.initContainers[0].name: Duplicate value: "c"'],
  ],
  [
    'an image with blanks',
    { [`${C}.image`]: ' nginx' },
    [`${C}.image: Invalid value: " nginx": must not have leading or trailing whitespace`],
  ],
  [
    'an unknown pull policy',
    { [`${C}.imagePullPolicy`]: 'Sometimes' },
    [
      `${C}.imagePullPolicy: Unsupported value: "Sometimes": supported values: "Always", "IfNotPresent", "Never"`,
    ],
  ],
  [
    'a port without a number',
    { [`${C}.ports`]: [{ name: 'http' }] },
    [`${C}.ports[0].containerPort: Required value`],
  ],
  [
    'a port above 65535',
    { [`${C}.ports`]: [{ containerPort: 70_000 }] },
    [`${C}.ports[0].containerPort: Invalid value: 70000: must be between 1 and 65535, inclusive`],
  ],
  [
    'a port with a long name',
    { [`${C}.ports`]: [{ containerPort: 80, name: 'a-name-that-is-long' }] },
    [
      `${C}.ports[0].name: Invalid value: "a-name-that-is-long": must be no more than 15 characters`,
    ],
  ],
  [
    'an unknown protocol',
    { [`${C}.ports`]: [{ containerPort: 80, protocol: 'HTTP' }] },
    [`${C}.ports[0].protocol: Unsupported value: "HTTP": supported values: "SCTP", "TCP", "UDP"`],
  ],
  [
    'a duplicate host port',
    {
      ...TWO,
      [`${C}.ports`]: [{ containerPort: 1, hostPort: 9 }],
      'spec.containers[1].ports': [{ containerPort: 2, hostPort: 9 }],
    },
    ['spec.containers[1].ports[0].hostPort: Duplicate value: "TCP//9"'],
  ],
  [
    'a variable with an equals sign',
    { [`${C}.env`]: [{ name: 'A=B', value: 'x' }] },
    [
      `${C}.env[0].name: Invalid value: "A=B": a valid environment variable name must consist only of printable ASCII characters other than '='`,
    ],
  ],
  [
    'a variable without a name',
    { [`${C}.env`]: [{ value: 'x' }] },
    [`${C}.env[0].name: Required value`],
  ],
  [
    'a variable with value and source',
    {
      [`${C}.env`]: [
        { name: 'A', value: 'x', valueFrom: { configMapKeyRef: { name: 'm', key: 'k' } } },
      ],
    },
    [`${C}.env[0].valueFrom: Invalid value: "": may not be specified when \`value\` is not empty`],
  ],
  [
    'an empty valueFrom',
    { [`${C}.env`]: [{ name: 'A', valueFrom: {} }] },
    [
      `${C}.env[0].valueFrom: Invalid value: "": must specify one of: \`fieldRef\`, \`resourceFieldRef\`, \`configMapKeyRef\` or \`secretKeyRef\``,
    ],
  ],
  [
    'an unknown field reference',
    { [`${C}.env`]: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'spec.hostname' } } }] },
    [
      `${C}.env[0].valueFrom.fieldRef.fieldPath: Invalid value: "spec.hostname": error converting fieldPath: field label not supported: spec.hostname`,
    ],
  ],
  [
    'a field reference that is not available as variable',
    { [`${C}.env`]: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'status.phase' } } }] },
    [
      `${C}.env[0].valueFrom.fieldRef.fieldPath: Unsupported value: "status.phase": supported values: "metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName", "status.hostIP", "status.hostIPs", "status.podIP", "status.podIPs"`,
    ],
  ],
  [
    'a subscript of a field that is no map',
    { [`${C}.env`]: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: "spec.nodeName['a']" } } }] },
    [
      `${C}.env[0].valueFrom.fieldRef.fieldPath: Invalid value: "spec.nodeName['a']": error converting fieldPath: field label does not support subscript: spec.nodeName['a']`,
    ],
  ],
  [
    'an envFrom without a source',
    { [`${C}.envFrom`]: [{}] },
    [`${C}.envFrom: Invalid value: "": must specify one of: \`configMapRef\` or \`secretRef\``],
  ],
  [
    'a request above the limit',
    { [`${C}.resources`]: { requests: { cpu: '2' }, limits: { cpu: '1500m' } } },
    [
      `${C}.resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1500m`,
    ],
  ],
  [
    'a negative amount',
    { [`${C}.resources`]: { requests: { memory: '-1Gi' } } },
    [`${C}.resources.requests[memory]: Invalid value: "-1Gi": must be greater than or equal to 0`],
  ],
  [
    'an unknown resource',
    { [`${C}.resources`]: { requests: { disk: '1' } } },
    [
      `${C}.resources.requests[disk]: Invalid value: "disk": must be a standard resource type or fully qualified`,
      `${C}.resources.requests[disk]: Invalid value: "disk": must be a standard resource for containers`,
    ],
  ],
  [
    'part of a GPU',
    {
      [`${C}.resources`]: {
        requests: { 'nvidia.com/gpu': '1' },
        limits: { 'nvidia.com/gpu': '2' },
      },
    },
    [`${C}.resources.requests: Invalid value: "1": must be equal to nvidia.com/gpu limit of 2`],
  ],
];

describe('[F-12] validation of containers', () => {
  test.each(
    CONTAINERS,
  )('a container gets the validation errors of Kubernetes: %s', (_, changes, expected) => {
    expect(problemsOf(changedBy(POD, changes))).toEqual(expected);
  });
});

const PROBES: readonly Row[] = [
  [
    'a probe without a handler',
    { [`${C}.livenessProbe`]: {} },
    [`${C}.livenessProbe: Required value: must specify a handler type`],
  ],
  [
    'a probe with two handlers',
    { [`${C}.readinessProbe`]: { httpGet: { port: 80 }, tcpSocket: { port: 80 } } },
    [`${C}.readinessProbe.tcpSocket: Forbidden: may not specify more than 1 handler type`],
  ],
  [
    'a liveness probe that must succeed twice',
    { [`${C}.livenessProbe`]: { tcpSocket: { port: 80 }, successThreshold: 2 } },
    [`${C}.livenessProbe.successThreshold: Invalid value: 2: must be 1`],
  ],
  [
    'a probe with a negative period',
    { [`${C}.startupProbe`]: { tcpSocket: { port: 80 }, periodSeconds: -1 } },
    [`${C}.startupProbe.periodSeconds: Invalid value: -1: must be greater than or equal to 0`],
  ],
  [
    'a probe of an invalid port',
    { [`${C}.livenessProbe`]: { httpGet: { port: 'HTTP' } } },
    [
      `${C}.livenessProbe.httpGet.port: Invalid value: "HTTP": must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)`,
      `${C}.livenessProbe.httpGet.port: Invalid value: "HTTP": must contain at least one letter (a-z)`,
    ],
  ],
  [
    'an init container with a probe',
    {
      'spec.initContainers': [
        { name: 'i', image: 'i', livenessProbe: { exec: { command: ['x'] } } },
      ],
    },
    [
      'spec.initContainers[0].livenessProbe: Forbidden: may not be set for init containers without restartPolicy=Always',
    ],
  ],
  [
    'a hook without a command',
    { [`${C}.lifecycle`]: { preStop: { exec: {} } } },
    [`${C}.lifecycle.preStop.exec.command: Required value`],
  ],
];

describe('[F-12] validation of probes and hooks', () => {
  test.each(
    PROBES,
  )('a probe or hook gets the validation errors of Kubernetes: %s', (_, changes, expected) => {
    expect(problemsOf(changedBy(POD, changes))).toEqual(expected);
  });
});

const VOLUMES: readonly Row[] = [
  [
    'a mount of an unknown volume',
    { [`${C}.volumeMounts`]: [{ name: 'v', mountPath: '/v' }] },
    [`${C}.volumeMounts[0].name: Not found: "v"`],
  ],
  [
    'two mounts at one path',
    {
      ...VOLUME,
      [`${C}.volumeMounts`]: [
        { name: 'v', mountPath: '/v' },
        { name: 'v', mountPath: '/v' },
      ],
    },
    [`${C}.volumeMounts[1].mountPath: Invalid value: "/v": must be unique`],
  ],
  [
    'a subPath that leaves the volume',
    { ...VOLUME, [`${C}.volumeMounts`]: [{ name: 'v', mountPath: '/v', subPath: '../x' }] },
    [`${C}.volumeMounts.subPath: Invalid value: "../x": must not contain '..'`],
  ],
  [
    'an absolute subPath',
    { ...VOLUME, [`${C}.volumeMounts`]: [{ name: 'v', mountPath: '/v', subPath: '/x' }] },
    [`${C}.volumeMounts.subPath: Invalid value: "/x": must be a relative path`],
  ],
  [
    'a volume with two sources',
    { 'spec.volumes': [{ name: 'v', emptyDir: {}, configMap: { name: 'm' } }] },
    ['spec.volumes[0].configMap: Forbidden: may not specify more than 1 volume type'],
  ],
  [
    'a duplicate volume',
    { 'spec.volumes': [{ name: 'v' }, { name: 'v' }] },
    ['spec.volumes[1].name: Duplicate value: "v"'],
  ],
  [
    'a Secret without a name',
    { 'spec.volumes': [{ name: 'v', secret: {} }] },
    ['spec.volumes[0].secret.secretName: Required value'],
  ],
  [
    'an invalid file mode',
    { 'spec.volumes': [{ name: 'v', configMap: { name: 'm', defaultMode: 1_000 } }] },
    [
      'spec.volumes[0].configMap.defaultMode: Invalid value: 1000: must be a number between 0 and 0777 (octal), both inclusive',
    ],
  ],
];

describe('[F-12] validation of volumes and mounts', () => {
  test.each(
    VOLUMES,
  )('a volume or mount gets the validation errors of Kubernetes: %s', (_, changes, expected) => {
    expect(problemsOf(changedBy(POD, changes))).toEqual(expected);
  });
});

const SPEC: readonly Row[] = [
  [
    'an unknown restart policy',
    { 'spec.restartPolicy': 'Maybe' },
    [
      'spec.restartPolicy: Unsupported value: "Maybe": supported values: "Always", "OnFailure", "Never"',
    ],
  ],
  [
    'an unknown DNS policy',
    { 'spec.dnsPolicy': 'Mine' },
    [
      'spec.dnsPolicy: Unsupported value: "Mine": supported values: "ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"',
    ],
  ],
  [
    'dnsPolicy None without dnsConfig',
    { 'spec.dnsPolicy': 'None' },
    ['spec.dnsConfig: Required value: must provide `dnsConfig` when `dnsPolicy` is None'],
  ],
  [
    'a deadline of 0 seconds',
    { 'spec.activeDeadlineSeconds': 0 },
    ['spec.activeDeadlineSeconds: Invalid value: 0: must be between 1 and 2147483647, inclusive'],
  ],
  [
    'a toleration with operator Equal and no key',
    { 'spec.tolerations': [{ operator: 'Equal' }] },
    [
      'spec.tolerations[0].operator: Invalid value: "Equal": operator must be Exists when `key` is empty, which means "match all values and all keys"',
    ],
  ],
  [
    'a toleration with operator Exists and a value',
    { 'spec.tolerations': [{ key: 'k', operator: 'Exists', value: 'v' }] },
    [
      'spec.tolerations[0].operator: Invalid value: "v": value must be empty when `operator` is \'Exists\'',
    ],
  ],
  [
    'a topology spread constraint without a key',
    { 'spec.topologySpreadConstraints': [{ maxSkew: 0, whenUnsatisfiable: 'DoNotSchedule' }] },
    [
      'spec.topologySpreadConstraints[0].maxSkew: Invalid value: 0: must be greater than zero',
      'spec.topologySpreadConstraints[0].topologyKey: Required value: can not be empty',
    ],
  ],
  [
    'a host alias without an address',
    { 'spec.hostAliases': [{ ip: 'here' }] },
    [
      'spec.hostAliases[0].ip: Invalid value: "here": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
    ],
  ],
  [
    'a service account name with capitals',
    { 'spec.serviceAccountName': 'Me' },
    [
      expect.stringContaining(
        'spec.serviceAccountName: Invalid value: "Me": a lowercase RFC 1123 subdomain',
      ),
    ],
  ],
  [
    'an ephemeral container in a create',
    { 'spec.ephemeralContainers': [{ name: 'e', image: 'i' }] },
    ['spec.ephemeralContainers: Forbidden: cannot be set on create'],
  ],
];

describe('[F-12] validation of the rest of a Pod spec', () => {
  test.each(
    SPEC,
  )('a Pod spec gets the validation errors of Kubernetes: %s', (_, changes, expected) => {
    expect(problemsOf(changedBy(POD, changes))).toEqual(expected);
  });
});

const OTHERS =
  'spec: Forbidden: pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)\n';

const CHANGES: readonly Row[] = [
  ['another image', { [`${C}.image`]: 'nginx:2' }, []],
  ['a deadline', { 'spec.activeDeadlineSeconds': 9 }, []],
  ['another label', { 'metadata.labels': { a: 'b' } }, []],
  ['one more toleration', { 'spec.tolerations': [{ key: 'k', operator: 'Exists' }] }, []],
  [
    'one more container',
    TWO,
    ['spec.containers: Forbidden: pod updates may not add or remove containers'],
  ],
  ['another command', { [`${C}.command`]: ['x'] }, [expect.stringContaining(OTHERS)]],
  [
    'another grace period',
    { 'spec.terminationGracePeriodSeconds': 9 },
    [expect.stringContaining(OTHERS)],
  ],
];

describe('[F-12] updates of a Pod', () => {
  test.each(
    CHANGES,
  )('an update of a Pod is validated as in Kubernetes: %s', (_, changes, expected) => {
    expect(problemsOf(changedBy(POD, changes), POD)).toEqual(expected);
  });

  test('the error about a Pod update lists the differences with the field names of Go', () => {
    const [problem] = problemsOf(changedBy(POD, { [`${C}.command`]: ['x'] }), POD);

    expect(problem).toContain('-   "Command": null,');
    expect(problem).toContain('+    "x"');
  });

  test('an update cannot remove a toleration of a Pod', () => {
    const before = changedBy(POD, { 'spec.tolerations': [{ key: 'k', operator: 'Exists' }] });

    const problems = problemsOf(POD, before);

    expect(problems[0]).toBe(
      'spec.tolerations: Forbidden: existing toleration can not be modified except its tolerationSeconds',
    );
  });

  test('an update can only shorten the activeDeadlineSeconds of a Pod', () => {
    const at = (seconds: number): object =>
      changedBy(POD, { 'spec.activeDeadlineSeconds': seconds });

    expect(problemsOf(at(5), at(9))).toEqual([]);
    expect(problemsOf(at(9), at(5))).toEqual([
      'spec.activeDeadlineSeconds: Invalid value: 9: must be less than or equal to previous value',
    ]);
  });
});

test('[F-12] an ephemeral container is validated like any other container', async () => {
  const { send } = await startCluster();
  const path = '/api/v1/namespaces/default/pods';
  const { body } = await send('POST', path, POD);
  body.spec.ephemeralContainers = [{ name: 'c', image: '' }];

  const { status, body: refusal } = await send('PUT', `${path}/p/ephemeralcontainers`, body);

  expect([status, refusal.message]).toEqual([
    422,
    'Pod "p" is invalid: [spec.ephemeralContainers[0].image: Required value, spec.ephemeralContainers[0].name: Duplicate value: "c"]',
  ]);
});
