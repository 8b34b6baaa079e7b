/**
 * Kinds with any structural schema: the sample is one that the API server takes, the sources are TypeScript,
 * and the definition is a copy.
 */
import { ApiServer } from '@chancery/testing';
import fc from 'fast-check';
import { parseAst } from 'rolldown/parseAst';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { existingKindFiles } from '../../operator/cli/init/existing/existing-files.ts';
import { existingKind } from '../../operator/cli/init/existing/existing-kind.ts';
import { withFiles } from '../../operator/cli/init/existing/existing-names.ts';
import { formatYaml } from '../../operator/core/yaml.ts';
import type { StructuralSchema } from '../../operator/model/structural-schema.ts';
import { definitionOf, HOSTILE } from '../scaffold/support/definitions.ts';
import { propertyRuns } from '../support/property-runs.ts';

let server: ApiServer;
beforeAll(async () => {
  server = await ApiServer.start({ workloads: false });
});
afterAll(() => server.close());

const FIELD = fc.constantFrom('a', 'b', 'Ab-1', 'class', '__proto__', 'constructor', HOSTILE);
const small = fc.integer({ min: 0, max: 3 });
const limits = <T>(keywords: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
  fc.record(keywords, { requiredKeys: [] });

const text = fc
  .oneof(
    limits({ minLength: small, maxLength: fc.integer({ min: 3, max: 40 }) }),
    fc
      .constantFrom(
        'date-time',
        'date',
        'duration',
        'byte',
        'uri',
        'hostname',
        'email',
        'ipv4',
        'ipv6',
        'uuid',
      )
      .map((format) => ({ format })),
    fc
      .constantFrom(
        '^[a-z]([-a-z0-9]*[a-z0-9])?$',
        '^(\\+|-)?(([0-9]+(\\.[0-9]*)?)|(\\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\\+|-)?[0-9]+))?$',
        '^([0-9]+(\\.[0-9]+)?(ns|us|ms|s|m|h))+$',
        '^https?://[^/]+(/.*)?$',
        '^v(\\d+)\\.(\\d+)\\.(\\d+)$',
        '^[A-F0-9]{8}(?:-[A-F0-9]{4}){3}$',
        '^arn:(?:aws|aws-cn):[^:\\s]+$',
        '^[[:alpha:]_][[:word:]]{2,4}$',
        '^\\S+@\\S+$',
        '^\\{.+\\}$',
        '^[^a-z]$',
      )
      .map((pattern) => ({ pattern })),
    fc
      .uniqueArray(fc.constantFrom('x', '', HOSTILE, 'null'), { minLength: 1 })
      .map((values) => ({ enum: values })),
  )
  .map((keywords): StructuralSchema => ({ type: 'string', ...keywords }));

const number = fc
  .tuple(
    fc.constantFrom('integer', 'number'),
    limits({ minimum: fc.integer({ min: -5, max: 5 }), multipleOf: fc.constantFrom(2, 5) }),
    limits({
      maximum: fc.integer({ min: 20, max: 30 }),
      exclusiveMinimum: fc.constant<true>(true),
    }),
  )
  .map(
    ([type, one, { exclusiveMinimum, ...other }]): StructuralSchema => ({
      type,
      ...one,
      ...other,
      ...(one.minimum === undefined || exclusiveMinimum === undefined ? {} : { exclusiveMinimum }),
    }),
  );

const leaf: fc.Arbitrary<StructuralSchema> = fc.oneof(
  text,
  number,
  fc.constantFrom<StructuralSchema>(
    { type: 'boolean' },
    { 'x-kubernetes-int-or-string': true },
    { 'x-kubernetes-preserve-unknown-fields': true },
    {
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      'x-kubernetes-preserve-unknown-fields': true,
    },
    { type: 'string', default: HOSTILE },
    { type: 'integer', maximum: -4, nullable: true },
  ),
);

const { node } = fc.letrec<{ node: StructuralSchema }>((tie) => {
  const list = fc
    .tuple(tie('node'), small)
    .map(([items, minItems]): StructuralSchema => ({ type: 'array', items, minItems }));
  const set = small.map(
    (minItems): StructuralSchema => ({
      ...{ type: 'array', items: { type: 'string' }, minItems },
      'x-kubernetes-list-type': 'set',
    }),
  );
  const map = fc.tuple(tie('node'), small).map(
    ([values, minProperties]): StructuralSchema => ({
      ...{ type: 'object', additionalProperties: values, minProperties },
    }),
  );
  const object = fc
    .tuple(
      fc.dictionary(FIELD, tie('node'), { maxKeys: 4 }),
      fc.infiniteStream(fc.boolean()),
      fc.boolean(),
    )
    .map(([fields, picks, isEither]): StructuralSchema => {
      const names = Object.keys(fields);
      const required = names.filter(() => picks.next().value);
      const [one, other] = names.filter((name) => !required.includes(name));
      const either = isEither && one !== undefined && other !== undefined;
      return {
        ...{ type: 'object', properties: fields, required },
        ...(either ? { oneOf: [{ required: [one] }, { required: [other] }] } : {}),
      };
    });
  const depth = { maxDepth: 3, depthIdentifier: 'schema' };
  return { node: fc.oneof(depth, leaf, list, set, map, object) };
});

const spec = fc.dictionary(FIELD, node, { minKeys: 1, maxKeys: 4 }).map(
  (properties): StructuralSchema => ({
    ...{ type: 'object', properties, required: Object.keys(properties) },
  }),
);

test('[scaffolding 20] the sample that `init` writes for a schema is accepted by an API server', () => {
  let at = 0;
  let accepted = 0;
  fc.assert(
    fc.property(spec, (schema) => {
      at += 1;
      const definition = definitionOf('Kite', { group: `g${at}.example.com`, spec: schema });
      const [kind] = withFiles([existingKind(definition as Record<string, unknown>)]);
      if (kind === undefined) throw new Error('no kind');

      const { files, notes } = existingKindFiles(kind);

      const byPath = Object.fromEntries(files.map(({ path, text: content }) => [path, content]));
      for (const path of ['src/kite.ts', 'src/kite-definition.ts', 'src/kite.test.ts']) {
        expect(() => parseAst(byPath[path] ?? '', { lang: 'ts' })).not.toThrow();
      }
      server.applyManifest(formatYaml(kind.definition?.text));
      expect(notes).toEqual([]);
      server.applyManifest(byPath['samples/kite.yaml'] ?? '');
      expect(server.get(`g${at}.example.com/v1`, 'Kite', 'default', 'kite-sample')).toBeDefined();
      accepted += 1;
      server.delete(
        'apiextensions.k8s.io/v1',
        'CustomResourceDefinition',
        undefined,
        `kites.g${at}.example.com`,
      );
    }),
    propertyRuns(),
  );
  expect(accepted).toBeGreaterThan(0);
});
