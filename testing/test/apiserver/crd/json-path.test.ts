import { expect, test } from 'vitest';
import { readJsonPath } from '../../../src/apiserver/crd/json-path.ts';

const object = {
  spec: { configmap: 'a', 'dotted.name': 'b', ports: [{ name: 'x' }, { name: 'y' }] },
  status: {
    conditions: [
      { type: 'Ready', status: 'True' },
      { type: 'Stalled', status: 'False' },
    ],
  },
};

test.each([
  ['.spec.configmap', ['a']],
  ['{.spec.configmap}', ['a']],
  ["$.spec['configmap']", ['a']],
  ["$.spec['configMap','configmap']", ['a']],
  ["$.spec['configmap', 'dotted.name']", ['a', 'b']],
  ['.spec.dotted\\.name', ['b']],
  ['.spec.ports[1].name', ['y']],
  ['.spec.ports[*].name', ['x', 'y']],
  ['.status.conditions[?(@.type=="Ready")].status', ['True']],
  ['.spec.absent.deeper', []],
  ['.spec.ports[(@.length)]', []],
])('the JSON path %s finds the expected values', (path, values) => {
  expect(readJsonPath(object, path)).toEqual(values);
});
