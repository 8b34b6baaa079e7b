import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { shellSafeJson } from '../../operator/cli/watch/lines.ts';
import { jsonValue } from '../support/json-arbitraries.ts';

test('shell-safe JSON has the same meaning as JSON', () => {
  fc.assert(
    fc.property(jsonValue(), (value) => {
      expect(JSON.parse(shellSafeJson(value))).toEqual(JSON.parse(JSON.stringify(value)));
    }),
  );
});

test('shell-safe JSON has no escape sequence that echo could interpret', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (value) => {
      expect(shellSafeJson(value).replaceAll(/\\(u[0-9a-f]{4}|")/g, '')).not.toContain('\\');
    }),
  );
});

test('`echo` of sh does not change shell-safe JSON', () => {
  const value = { text: 'a\nb\tc\\d\\n "e" \u0007\b\f\r é \u2028', path: 'C:\\new\\table\\c' };

  const echoed = execFileSync('sh', ['-c', 'echo "$1"', 'sh', shellSafeJson(value)]);

  expect(JSON.parse(echoed.toString())).toEqual(value);
});
