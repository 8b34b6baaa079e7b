import fc from 'fast-check';
import { expect, test } from 'vitest';
import { goJson } from '../../../../operator/core/go/go-json.ts';
import { sortedJson } from '../../../../operator/core/json/sorted-json.ts';
import type { KubernetesObject } from '../../../../operator/model/object.ts';
import { jsonValue, memberName } from '../../../../test/support/json-arbitraries.ts';
import { propertyRuns } from '../../../../test/support/property-runs.ts';
import { runToEnd } from '../../../../test/support/run-to-end.ts';
import { hookRequests } from '../../src/json/hook-request.ts';
import { repeatedFields } from '../../src/json/repeated-fields.ts';
import { orchards, parent, TYPES } from './orchards.ts';

/** Of an API server: well-formed texts. It has no -0, and an object has each name once. */
const fields = jsonValue({ maxDepth: 5 }).map(
  (value) => JSON.parse(JSON.stringify(value).toWellFormed()) as unknown,
);

test('every value can be written and read again as JSON, in a fixed order and without characters that Go escapes', () => {
  fc.assert(
    fc.property(fields, (value) => {
      const text = goJson(value);

      expect(JSON.parse(text)).toEqual(value);
      expect(sortedJson(text)).toBe(text);
      expect(text).not.toMatch(/[<>&\u2028\u2029]/);
    }),
    propertyRuns(5),
  );
});

test('every object in a request can be written and read again without a change', async () => {
  const spec = { kind: 'CompositeController', object: orchards('v2') } as const;
  const requests = hookRequests(spec, { version: 'v2', managedFields: true });
  const { configMaps: resource } = TYPES;

  await fc.assert(
    fc.asyncProperty(
      fc.uniqueArray(memberName(fc.string({ unit: 'grapheme' }))),
      fields,
      async (names, spec) => {
        const objects = names.map((name) => ({
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name, namespace: 'farm' },
          spec,
        })) as readonly KubernetesObject[];
        const question = {
          parent,
          children: [{ resource, objects }],
          related: [],
          finalizing: false,
        };

        const text = await requests.sync(question).text();

        const { children } = JSON.parse(text) as {
          children: Record<string, Record<string, unknown>>;
        };
        const shown = children['ConfigMap.v1'] ?? {};
        expect(Object.values(shown)).toHaveLength(names.length);
        for (const object of objects) {
          expect(shown[`farm/${object.metadata.name}`]).toEqual(object);
        }
      },
    ),
    propertyRuns(),
  );
});

test('a repeated field is found exactly when an object has the field twice', () => {
  const name = memberName(fc.constantFrom('a', 'b', '"', '\\"', 'c:', '{', 'é'));
  const { value } = fc.letrec<{ value: Built }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom('1', '"a"', '"}:,{"', 'null').map((text) => ({ text, repeated: 0 })),
      fc.array(tie('value'), { maxLength: 3 }).map(list),
      fc.array(fc.tuple(name, tie('value')), { maxLength: 4 }).map(map),
    ),
  }));

  fc.assert(
    fc.property(value, ({ text, repeated }) => {
      expect(runToEnd(repeatedFields(text))).toHaveLength(Math.min(repeated, 8));
    }),
    propertyRuns(5),
  );
});

/** JSON, and how many of its fields repeat an earlier one of the same object. */
interface Built {
  readonly text: string;
  readonly repeated: number;
}

function list(items: readonly Built[]): Built {
  return { text: `[${items.map(({ text }) => text).join(', ')}]`, repeated: sum(items) };
}

function map(members: readonly (readonly [string, Built])[]): Built {
  const names = members.map(([each]) => each);
  const text = members.map(([each, value]) => `${JSON.stringify(each)}: ${value.text}`);
  return {
    text: `{${text.join(',')}}`,
    repeated: sum(members.map(([, value]) => value)) + names.length - new Set(names).size,
  };
}

function sum(parts: readonly Built[]): number {
  return parts.reduce((total, { repeated }) => total + repeated, 0);
}
