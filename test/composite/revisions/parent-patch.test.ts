import { expect, test } from 'vitest';
import {
  parentPatch,
  patchText,
  withParentPatch,
} from '../../../operator/composite/revisions/parent-patch.ts';
import type { KubernetesObject } from '../../../operator/model/object.ts';

function parent(fields: object): KubernetesObject {
  return { apiVersion: 'v1', kind: 'Orchard', metadata: { name: 'north' }, ...fields };
}

const north = parent({
  spec: { template: { taste: 'sweet' }, trees: 3 },
  status: { picked: 1 },
});

test('a revision patch has the values at the field paths, nested as in the parent', () => {
  const patch = parentPatch(north, ['spec.template.taste', 'metadata.name', 'spec.gone', 'gone.x']);

  expect(patch).toEqual({ spec: { template: { taste: 'sweet' } }, metadata: { name: 'north' } });
});

test('a field path below another field path does not change the patch', () => {
  expect(parentPatch(north, ['spec', 'spec.trees'])).toEqual({
    spec: { template: { taste: 'sweet' }, trees: 3 },
  });
});

test("the parent of an older revision is the current parent with the revision's patch", () => {
  const older = withParentPatch(north, { spec: { template: { taste: 'sour' } } }, [
    'spec.template',
  ]);

  expect(older).toEqual({
    ...north,
    spec: { template: { taste: 'sour' }, trees: 3 },
  });
});

test('[contract 75] a field that an older revision did not have is absent in the parent of that revision', () => {
  const older = withParentPatch(north, { spec: {} }, ['spec.template', 'spec.other.deep']);

  expect(older).toEqual({ ...north, spec: { trees: 3 } });
  expect(north).toHaveProperty('spec.template.taste', 'sweet');
});

test('a field path into a list or a string is refused, and the error says where', () => {
  const fields = { spec: { list: ['a'], text: 'b' } };

  for (const [path, before] of [
    ['spec.list.0', '0'],
    ['spec.text.length', 'length'],
  ] as const) {
    expect(() => parentPatch(parent(fields), [path])).toThrow(
      expect.objectContaining({
        code: 'USER_CODE',
        layer: 'user-code',
        context: { fieldPath: path, before, parent: 'north' },
      }),
    );
  }
});

test('a field path such as `__proto__` does not reach the prototype of the parent', () => {
  const hostile = JSON.parse('{"spec": {"__proto__": {"taste": "bad"}}}') as object;

  expect(parentPatch(parent({ spec: {} }), ['spec.__proto__', 'spec.constructor.name'])).toEqual(
    {},
  );
  const patch = parentPatch(parent(hostile), ['spec.__proto__.taste']);
  expect(JSON.stringify(patch)).toBe('{"spec":{"__proto__":{"taste":"bad"}}}');
  expect(({} as { taste?: string }).taste).toBeUndefined();
});

// By hand, from the rules of Go's encoding/json: keys by their bytes, five characters as escapes, é as it is.
test("[metacontroller 28] the JSON text of a patch equals the output of Go's encoder", () => {
  const spec = { trees: 2, note: 'a<b && c>\u2028 é', Zulu: [1.5, -3, 1e21, null, true] };

  expect(patchText({ spec })).toBe(
    '{"spec":{"Zulu":[1.5,-3,1e+21,null,true],"note":"a\\u003cb \\u0026\\u0026 c\\u003e\\u2028 é","trees":2}}',
  );
});
