import { expect, test } from 'vitest';
import { formatYaml } from '../../../operator/core/yaml.ts';
import { configOf, rightsOf } from './support/documents.ts';

/** Every field of version v1. */
const FULL = {
  configVersion: 'v1',
  settings: { executionMinInterval: '1m30s', executionBurst: 4, executionTimeout: '500ms' },
  onStartup: -3,
  schedule: [
    {
      name: 'nightly',
      crontab: 'TZ=UTC 15 0 3 * * *',
      allowFailure: true,
      includeSnapshotsFrom: ['boats'],
      queue: 'slow',
      group: 'harbour',
    },
  ],
  kubernetes: [
    {
      name: 'boats',
      kind: 'deploy',
      apiVersion: 'apps/v1',
      executeHookOnEvent: ['Deleted', 'Added'],
      watchEvent: ['Modified'],
      executeHookOnSynchronization: false,
      waitForSynchronization: false,
      keepFullObjectsInMemory: false,
      resynchronizationPeriod: '1.5h',
      nameSelector: { matchNames: ['ferry', 'tug'] },
      labelSelector: {
        matchLabels: { berth: 'north' },
        matchExpressions: [
          { key: 'flag', operator: 'NotIn', values: ['b', 'a'] },
          { key: 'crew', operator: 'Exists' },
        ],
      },
      fieldSelector: {
        matchExpressions: [
          { field: 'metadata.namespace', operator: 'NotEquals', value: 'x,y' },
          { field: 'status.phase', operator: '==', value: 'Running' },
        ],
      },
      namespace: {
        nameSelector: { matchNames: ['port-a', 'port-b'] },
        labelSelector: { matchLabels: { sea: 'baltic' } },
      },
      jqFilter: '.spec.replicas',
      allowFailure: true,
      includeSnapshotsFrom: ['boats'],
      queue: 'quick',
      group: 'harbour',
    },
    { kind: 'Pod', group: 'harbour', name: 'crews' },
  ],
  kubernetesValidating: [
    {
      name: 'boats.harbour.example',
      rules: [
        {
          apiGroups: ['', 'apps'],
          apiVersions: ['v1'],
          resources: ['deployments'],
          operations: ['CREATE', '*'],
          scope: 'Namespaced',
        },
      ],
      labelSelector: { matchLabels: { berth: 'north' } },
      namespace: { labelSelector: { matchLabels: { sea: 'baltic' } } },
      failurePolicy: 'Ignore',
      sideEffects: 'NoneOnDryRun',
      timeoutSeconds: 5,
      matchConditions: [{ name: 'not-me', expression: 'true' }],
      includeSnapshotsFrom: ['boats'],
      group: 'harbour',
    },
  ],
  kubernetesCustomResourceConversion: [
    {
      name: 'ships',
      crdName: 'ships.harbour.example',
      conversions: [{ fromVersion: 'harbour.example/v1alpha1', toVersion: 'v1' }],
      includeSnapshotsFrom: ['crews'],
      group: 'harbour',
    },
  ],
};

/** Mappings whose keys are labels, so that any key is allowed. */
const LABELS = /\.matchLabels$/;

interface Place {
  readonly path: string;
  /** A copy of the whole, with another value at this place. */
  readonly with: (value: unknown) => unknown;
  readonly value: unknown;
}

/** Every value inside `value`, itself included. */
function placesIn(value: unknown, path = '', put = (next: unknown): unknown => next): Place[] {
  const here: Place = { path, with: put, value };
  if (Array.isArray(value)) {
    const inner = value.flatMap((item, at) =>
      placesIn(item, `${path}[${at}]`, (next) => put(value.with(at, next))),
    );
    return [here, ...inner];
  }
  if (typeof value !== 'object' || value === null) return [here];
  const inner = Object.entries(value).flatMap(([name, item]) =>
    placesIn(item, path === '' ? name : `${path}.${name}`, (next) =>
      put({ ...value, [name]: next }),
    ),
  );
  return [here, ...inner];
}

const PLACES = placesIn(FULL);

test('[hooks 2] every field of version v1 is accepted, as YAML and as JSON', () => {
  const config = configOf(formatYaml(FULL));

  expect(configOf(JSON.stringify(FULL))).toEqual(config);
  expect(config).toEqual({
    version: 'v1',
    rateLimit: { intervalMs: 90_000, burst: 4 },
    timeoutMs: 500,
    onStartup: -3,
    schedules: [
      {
        name: 'nightly',
        crontab: 'TZ=UTC 15 0 3 * * *',
        queue: 'slow',
        group: 'harbour',
        allowFailure: true,
        includeSnapshotsFrom: ['boats', 'crews'],
      },
    ],
    kubernetes: [
      {
        name: 'boats',
        kind: 'deploy',
        apiVersion: 'apps/v1',
        queue: 'quick',
        group: 'harbour',
        allowFailure: true,
        includeSnapshotsFrom: ['boats', 'crews'],
        events: new Set(['Deleted', 'Added']),
        runsOnSynchronization: false,
        waitsForSynchronization: false,
        keepsFullObjects: false,
        resyncPeriodMs: 5_400_000,
        names: ['ferry', 'tug'],
        labelSelector: 'berth=north,flag notin (a,b),crew',
        fieldSelector: 'metadata.namespace!=x\\,y,status.phase=Running',
        namespaces: { names: ['port-a', 'port-b'], labelSelector: 'sea=baltic' },
        jqFilter: '.spec.replicas',
      },
      {
        name: 'crews',
        kind: 'Pod',
        queue: 'main',
        group: 'harbour',
        allowFailure: false,
        includeSnapshotsFrom: ['boats', 'crews'],
        events: new Set(['Added', 'Modified', 'Deleted']),
        runsOnSynchronization: true,
        waitsForSynchronization: true,
        keepsFullObjects: true,
      },
    ],
    admission: [
      {
        type: 'validating',
        name: 'boats.harbour.example',
        path: 'kubernetesValidating[0]',
        rules: [
          {
            apiGroups: ['', 'apps'],
            apiVersions: ['v1'],
            resources: ['deployments'],
            operations: ['CREATE', '*'],
            scope: 'Namespaced',
          },
        ],
        objectSelector: { matchLabels: { berth: 'north' } },
        namespaceSelector: { matchLabels: { sea: 'baltic' } },
        failurePolicy: 'Ignore',
        sideEffects: 'NoneOnDryRun',
        timeoutSeconds: 5,
        matchConditions: [{ name: 'not-me', expression: 'true' }],
        includeSnapshotsFrom: ['boats', 'crews'],
        group: 'harbour',
      },
    ],
    conversions: [
      {
        name: 'ships',
        path: 'kubernetesCustomResourceConversion[0]',
        crdName: 'ships.harbour.example',
        steps: [{ fromVersion: 'harbour.example/v1alpha1', toVersion: 'v1' }],
        includeSnapshotsFrom: ['crews', 'boats'],
        group: 'harbour',
      },
    ],
  });
});

test('[hooks 2] an unknown field is refused with its path, at every level', () => {
  const mappings = PLACES.filter(
    ({ value, path }) => typeof value === 'object' && !Array.isArray(value) && !LABELS.test(path),
  );

  for (const { path, value, with: put } of mappings) {
    const changed = JSON.stringify(put({ ...Object(value), zebra: 1 }));
    const expected = path === '' ? 'zebra' : `${path}.zebra`;
    expect(() => configOf(changed), path).toThrow(`${expected}: unknown field`);
  }
  expect(mappings.length).toBe(23);
});

test('[hooks 2] a repeated key is refused, because only its last value would count', () => {
  const twice = 'configVersion: v1\nkubernetes: [{kind: Pod}]\nkubernetes: [{kind: Node}]\n';

  expect(() => configOf(twice)).toThrow('line 3 gives "kubernetes" for the second time');
  expect(() => configOf('{"configVersion": "v1", "onStartup": 1, "onStartup": 2}')).toThrow(
    'line 1 gives "onStartup"',
  );
  expect(() => rightsOf('rules: []\nrules: []\n')).toThrow('line 2 gives "rules"');
});

test('[hooks 2] a value of a wrong type is refused with its path, in every field', () => {
  for (const { path, value, with: put } of PLACES) {
    const isScalar = typeof value !== 'object';
    const others = [isScalar ? { a: 1 } : 'text', typeof value === 'boolean' ? 'yes' : true, null];
    for (const other of others) {
      const changed = JSON.stringify(put(other));
      expect(() => configOf(changed), `${path} ${JSON.stringify(other)}`).toThrow(
        path === '' ? /^expected a mapping/ : `${path}: `,
      );
    }
  }
});

/** A v1 hook with one binding of Pods. */
function pods(binding: string, rest = ''): string {
  return `configVersion: v1\nkubernetes: [{kind: Pod, ${binding}}]\n${rest}`;
}

test.each<[string, string]>([
  ['', 'expected a mapping, got nothing'],
  ['hello', 'expected a mapping, got a string'],
  ['configVersion: v1', 'expected at least one binding'],
  ['{configVersion: v2, onStartup: 1}', 'configVersion: expected v1'],
  ['kubernetes: [{kind: Pod}]', 'configVersion: is required for kubernetes'],
  ['{configVersion: v1, onStartup: 1.5}', 'onStartup: expected an integer, got 1.5'],
  ['{configVersion: v1, kubernetes: [{}]}', 'kubernetes[0].kind: is required'],
  ['{configVersion: v1, kubernetes: [{kind: pods.apps}]}', 'kubernetes[0].kind: expected a kind'],
  ['{configVersion: v1, schedule: [{}]}', 'schedule[0].crontab: is required'],
  ['{configVersion: v1, schedule: [{crontab: "9 9 9"}]}', 'schedule[0].crontab: the crontab'],
  [pods('jqfilter: .a'), 'kubernetes[0].jqfilter: unknown field; did you mean jqFilter?'],
  [pods('resynchronizationPeriod: often'), 'resynchronizationPeriod: expected a duration such as'],
  [pods('resynchronizationPeriod: 10ms'), 'resynchronizationPeriod: expected 1s or more'],
  [pods('executeHookOnEvent: [Changed]'), 'executeHookOnEvent[0]: expected Added, Modified'],
  [pods('labelSelector: {}'), 'kubernetes[0].labelSelector: selects nothing in particular'],
  [
    pods('labelSelector: {matchExpressions: [{key: a, operator: Like}]}'),
    'labelSelector.matchExpressions[0].operator: expected In, NotIn',
  ],
  [pods('labelSelector: {matchLabels: {"a b": c}}'), 'kubernetes[0].labelSelector: '],
  [
    pods('fieldSelector: {matchExpressions: [{field: a, operator: "="}]}'),
    'fieldSelector.matchExpressions[0].value: is required',
  ],
  [
    pods(
      'nameSelector: {matchNames: [a]}, fieldSelector: {matchExpressions: [{field: metadata.name, operator: "=", value: a}]}',
    ),
    'kubernetes[0].fieldSelector: metadata.name cannot be combined with nameSelector',
  ],
  [pods('namespace: {nameSelector: {matchNames: [A_b]}}'), 'is no name of a namespace'],
  [pods('includeSnapshotsFrom: []'), 'includeSnapshotsFrom: expected at least one'],
  [
    pods('includeSnapshotsFrom: [kubernetes, barns]'),
    'kubernetes[0].includeSnapshotsFrom[1]: no binding of kubernetes has the name "barns"; it has kubernetes',
  ],
  [
    '{configVersion: v1, schedule: [{crontab: "@daily", includeSnapshotsFrom: [x]}]}',
    'schedule[0].includeSnapshotsFrom[0]: no binding of kubernetes has the name "x"; the hook has none',
  ],
  [
    '{configVersion: v1, kubernetes: [{kind: Pod, group: g}, {kind: Node, group: g}]}',
    'kubernetes[0].group: 2 bindings have the name "kubernetes": give each another name',
  ],
  [
    '{configVersion: v1, kubernetesMutating: [{name: pods.example, rules: []}]}',
    'kubernetesMutating[0].name: expected at least three segments',
  ],
  [
    '{configVersion: v1, kubernetesValidating: [{name: a.b.c, rules: [{apiGroups: [""], apiVersions: [v1], resources: [pods]}]}]}',
    'kubernetesValidating[0].rules[0].operations: is required',
  ],
  [
    '{configVersion: v1, kubernetesCustomResourceConversion: [{name: a, crdName: b, conversions: [{fromVersion: one, toVersion: v1}]}]}',
    'kubernetesCustomResourceConversion[0].conversions[0].fromVersion: expected a version',
  ],
  [
    '{configVersion: v1, kubernetesCustomResourceConversion: [{name: a, crdName: b, conversions: [{fromVersion: a.b/v1, toVersion: v1}]}]}',
    'conversions[0]: leads from v1 to itself: name two versions',
  ],
])('[hooks 2] the answer %j is refused: %s', (text, message) => {
  expect(() => configOf(text)).toThrow(message);
});

test("[hooks 2] if a hook copies a wrong notation from the contract's documents, the error contains the correct notation", () => {
  const list = pods('nameSelector: [a, b]');
  const bare = pods('includeSnapshotsFrom: kubernetes');

  expect(() => configOf(list)).toThrow(
    'expected a mapping such as {matchNames: [a, b]}, got a list',
  );
  expect(() => configOf(bare)).toThrow('expected a list such as [a, b], got a string');
});

test('with an empty executeHookOnEvent, no event starts the hook, and watchEvent is used only without executeHookOnEvent', () => {
  const [none] = configOf(pods('executeHookOnEvent: []')).kubernetes;
  const [old] = configOf(pods('watchEvent: [Deleted]')).kubernetes;

  expect(none?.events).toEqual(new Set());
  expect(old?.events).toEqual(new Set(['Deleted']));
});

test('`waitForSynchronization: false` has an effect only with a separate queue', () => {
  const [without] = configOf(pods('waitForSynchronization: false')).kubernetes;
  const [own] = configOf(pods('waitForSynchronization: false, queue: q')).kubernetes;

  expect([without?.waitsForSynchronization, own?.waitsForSynchronization]).toEqual([true, false]);
});

test('each field of settings can be set without the other fields', () => {
  const settings = (text: string) => configOf(`configVersion: v1\nonStartup: 1\nsettings: ${text}`);

  expect(settings('{executionMinInterval: 3s}').rateLimit).toEqual({ intervalMs: 3_000, burst: 1 });
  expect(settings('{executionBurst: 2}').rateLimit).toBeUndefined();
  expect(settings('{executionTimeout: "0"}').timeoutMs).toBe(0);
});

test('[hooks 28] a hook without configVersion is read as version v0', () => {
  const config = configOf(`
onStartup: 2
schedule: [{crontab: '@daily', allowFailure: true}]
onKubernetesEvent:
- kind: pod
  event: [add, delete]
  selector: {matchLabels: {berth: north}}
  objectName: tug
  namespaceSelector: {matchNames: [port]}
  jqFilter: .status
- kind: node
  namespaceSelector: {any: true}
`);

  expect(config).toMatchObject({
    version: 'v0',
    onStartup: 2,
    schedules: [{ name: 'schedule', crontab: '@daily', allowFailure: true, queue: 'main' }],
    kubernetes: [
      {
        name: 'onKubernetesEvent',
        kind: 'pod',
        events: new Set(['Added', 'Deleted']),
        labelSelector: 'berth=north',
        names: ['tug'],
        namespaces: { names: ['port'] },
        jqFilter: '.status',
        runsOnSynchronization: false,
      },
      { kind: 'node', events: new Set(['Added', 'Modified', 'Deleted']) },
    ],
  });
  expect(config.kubernetes[1]).not.toHaveProperty('namespaces');
  expect(() => configOf('onKubernetesEvent: [{kind: pod, event: [Added]}]')).toThrow(
    'onKubernetesEvent[0].event[0]: expected add, update, delete',
  );
  expect(() => configOf('schedule: [{crontab: "@daily", queue: q}]')).toThrow(
    'schedule[0].queue: unknown field',
  );
});
