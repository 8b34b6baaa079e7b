import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { textFiles } from '../../../operator/core/text/text-files.ts';

function folderWith(files: Readonly<Record<string, string>>): URL {
  const folder = mkdtempSync(join(tmpdir(), 'chancery-texts-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [path, text] of Object.entries(files)) writeFileSync(join(folder, path), text);
  return pathToFileURL(`${folder}/`);
}

test('a text file is read on first use, and only once', () => {
  const folder = folderWith({ 'a.yaml': 'early' });
  const texts = textFiles(folder);

  writeFileSync(new URL('a.yaml', folder), 'first');
  const first = texts('a.yaml');
  writeFileSync(new URL('a.yaml', folder), 'later');

  expect([first, texts('a.yaml')]).toEqual(['first', 'first']);
});

test('textFiles returns given contents without reading a file', () => {
  const texts = textFiles({ 'base/a.yaml': 'a: 1\n', 'empty.css': '' });

  expect([texts('base/a.yaml'), texts('empty.css')]).toEqual(['a: 1\n', '']);
});

test('the error for a missing file contains its path', () => {
  const ofFolder = textFiles(folderWith({ 'a.yaml': '' }));
  const given = textFiles({ 'a.yaml': '' });

  expect(() => ofFolder('b.yaml')).toThrow('b.yaml');
  expect(() => given('b.yaml')).toThrow('the build has left out b.yaml');
});
