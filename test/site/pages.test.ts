/** The pages of the site: each has one place, and a link between files leads to it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { writeTexts } from '../../docs/.vitepress/site/llms.ts';
import { slugOf } from '../../docs/.vitepress/site/markdown.ts';
import {
  allPages,
  isToFile,
  siteLinkOf,
  sitePathOf,
  titleOf,
} from '../../docs/.vitepress/site/pages.ts';
import { SECTIONS } from '../../docs/.vitepress/site/structure.ts';
import { deadLinksOfTexts } from './support/dead-links.ts';

const pages = allPages();
const inSidebar = SECTIONS.flatMap(({ groups }) => groups.flatMap((group) => group.pages));

test('every page except the home page is in the sidebar once', () => {
  const paths = pages.map((file) => sitePathOf(file)).filter((path) => path !== 'index.md');

  expect(paths.length).toBeGreaterThan(50);
  expect([...inSidebar].sort()).toEqual(paths.toSorted());
});

test('every section starts with one of its pages', () => {
  for (const { first, groups } of SECTIONS) {
    expect(groups.flatMap((group) => group.pages)).toContain(first);
  }
});

test('every page has a title', () => {
  for (const file of pages) expect(titleOf(file)).not.toBe('');
});

test.each([
  ['docs/guides/test/in-go.md', 'guides/test/in-go.md'],
  ['examples/tunnel/README.md', 'examples/tunnel.md'],
  ['packages/hooks/README.md', 'packages/hooks.md'],
  ['SECURITY.md', 'security/reporting.md'],
  ['README.md', undefined],
  ['docs/api/chancery.md', undefined],
  ['docs/reference/api/chancery.md', 'reference/api/chancery/index.md'],
  ['docs/reference/api/@chancery/testing.md', 'reference/api/@chancery/testing/index.md'],
  ['docs/reference/api/index.md', 'reference/api/index.md'],
  ['docs/plots/handlers.svg', undefined],
  ['examples/reloader/chart/README.md', undefined],
  ['operator/index.ts', undefined],
])('the page %s has the address %s', (file, path) => {
  expect(sitePathOf(file)).toBe(path);
});

test.each([
  ['docs/guides/write/hooks.md', 'operators.md#rights', '/guides/write/operators.md#rights'],
  ['docs/guides/write/hooks.md', '../../../examples/tunnel/', '/examples/tunnel.md'],
  ['examples/foo/README.md', '../../docs/performance.md', '/performance.md'],
  ['testing/README.md', '../SECURITY.md', '/security/reporting.md'],
  ['docs/guides/write/operators.md', '../../api/chancery.md', '/reference/api/chancery/index.md'],
  ['docs/releasing.md', 'api/chancery-testing.md', '/reference/api/@chancery/testing/index.md'],
  [
    'docs/reference/api/chancery.md',
    'chancery/schema.md#a',
    '/reference/api/chancery/schema/index.md#a',
  ],
  ['docs/performance.md', '../bench/engine.ts', undefined],
])('in %s, a link to %s leads to %s', (file, link, target) => {
  expect(siteLinkOf(file, link)).toBe(target);
});

test("external links, links within the page and links from the site's root are not links to files", () => {
  const links = ['https://kubernetes.io/', 'mailto:a@example.com', '#rights', '/start'];

  expect(links.filter(isToFile)).toEqual([]);
  expect(isToFile(posix.join('..', 'a.md'))).toBe(true);
});

test('in the Markdown copy of a page, every link leads to a file of the site', () => {
  const folder = mkdtempSync(join(tmpdir(), 'chancery-texts-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));

  writeTexts(folder, 'A description.', '/');

  const { dead, links } = deadLinksOfTexts(folder);
  expect(links).toBeGreaterThan(500);
  // TypeDoc writes these pages when the site is built.
  expect(dead.filter((each) => !each.includes(': /reference/api/'))).toEqual([]);
});

test.each([
  ["Metacontroller's contract, row by row", 'metacontrollers-contract-row-by-row'],
  ['`chancery dev`', 'chancery-dev'],
  ['What is in 1.0?', 'what-is-in-10'],
])('the heading %s has the same anchor as on GitHub, %s', (heading, slug) => {
  expect(slugOf(heading)).toBe(slug);
});
