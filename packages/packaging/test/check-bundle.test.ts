/** `chancery check bundle` and `chancery generate catalog` on folders. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CHECK } from '../../../operator/cli/check/table.ts';
import { command } from '../../../operator/cli/table-command.ts';
import { folderWith } from '../../../test/cli/child.ts';
import { invoke } from '../../../test/cli/invocation.ts';
import { checkBundle } from '../src/check/check-bundle.ts';
import { type BundleParts, bundleFiles } from './bundle-check/good-bundle.ts';

function bundleFolder(change?: (parts: BundleParts) => void, version?: string): string {
  const folder = folderWith({});
  for (const [path, text] of bundleFiles(change, version)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

/** A bundle with one more file in manifests/. */
function withFile(content: (parts: BundleParts) => unknown): string {
  return bundleFolder((parts) => {
    parts.files['manifests/x.yaml'] = content(parts);
  });
}

test('[packaging 10] `check bundle` exits with 0 for a good bundle, and prints a summary', async () => {
  const { exit, stdout, stderr } = invoke(['check', 'bundle', bundleFolder()]);

  expect(await exit).toBe(0);
  expect(stdout.lines).toEqual([]);
  expect(stderr.lines).toEqual([
    'chancery check bundle: 0 errors and 0 warnings in 4 files, for Kubernetes 1.30.0 of spec.minKubeVersion',
  ]);
});

test.each([
  [
    'the option if it is higher',
    ['--k8s-version', '1.31'],
    '1.30.0',
    ', for Kubernetes 1.31 of --k8s-version',
  ],
  [
    'the bundle if it is higher',
    ['--k8s-version', '1.29'],
    '1.30.0',
    ', for Kubernetes 1.30.0 of spec.minKubeVersion',
  ],
  ['neither the option nor the bundle', [], undefined, ''],
] as const)('the Kubernetes version in the summary comes from %s', async (_what, args, minKubeVersion, words) => {
  const folder = bundleFolder(({ csv }) => {
    csv.spec.minKubeVersion = minKubeVersion;
  });
  const { exit, stderr } = invoke(['check', 'bundle', folder, ...args]);

  await exit;
  expect(stderr.lines).toEqual([expect.stringMatching(/ in 4 files(?:, for Kubernetes .*)?$/)]);
  expect(stderr.lines[0]?.split(' in 4 files')[1]).toBe(words);
});

test("[packaging 10] `check bundle` validates definitions by the test kit's API server", async () => {
  const folder = bundleFolder(({ definition }) => {
    definition.spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.size.type = 'int';
  });
  const { exit, stdout } = invoke(['check', 'bundle', folder]);

  expect(await exit).toBe(1);
  expect(stdout.lines).toEqual([
    expect.stringMatching(
      /^error: manifests\/things\.example\.com\.yaml would be refused by an API server: .*size\]\.type: Unsupported value.* \[valid-definition\]$/,
    ),
  ]);
});

test('`check bundle` exits with 0 after warnings only, and -o json writes one object per line', async () => {
  const folder = bundleFolder(({ csv }) => {
    csv.spec.icon = undefined;
  });
  const { exit, stdout } = invoke(['check', 'bundle', folder, '-o', 'json']);

  expect(await exit).toBe(0);
  expect(stdout.records).toEqual([
    {
      rule: 'operator-hub',
      level: 'warning',
      file: 'manifests/thing-operator.clusterserviceversion.yaml',
      path: 'spec.icon',
      message: expect.stringMatching(/^is missing, .*; write one icon/),
    },
  ]);
});

test('without the test kit, `check bundle` warns that it did not validate definitions', async () => {
  const check = command(CHECK, async () => (given, io) => checkBundle(given, io, false));
  const { exit, stdout } = invoke(['check', 'bundle', bundleFolder()], { commands: [check] });

  expect(await exit).toBe(0);
  expect(stdout.lines).toEqual([expect.stringMatching(/^warning: .* \[valid-definition\]$/)]);
});

test('`--k8s-version` and OPERATOR_BUNDLE_CATEGORIES change what `check bundle` accepts', async () => {
  const folder = bundleFolder(({ csv, files }) => {
    csv.spec.minKubeVersion = '1.20.0';
    files['manifests/x.yaml'] = 'apiVersion: policy/v1beta1\nkind: PodDisruptionBudget\n';
  });
  const own = join(folderWith({ 'own.json': '{"categories":["Database"]}' }), 'own.json');
  const { exit, stdout } = invoke(['check', 'bundle', folder, '--k8s-version', '1.25'], {
    env: { OPERATOR_BUNDLE_CATEGORIES: own },
  });

  expect(await exit).toBe(1);
  expect(stdout.lines).toEqual([
    expect.stringMatching(/^error: .*\[removed-api\]$/),
    expect.stringMatching(/^error: .*"Monitoring".*\[categories\]$/),
  ]);
});

describe('exit code 2', () => {
  test.each<[string, () => readonly string[], RegExp]>([
    ['a missing argument', () => [], /expected one folder/],
    [
      'a folder that does not exist',
      () => ['/nowhere'],
      /cannot read the bundle \/nowhere: ENOENT/,
    ],
    ['a folder without a bundle', () => [folderWith({ 'x.yaml': 'x' })], /no bundle: /],
    ['broken YAML', () => [withFile(() => 'a: [b')], /manifests\/x\.yaml: invalid YAML/],
    [
      'two ClusterServiceVersions',
      () => [withFile(({ csv }) => csv)],
      /a bundle has one ClusterServiceVersion/,
    ],
    ['an invalid version', () => [bundleFolder(), '--k8s-version=new'], /--k8s-version/],
    ['an unknown format', () => [bundleFolder(), '-o', 'xml'], /--output must be text or json/],
  ])('`check bundle` exits with 2 for %s', async (_what, args, problem) => {
    const { exit, stderr, stdout } = invoke(['check', 'bundle', ...args()]);

    expect(await exit).toBe(2);
    expect(stderr.lines.join('\n')).toMatch(problem);
    expect(stdout.lines).toEqual([]);
  });
});

test('[packaging 16] `generate catalog` writes a catalog, and `--check` reports whether it is current or stale', async () => {
  const first = bundleFolder(undefined, '1.0.0');
  const second = bundleFolder(({ csv }) => {
    csv.spec.replaces = 'thing-operator.v1.0.0';
  }, '1.1.0');
  const output = folderWith({});
  const catalog = (...args: readonly string[]): ReturnType<typeof invoke> =>
    invoke(['generate', 'catalog', '-o', output, '--command', 'make catalog', ...args]);
  const one = [first, '--image', 'ghcr.io/team/bundle:1.0.0'];
  const two = [...one, second, '--image', 'ghcr.io/team/bundle:1.1.0'];

  expect(await catalog(...one).exit).toBe(0);
  expect(await catalog(...one, '--check').exit).toBe(0);
  const stale = catalog(...two, '--check');
  expect(await stale.exit).toBe(1);
  expect(stale.stdout.lines.join('\n')).toContain('+  - name: thing-operator.v1.1.0');
  expect(await catalog(...two).exit).toBe(0);
  expect(await catalog(...two, '--check').exit).toBe(0);
});

test.each<[string, readonly string[], RegExp]>([
  ['no output', ['x'], /name it with -o/],
  ['no folder', ['-o', 'y'], /expected BUNDLE_DIR/],
  [
    'fewer images than folders',
    ['-o', 'y', 'a', 'b', '--image', 'c'],
    /got 2 folders and 1 images/,
  ],
])('a catalog with %s is refused', async (_what, args, problem) => {
  const { exit, stderr } = invoke(['generate', 'catalog', ...args]);

  expect(await exit).toBe(2);
  expect(stderr.lines.join('\n')).toMatch(problem);
});

test('a deprecation without a message is refused', async () => {
  const args = ['-o', 'y', bundleFolder(), '--image', 'c:1', '--deprecate', 'stable'];
  const { exit, stderr } = invoke(['generate', 'catalog', ...args]);

  expect(await exit).toBe(2);
  expect(stderr.lines.join('\n')).toMatch(/--deprecate must be NAME=MESSAGE/);
});
