/** `docs/reference/errors.md` has every code, and names classes and helpers that are there. */
import { readFileSync } from 'node:fs';
import * as chancery from 'chancery';
import * as lowLevel from 'chancery/low-level';
import { expect, test } from 'vitest';
import { guide, rowsOf } from './guide.ts';

const page = guide('reference/errors.md');
const rows = rowsOf(page).filter(([code = '']) => /^`[A-Z_]+`$/.test(code));

test('the table in errors.md has every error code, and no other', () => {
  const source = readFileSync(new URL('../../operator/core/errors.ts', import.meta.url), 'utf8');
  const [declaration = ''] = /export type ErrorCode =[^;]*;/.exec(source) ?? [];
  const codes = [...declaration.matchAll(/^ {2}\| '(\w+)'/gm)].map(([, code]) => code);

  expect(codes.length).toBeGreaterThan(10);
  expect(rows.map(([code = '']) => code.slice(1, -1)).toSorted()).toEqual(codes.toSorted());
});

test('every class and helper function that errors.md mentions is exported', () => {
  const classes = rows.flatMap(([, names = '']) => [...names.matchAll(/`(\w+)`/g)]);
  const helpers = [...page.matchAll(/`((?:is|applyConflicts|updateLive|retryOn)\w*)`/g)];
  const named = [...classes, ...helpers].map(([, name = '']) => name);

  expect(new Set(named).size).toBeGreaterThan(12);
  expect(named.filter((name) => !(name in chancery) && !(name in lowLevel))).toEqual([]);
});
