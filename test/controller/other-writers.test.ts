/** Who else writes an object, by its managedFields. */

import { expect, test } from 'vitest';
import { otherWriters } from '../../operator/controller/policies/other-writers.ts';
import type { KubernetesObject } from '../../operator/model/object.ts';

const object = (...managedFields: readonly unknown[]): KubernetesObject =>
  ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', managedFields } }) as never;

const entry = (manager: unknown, fieldsV1: unknown, time = '2026-01-01T00:00:00Z'): object => ({
  ...{ manager, operation: 'Update', apiVersion: 'v1', time, fieldsType: 'FieldsV1', fieldsV1 },
});

const OWN = ['ours'];

const text = { 'f:data': { 'f:text': {} } };
const both = { 'f:data': { 'f:text': {}, 'f:more': {} } };
const rest = { 'f:data': { 'f:more': {} } };

test('[child 5] otherWriters returns the managers that have lost fields by a write', () => {
  const before = object(
    entry('ours', rest),
    entry('idle', rest),
    entry('editor', both),
    entry('setter', text),
  );
  const after = object(entry('ours', both), entry('idle', rest), entry('editor', rest));

  expect(otherWriters(before, after, OWN)).toEqual(['editor', 'setter']);
});

test.each<[string, unknown]>([
  ['a string', 'f:data'],
  ['null', null],
  ['a list', [text]],
  ['a number', 7],
  ['nested differently', { 'f:data': 'f:text' }],
  ['missing', undefined],
])('[child 5] an entry of managedFields is ignored if its fields are %s', (_what, fields) => {
  const before = object(entry('broken', fields), entry('editor', text));

  expect(otherWriters(before, object(entry('broken', fields)), OWN)).toEqual(['editor']);
});

test.each<[string, readonly unknown[]]>([
  ['null', [null]],
  ['texts', ['kubectl']],
  ['without a manager', [{ operation: 'Update', fieldsV1: text }, entry(7, text), entry('', text)]],
])('[child 5] entries of managedFields that are %s are ignored', (_what, entries) => {
  expect(otherWriters(object(...entries), object(), OWN)).toEqual([]);
  expect(otherWriters(object(...entries, entry('editor', text)), object(), OWN)).toEqual([
    'editor',
  ]);
});

test('[child 5] otherWriters returns no manager if managedFields is not a list', () => {
  const broken = { ...object(), metadata: { name: 'a', managedFields: { manager: 'a' } } } as never;

  expect(otherWriters(broken, broken, OWN)).toEqual([]);
  expect(otherWriters({ ...object(), metadata: { name: 'a' } }, undefined, OWN)).toEqual([]);
});

test('[child 5] if no manager has lost a field, otherWriters returns the last writers', () => {
  const before = object(
    entry('early', text, '2026-01-01T00:00:00Z'),
    entry('late', text, '2026-01-01T00:00:09Z'),
    entry('ours', text, '2026-01-01T00:00:10Z'),
    entry('ours/create', text, '2026-01-01T00:00:10Z'),
  );

  expect(otherWriters(before, undefined, OWN)).toEqual(['late']);
});

test('[child 5] otherWriters returns at most three names, shortened and without control characters', () => {
  const names = ['a\u001b[31m', 'b'.repeat(5_000), 'c', 'd'];
  const found = otherWriters(object(...names.map((name) => entry(name, text))), object(), OWN);

  expect(found).toHaveLength(3);
  expect(found.join('')).not.toContain('\u001b');
  expect(Math.max(...found.map(({ length }) => length))).toBeLessThanOrEqual(128);
});

test("[child 5] otherWriters omits the controller's own names, but not names that only begin like them", () => {
  const own = ['ours', 'ours/create', 'ours/status/', 'ours/status/Clean,Ready'];
  const before = object(...own.map((name) => entry(name, both)), entry('ours-too', both));
  const after = object(entry('ours/status/Clean', both));

  expect(otherWriters(before, after, OWN)).toEqual(['ours-too']);
  expect(otherWriters(object(...own.map((name) => entry(name, both))), after, OWN)).toEqual([]);
});

test('[child 5] otherWriters omits a manager whose fields were not changed, even if it wrote last', () => {
  const seen = entry('seer', { 'f:status': { 'f:seen': {} } }, '2026-02-02T00:00:00Z');

  expect(otherWriters(object(entry('ours', both), seen), object(seen), OWN)).toEqual([]);
});
