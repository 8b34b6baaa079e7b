import { validateDefinition } from '../../../src/apiserver/crd/definition-rules/validate-definition.ts';
import type { StoredObject } from '../../../src/apiserver/objects/stored-object.ts';

export const OBJECT = { type: 'object' };
/** Where the server finds the schema that all versions share. */
export const SCHEMA_AT = 'spec.validation.openAPIV3Schema';

/** What is not as in every other definition of these tests. */
export interface Parts {
  readonly schema?: object | undefined;
  readonly version?: object;
  readonly names?: object;
  readonly spec?: object;
  readonly status?: object;
  readonly name?: string;
  readonly annotations?: Readonly<Record<string, string>>;
}

export function definition({
  schema = OBJECT,
  version,
  names,
  spec,
  status,
  name,
  annotations,
}: Parts): StoredObject {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: name ?? 'foos.a.example', ...(annotations && { annotations }) },
    spec: {
      group: 'a.example',
      scope: 'Namespaced',
      names: { plural: 'foos', singular: 'foo', kind: 'Foo', listKind: 'FooList', ...names },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: schema },
          ...version,
        },
      ],
      ...spec,
    },
    ...(status === undefined ? {} : { status }),
  } as unknown as StoredObject;
}

/** What the server says of a definition, field by field. @param before - what it was until now. */
export function said(parts: Parts, before?: Parts): readonly string[] {
  const previous = before === undefined ? undefined : definition(before);
  return validateDefinition(definition(parts), previous).map(
    ({ field, message }) => `${field}: ${message}`,
  );
}

/** A definition with one field of the given schema. */
export function withField(field: object, more: object = {}): Parts {
  return { schema: { type: 'object', properties: { x: field }, ...more } };
}
