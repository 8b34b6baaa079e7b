import { expect, test } from 'vitest';
import { parseTryArguments, usage } from '../arguments.ts';

const NAMES = ['foo', 'tdset'];

test.each([
  [['foo'], { name: 'foo', port: 8080 }],
  [['tdset', '--port', '0'], { name: 'tdset', port: 0 }],
  [['--help'], 'help'],
  [['foo', '-h'], 'help'],
])('the command accepts the arguments %j', (words, meant) => {
  expect(parseTryArguments(words, NAMES)).toEqual(meant);
});

test.each([
  [[], 'name an example'],
  [['bar'], 'there is no example bar: foo, tdset'],
  [['foo', 'tdset'], 'one example at a time, not foo, tdset'],
  [['foo', '--port', '70000'], '--port 70000: not a port'],
  [['foo', '--port', 'x'], '--port x: not a port'],
])('the command refuses the arguments %j with a reason', (words, wrong) => {
  expect(parseTryArguments(words, NAMES)).toEqual({ wrong });
});

test('an unknown option is refused', () => {
  expect(parseTryArguments(['foo', '--prot', '1'], NAMES)).toHaveProperty('wrong');
});

test('the usage text lists every example', () => {
  for (const name of NAMES) expect(usage(NAMES)).toContain(name);
});
