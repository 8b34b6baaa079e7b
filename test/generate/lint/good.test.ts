/** What is as it should be has no diagnostic, not even a warning. */
import { expect, test } from 'vitest';
import { lint } from '../../../operator/generate/lint/lint.ts';
import type { KubernetesObject } from '../../../operator/model/object.ts';
import { gated, plain, sharing, sidecar, socket, stock } from './good.ts';

test.each([
  ['two plain containers', plain],
  ['a native sidecar', sidecar],
  ['a Unix socket', socket],
  ['a plain kubectl image', stock],
  ['a gate', gated],
  ['sharded replicas', sharing],
])('correct manifests with %s have no diagnostic', (_, manifests) => {
  const { objects } = manifests();

  expect(lint(objects)).toEqual([]);
});

test.each([
  'Pod',
  'StatefulSet',
  'DaemonSet',
  'Job',
  'CronJob',
])('lint checks a %s like a Deployment', (kind) => {
  const manifests = plain().remove('pod.automountServiceAccountToken');
  const template = { template: manifests.get('template') };
  const specs = { Pod: manifests.get('pod'), CronJob: { jobTemplate: { spec: template } } };
  const spec = specs[kind as keyof typeof specs] ?? template;
  const object = { apiVersion: 'v1', kind, metadata: { name: 'op', namespace: 'demo' }, spec };

  const diagnostics = lint([object]);

  const found = diagnostics.map((diagnostic) => `${diagnostic.object} ${diagnostic.rule}`);
  expect(found).toContain(`${kind}/op automount-off`);
});

test('objects without a namespace are treated as being in the same namespace', () => {
  const manifests = plain().remove('RoleBinding.subjects.0.namespace');
  const objects = manifests.objects.map(({ metadata: { namespace: _, ...metadata }, ...rest }) => ({
    ...rest,
    metadata,
  }));

  expect(lint(objects as KubernetesObject[])).toEqual([]);
});

test('an init container that ends before the ambassador starts needs no ambassador', () => {
  const init = { ...(plain().get('operator') as object), name: 'prepare' };

  expect(lint(plain().set('pod.initContainers', [init]).objects)).toEqual([]);
  const before = sidecar();
  before.set('pod.initContainers', [init, ...(before.get('pod.initContainers') as unknown[])]);
  expect(lint(before.objects)).toEqual([]);
});

test('lint ignores workloads without an ambassador', () => {
  const other = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web' },
    spec: { template: { spec: { containers: [{ name: 'web', image: 'web:latest' }] } } },
  };

  expect(lint(plain().add(other).objects)).toEqual([]);
});

test('lint accepts an ambassador on another port', () => {
  const manifests = plain().push('proxy.args', '--port=9001');
  manifests.push('operator.env', { name: 'CHANCERY_API_URL', value: 'http://127.0.0.1:9001' });
  for (const probe of ['startupProbe', 'livenessProbe']) {
    manifests.set(`proxy.${probe}.exec.command.1`, '--server=http://127.0.0.1:9001');
  }

  expect(lint(manifests.objects)).toEqual([]);
});

test('lint ignores accounts, roles and disruption budgets of the same name in other namespaces', () => {
  const manifests = plain();
  for (const kind of ['ServiceAccount', 'Role', 'RoleBinding', 'PodDisruptionBudget']) {
    const ours = structuredClone(manifests.get(kind)) as { metadata: { namespace: string } };
    ours.metadata.namespace = 'other';
    manifests.add(ours);
  }
  const foreign = manifests.objects.filter(({ metadata }) => metadata.namespace === 'other');
  Object.assign(foreign[0] ?? {}, { automountServiceAccountToken: true });
  Object.assign(foreign[1] ?? {}, {
    rules: [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }],
  });
  Object.assign(foreign[2] ?? {}, {
    subjects: [{ kind: 'ServiceAccount', name: 'op', namespace: 'other' }],
  });
  Object.assign(foreign[3] ?? {}, { spec: { maxUnavailable: 0, selector: {} } });

  expect(lint(manifests.objects)).toEqual([]);
});

test.each([
  [undefined, false],
  [{}, true],
  [{ matchLabels: { app: 'web' } }, false],
  [{ matchExpressions: [{ key: 'app', operator: 'In', values: ['op', 'web'] }] }, true],
  [{ matchExpressions: [{ key: 'app', operator: 'NotIn', values: ['op'] }] }, false],
])('a disruption budget that has the selector %j and allows no eviction is reported: %s', (selector, isOurs) => {
  const spec = { maxUnavailable: 0, ...(selector !== undefined && { selector }) };
  const manifests = plain().set('PodDisruptionBudget.spec', spec);

  const rules = lint(manifests.objects).map(({ rule }) => rule);

  expect(rules).toEqual(isOurs ? ['disruption-budget'] : []);
});
