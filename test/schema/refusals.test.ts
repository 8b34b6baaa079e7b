/** What cannot be a definition is refused where it is declared, with its path and what to write. */
import { describe, expect, test } from 'vitest';
import { ConfigurationError } from '../../operator/core/errors.ts';
import type { TObject, TSchema } from '../../operator/schema/type.ts';
import {
  atomic,
  type CustomResourceOptions,
  customResource,
  EmbeddedResource,
  ListMap,
  ListSet,
  Nullable,
  Type,
  withRules,
} from '../../operator/schema.ts';

type Options = CustomResourceOptions<TSchema, TObject | undefined>;

const GOOD: Options = {
  group: 'example.dev',
  version: 'v1',
  kind: 'Website',
  spec: Type.Object({
    image: Type.String(),
    replicas: Type.Integer({ default: 1 }),
    hosts: Type.Optional(Type.Array(Type.String())),
  }),
  status: Type.Object({ replicas: Type.Integer(), selector: Type.Optional(Type.String()) }),
};

function refusal(options: Partial<Options>): ConfigurationError {
  try {
    customResource({ ...GOOD, ...options });
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigurationError);
    return error as ConfigurationError;
  }
  return expect.unreachable('it was not refused');
}

/** The refusal of a schema in the place of `spec.it`. */
function refusalOf(it: unknown): ConfigurationError {
  return refusal({ spec: Type.Object({ it: it as TSchema }) });
}

test('the error for a refused declaration contains the resource', () => {
  expect(refusal({ group: 'example' }).message).toMatch(/^Website: group: /);
});

test('the base declaration of these tests is accepted', () => {
  expect(customResource(GOOD).definition.spec.names.plural).toBe('websites');
});

describe('names', () => {
  test.each<[Partial<Options>, string, string]>([
    [{ group: 'example' }, 'group', 'write a domain'],
    [{ group: 'Example.dev' }, 'group', 'write a domain'],
    [{ group: 'x.k8s.io' }, 'group', "write a domain of yours, or apiApproved: 'unapproved, …'"],
    [{ group: 'kubernetes.io' }, 'group', "or apiApproved: 'unapproved, …'"],
    [{ group: 'x.k8s.io', apiApproved: '' }, 'apiApproved', 'write the URL'],
    [{ group: 'x.k8s.io', apiApproved: 'Unapproved' }, 'apiApproved', "'unapproved, …'"],
    [{ group: 'x.k8s.io', apiApproved: 'github.com/a/b' }, 'apiApproved', 'with its scheme'],
    [{ apiApproved: 'unapproved, an example' }, 'apiApproved', 'leave it out'],
    [{ kind: 'website' }, 'kind', 'CamelCase'],
    [{ kind: 'Web Site' }, 'kind', 'CamelCase'],
    [{ kind: 'W'.repeat(64) }, 'kind', 'at most 63'],
    [{ plural: 'Websites' }, 'plural', 'a letter first'],
    [{ plural: '1websites' }, 'plural', 'a letter first'],
    [{ singular: 'web_site' }, 'singular', 'a letter first'],
    [{ listKind: 'Website' }, 'listKind', 'leave it out'],
    [{ shortNames: ['web', 'w s'] }, 'shortNames[1]', 'a letter first'],
    [{ shortNames: ['web', 'web'] }, 'shortNames[1]', 'leave one out'],
    [{ categories: ['All'] }, 'categories[0]', 'a letter first'],
    [{ version: 'V1' }, 'version', 'a letter first'],
    [{ revision: 1.5 }, 'revision', 'write 0, 1, 2'],
    [
      { otherVersions: [{ version: 'v1', spec: Type.Object({}) }] },
      'otherVersions[0].version',
      'leave one out',
    ],
    [
      { otherVersions: [{ version: 'v0', spec: Type.Object({}), deprecated: '' }] },
      'otherVersions[0].deprecated',
      'write a sentence',
    ],
    [
      { otherVersions: [{ version: 'v0', spec: Type.Object({ a: Type.Null() }) }] },
      'otherVersions[0].spec.a',
      'write Nullable',
    ],
  ])('the declaration %j is refused', (options, path, remedy) => {
    const error = refusal(options);

    expect(error.context.path).toBe(path);
    expect(error.message).toContain(remedy);
  });
});

describe('printer columns and selectable fields', () => {
  const column = { name: 'Image', jsonPath: '.spec.image' };

  test.each<[Partial<Options>, string, string]>([
    [{ printerColumns: [column, column] }, 'printerColumns[1].name', 'another name'],
    [{ printerColumns: [{ ...column, name: 'NAME' }] }, 'printerColumns[0].name', 'another name'],
    [{ printerColumns: [{ ...column, name: '' }] }, 'printerColumns[0].name', 'name the column'],
    [
      { printerColumns: [{ ...column, jsonPath: 'spec.image' }] },
      'printerColumns[0].jsonPath',
      'write .spec.image',
    ],
    [
      { printerColumns: [{ ...column, jsonPath: '.spec.imgae' }] },
      'printerColumns[0].jsonPath',
      'write the path of a field',
    ],
    [
      { printerColumns: [{ ...column, type: 'text' as never }] },
      'printerColumns[0].type',
      'boolean, date',
    ],
    [{ printerColumns: [{ ...column, format: 'x' }] }, 'printerColumns[0].format', 'date-time'],
    [{ selectableFields: ['.spec.imgae'] }, 'selectableFields[0]', 'write the path of a field'],
    [{ selectableFields: ['spec.image'] }, 'selectableFields[0]', 'write it as .spec.name'],
    [{ selectableFields: ['.metadata.name'] }, 'selectableFields[0]', 'write it as .spec.name'],
    [{ selectableFields: ['.spec.hosts'] }, 'selectableFields[0]', 'a string, a boolean'],
    [{ selectableFields: ['.spec.hosts[0]'] }, 'selectableFields[0]', 'without lists'],
    [{ selectableFields: ['.spec.image', '.spec.image'] }, 'selectableFields[1]', 'leave one out'],
    [
      { selectableFields: Array.from({ length: 9 }, () => '.spec.image') },
      'selectableFields',
      'leave some out',
    ],
  ])('the declaration of columns or fields %j is refused', (options, path, remedy) => {
    const error = refusal(options);

    expect(error.context.path).toBe(path);
    expect(error.message).toContain(remedy);
  });

  const scale = { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' };

  test.each<[object, string, string]>([
    [{ specReplicasPath: '.spec.count' }, 'scale.specReplicasPath', 'no schema has it: add'],
    [{ specReplicasPath: '.spec.image' }, 'scale.specReplicasPath', 'Type.Integer()'],
    [{ specReplicasPath: '.status.replicas' }, 'scale.specReplicasPath', 'not under .spec'],
    [{ statusReplicasPath: 'status.replicas' }, 'scale.statusReplicasPath', '.status.replicas'],
    [{ labelSelectorPath: '.status.replicas' }, 'scale.labelSelectorPath', 'Type.String()'],
  ])('the scale subresource %j is refused', (paths, path, remedy) => {
    const error = refusal({ scale: { ...scale, ...paths } });

    expect(error.context.path).toBe(path);
    expect(error.message).toContain(remedy);
  });
});

describe('schemas that are not structural', () => {
  const text = Type.String();
  const object = Type.Object({ a: text });

  test.each<[string, unknown, string, string]>([
    ['a union of objects', Type.Union([object, object]), 'it', 'write one Type.Object'],
    ['a union of types', Type.Union([text, Type.Boolean()]), 'it', 'write one Type.Object'],
    ['an intersection', Type.Intersect([object, object]), 'it', 'Type.Evaluate'],
    ['a reference', Type.Ref('Other'), 'it', 'write the schema out'],
    ['a tuple', Type.Tuple([text, text]), 'it', 'a field for each place'],
    ['a pattern for keys', Type.Record(Type.String({ pattern: '^a' }), text), 'it', 'Type.Record'],
    ['null', Type.Null(), 'it', 'write Nullable'],
    ['a bigint', Type.BigInt(), 'it', "format: 'int64'"],
    ['undefined', Type.Undefined(), 'it', 'write Type.Optional'],
    ['a literal and a number', Type.Enum(['a', 1]), 'it', 'texts alone or numbers alone'],
    ['an empty enumeration', Type.Enum([]), 'it', 'texts alone or numbers alone'],
    ['unique items', Type.Array(text, { uniqueItems: true }), 'it', 'ListSet'],
    ['contained items', Type.Array(text, { contains: text }), 'it', 'withRules'],
    ['a read-only field', Type.String({ readOnly: true }), 'it', 'self == oldSelf'],
    ['a secret', Type.String({ writeOnly: true }), 'it', 'in a Secret'],
    ['a map with fields', Type.Object({ a: text }, { additionalProperties: text }), 'it', 'both'],
    ['an open object', Type.Object({}, { additionalProperties: true }), 'it', 'preserveUnknown'],
    ['an unknown format', Type.String({ format: 'regex' }), 'it', 'write a pattern'],
    ['a format for strings', Type.Integer({ format: 'date' } as never), 'it', 'int32 or int64'],
    ['a length for a number', Type.Integer({ minLength: 1 } as never), 'it', 'leave it out'],
    ['a limit that is a string', Type.String({ minLength: '1' as never }), 'it', 'write a number'],
    ['an unknown keyword', Type.String({ 'x-mine': true }), 'it', 'leave it out'],
    ['a lookahead', Type.String({ pattern: '^(?=a)' }), 'it', 'self.matches'],
    ['a back reference', Type.String({ pattern: '(a)\\1' }), 'it', 'self.matches'],
    ['no schema', 'text', 'it', 'such as Type.String()'],
    ['a function', Type.Function([], text), 'it', 'Anything()'],
    ['a list of nulls', Type.Object({ b: Type.Array(Type.Null()) }), 'it.b[]', 'write Nullable'],
    ['a map of nulls', Type.Record(Type.String(), Type.Null()), 'it[*]', 'write Nullable'],
  ])('a schema with %s is refused, because it is not structural', (_, schema, path, remedy) => {
    const error = refusalOf(schema);

    expect(error.context.path).toBe(`spec.${path}`);
    expect(error.message).toContain(remedy);
  });

  test.each<[string, Partial<Options>, string]>([
    ['a spec that is a scalar', { spec: Type.String() }, 'spec'],
    ['an optional spec', { spec: Type.Optional(object) }, 'spec'],
    ['a status that is a map', { status: Type.Record(Type.String(), text) as never }, 'status'],
    [
      'conditions of another type',
      { status: Type.Object({ conditions: Type.Array(text) }) },
      'status.conditions',
    ],
    ['a rule without an expression', { rules: [{ rule: ' ' }] }, 'rules[0].rule'],
  ])('a declaration with %s is refused', (_, options, path) => {
    expect(refusal(options).context.path).toBe(path);
  });
});

describe('schemas that the API server would refuse', () => {
  const item = Type.Object({ name: Type.String(), note: Type.Optional(Type.String()) });

  test.each<[string, unknown, string, string]>([
    ['a default of another type', Type.Integer({ default: 'x' as never }), 'it', 'a default that'],
    ['a default out of bounds', Type.Integer({ maximum: 1, default: 2 }), 'it', 'a default that'],
    ['a default with more fields', Type.Object({}, { default: { a: 1 } }), 'it', 'leave them out'],
    ['an incomplete default', Type.Object({ a: item }, { default: {} }), 'it', 'a default that'],
    ['an optional key', ListMap(item, ['note']), 'it[].note', 'take Type.Optional'],
    ['a key that is not a field', ListMap(item, ['port' as never]), 'it', 'add the field'],
    ['a repeated key', ListMap(item, ['name', 'name']), 'it', 'each key once'],
    ['no key', ListMap(item, []), 'it', 'name the fields'],
    [
      'a key that is a list',
      ListMap(Type.Object({ a: Type.Array(Type.String()) }), ['a']),
      'it[].a',
      'another field',
    ],
    [
      'a key that may be null',
      ListMap(Type.Object({ a: Nullable(Type.String()) }), ['a']),
      'it[].a',
      'take Nullable',
    ],
    ['strings in a list map', ListMap(Type.String() as never, ['a' as never]), 'it[]', 'ListSet'],
    ['objects in a set', ListSet(item), 'it[]', 'ListSet(atomic('],
    ['nulls in a set', ListSet(Nullable(Type.String())), 'it[]', 'take Nullable'],
    [
      'an empty embedded resource',
      Type.Object({}, { 'x-kubernetes-embedded-resource': true }),
      'it',
      'EmbeddedResource()',
    ],
    [
      'a rule with an unknown reason',
      withRules(item, [{ rule: 'true', reason: 'Wrong' as never }]),
      'it.x-kubernetes-validations[0].reason',
      'FieldValueInvalid',
    ],
    [
      'a rule of two lines without a message',
      withRules(item, [{ rule: 'true\n&& true' }]),
      'it.x-kubernetes-validations[0].message',
      'write one',
    ],
    [
      'a message of two lines',
      withRules(item, [{ rule: 'true', message: 'a\nb' }]),
      'it.x-kubernetes-validations[0].message',
      'in one line',
    ],
    [
      'a field path without a leading dot',
      withRules(item, [{ rule: 'true', fieldPath: 'name' }]),
      'it.x-kubernetes-validations[0].fieldPath',
      'write .name',
    ],
    [
      'a field path to a field that does not exist',
      withRules(item, [{ rule: 'true', fieldPath: '.port' }]),
      'it.x-kubernetes-validations[0].fieldPath',
      'must be a valid path',
    ],
    [
      'a default deep in a map of lists',
      Type.Record(
        Type.String(),
        Type.Array(Type.Object({ a: Type.Integer({ minimum: 1, default: 0 }) })),
      ),
      'it[*][].a',
      'a default that',
    ],
    ['lists in a set that are not atomic', ListSet(ListSet(Type.String())), 'it[]', 'ListAtomic'],
  ])('a schema with %s is refused, as the API server would', (_, schema, path, remedy) => {
    const error = refusalOf(schema);

    expect(error.context.path).toBe(`spec.${path}`);
    expect(error.message).toContain(remedy);
  });

  test.each<[string, TSchema]>([
    ['objects in a set that are atomic', ListSet(atomic(item))],
    ['an embedded resource', EmbeddedResource()],
    ['a key with a default', ListMap(Type.Object({ a: Type.Integer({ default: 1 }) }), ['a'])],
  ])('a schema with %s is accepted', (_, it) => {
    expect(() => customResource({ ...GOOD, spec: Type.Object({ it }) })).not.toThrow();
  });
});
