import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, expectTypeOf, onTestFinished, test } from 'vitest';
import { loadPackage, requireUsable } from '../../operator/cli/loading/load-package.ts';
import type {
  HooksPackage,
  MetacontrollerPackage,
  PackagingPackage,
} from '../../operator/cli/loading/packages.ts';
import { VERSION } from '../../operator/core/version.ts';
import { BIN, start } from './child.ts';

const HERE = { folder: '/project/node_modules/@chancery/hooks', version: VERSION };

test.each([
  '@chancery/hooks/command',
  '@chancery/metacontroller/command',
  '@chancery/packaging/command',
] as const)('the package %s exports only functions', async (entry) => {
  const loaded = await loadPackage(entry, 'hooks');

  expect(Object.values(loaded).every((each) => typeof each === 'function')).toBe(true);
});

test('the types of each optional package match the interface that the toolkit declares for it', () => {
  expectTypeOf<typeof import('@chancery/hooks/command')>().toExtend<HooksPackage>();
  expectTypeOf<
    typeof import('@chancery/metacontroller/command')
  >().toExtend<MetacontrollerPackage>();
  expectTypeOf<typeof import('@chancery/packaging/command')>().toExtend<PackagingPackage>();
});

test('a package of the same version can be used', () => {
  expect(() => requireUsable('@chancery/hooks', 'hooks', [HERE])).not.toThrow();
});

test.each([
  ['@chancery/hooks', `npm install @chancery/hooks@${VERSION}`],
  ['@chancery/testing', `npm install --save-dev @chancery/testing@${VERSION}`],
])('without %s, the error says how to install it, both inside and outside a project', (name, install) => {
  expect(() => requireUsable(name, 'generate chart', [])).toThrow(
    expect.objectContaining({
      code: 'CONFIG',
      message: expect.stringMatching(
        new RegExp(
          `^chancery generate chart needs the package ${name}.*run ${install},.*npx -p chancery@`,
        ),
      ),
    }),
  );
});

test('a package of another version is refused, and the error gives the command to fix it', () => {
  expect(() => requireUsable('@chancery/hooks', 'hooks', [{ ...HERE, version: '0.0.9' }])).toThrow(
    `@chancery/hooks has version 0.0.9 and chancery has ${VERSION}, and they must be equal; run npm install @chancery/hooks@${VERSION}`,
  );
});

test('a package that is installed twice is refused, and the error contains both paths', () => {
  const other = { folder: '/elsewhere/@chancery/hooks', version: VERSION };

  expect(() => requireUsable('@chancery/hooks', 'hooks', [HERE, other])).toThrow(
    /installed twice, .*\/project\/.* and .*\/elsewhere\/.*npx chancery hooks/,
  );
});

test('if a project has a second installation of a package, the command exits with 2 and does not load the copy', async () => {
  const project = mkdtempSync(join(tmpdir(), 'chancery-twice-'));
  onTestFinished(() => rmSync(project, { recursive: true }));
  const copy = join(project, 'node_modules/@chancery/hooks');
  mkdirSync(copy, { recursive: true });
  const exports = { './command': './command.js', './package.json': './package.json' };
  writeFileSync(
    join(copy, 'package.json'),
    JSON.stringify({ name: '@chancery/hooks', version: VERSION, type: 'module', exports }),
  );
  writeFileSync(join(copy, 'command.js'), "process.stdout.write('loaded');");

  const child = start(BIN, ['hooks', project], {}, project);

  expect(await child.exit).toBe(2);
  expect(child.stdout.lines).toEqual([]);
  expect(child.stderr.lines.join()).toContain('@chancery/hooks is installed twice');
  expect(child.stderr.lines.join()).toContain(copy);
});

test.each([
  ['is truncated', '{ "name": '],
  ['exports no package.json', '{ "version": "1.0.0", "exports": "./command.js" }'],
])('a package is refused if its package.json %s, and the error gives the command to fix it', async (_, text) => {
  const project = mkdtempSync(join(tmpdir(), 'chancery-broken-'));
  onTestFinished(() => rmSync(project, { recursive: true }));
  const copy = join(project, 'node_modules/@chancery/hooks');
  mkdirSync(copy, { recursive: true });
  writeFileSync(join(copy, 'package.json'), text);

  const child = start(BIN, ['hooks', project], {}, project);

  expect(await child.exit).toBe(2);
  expect(child.stderr.lines.join('\n')).toMatch(
    /^chancery hooks: the installed @chancery\/hooks cannot be loaded: .*; remove its folder .* run npm install @chancery\/hooks@\S+$/,
  );
});

test('a command works even if its working directory has been deleted', async () => {
  const hooks = mkdtempSync(join(tmpdir(), 'chancery-hooks-'));
  const removed = mkdtempSync(join(tmpdir(), 'chancery-removed-'));
  onTestFinished(() => rmSync(hooks, { recursive: true }));
  const line = 'rmdir "$PWD" && exec "$BIN" hooks "$HOOKS" --check';

  const child = start('sh', ['-c', line], { HOOKS: hooks }, removed);

  expect({ exit: await child.exit, says: child.stderr.lines }).toEqual({
    exit: 2,
    says: [expect.stringContaining(`${hooks} has no hooks`)],
  });
});
