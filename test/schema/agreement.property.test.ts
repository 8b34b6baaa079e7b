/** Local validation gives every object the causes that the API server gives it. */

import type { TestEnv } from '@chancery/testing';
import { startTestEnv } from '@chancery/testing';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { ConfigurationError } from '../../operator/core/errors.ts';
import type { KubernetesObject } from '../../operator/model/object.ts';
import type { Status } from '../../operator/model/status.ts';
import type { FieldProblem } from '../../operator/schema/field-path.ts';
import type { TSchema } from '../../operator/schema/type.ts';
import { customResource, EmbeddedResource, ListMap, ListSet, Type } from '../../operator/schema.ts';
import { propertyRuns } from '../support/property-runs.ts';
import { anyPair } from './random-schema.ts';

/** The causes for which the server refuses an object, as local validation writes them. */
async function causesFor(env: TestEnv, object: KubernetesObject): Promise<readonly FieldProblem[]> {
  const { apiVersion, kind, metadata } = object;
  const resource = `${kind.toLowerCase()}s`;
  const path = `/apis/${apiVersion}/namespaces/${metadata.namespace}/${resource}`;
  const response = await fetch(env.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(object),
  });
  const { details } = (await response.json()) as Status;
  if (response.status === 201) return [];
  expect(response.status).toBe(422);
  return (details?.causes ?? []).map(({ field = '', reason = '', message = '' }) => ({
    path: field === '<nil>' ? '' : field,
    reason: reason as FieldProblem['reason'],
    message,
  }));
}

test('local validation and the API server report the same fields, reasons and messages', async () => {
  const env = await startTestEnv({ backend: 'embedded', embedded: { workloads: false } });
  onTestFinished(() => env.stop());
  let runs = 0;
  const judged = { taken: 0, refused: 0 };

  await fc.assert(
    fc.asyncProperty(
      anyPair.chain(({ schema, value }) =>
        fc.tuple(fc.constant(schema), fc.array(value, { minLength: 8, maxLength: 8 })),
      ),
      async (schemaAndValues) => {
        const [schema, values] = schemaAndValues;
        runs++;
        const kind = `Thing${runs}`;
        const spec = Type.Object({ it: Type.Optional(schema) });
        let resource: ReturnType<typeof customResource>;
        try {
          resource = customResource({ group: 'example.dev', version: 'v1', kind, spec });
        } catch (error) {
          expect(error).toBeInstanceOf(ConfigurationError); // a default that does not fit, say
          return;
        }
        await env.apply(resource.definition);
        for (const [at, it] of values.entries()) {
          const metadata = { name: `a${at}`, namespace: 'default' };
          const object = { apiVersion: 'example.dev/v1', kind, metadata, spec: { it } };

          const causes = await causesFor(env, object);
          const found = resource.validate(object);

          expect({ it, found }).toEqual({ it, found: causes });
          judged[causes.length === 0 ? 'taken' : 'refused']++;
        }
      },
    ),
    propertyRuns(0.4),
  );

  // Neither answer is the rule, or nothing was compared.
  expect(Math.min(judged.taken, judged.refused)).toBeGreaterThan(propertyRuns().numRuns / 10);
}, 120_000);

test.each<[string, TSchema, unknown]>([
  ['null in a list whose items have a default', Type.Array(Type.String({ default: 'a' })), [null]],
  ['null in a list whose items have no default', Type.Array(Type.String()), [null]],
  ['null in a map', Type.Record(Type.String(), Type.String()), { a: null }],
  ['null for a field with a default', Type.String({ default: 'a' }), null],
  ['one character of two code units', Type.String({ maxLength: 1 }), '𝒳'],
  ['two characters', Type.String({ maxLength: 1 }), 'ab'],
  ['an integer beyond int64', Type.Integer(), 2 ** 63],
  ['an integer beyond int32', Type.Integer({ format: 'int32' }), 2 ** 31],
  ['a number beyond float', Type.Number({ format: 'float' }), 1e39],
  ['a multiple of 0.1', Type.Number({ multipleOf: 0.1 }), 0.3],
  ['a number that is not a multiple', Type.Number({ multipleOf: 0.1 }), 0.35],
  ['a field with an inherited name', Type.Object({ a: Type.String() }), { toString: 1 }],
  ['pruned fields, which do not count', Type.Object({}, { minProperties: 1 }), { more: 1 }],
  ['a list in place of a string with a format', Type.String({ format: 'date' }), [1]],
  ['an object in place of an enumerated word', Type.Enum(['a', 'b']), { a: [1] }],
  ['three equal items in a set', ListSet(Type.Integer()), [1, 2, 1, 1]],
  ['a string in a list map', ListMap(Type.Object({ a: Type.String() }), ['a']), [{ a: 'x' }, 'y']],
  ['a key of a map with a dot', Type.Record(Type.String(), Type.Boolean()), { 'a.b': 1 }],
  ['an embedded object in a map', Type.Record(Type.String(), EmbeddedResource()), { a: {} }],
  ['a string whose end violates its pattern', Type.String({ pattern: '^(a|b)*$' }), 'abc<d>'],
])('local validation and the API server agree on %s', async (_, schema, it) => {
  const env = await startTestEnv({ backend: 'embedded', embedded: { workloads: false } });
  onTestFinished(() => env.stop());
  const spec = Type.Object({ it: Type.Optional(schema) });
  const resource = customResource({ group: 'example.dev', version: 'v1', kind: 'Thing', spec });
  await env.apply(resource.definition);
  const metadata = { name: 'a', namespace: 'default' };
  const object = { apiVersion: 'example.dev/v1', kind: 'Thing', metadata, spec: { it } };

  const causes = await causesFor(env, object);

  expect(resource.validate(object)).toEqual(causes);
});
