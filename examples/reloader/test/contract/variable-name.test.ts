/** Names of variables beyond the fixtures: long names, collisions, and keys of resources. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RESOURCE_TYPES, refKey, refOfKey } from '../../contract/resource-type.ts';
import { suffixedVariableName, variableName } from '../../contract/variable-name.ts';

/** Names as the API server accepts them: at most 253 characters. */
const name = fc.stringMatching(/^[a-z0-9]([-a-z0-9.]{0,40}[a-z0-9])?$/);
const type = fc.constantFrom(...RESOURCE_TYPES);

describe('[reloader 7] the variable of a resource', () => {
  test('the name of the variable for a resource contains the whole resource name of 253 characters', () => {
    const longest = `${'a'.repeat(63)}.${'b'.repeat(63)}.${'c'.repeat(63)}.${'d'.repeat(61)}`;

    expect(longest).toHaveLength(253);
    expect(variableName({ type: 'SECRETPROVIDERCLASS', name: longest })).toBe(
      `STAKATER_${'A'.repeat(63)}_${'B'.repeat(63)}_${'C'.repeat(63)}_${'D'.repeat(61)}_SECRETPROVIDERCLASS`,
    );
  });

  test('the name of the variable for a resource is accepted by every shell', () => {
    fc.assert(
      fc.property(type, name, (each, of) => {
        const ref = { type: each, name: of };

        expect(variableName(ref)).toMatch(/^STAKATER_[A-Z0-9_]+$/);
        expect(suffixedVariableName(ref)).toMatch(/^STAKATER_[A-Z0-9_]+_[0-9A-F]{8}$/);
      }),
    );
  });

  test.each([
    ['a--b', 'STAKATER_A_B_SECRET'],
    ['a.b.c-d', 'STAKATER_A_B_C_D_SECRET'],
    ['--', 'STAKATER__SECRET'],
    ['x.-', 'STAKATER_X__SECRET'],
    ['0', 'STAKATER_0_SECRET'],
  ])('the variable of the Secret %s is %s', (of, expected) => {
    expect(variableName({ type: 'SECRET', name: of })).toBe(expected);
  });

  test('resources with the same name and different types have different variables', () => {
    expect(
      new Set(RESOURCE_TYPES.map((each) => variableName({ type: each, name: 'x' }))).size,
    ).toBe(3);
  });

  test('resources with colliding names get different variables that differ in a suffix', () => {
    const refs = ['a-b', 'a.b', 'a--b'].map((each) => ({ type: 'CONFIGMAP' as const, name: each }));

    expect(new Set(refs.map(variableName))).toEqual(new Set(['STAKATER_A_B_CONFIGMAP']));
    // SHA-1 of "a-b", "a.b" and "a--b", by sha1sum.
    expect(refs.map(suffixedVariableName)).toEqual([
      'STAKATER_A_B_CONFIGMAP_34FAFDDD',
      'STAKATER_A_B_CONFIGMAP_69F6642C',
      'STAKATER_A_B_CONFIGMAP_73823F1B',
    ]);
  });
});

describe('the key of a resource', () => {
  test('the key of a resource can be converted back to the resource', () => {
    fc.assert(
      fc.property(type, name, (each, of) => {
        const ref = { type: each, name: of };

        expect(refOfKey(refKey(ref))).toEqual(ref);
      }),
    );
  });

  test.each([
    '',
    'configmap',
    'configmap/',
    '/app',
    'CONFIGMAP/app',
    'pod/app',
    'secret/a/b',
  ])('%j is not the key of a resource', (text) => {
    expect(refOfKey(text)).toBeUndefined();
  });
});
