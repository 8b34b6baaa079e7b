/** `docs/security/security.md` leaves no threat out; `claims.test.ts` has the tests that its rows need. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { CLAIMS_PAGES, tagsOfRows } from './claims.ts';

const root = new URL('../../', import.meta.url);
const page = readFileSync(new URL('docs/security/security.md', root), 'utf8');
const [written = ''] = page.split('## The tests');

/** The rows of all tables that somebody wrote. */
const lines = written
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| row |'));

test('every row of security.md has a number, which the tags in test titles use', () => {
  const claims = CLAIMS_PAGES.find((each) => each.page === 'security/security.md');

  expect(lines.length).toBeGreaterThan(25);
  expect(claims && tagsOfRows(claims, page)).toHaveLength(lines.length);
});

test('every threat in proxy/README.md is mentioned in a row of security.md', () => {
  const ambassador = readFileSync(new URL('proxy/README.md', root), 'utf8');
  const threats = [...ambassador.matchAll(/^\| (T[0-9]+) \|/gm)].map(([, threat = '']) => threat);
  const protectedFrom = lines.join('\n');

  const unmentioned = threats.filter(
    (threat) => !new RegExp(`\\b${threat}\\b`).test(protectedFrom),
  );

  expect(threats).toHaveLength(18);
  expect(unmentioned).toEqual([]);
});
