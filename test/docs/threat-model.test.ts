/** `docs/security/threat-model.md` leaves no known threat out; `claims.test.ts` has the tests that its rows need. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const root = new URL('../../', import.meta.url);
const textOf = (path: string): string => readFileSync(new URL(path, root), 'utf8');
const page = textOf('docs/security/threat-model.md');

/** The threats that have a row of their own in a page. */
const threatsOf = (text: string): readonly string[] =>
  [...text.matchAll(/^\| ([A-Z]\d+) \|/gm)].map(([, threat = '']) => threat);

const [, boundaries = ''] = /## Trust boundaries\n([\s\S]*?)\n## /.exec(page) ?? [];

test('the trust boundaries in threat-model.md list exactly the threats to ambassador and gate', () => {
  const known = ['proxy/README.md', 'gate/README.md'].flatMap((path) => threatsOf(textOf(path)));
  const named = [...boundaries.matchAll(/\b[TG]\d+\b/g)].map(String);

  expect(known).toHaveLength(26);
  expect([...new Set(named)].sort()).toEqual(known.toSorted());
});

test('threat-model.md numbers the threats to the project, and says how many there are', () => {
  const threats = threatsOf(page);

  expect(threats).toEqual(threats.map((_threat, at) => `P${at + 1}`));
  expect(page).toContain(`(P1 to P${threats.length})`);
  expect(boundaries).toContain(`| P1 to P${threats.length} |`);
});
