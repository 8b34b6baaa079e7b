import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { shellSafeJson } from '../../operator/cli/watch/shell-safe-json.ts';
import { jsonValue } from '../support/json-arbitraries.ts';

test('means the same as JSON', () => {
  fc.assert(
    fc.property(jsonValue(), (value) => {
      expect(JSON.parse(shellSafeJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

test('holds no escape that an echo could take for its own', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (value) => {
      expect(shellSafeJson(value).replaceAll(/\\(u[0-9a-f]{4}|")/g, '')).not.toContain('\\');
    }),
  );
});

test('survives the echo of sh', () => {
  const value = { text: 'a\nb\tc\\d\\n "e" \u0007\b\f\r é \u2028', path: 'C:\\new\\table\\c' };

  const echoed = execFileSync('sh', ['-c', 'echo "$1"', 'sh', shellSafeJson(value)]);

  expect(JSON.parse(echoed.toString())).toEqual(value);
});
