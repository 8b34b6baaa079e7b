/** What `kubectl get` shows of a custom resource. */
import { expect, test } from 'vitest';
import { recordedExchange } from '../../../../test/support/recorded-stream.ts';
import { printerColumns } from '../../../src/apiserver/crd/printer-columns.ts';
import type { StoredObject } from '../../../src/apiserver/objects/stored-object.ts';

const NOW = Date.UTC(2026, 10, 21, 6, 30);

function cell(type: string, value: unknown, jsonPath = '.spec.value'): unknown {
  const object = { metadata: { name: 'a' }, spec: { value } } as unknown as StoredObject;
  const [, column] = printerColumns([{ name: 'Value', type, jsonPath }]);
  return column?.cell(object, NOW);
}

test.each([
  ['string', 'text', 'text'],
  ['string', 7, '7'],
  ['string', true, 'true'],
  ['string', { a: '<b>' }, '{"a":"\\u003cb\\u003e"}'],
  ['string', ['a', 'b'], '["a","b"]'],
  ['string', null, '<no value>'],
  ['string', undefined, null],
  ['integer', 7, 7],
  ['integer', 7.9, 7],
  ['integer', '7', null],
  ['number', 7.5, 7.5],
  ['number', '7.5', null],
  ['boolean', false, false],
  ['boolean', 'true', null],
  ['date', '2026-11-21T06:28:00Z', '2m'],
  ['date', '2026-11-21T07:28:00+01:00', '2m'],
  ['date', 'yesterday', '<invalid>'],
  ['date', '', '<unknown>'],
  ['date', 7, null],
])('a printer column of type %s prints %o as %o', (type, value, shown) => {
  expect(cell(type, value)).toBe(shown);
});

test('a printer column prints the first of several values', () => {
  expect(cell('string', [{ name: 'a' }, { name: 'b' }], '.spec.value[*].name')).toBe('a');
  expect(cell('string', [], '.spec.value[*].name')).toBeNull();
});

test('the first printer column is the name, and the columns of the definition follow', () => {
  const recorded = JSON.parse(recordedExchange('crd', 24).response.body ?? '').columnDefinitions;
  const told = ({ name, type, format, priority }: Record<string, unknown>): object => ({
    name,
    type,
    format,
    priority,
  });

  const columns = printerColumns([
    { name: 'ConfigMap', type: 'string', jsonPath: '.spec.configMap' },
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ]);
  const wide = printerColumns([{ name: 'N', type: 'string', jsonPath: '.n', priority: 1 }]);

  expect(columns.map((column) => told({ ...column }))).toEqual(recorded.map(told));
  expect(wide.map(({ priority }) => priority)).toEqual([0, 1]);
  expect(printerColumns().map(({ name }) => name)).toEqual(['Name', 'Age']);
});
