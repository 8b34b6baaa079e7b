import { expect, test } from 'vitest';
import { parseTryArguments, usage } from '../arguments.ts';

const NAMES = ['foo', 'tdset'];

test.each([
  [['foo'], { name: 'foo', port: 8080 }],
  [['tdset', '--port', '0'], { name: 'tdset', port: 0 }],
  [['--help'], 'help'],
  [['foo', '-h'], 'help'],
])('%j', (words, meant) => {
  expect(parseTryArguments(words, NAMES)).toEqual(meant);
});

test.each([
  [[], 'name an example'],
  [['bar'], 'there is no example bar: foo, tdset'],
  [['foo', 'tdset'], 'one example at a time, not foo, tdset'],
  [['foo', '--port', '70000'], '--port 70000: not a port'],
  [['foo', '--port', 'x'], '--port x: not a port'],
])('%j is wrong, and says how', (words, wrong) => {
  expect(parseTryArguments(words, NAMES)).toEqual({ wrong });
});

test('an option that there is not is wrong', () => {
  expect(parseTryArguments(['foo', '--prot', '1'], NAMES)).toHaveProperty('wrong');
});

test('its usage names every example', () => {
  for (const name of NAMES) expect(usage(NAMES)).toContain(name);
});
