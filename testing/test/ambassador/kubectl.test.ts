import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { findKubectl, findKubectls } from '../../src/ambassador/kubectl.ts';

/** A folder with executable files of these names. */
function folderWith(...names: string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'kubectl-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const name of names) {
    writeFileSync(join(folder, name), '#!/bin/sh\n');
    chmodSync(join(folder, name), 0o755);
  }
  return folder;
}

test('KUBECTL names the binary', () => {
  expect(findKubectl({ KUBECTL: '/opt/kubectl', PATH: folderWith('kubectl') })).toBe(
    '/opt/kubectl',
  );
});

test('the newest version beside the real kubectl is taken, by number', () => {
  const sdk = folderWith('kubectl', 'kubectl.1.9', 'kubectl.1.33', 'kubectl.1.28');
  const bin = join(folderWith(), 'bin');
  mkdirSync(bin);
  symlinkSync(join(sdk, 'kubectl'), join(bin, 'kubectl'));

  expect(findKubectl({ PATH: `/nonexistent:${bin}` })).toBe(join(sdk, 'kubectl.1.33'));
});

test('a kubectl without versions beside it is the one', () => {
  const folder = folderWith('kubectl');

  expect(findKubectl({ PATH: folder })).toBe(join(folder, 'kubectl'));
});

test('there may be none', () => {
  expect(findKubectl({ PATH: folderWith('kubectx') })).toBeUndefined();
  expect(findKubectl({})).toBeUndefined();
});

test('of all versions there is one for each minor, the oldest first', () => {
  const sdk = folderWith('kubectl', 'kubectl.1.9', 'kubectl.1.33', 'kubectl.1.28', 'kubectl.old');

  expect(findKubectls({ PATH: sdk })).toEqual(
    ['kubectl.1.9', 'kubectl.1.28', 'kubectl.1.33'].map((name) => join(sdk, name)),
  );
});

test('of all versions there may be one, or none', () => {
  const single = folderWith('kubectl');
  const sdk = folderWith('kubectl', 'kubectl.1.9', 'kubectl.1.33');

  expect(findKubectls({ PATH: single })).toEqual([join(single, 'kubectl')]);
  expect(findKubectls({ PATH: sdk, KUBECTL: '/opt/kubectl' })).toEqual(['/opt/kubectl']);
  expect(findKubectls({ PATH: folderWith() })).toEqual([]);
});
