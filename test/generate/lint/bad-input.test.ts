/** What cannot be linted is an error, and never a pass. */
import { expect, test } from 'vitest';
import { ConfigurationError } from '../../../operator/core/errors.ts';
import { lint } from '../../../operator/generate/lint/lint.ts';
import type { KubernetesObject } from '../../../operator/model/object.ts';
import { plain } from './good.ts';

test('if lint finds no ambassador, the error says how one is recognised', () => {
  const { objects } = plain();
  const without = objects.filter(({ kind }) => kind !== 'Deployment');

  for (const each of [[], without]) {
    expect(() => lint(each)).toThrow(ConfigurationError);
    expect(() => lint(each)).toThrow(
      `nothing to lint: none of ${each.length} objects has a container with the image chancery-proxy`,
    );
  }
});

test.each([
  ['registry.example/kubectl:v1.36.2', []],
  ['my-own', ['--accept-paths=^/version$']],
  ['my-own', ['--accept-hosts', '^localhost$']],
  ['alpine', ['/usr/bin/kubectl', 'proxy']],
])("an ambassador is recognised by its image or arguments, whatever the container's name: %s %j", (image, args) => {
  const { objects } = plain()
    .set('proxy.name', 'sidecar')
    .set('proxy.image', image)
    .set('proxy.args', args);

  expect(lint(objects).map(({ rule }) => rule)).toContain('fixed-images');
});

test.each<[string, unknown, string]>([
  [
    'proxy.args',
    '--accept-paths=',
    'Deployment/op is no object of Kubernetes: spec.containers[0].args is not a list',
  ],
  ['proxy.args.0', 8001, 'spec.containers[0].args[0] is not a string'],
  ['proxy.args.0', null, 'spec.containers[0].args[0] is empty'],
  ['pod.containers', 'proxy', 'spec.containers is not a list'],
  ['pod.containers', null, 'spec has no containers'],
  ['proxy.name', null, 'spec.containers[0] has no name'],
  ['proxy.env.0', 'A=B', 'spec.containers[0].env[0] is not an object'],
  ['proxy.securityContext.runAsUser', '65531', 'securityContext.runAsUser is not a number'],
  ['proxy.startupProbe', true, 'startupProbe is not an object'],
  ['template.metadata.labels.app', 5, 'metadata.labels is not an object of texts'],
  ['Role.rules', 'all', 'Role/op is no object of Kubernetes: rules is not a list'],
  ['Role.rules.0.verbs', null, 'rules[0] has no verbs'],
  ['RoleBinding.roleRef', null, 'RoleBinding/op is no object of Kubernetes: has no roleRef'],
  ['RoleBinding.subjects', {}, 'subjects is not a list'],
  ['NetworkPolicy.spec.egress', {}, 'spec.egress is not a list'],
  ['PodDisruptionBudget.spec.selector', [], 'spec.selector is not an object'],
])('for the field %s with the value %j lint reports an error, and does not crash', (path, value, message) => {
  const { objects } = plain().set(path, value);

  expect(() => lint(objects)).toThrow(ConfigurationError);
  expect(() => lint(objects)).toThrow(message);
});

test.each([
  [null, 'document 8 is no object of Kubernetes: it is empty'],
  ['text', 'document 8 is no object of Kubernetes: it is not an object'],
  [[], 'document 8 is no object of Kubernetes: it is not an object'],
  [{ a: 1 }, 'document 8 is no object of Kubernetes: it has no apiVersion'],
  [{ apiVersion: 'v1', kind: 'Pod', metadata: {} }, 'it.metadata has no name'],
])('lint refuses the document %j', (document, message) => {
  const objects = [...plain().objects, document] as KubernetesObject[];

  expect(() => lint(objects)).toThrow(message);
});

test('lint does not crash if fields are empty or null', () => {
  for (const path of [
    'proxy.args',
    'proxy.env',
    'proxy.volumeMounts',
    'proxy.securityContext',
    'proxy.resources',
    'pod.volumes',
    'pod.securityContext',
    'operator.livenessProbe',
    'template.metadata',
    'Role.rules',
    'RoleBinding.subjects',
    'NetworkPolicy.spec',
    'PodDisruptionBudget.spec',
    'Namespace.metadata.labels',
  ]) {
    for (const value of [null, undefined]) {
      expect(() => lint(plain().set(path, value).objects), path).not.toThrow();
    }
  }
});

test('lint also checks the flags after an unknown flag of kubectl', () => {
  const { objects } = plain().push('proxy.args', '--colour').push('proxy.args', '--disable-filter');

  const rules = lint(objects).map(({ rule }) => rule);

  expect(rules).toContain('known-arguments');
  expect(rules).toContain('fixed-flags');
});
