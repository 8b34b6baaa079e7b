import { expect, test } from 'vitest';
import { compileRule, relatedName } from '../../../operator/composite/related/compiled-rule.ts';
import { configMaps, nodes, secrets } from '../../../operator/model/kubernetes/resources.ts';
import { configSet } from '../parents.ts';

const namespaced = configSet('farm', { names: [] });
const clusterScoped = { ...namespaced, metadata: { name: 'all' } };
const selector = { matchLabels: { crop: 'apple' } };

test.each([
  [
    '[contract 42] [metacontroller 19] names and a labelSelector',
    { resource: configMaps, names: ['a'], labelSelector: selector },
    /configmaps has names and a labelSelector/,
  ],
  [
    '[metacontroller 19] names and a labelSelector that is empty',
    { resource: configMaps, names: ['a'], labelSelector: {} },
    /configmaps has names and a labelSelector/,
  ],
  [
    '[metacontroller 19] names and a namespaceSelector',
    { resource: secrets, names: ['a'], namespaceSelector: {} },
    /secrets has names and a namespaceSelector/,
  ],
  [
    '[metacontroller 19] a namespace and a namespaceSelector',
    { resource: configMaps, namespace: 'farm', namespaceSelector: selector },
    /has a namespace and a namespaceSelector/,
  ],
  [
    '[metacontroller 19] a namespaceSelector for objects without a namespace',
    { resource: nodes, namespaceSelector: selector },
    /nodes has a namespaceSelector, and its objects have no namespace/,
  ],
  [
    'a selector with an operator that does not exist',
    {
      resource: configMaps,
      labelSelector: { matchExpressions: [{ key: 'crop', operator: 'Near', values: ['x'] }] },
    },
    /has an unusable labelSelector: .*unknown operator "Near"/,
  ],
])('a related rule with %s is refused, and the message says why', (_, rule, message) => {
  expect(() => compileRule(rule, clusterScoped, false)).toThrow(message);
});

test('a rule with empty names and an empty namespace is the same as a rule without names and namespace', () => {
  const rule = { resource: configMaps, names: [], namespace: '', labelSelector: selector };

  expect(compileRule(rule, clusterScoped, false)).toEqual(
    compileRule({ resource: configMaps, labelSelector: selector }, clusterScoped, false),
  );
});

test("[contract 43] [metacontroller 19] a rule of a restricted parent may contain only the parent's namespace", () => {
  const rule = (namespace: string) => ({ resource: configMaps, namespace });

  expect(compileRule(rule('farm'), namespaced, true)).toMatchObject({ namespace: 'farm' });
  expect(() => compileRule(rule('town'), namespaced, true)).toThrow('names another namespace');
  expect(compileRule(rule('town'), namespaced, false)).toMatchObject({ namespace: 'town' });
  expect(compileRule(rule('town'), clusterScoped, true)).toMatchObject({ namespace: 'town' });
});

test('[metacontroller 19] a parent restricted to its own namespace cannot select namespaces, and gets no cluster-scoped objects', () => {
  const all = { resource: configMaps, namespaceSelector: {} };

  expect(() => compileRule(all, namespaced, true)).toThrow('may only use its own namespace');
  expect(compileRule({ resource: nodes, namespace: 'town' }, namespaced, true)).toMatchObject({
    selectsAny: false,
  });
  expect(compileRule({ resource: nodes, namespace: 'town' }, clusterScoped, true)).toMatchObject({
    selectsAny: true,
    namespace: undefined,
  });
});

test('the text of a rule is the same for any order of names, and different for another resource', () => {
  const text = (names: readonly string[], resource = configMaps) =>
    compileRule({ resource, names }, namespaced, false).text;

  expect(text(['b', 'a'])).toBe(text(['a', 'b', 'a']));
  expect(text(['a'])).not.toBe(text(['a'], secrets as unknown as typeof configMaps));
  expect(relatedName(configMaps)).toBe('v1/configmaps');
});
