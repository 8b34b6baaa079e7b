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

test('the variable KUBECTL sets the path of kubectl', () => {
  expect(findKubectl({ KUBECTL: '/opt/kubectl', PATH: folderWith('kubectl') })).toBe(
    '/opt/kubectl',
  );
});

test('findKubectl follows the symbolic link `kubectl`, and takes the file with the highest version in the folder of its target', () => {
  const sdk = folderWith('kubectl', 'kubectl.1.9', 'kubectl.1.33', 'kubectl.1.28');
  const bin = join(folderWith(), 'bin');
  mkdirSync(bin);
  symlinkSync(join(sdk, 'kubectl'), join(bin, 'kubectl'));

  expect(findKubectl({ PATH: `/nonexistent:${bin}` })).toBe(join(sdk, 'kubectl.1.33'));
});

test('findKubectl takes the file `kubectl` if no file name in its folder contains a version', () => {
  const folder = folderWith('kubectl');

  expect(findKubectl({ PATH: folder })).toBe(join(folder, 'kubectl'));
});

test('findKubectl returns undefined if there is no kubectl', () => {
  expect(findKubectl({ PATH: folderWith('kubectx') })).toBeUndefined();
  expect(findKubectl({})).toBeUndefined();
});

test('findKubectls returns one kubectl per minor version, the oldest first', () => {
  const sdk = folderWith('kubectl', 'kubectl.1.9', 'kubectl.1.33', 'kubectl.1.28', 'kubectl.old');

  expect(findKubectls({ PATH: sdk })).toEqual(
    ['kubectl.1.9', 'kubectl.1.28', 'kubectl.1.33'].map((name) => join(sdk, name)),
  );
});

test('findKubectls returns only `KUBECTL` if it is set, only the file `kubectl` if no file name contains a version, and nothing if there is no kubectl', () => {
  const single = folderWith('kubectl');
  const sdk = folderWith('kubectl', 'kubectl.1.9', 'kubectl.1.33');

  expect(findKubectls({ PATH: single })).toEqual([join(single, 'kubectl')]);
  expect(findKubectls({ PATH: sdk, KUBECTL: '/opt/kubectl' })).toEqual(['/opt/kubectl']);
  expect(findKubectls({ PATH: folderWith() })).toEqual([]);
});
