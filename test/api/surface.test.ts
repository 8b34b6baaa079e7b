/** The public surface: its report is current, and every name has a docstring and a use in an example or guide. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { REPORTS, reportFile, reportOf } from './report.ts';
import { ROOT, readSurfaces } from './surface.ts';
import { usedNames } from './used-names.ts';

const surfaces = readSurfaces();
/** Entries whose names are this project's own, and that users write code with. */
const WRITTEN = ['chancery', 'chancery/low-level', 'chancery/schema'];
const written = surfaces.filter(({ entry }) => WRITTEN.includes(entry));

test.each(surfaces)('the API report of $entry matches the sources', (surface) => {
  const file = reportFile(surface.entry);

  const committed = readFileSync(join(ROOT, file), 'utf8');

  expect(
    committed,
    `The public surface has changed. If that is meant, run "npm run generate -- api", look at the difference of ${file}, and commit it.`,
  ).toBe(reportOf(surface));
});

/** The same, and types of functions that are called. */
const documented = surfaces.filter(
  (surface) => written.includes(surface) || surface.entry === '@chancery/metacontroller',
);

test('the tests of names and docstrings run for every entry point that users write code with', () => {
  expect(written.map(({ entry }) => entry)).toEqual(WRITTEN);
});

test('every entry point has an API report, and there is no other report', () => {
  const reports = readdirSync(join(ROOT, REPORTS)).map((name) => `${REPORTS}/${name}`);

  expect(reports.toSorted()).toEqual(surfaces.map(({ entry }) => reportFile(entry)).toSorted());
});

const exportsOf = (name: string): readonly string[] =>
  surfaces.find(({ entry }) => entry === name)?.exported.map((each) => each.name) ?? [];

// Types included. What only programs of one's own need is in chancery/low-level.
test('`chancery` exports at most 136 names, and none of the names that `chancery/low-level` exports', () => {
  const names = exportsOf('chancery');

  expect(names.length).toBeGreaterThan(100);
  expect(names.length).toBeLessThanOrEqual(136);
  expect(names.filter((name) => exportsOf('chancery/low-level').includes(name))).toEqual([]);
});

test.each(
  written,
)('every exported name of $entry is used in an example or a document for users', (surface) => {
  const used = usedNames(surface.entry);

  const unused = surface.exported.filter(({ name }) => !used.has(name));

  expect(unused.map(({ name }) => name)).toEqual([]);
});

test.each(documented)('every name of $entry has a docstring', ({ exported }) => {
  // A namespace, such as `Type`, is a module of another package: TypeBox documents it.
  const undocumented = exported.filter(({ doc, kind }) => doc === '' && kind !== 'namespace');

  expect(undocumented.map(({ file, name }) => `${file}: ${name}`)).toEqual([]);
});

test.each(documented)('every member of a type of $entry has a docstring', ({ exported }) => {
  const undocumented = exported.flatMap(({ file, name, undocumented: members }) =>
    members.map((member) => `${file}: ${name}.${member}`),
  );

  expect(undocumented).toEqual([]);
});
