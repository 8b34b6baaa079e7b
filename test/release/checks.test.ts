/** What speaks against a release: each check, with something that it refuses. */
import { expect, test } from 'vitest';
import { releaseNotes } from '../../release/checks/changelog.ts';
import { staleFiles } from '../../release/checks/current.ts';
import { isPermitted, licenseRefusals } from '../../release/checks/licenses.ts';
import { manifestRefusals } from '../../release/checks/manifests.ts';
import { dockerfileRefusals, type Verified, workflowRefusals } from '../../release/checks/pins.ts';
import { versionRefusals } from '../../release/checks/versions.ts';
import type { Manifest, PublishedPackage } from '../../release/packages.ts';

const COMPLETE: Manifest = {
  name: 'kettle',
  version: '2.1.0',
  repository: { url: 'git+https://github.com/tea/kettle.git' },
  homepage: 'https://tea.example',
  bugs: { url: 'https://tea.example/bugs' },
};

function packages(...changes: readonly Partial<Manifest>[]): readonly PublishedPackage[] {
  return changes.map((change, at) => ({
    folder: at === 0 ? '.' : `part-${at}`,
    manifest: { ...COMPLETE, ...(at > 0 && { name: `@kettle/part-${at}` }), ...change },
  }));
}

const lockOf = (all: readonly PublishedPackage[]): string =>
  JSON.stringify({
    packages: Object.fromEntries(
      all.map(({ folder, manifest: { version } }) => [folder === '.' ? '' : folder, { version }]),
    ),
  });

test('a package with complete metadata is accepted', () => {
  expect(manifestRefusals(packages({}, {}), 'tea/kettle')).toEqual([]);
});

test.each<[string, Partial<Manifest>, string]>([
  ['no repository', { repository: {} }, 'package.json: "repository" is unknown'],
  ['an empty homepage', { homepage: ' ' }, 'package.json: "homepage" is unknown'],
  ['bugs without an address', { bugs: { url: '' } }, 'package.json: "bugs" is unknown'],
  [
    'the repository of another project',
    { repository: 'github:tea/kettles' },
    'package.json: "repository" is github:tea/kettles, and the release runs in tea/kettle',
  ],
])('a package with %s is refused', (_, change, problem) => {
  expect(manifestRefusals(packages(change), 'tea/kettle')).toEqual([problem]);
});

test('if there are several packages, each of them is checked', () => {
  const all = packages({}, { bugs: '' }, { homepage: '' });

  expect(manifestRefusals(all, undefined)).toEqual([
    'part-1/package.json: "bugs" is unknown',
    'part-2/package.json: "homepage" is unknown',
  ]);
});

test('the same version in all files is accepted', () => {
  const all = packages({}, { dependencies: { kettle: '^2.1.0', other: '^1.0.0' } });

  expect(versionRefusals({ packages: all, lock: lockOf(all), tag: 'v2.1.0' })).toEqual([]);
});

test('a version that differs in one file is refused, and the file is reported', () => {
  const all = packages({}, { version: '2.0.9' }, { dependencies: { kettle: '^2.0.0' } });
  const lock = lockOf(packages({}, { version: '2.0.9' }));

  expect(versionRefusals({ packages: all, lock, tag: 'v2.1.1' })).toEqual([
    'the tag is v2.1.1, and package.json has version 2.1.0',
    'part-1/package.json: version 2.0.9, not 2.1.0',
    'part-2/package.json: depends on kettle ^2.0.0, not ^2.1.0',
    'package-lock.json: part-2 has version none, and its package.json 2.1.0',
  ]);
});

test.each([
  '2.1',
  '02.1.0',
  'v2.1.0',
  '2.1.0-',
  '2.1.0+build',
])('the version %s is refused', (version) => {
  const all = packages({ version });

  expect(versionRefusals({ packages: all, lock: lockOf(all) })).toEqual([
    `package.json: ${version} is no semantic version`,
  ]);
});

const CHANGELOG = `# Changelog

## 2.2.0 - unreleased

## [2.1.0] - 2025-02-28

### Fixed

- The lid.

## 2.0.0 - 2025-02-30

- Everything.
`;

test("the release notes are the version's section of the changelog", () => {
  expect(releaseNotes(CHANGELOG, '2.1.0')).toEqual({
    text: '### Fixed\n\n- The lid.',
    refusals: [],
  });
});

test.each([
  [
    '2.2.0',
    ['CHANGELOG.md: 2.2.0 is "unreleased", and needs its date', 'CHANGELOG.md: 2.2.0 says nothing'],
  ],
  ['2.0.0', ['CHANGELOG.md: 2.0.0 is "2025-02-30", and needs its date']],
  ['2.1.1', ['CHANGELOG.md: no section "## 2.1.1 - DATE"']],
])('a section that cannot be published is refused: %s', (version, refusals) => {
  expect(releaseNotes(CHANGELOG, version).refusals).toEqual(refusals);
});

test.each([
  ['MIT', true],
  ['(MIT OR GPL-3.0-only)', true],
  ['MIT AND GPL-3.0-only', false],
  ['(MIT OR GPL-3.0-only) AND ISC', true],
  ['GPL-3.0-only OR MIT AND LGPL-2.1-only', false],
  ['MIT AND (ISC', false],
  ['MIT ISC', false],
  ['Apache-2.0 WITH LLVM-exception', false],
  ['SEE LICENSE IN LICENSE.md', false],
  ['UNLICENSED', false],
  ['', false],
])('whether the licence %j is permitted: %s', (expression, expected) => {
  expect(isPermitted(expression)).toBe(expected);
});

test('a dependency without a permitted licence is refused once, whatever the format of its licence field is', () => {
  const component = (name: string, licenses?: object[]): object => ({
    name,
    version: '1.0.0',
    ...(licenses && { licenses }),
  });
  const bill = {
    serialNumber: '',
    metadata: { timestamp: '', component: component('kettle') },
    components: [
      component('good', [{ license: { id: 'MIT' } }]),
      component('either', [{ expression: 'MIT OR AGPL-3.0-only' }]),
      component('closed', [{ license: { name: 'Ask us' } }]),
      component('silent'),
    ],
  } as Parameters<typeof licenseRefusals>[0][number];

  expect(licenseRefusals([bill, bill])).toEqual([
    'closed@1.0.0: licence Ask us',
    'silent@1.0.0: no licence',
  ]);
});

test('each file that differs from its generated contents is reported, without a line of the difference', () => {
  const said = `foo: chancery generate: 18 files as generated
tea chart: examples/tea/chart/values.yaml is not as it would be generated
@@ -1 +1 @@
-pot: is missing something
+pot: green
examples/tea/chart/Chart.yaml is missing
tea bundle: examples/tea/bundle/old.yaml would not be generated any more
chancery generate: 3 of 19 files not as generated
`;

  expect(staleFiles(said)).toEqual([
    'examples/tea/chart/values.yaml is not as it would be generated',
    'examples/tea/chart/Chart.yaml is missing',
    'examples/tea/bundle/old.yaml would not be generated any more',
  ]);
});

const DIGEST = `sha256:${'a'.repeat(64)}`;
const COMMIT = 'b'.repeat(40);
const VERIFIED: Verified = {
  actions: {
    'tea/brew': [{ tag: 'v3', commit: COMMIT, sources: ['its tag'] }],
    'tea/unseen': [{ tag: 'v1', commit: COMMIT, sources: [] }],
  },
  images: { 'tea/leaf:1.2': { digest: DIGEST, sources: ['the registry'] } },
};

test.each([
  [`tea/brew@${COMMIT} # v3`, undefined],
  [`tea/brew/pot@${COMMIT}`, undefined],
  ['./.github/actions/own', undefined],
  [`docker://tea/leaf:1.2@${DIGEST}`, undefined],
  ['tea/brew@v3', 'is not pinned by a commit'],
  ['tea/brew@main', 'is not pinned by a commit'],
  [`tea/brew@${'c'.repeat(40)}`, 'is pinned by a commit that nobody has verified'],
  [`tea/unseen@${COMMIT}`, 'is pinned by a commit that nobody has verified'],
  [`tea/other@${COMMIT}`, 'is pinned by a commit that nobody has verified'],
  ['docker://tea/leaf:1.2', 'is not pinned by a digest'],
])('the check of pins accepts or refuses a workflow step with uses: %s', (uses, problem) => {
  const text = `jobs:\n  one:\n    steps:\n      - run: true\n      - uses: ${uses}\n`;

  const named = uses.split(' ')[0];
  expect(workflowRefusals('ci.yml', text, VERIFIED)).toEqual(
    problem === undefined ? [] : [`ci.yml: ${named} ${problem}`],
  );
});

test('the check of pinned actions and images covers containers, services and reusable workflows', () => {
  const text = `jobs:
  one:
    container: tea/leaf:1.2
    services: { pot: { image: 'tea/leaf:1.3@${DIGEST}' } }
  two:
    uses: tea/brew/.github/workflows/steep.yml@v2
  three:
    container: { image: 'tea/leaf:1.2@${DIGEST}' }
`;

  expect(workflowRefusals('ci.yml', text, VERIFIED)).toEqual([
    'ci.yml: tea/brew/.github/workflows/steep.yml@v2 is not pinned by a commit',
    `ci.yml: tea/leaf:1.3@${DIGEST} is pinned by a digest that nobody has verified`,
    'ci.yml: tea/leaf:1.2 is not pinned by a digest',
  ]);
});

test('base images must be pinned and verified, or built by the release itself', () => {
  const dockerfile = `ARG LEAF=tea/leaf:1.2@${DIGEST}
FROM \${LEAF} AS leaf
FROM tea/leaf:latest AS second
FROM tea/cup:1@${DIGEST}
FROM leaf
FROM scratch
FROM kettle-operator
`;

  expect(
    dockerfileRefusals('Dockerfile', dockerfile, VERIFIED, new Set(['kettle-operator'])),
  ).toEqual([
    'Dockerfile: tea/leaf:latest is not pinned by a digest',
    `Dockerfile: tea/cup:1@${DIGEST} is pinned by a digest that nobody has verified`,
  ]);
});
