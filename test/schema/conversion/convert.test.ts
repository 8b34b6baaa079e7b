/** Objects between the versions of a resource: what arrives, what is kept for the way back, and what is refused. */
import { expect, test } from 'vitest';
import { OperatorError } from '../../../operator/core/errors.ts';
import type { KubernetesObject } from '../../../operator/model/object.ts';
import { conversion, crdYaml, customResource, Type } from '../../../operator/schema.ts';
import { alphaToBeta, boat, boats, v1, v1alpha1, v1beta1 } from './boats.ts';

const ONLY_IN_V1 = 'chancery.dev/only-in-v1';
const ONLY_IN_V1BETA1 = 'chancery.dev/only-in-v1beta1';
const ONLY_IN_V1ALPHA1 = 'chancery.dev/only-in-v1alpha1';

const convert = (object: KubernetesObject, version: string): KubernetesObject =>
  boats.convert?.(object, version) ?? object;

/** The same object with other fields, as a client writes it that reads and replaces. */
const edited = (object: KubernetesObject, fields: object): KubernetesObject => ({
  ...object,
  ...fields,
});

const RIGGED = {
  spec: {
    hull: { meters: 12, material: 'wood' },
    rig: { sails: 3, reefs: 2 },
    crew: [{ name: 'ada', role: 'mate' }, { name: 'bo' }],
    papers: { flag: 'se' },
  },
};

test('an object is converted to a distant version through the versions in between', () => {
  const there = convert(boat('v1', RIGGED), 'v1alpha1');

  expect(there).toMatchObject({
    apiVersion: 'harbour.example/v1alpha1',
    kind: 'Boat',
    spec: { length: '12m', sails: 3, crew: ['ada', 'bo'] },
  });
  expect(convert(there, 'v1')).toEqual(boat('v1', RIGGED));
});

test('fields that a version cannot express are kept in an annotation, which is removed on the way back', () => {
  const beta = convert(boat('v1', RIGGED, { annotations: { mine: 'yes' } }), 'v1beta1');

  expect(JSON.parse(beta.metadata.annotations?.[ONLY_IN_V1] ?? '')).toEqual([
    { path: ['spec', 'hull', 'material'], value: 'wood' },
    { path: ['spec', 'rig', 'reefs'], value: 2 },
    { path: ['spec', 'papers'], value: { flag: 'se' } },
  ]);
  expect(convert(beta, 'v1').metadata.annotations).toEqual({ mine: 'yes' });
});

test('an object gets no annotation if the version can express all its fields', () => {
  const there = convert(boat('v1', { spec: { hull: { meters: 4 } } }), 'v1alpha1');

  expect(there.metadata).toEqual(boat('v1', {}).metadata);
});

test('[A-8] a change made in the version with fewer fields stays, and the fields that this version lacks are restored', () => {
  const beta = convert(boat('v1', RIGGED), 'v1beta1');
  const spec = { meters: 15, rig: { sails: 1 }, crew: [{ name: 'cy' }] };

  expect(convert(edited(beta, { spec }), 'v1')).toEqual(
    boat('v1', {
      spec: {
        hull: { meters: 15, material: 'wood' },
        rig: { sails: 1, reefs: 2 },
        crew: [{ name: 'cy' }],
        papers: { flag: 'se' },
      },
    }),
  );
});

test('nothing is restored below a field that was removed in the version with fewer fields', () => {
  const beta = convert(boat('v1', RIGGED), 'v1beta1');

  const back = convert(edited(beta, { spec: { meters: 12 } }), 'v1');

  expect(back).toEqual(
    boat('v1', { spec: { hull: { meters: 12, material: 'wood' }, papers: { flag: 'se' } } }),
  );
});

test('a list item gets its preserved fields back by its key, even if items are added, removed and moved', () => {
  const crew = [
    { name: 'ada', role: 'mate' },
    { name: 'bo', role: 'cook' },
  ];
  const alpha = convert(boat('v1beta1', { spec: { meters: 9, crew } }), 'v1alpha1');

  const back = convert(
    edited(alpha, { spec: { length: '9m', crew: ['cy', 'bo', 'ada'] } }),
    'v1beta1',
  );

  expect(back).toMatchObject({
    spec: { crew: [{ name: 'cy' }, { name: 'bo', role: 'cook' }, { name: 'ada', role: 'mate' }] },
  });
});

/** The older version has fewer sizes. */
const sizes = customResource({
  group: 'harbour.example',
  version: 'v2',
  kind: 'Crate',
  spec: Type.Object({ kilos: Type.Integer(), open: Type.Optional(Type.Boolean()) }),
  otherVersions: [{ version: 'v1', spec: Type.Object({ heavy: Type.Boolean() }) }],
  convert: [
    conversion(
      { version: 'v1', spec: Type.Object({ heavy: Type.Boolean() }) },
      {
        version: 'v2',
        spec: Type.Object({ kilos: Type.Integer(), open: Type.Optional(Type.Boolean()) }),
      },
      {
        up: ({ spec }) => ({ spec: { kilos: spec.heavy ? 100 : 10, open: false } }),
        down: ({ spec }) => ({ spec: { heavy: spec.kilos > 50 } }),
      },
    ),
  ],
});

const crate = (version: string, spec: object): KubernetesObject => ({
  apiVersion: `harbour.example/${version}`,
  kind: 'Crate',
  metadata: { name: 'c' },
  ...{ spec },
});

test('a value that the other version stores less precisely is restored, unless it was changed in that version', () => {
  const there = sizes.convert?.(crate('v2', { kilos: 73 }), 'v1') ?? crate('v1', {});

  const same = sizes.convert?.(there, 'v2');
  const other = sizes.convert?.({ ...there, ...{ spec: { heavy: false } } }, 'v2');

  expect(there).toMatchObject({ spec: { heavy: true } });
  expect(same).toEqual(crate('v2', { kilos: 73 }));
  expect(other).toEqual(crate('v2', { kilos: 10 }));
});

test('a forged annotation cannot change metadata or existing fields', () => {
  const forged = JSON.stringify([
    { path: ['metadata', 'finalizers'], value: ['x'] },
    { path: ['apiVersion'], value: 'v1', insteadOf: 'harbour.example/v1' },
    { path: ['spec', 'hull', 'meters'], value: 99 },
    { path: ['spec', '__proto__', 'polluted'], value: true },
    { path: ['spec', 'hull', 'material'], value: 'steel', at: 1 },
    'nonsense',
    { path: [] },
  ]);
  const beta = boat('v1beta1', { spec: { meters: 5 } }, { annotations: { [ONLY_IN_V1]: forged } });

  expect(convert(beta, 'v1')).toEqual(
    boat('v1', { spec: { hull: { meters: 5, material: 'steel' } } }),
  );
});

test.each([
  ['invalid JSON', '{'],
  ['JSON that is not a list', '{"path":["spec"]}'],
  ['a deep value', `[{"path":["spec","papers"],"value":${'['.repeat(3_000)}${']'.repeat(3_000)}}]`],
  ['a long text', JSON.stringify([{ path: ['spec', 'papers'], value: 'x'.repeat(131_072) }])],
])('an annotation with %s is ignored, and the object stays readable', (_what, text) => {
  const beta = boat('v1beta1', { spec: { meters: 5 } }, { annotations: { [ONLY_IN_V1]: text } });

  expect(convert(beta, 'v1')).toEqual(boat('v1', { spec: { hull: { meters: 5 } } }));
});

test('the annotation for the version that an object already has is dropped', () => {
  const alpha = boat(
    'v1alpha1',
    { spec: { length: '5m' } },
    { annotations: { [ONLY_IN_V1ALPHA1]: '[{"path":["spec","color"],"value":"red"}]' } },
  );

  expect(convert(alpha, 'v1beta1').metadata).toEqual(boat('v1beta1', {}).metadata);
});

test('[A-8] objects that violate today’s schema are converted, and come back unchanged', () => {
  const old = boat('v1alpha1', { spec: { crew: ['ada', 'ada'], color: 7 }, extra: [1, null] });

  const there = convert(old, 'v1');

  expect(there).toMatchObject({ spec: { hull: { meters: 0 } } });
  expect(convert(there, 'v1alpha1')).toEqual(old);
});

test('integers beyond doubles stay exact, and fields may have any name', () => {
  const spec = { hull: { meters: 3 }, papers: JSON.parse('{"__proto__":"se"}') as object };
  const object = boat('v1', {
    spec: { ...spec, hull: { meters: 3, tons: 9_007_199_254_740_993n } },
  });

  const there = convert(object, 'v1beta1');
  const back = convert(there, 'v1');

  expect(there.metadata.annotations?.[ONLY_IN_V1]).toContain('9007199254740993');
  expect(back).toEqual(object);
});

test('if the preserved fields need more than 131,072 bytes in an annotation, the conversion fails with an error that quotes none of them', () => {
  const papers = { log: 'secret'.repeat(30_000) };
  const object = boat('v1', { spec: { hull: { meters: 3 }, papers } });

  expect(() => convert(object, 'v1beta1')).toThrow(
    /^v1 → v1beta1 of boats\.harbour\.example quay\/ann: .* take 180\d\d\d bytes of an annotation, which may have 131072$/,
  );
});

/** The message for a Boat whose `up` is this function. */
function refusal(up: (object: never) => unknown): string {
  const resource = customResource({
    group: 'harbour.example',
    kind: 'Boat',
    ...v1beta1,
    otherVersions: [v1alpha1],
    convert: [{ ...alphaToBeta, up }],
  });
  const object = boat(
    'v1alpha1',
    { spec: { length: '5m', color: 'hush' } },
    { labels: { a: 'b' } },
  );
  try {
    resource.convert?.(object, 'v1beta1');
  } catch (error) {
    expect(error).toBeInstanceOf(OperatorError);
    expect((error as OperatorError).code).toBe('USER_CODE');
    return (error as OperatorError).message;
  }
  return 'nothing was refused';
}

const fine = { spec: { meters: 5 } };

test.each<[string, (object: KubernetesObject) => unknown, string]>([
  [
    'throws',
    (object) => {
      throw new TypeError(`bad ${JSON.stringify(object)}`);
    },
    "the function threw TypeError: the operator's log has the cause",
  ],
  [
    'throws something that is not an Error',
    () => {
      throw 'hush';
    },
    "the function threw a value that is no Error: the operator's log has the cause",
  ],
  ['returns nothing', () => undefined, 'the function returned no object'],
  ['returns a list', () => [fine], 'the function returned no object'],
  [
    'is asynchronous',
    async () => fine,
    'the function returned a promise: a conversion is synchronous',
  ],
  [
    'returns another kind',
    () => ({ ...fine, kind: 'Ship' }),
    'the function returned an object of another kind',
  ],
  [
    'returns another group',
    () => ({ ...fine, apiVersion: 'v1' }),
    'the function returned an object of another kind',
  ],
  [
    'renames the object',
    ({ metadata }) => ({ ...fine, metadata: { ...metadata, name: 'bo' } }),
    'the function changes metadata: name may not change',
  ],
  [
    'changes the uid',
    () => ({ ...fine, metadata: { uid: 'x' } }),
    'the function changes metadata: uid may not change',
  ],
  [
    'adds a finalizer',
    () => ({ ...fine, metadata: { hush: ['x'] } }),
    'the function changes metadata: a new field may not change',
  ],
  [
    'returns labels that are not strings',
    () => ({ ...fine, metadata: { labels: { a: 1 } } }),
    'the function changes metadata: labels are no texts',
  ],
  [
    'returns metadata of another type',
    () => ({ ...fine, metadata: 'hush' }),
    'the function returned metadata that is no object',
  ],
  [
    'returns a Date',
    () => ({ spec: { meters: new Date(0) } }),
    'the result has an object that is no plain data',
  ],
  [
    'returns a number that JSON cannot express',
    () => ({ spec: { meters: Number.NaN } }),
    'the result has a number that JSON does not have',
  ],
  [
    'returns an integer that has lost digits',
    () => ({ spec: { meters: 2 ** 60 } }),
    'the result has an integer beyond 2^53 that has lost digits: make it a bigint',
  ],
  [
    'returns an object that contains itself',
    (object) => Object.assign(object, { spec: object }),
    'the result is nested deeper than 1000, or has itself',
  ],
])('[A-9] [admission 17] a conversion function that %s is refused, and the message contains nothing of the object', (_what, up, why) => {
  const message = refusal(up as (object: never) => unknown);

  expect(message).toBe(`v1alpha1 → v1beta1 of boats.harbour.example quay/ann: ${why}`);
});

test('if the conversion back throws an error, the message contains the direction', () => {
  const resource = customResource({
    group: 'harbour.example',
    kind: 'Boat',
    ...v1beta1,
    otherVersions: [v1alpha1],
    convert: [
      conversion(v1alpha1, v1beta1, {
        up: () => ({ spec: { meters: 5 }, status: undefined }),
        down: () => {
          throw new RangeError('hush');
        },
      }),
    ],
  });

  expect(() => resource.convert?.(boat('v1alpha1', {}), 'v1beta1')).toThrow(
    /^v1alpha1 → v1beta1 of boats\.harbour\.example quay\/ann, and back: the function threw RangeError/,
  );
});

test('a conversion may change labels and annotations, and changes only a copy of its argument', () => {
  const resource = customResource({
    group: 'harbour.example',
    kind: 'Boat',
    ...v1beta1,
    otherVersions: [v1alpha1],
    convert: [
      conversion(v1alpha1, v1beta1, {
        up: (object) => {
          Object.assign(object.metadata, { name: 'changed' });
          return { spec: { meters: 5 }, status: undefined, metadata: { labels: { size: 's' } } };
        },
        down: () => ({ spec: { length: '5m' }, status: undefined, metadata: { labels: {} } }),
      }),
    ],
  });
  const before = boat('v1alpha1', { spec: { length: '5m' } }, { annotations: { mine: 'yes' } });
  const copy = structuredClone(before);

  const after = resource.convert?.(before, 'v1beta1');

  expect(before).toEqual(copy);
  expect(after?.metadata).toEqual({ ...before.metadata, labels: { size: 's' } });
});

test('an object that has the wanted version is returned unchanged, and an object of another kind is refused', () => {
  const object = boat('v1', RIGGED);

  expect(convert(object, 'v1')).toBe(object);
  expect(() => convert({ ...object, kind: 'Ship' }, 'v1beta1')).toThrow(
    'harbour.example/v1 Ship is no version and kind of boats.harbour.example',
  );
  expect(() => convert(object, 'v9')).toThrow('boats.harbour.example has no version v9');
});

const later = { version: 'v2', spec: v1.spec, status: v1.status };
const up = (): never => {
  throw new Error('unused');
};

test.each([
  [
    'a version that is not declared',
    [v1alpha1],
    [{ older: 'v1alpha1', newer: 'v3', up, down: up }],
    'convert[0]: v3 is no version of the resource',
  ],
  [
    'a version that no conversion reaches',
    [v1alpha1, later],
    [{ older: 'v1alpha1', newer: 'v1', up, down: up }],
    'convert: no conversion leads from v2 to v1',
  ],
  ['no conversions', [v1alpha1], [], 'convert: no conversion leads from v1alpha1 to v1'],
  [
    'a conversion from a version to itself',
    [v1alpha1],
    [{ older: 'v1', newer: 'v1', up, down: up }],
    'convert[0]: leads from v1 to itself',
  ],
  [
    'two paths between the same versions',
    [v1alpha1, later],
    [
      { older: 'v1alpha1', newer: 'v1', up, down: up },
      { older: 'v1', newer: 'v2', up, down: up },
      { older: 'v1alpha1', newer: 'v2', up, down: up },
    ],
    'convert[2]: is a second way between v1alpha1 and v2',
  ],
  [
    'a version that cannot be part of an annotation name',
    [{ ...later, version: `v${'1'.repeat(55)}` }],
    [{ older: 'v1', newer: `v${'1'.repeat(55)}`, up, down: up }],
    `convert: v${'1'.repeat(55)} has more than 55 characters, so that no annotation can be named after it`,
  ],
])('a declaration of conversions is refused for %s', (_what, otherVersions, convert, message) => {
  const declare = () =>
    customResource({ group: 'harbour.example', kind: 'Boat', ...v1, otherVersions, convert });

  expect(declare).toThrow(`Boat: ${message}`);
});

test('the definition has a conversion webhook, and crdYaml adds its address', () => {
  expect(boats.definition.spec).toMatchObject({
    preserveUnknownFields: false,
    conversion: {
      strategy: 'Webhook',
      webhook: {
        conversionReviewVersions: ['v1'],
        clientConfig: {},
      },
    },
  });
  expect(crdYaml(boats, { service: { name: 'boats', namespace: 'quay' } })).toContain(`
      clientConfig:
        service:
          name: boats
          namespace: quay
          path: /convert
          port: 443
`);
});

test('a resource without conversions has no webhook in its definition', () => {
  const plain = customResource({
    group: 'harbour.example',
    kind: 'Boat',
    ...v1,
    otherVersions: [v1alpha1],
  });

  expect(plain.definition.spec.conversion).toBeUndefined();
  expect(plain.convert).toBeUndefined();
  expect(plain.conversions).toEqual([]);
});

test('fields kept for one version survive a conversion to a version in between', () => {
  const alpha = convert(boat('v1', RIGGED), 'v1alpha1');
  const beta = convert(alpha, 'v1beta1');

  expect(Object.keys(alpha.metadata.annotations ?? {}).sort()).toEqual([
    ONLY_IN_V1,
    ONLY_IN_V1BETA1,
  ]);
  expect(Object.keys(beta.metadata.annotations ?? {})).toEqual([ONLY_IN_V1]);
  expect(convert(beta, 'v1')).toEqual(boat('v1', RIGGED));
});
