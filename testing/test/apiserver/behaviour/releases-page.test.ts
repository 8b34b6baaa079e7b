/** docs/guides/test/with-history.md shows the table of releases as the server has it. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ADDITIONS, DIFFERENCES } from '../../../src/apiserver/behaviour/differences.ts';
import { GATES } from '../../../src/apiserver/behaviour/feature-gates.ts';
import { REMOVALS } from '../../../src/apiserver/behaviour/removals.ts';
import { SERVER_GENERATIONS } from '../../../src/apiserver/behaviour/server-generation.ts';

const page = readFileSync(
  new URL('../../../../docs/guides/test/with-history.md', import.meta.url),
  'utf8',
);

/** The rows of the table whose first column has this head. */
function rowsUnder(head: string): readonly string[] {
  const lines = page.split('\n');
  const at = lines.findIndex((line) => line.startsWith(`| ${head} |`));
  const end = lines.findIndex((line, index) => index > at && !line.startsWith('|'));
  return lines.slice(at + 2, end);
}

/** `a`, `b` and `c` */
function named(names: readonly string[]): string {
  const quoted = names.map((name) => `\`${name}\``);
  const last = quoted.pop();
  return quoted.length === 0 ? `${last}` : `${quoted.join(', ')} and ${last}`;
}

function served(resources: readonly string[]): string {
  const [first = ''] = resources;
  const isPart = first.startsWith('v1/pods/');
  const apiVersion = isPart ? 'v1' : first.slice(0, first.lastIndexOf('/'));
  const names = resources.map((resource) => resource.slice(apiVersion.length + 1));
  return `${named(names)} of \`${apiVersion}\` ${isPart ? 'is' : 'are'} served`;
}

test('the releases page has one row per difference, with its text and source from the table in the code', () => {
  const steps = Object.values(DIFFERENCES).flatMap(({ steps, source }) =>
    steps.map(({ since, seen }) => `| ${since} | ${seen} | ${source} |`),
  );
  const additions = ADDITIONS.map(
    ({ since, resources, source }) => `| ${since} | ${served(resources)} | ${source} |`,
  );

  const removals = REMOVALS.map(({ resource, removedIn }) => {
    const at = resource.lastIndexOf('/');
    const [apiVersion, plural] = [resource.slice(0, at), resource.slice(at + 1)];
    return `| ${removedIn} | \`${plural}\` of \`${apiVersion}\` are no longer served; before, they were, with a warning | k8s.io/api |`;
  });

  const rows = [...steps, ...additions, ...removals];
  expect(rowsUnder('since').toSorted()).toEqual(rows.toSorted());
});

test('the rows of the releases page are in the order of the releases', () => {
  const releases = rowsUnder('since').map((row) => row.split('|')[1]?.trim());

  expect(releases).toEqual(releases.toSorted());
});

test('the releases page has one row per feature gate', () => {
  const rows = rowsUnder('gate').map((row) => row.split('|').map((cell) => cell.trim()));

  expect(rows.map(([, name, since, , source]) => [name, since, source])).toEqual(
    Object.entries(GATES).map(([name, { since, source }]) => [`\`${name}\``, since, source]),
  );
});

test('the releases page mentions every supported release', () => {
  const option = page.split('\n').find((line) => line.startsWith('| `generation` |')) ?? '';

  for (const generation of SERVER_GENERATIONS) expect(option).toContain(`'${generation}'`);
});
