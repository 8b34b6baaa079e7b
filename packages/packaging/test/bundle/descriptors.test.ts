/** Descriptors: what a console shows of each field, and how it lets people edit it. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { DefinitionVersion } from '../../../../operator/model/custom-resource-definition.ts';
import type { StructuralSchema } from '../../../../operator/model/structural-schema.ts';
import {
  type Descriptor,
  specDescriptors,
  statusDescriptors,
} from '../../src/bundle/descriptors.ts';
import { bundle, csvOf, thing } from './support/bundles.ts';

const UI = 'urn:alm:descriptor:com.tectonic.ui';

function versionOf(schema: StructuralSchema): DefinitionVersion {
  const [version] = thing(schema).spec.versions;
  if (version === undefined) throw new Error('no version');
  return version;
}

function spec(properties: Readonly<Record<string, StructuralSchema>>): DefinitionVersion {
  return versionOf({ properties: { spec: { type: 'object', properties } } });
}

function hintsOf(descriptors: readonly Descriptor[]): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(
    descriptors.map(({ path, 'x-descriptors': hints = [] }) => [path, hints]),
  );
}

const said = { description: 'said' };

test('[packaging 13] the bundle describes the fields of spec and status, and marks the field with conditions', () => {
  const { owned } = csvOf(bundle()).spec.customresourcedefinitions;

  const [website] = owned;
  expect(website?.statusDescriptors).toContainEqual({
    path: 'conditions',
    displayName: 'Conditions',
    description: expect.stringMatching(/./),
    'x-descriptors': ['urn:alm:descriptor:io.kubernetes.conditions'],
  });
});

test('[packaging 13] a field with a description has a path, a readable name, the description and a hint derived from its type', () => {
  const found = specDescriptors(
    spec({
      replicas: { type: 'integer', ...said },
      maxSize: { type: 'integer', title: 'Largest', ...said },
      isOn: { type: 'boolean', ...said },
      color: { type: 'string', enum: ['red', 'blue'], ...said },
      rootPassword: { type: 'string', ...said },
      tlsSecretName: { type: 'string', ...said },
      configMap: { type: 'string', ...said },
      note: { type: 'string', ...said },
      hidden: { type: 'string' },
      resources: {
        type: 'object',
        ...said,
        properties: {
          limits: { type: 'object', additionalProperties: { type: 'string' } },
          requests: { type: 'object', additionalProperties: { type: 'string' } },
        },
      },
      template: {
        type: 'object',
        properties: {
          ports: {
            type: 'array',
            items: { type: 'object', properties: { name: { type: 'string', ...said } } },
          },
        },
      },
    } as Readonly<Record<string, StructuralSchema>>),
  );

  expect(found[1]).toMatchObject({ path: 'maxSize', displayName: 'Largest', description: 'said' });
  expect(found[4]).toMatchObject({ path: 'rootPassword', displayName: 'Root Password' });
  expect(hintsOf(found)).toEqual({
    replicas: [`${UI}:podCount`],
    maxSize: [`${UI}:number`],
    isOn: [`${UI}:booleanSwitch`],
    color: [`${UI}:select:red`, `${UI}:select:blue`],
    rootPassword: [`${UI}:password`],
    tlsSecretName: ['urn:alm:descriptor:io.kubernetes:Secret'],
    configMap: ['urn:alm:descriptor:io.kubernetes:ConfigMap'],
    note: [`${UI}:text`],
    resources: [`${UI}:resourceRequirements`],
    'template.ports[0].name': [`${UI}:fieldGroup:template`, `${UI}:text`],
  });
});

test('[packaging 13] the status fields `conditions` and `phase` get hints even without descriptions, and other fields do not', () => {
  const names = ['conditions', 'phase', 'constructor', '__proto__', 'toString'];
  const properties = Object.fromEntries(
    names.map((name) => [name, { type: name === 'conditions' ? 'array' : 'string' }]),
  );
  const version = versionOf({
    properties: { status: { type: 'object', properties } },
  } as StructuralSchema);

  expect(hintsOf(statusDescriptors(version))).toEqual({
    conditions: ['urn:alm:descriptor:io.kubernetes.conditions'],
    phase: ['urn:alm:descriptor:io.kubernetes.phase'],
  });
});

test('beyond the limit of descriptors, the deepest fields are omitted', () => {
  const wide = Object.fromEntries(
    Array.from({ length: 300 }, (_, at) => [
      `field${at}`,
      { type: 'object', ...said, properties: { inner: { type: 'string', ...said } } } as const,
    ]),
  );

  const paths = specDescriptors(spec(wide)).map(({ path }) => path);

  expect(paths).toHaveLength(500);
  expect(paths.filter((path) => !path.includes('.'))).toHaveLength(300);
});

const NAMES = ['a', 'bC', 'constructor', '__proto__', 'secretName'];
const anySchema: fc.Arbitrary<StructuralSchema> = fc.letrec<{ schema: StructuralSchema }>((tie) => {
  const description = fc.option(fc.constantFrom('x', 'a\n---\nb'), { nil: undefined });
  const leaf = description.map((text) => ({ type: 'string', description: text }));
  const group = fc
    .tuple(description, fc.dictionary(fc.constantFrom(...NAMES), tie('schema'), { maxKeys: 3 }))
    .map(([text, properties]) => ({ type: 'object', description: text, properties }));
  const list = fc
    .tuple(description, tie('schema'))
    .map(([text, items]) => ({ type: 'array', description: text, items }));
  return {
    schema: fc.oneof({ depthSize: 'small' }, leaf, group, list) as fc.Arbitrary<StructuralSchema>,
  };
}).schema;

/** The schema at the path of a descriptor, read as a console reads it. */
function schemaAt(root: StructuralSchema | undefined, path: string): StructuralSchema | undefined {
  let found = root;
  for (const part of path.split('.')) {
    const [, name = '', indexes = ''] = /^([^[]+)((?:\[0\])*)$/.exec(part) ?? [];
    const known = found?.properties ?? {};
    found = Object.hasOwn(known, name) ? known[name] : undefined;
    for (let at = 0; at < indexes.length; at += 3) found = found?.items;
  }
  return found;
}

function describedIn(schema: StructuralSchema): number {
  const inner = [...Object.values(schema.properties ?? {}), ...[schema.items ?? []].flat()];
  return inner.reduce(
    (sum, each) => sum + describedIn(each as StructuralSchema),
    schema.description === undefined ? 0 : 1,
  );
}

test("[packaging 13] every field with a description has one descriptor, and each descriptor's path leads to its field", () => {
  fc.assert(
    fc.property(
      fc.dictionary(fc.constantFrom(...NAMES), anySchema, { maxKeys: 3 }),
      (properties) => {
        const root: StructuralSchema = { type: 'object', properties };

        const found = specDescriptors(spec(properties));

        for (const { path, description } of found) {
          expect(schemaAt(root, path)?.description).toBe(description);
        }
        expect(new Set(found.map(({ path }) => path)).size).toBe(found.length);
        // The items of a list have no path of their own: what is said of them is not counted.
        expect(found.length).toBe(describedIn(root) - itemsDescribedIn(root));
      },
    ),
  );
});

function itemsDescribedIn(schema: StructuralSchema): number {
  const items = schema.items as StructuralSchema | undefined;
  const own = items?.description === undefined ? 0 : 1;
  const inner = [
    ...Object.values(schema.properties ?? {}),
    ...(items === undefined ? [] : [items]),
  ];
  return inner.reduce((sum, each) => sum + itemsDescribedIn(each as StructuralSchema), own);
}
