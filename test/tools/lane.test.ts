/** What `npm run test:tools` tells and runs on a machine that lacks some tools. */
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { laneOf, type TestFile, tableOf, tagsOf } from './lane.ts';
import { pathOf, stateOf, TOOLS, type ToolState, toolNamed } from './tools.ts';

const FILES: readonly TestFile[] = [
  {
    path: 'test/a.tools.test.ts',
    text: '/**\n * Loops.\n *\n * @module-tag jq\n * @module-tag curl\n */',
  },
  { path: 'test/b.tools.test.ts', text: '/**\n * @module-tag curl\n */' },
  { path: 'test/c.tools.test.ts', text: '/**\n * @module-tag kubectl\n */' },
];

const found = (name: string): ToolState => ({
  tool: toolNamed(name),
  state: 'found',
  paths: [`/bin/${name}`],
});
const missing = (name: string): ToolState => ({ tool: toolNamed(name), state: 'missing' });

test("a file's first comment lists the tools that it starts", () => {
  expect(FILES.map(({ text }) => tagsOf(text))).toEqual([['jq', 'curl'], ['curl'], ['kubectl']]);
  expect(tagsOf("const tag = '@module-tag jq';")).toEqual([]);
});

test('if all tools are installed, every test file runs', () => {
  const lane = laneOf([found('kubectl'), found('jq'), found('curl')], FILES);

  expect(lane).toEqual({
    projects: ['tools', 'tools-alone', 'kubectl-proxy'],
    exclude: [],
    notShown: [],
    missing: [],
  });
});

test('files that need a missing tool are omitted, which is reported in one line', () => {
  const lane = laneOf([found('kubectl'), missing('jq'), found('curl')], FILES);

  expect(lane).toEqual({
    projects: ['tools', 'tools-alone', 'kubectl-proxy'],
    exclude: ['test/a.tools.test.ts'],
    notShown: ['jq: it is missing; files left out: 1'],
    missing: ['jq'],
  });
});

test('a tool that cannot work here is reported with its reason, and does not count as missing', () => {
  const reason = 'this user is not root';
  const lane = laneOf([{ tool: toolNamed('curl'), state: 'cannot work', reason }], FILES);

  expect(lane).toMatchObject({
    exclude: ['test/a.tools.test.ts', 'test/b.tools.test.ts'],
    notShown: ['curl: this user is not root; files left out: 2'],
    missing: [],
  });
});

test('a control plane program is found in its folder, and may be missing in CI', () => {
  const folder = mkdtempSync(join(tmpdir(), 'chancery-assets-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'kube-apiserver'), '', { mode: 0o755 });
  const states = ['kube-apiserver', 'kube-controller-manager'].map((name) =>
    stateOf(toolNamed(name), { KUBEBUILDER_ASSETS: folder }),
  );

  expect(states).toMatchObject([
    { state: 'found', paths: [join(folder, 'kube-apiserver')] },
    { state: 'missing' },
  ]);
  expect(laneOf(states, FILES)).toMatchObject({
    notShown: ['kube-controller-manager: it is missing; files left out: 0'],
    missing: [],
  });
});

test('an npm package counts as installed if its folder exists, and a missing package fails in CI', () => {
  const packageFolder = mkdtempSync(join(tmpdir(), 'chancery-package-'));
  const client = { ...toolNamed('client-node'), packageFolder };

  expect(stateOf(client, {})).toMatchObject({ state: 'found', paths: [packageFolder] });
  expect(stateOf(client, { CLIENT_NODE: tmpdir() })).toMatchObject({ paths: [tmpdir()] });
  rmSync(packageFolder, { recursive: true });
  expect(stateOf(client, {})).toMatchObject({ state: 'missing' });
  expect(laneOf([stateOf(client, {})], FILES).missing).toEqual(['client-node']);
  expect(tableOf([stateOf(client, {})], FILES)).toContain('npm ci --prefix bench');
});

test('without kubectl, no test runs behind a kubectl proxy', () => {
  const lane = laneOf([missing('kubectl')], FILES);

  expect(lane.projects).toEqual(['tools', 'tools-alone']);
  expect(lane.notShown).toEqual([
    'kubectl: it is missing; files left out: 1, and what runs behind a kubectl proxy',
  ]);
});

test('the table says where each tool is, or how to install it on Debian, Fedora and macOS', () => {
  const rows = tableOf([found('jq'), missing('curl')], FILES).split('\n');

  expect(rows).toHaveLength(3);
  expect(rows[1]).toMatch(/^jq +found +1 +\/bin\/jq$/);
  expect(rows[2]).toMatch(
    /^curl +missing +2 +Debian: apt-get install curl; Fedora: dnf install curl; macOS: brew install curl; or set CURL$/,
  );
});

/** A folder with programs of these names that do nothing. */
function folderWith(...names: readonly string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'chancery-path-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const script = join(folder, 'script');
  writeFileSync(script, '#!/bin/sh\n', { mode: 0o755 });
  for (const name of names) symlinkSync(script, join(folder, name));
  return folder;
}

test('a tool is looked up by its environment variable, and then on the PATH', () => {
  const [one, other] = [folderWith('jq'), folderWith('jq')];

  expect(pathOf('jq', { PATH: one })).toBe(join(one, 'jq'));
  expect(pathOf('jq', { PATH: one, JQ: join(other, 'jq') })).toBe(join(other, 'jq'));
  expect(stateOf(toolNamed('jq'), { PATH: one, JQ: '/nonexistent/jq' }).state).toBe('missing');
});

test('if a tool is installed under several names, the preferred name is used', () => {
  const folder = folderWith('google-chrome', 'chromium-browser');

  expect(pathOf('chromium', { PATH: folder })).toBe(join(folder, 'chromium-browser'));
});

test('every installed kubectl is found, and the newest one is used', () => {
  const folder = folderWith('kubectl', 'kubectl.1.29', 'kubectl.1.31');
  rmSync(join(folder, 'kubectl'));
  symlinkSync(join(folder, 'kubectl.1.29'), join(folder, 'kubectl'));
  rmSync(join(folder, 'kubectl.1.29'));
  writeFileSync(join(folder, 'kubectl.1.29'), '#!/bin/sh\n', { mode: 0o755 });

  expect(stateOf(toolNamed('kubectl'), { PATH: folder })).toMatchObject({
    paths: [join(folder, 'kubectl.1.29'), join(folder, 'kubectl.1.31')],
  });
  expect(pathOf('kubectl', { PATH: folder })).toBe(join(folder, 'kubectl.1.31'));
});

const COMMANDS = TOOLS.filter(({ packageFolder }) => packageFolder === undefined);

test.each(COMMANDS)('a test that needs $name says how to install it if it is missing', ({
  name,
}) => {
  const { variable, debian } = toolNamed(name);

  expect(stateOf(toolNamed(name), { PATH: '/nonexistent' }).state).toBe('missing');
  expect(() => pathOf(name, { PATH: '/nonexistent' })).toThrow(
    `no ${name}: install it (Debian: ${debian}), or set ${variable}`,
  );
});
