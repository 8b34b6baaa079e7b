/** The comparison of renderings sees every change that matters, and none that does not. */
import { expect, test } from 'vitest';
import { operatorModel } from '../../../../operator/generate/manifests/operator-model.ts';
import { renderedObjects } from '../../../../operator/generate/manifests/rendered-objects.ts';
import type { KubernetesObject } from '../../../../operator/model/object.ts';
import { options, SITE } from '../../../../test/manifests/support/trees.ts';
import { comparable, rulesIn } from './support/comparable.ts';

const model = operatorModel([SITE], options());
const objects = renderedObjects(model, { scope: 'namespaced', components: ['network-policy'] });
const NAMESPACE = model.options.namespace;

// biome-ignore lint/suspicious/noExplicitAny: a change reaches any field of any object
type Any = any;

/** A copy of the objects, in which the first of a kind is changed. */
function changed(kind: string, change: (object: Any) => void): readonly KubernetesObject[] {
  const copy = structuredClone(objects) as KubernetesObject[];
  change(copy.find((object) => object.kind === kind));
  return copy;
}

const podOf = (deployment: Any): Any => deployment.spec.template.spec;

test.each<[what: string, kind: string, change: (object: Any) => void]>([
  ['an image', 'Deployment', (it) => (podOf(it).containers[0].image += '1')],
  ['an argument', 'Deployment', (it) => podOf(it).containers[0].args.push('--v=9')],
  ['a pattern of the filter', 'Deployment', (it) => (podOf(it).containers[0].args[0] += ',^/x$')],
  ['a mount', 'Deployment', (it) => (podOf(it).containers[1].volumeMounts = [{ name: 'token' }])],
  ['a variable', 'Deployment', (it) => podOf(it).containers[1].env.push({ name: 'A' })],
  ['a security context', 'Deployment', (it) => delete podOf(it).containers[1].securityContext],
  ['the token of the Pod', 'Deployment', (it) => delete podOf(it).automountServiceAccountToken],
  ['a volume', 'Deployment', (it) => podOf(it).volumes.pop()],
  ['replicas', 'Deployment', (it) => (it.spec.replicas = 7)],
  ['an annotation of Pods', 'Deployment', (it) => (it.spec.template.metadata.annotations.a = 'b')],
  ['the token of the account', 'ServiceAccount', (it) => delete it.automountServiceAccountToken],
  ['a verb', 'Role', (it) => it.rules[0].verbs.push('delete')],
  ['the names of a rule', 'Role', (it) => (it.rules[0].resourceNames = ['a'])],
  ['the namespace of a role', 'Role', (it) => (it.metadata.namespace = 'other')],
  ['a subject', 'RoleBinding', (it) => (it.subjects[0].name = 'default')],
  ['the namespace of a subject', 'RoleBinding', (it) => (it.subjects[0].namespace = 'other')],
  ['the role of a binding', 'RoleBinding', (it) => (it.roleRef.kind = 'ClusterRole')],
  ['a field of a schema', 'CustomResourceDefinition', (it) => (it.spec.scope = 'Cluster')],
  ['an egress rule', 'NetworkPolicy', (it) => it.spec.egress.pop()],
])('a comparison reports a change of %s in a %s', (_what, kind, change) => {
  expect(comparable(changed(kind, change), NAMESPACE)).not.toEqual(comparable(objects, NAMESPACE));
});

test('a comparison reports an additional or missing object, and refuses an object that occurs twice', () => {
  const [first, ...others] = objects;
  if (first === undefined) throw new Error('no object');

  expect(comparable(others, NAMESPACE)).not.toEqual(comparable(objects, NAMESPACE));
  expect(() => comparable([first, ...objects], NAMESPACE)).toThrow('is there twice');
});

test.each<[what: string, change: (role: Any) => void]>([
  ['a verb more', (it) => it.rules[0].verbs.push('deletecollection')],
  ['a verb less', (it) => it.rules[0].verbs.pop()],
  ['a subresource', (it) => it.rules[0].resources.push('pods/exec')],
  ['no names', (it) => delete it.rules.find((rule: Any) => rule.resourceNames).resourceNames],
  ['paths', (it) => it.rules.push({ nonResourceURLs: ['/metrics'], verbs: ['get'] })],
  ['the whole cluster', (it) => (it.kind = 'ClusterRole')],
])('permissions that differ by %s are not equal', (_what, change) => {
  const roles = (all: readonly KubernetesObject[]) => rulesIn(all);
  const copy = structuredClone(objects) as KubernetesObject[];
  const wanted = copy.find(
    ({ kind, ...rest }) => kind === 'Role' && JSON.stringify(rest).includes('resourceNames'),
  );
  change(wanted);

  expect(roles(copy)).not.toEqual(roles(objects));
});

test('a comparison ignores labels that tools add, and the order of objects', () => {
  const copy = structuredClone(objects).toReversed() as Any[];
  for (const { metadata } of copy) {
    metadata.labels = { ...metadata.labels, 'helm.sh/chart': 'a-1', 'app.kubernetes.io/name': 'b' };
  }

  expect(comparable(copy, NAMESPACE)).toEqual(comparable(objects, NAMESPACE));
});
