import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { mutate, ROOT } from './checkout.ts';
import { MUTATIONS } from './list.ts';
import { nearestFirst } from './related.ts';

test('there are 100 mutations, and the text that each replaces occurs once in its file', () => {
  const wrong = MUTATIONS.filter(
    ({ file, text, replacement }) =>
      readFileSync(join(ROOT, file), 'utf8').split(text).length !== 2 || text === replacement,
  );

  expect(MUTATIONS).toHaveLength(100);
  expect(wrong.map(({ file, text }) => `${file}: ${text}`)).toEqual([]);
});

test('mutate() changes a file and restores it, and refuses a text that does not occur exactly once', () => {
  const folder = mkdtempSync(join(tmpdir(), 'chancery-mutated-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'operator'));
  const path = join(folder, 'operator/sum.ts');
  writeFileSync(path, 'a + b; a - b;');
  const fault = { file: 'operator/sum.ts', breaks: '' };

  const restore = mutate(folder, { ...fault, text: 'a + b', replacement: '$& - b' });
  const mutated = readFileSync(path, 'utf8');
  restore();

  expect(mutated).toBe('$& - b; a - b;');
  expect(readFileSync(path, 'utf8')).toBe('a + b; a - b;');
  for (const text of ['a', 'c']) {
    expect(() => mutate(folder, { ...fault, text, replacement: '' })).toThrow('exactly one');
  }
});

test('nearestFirst() orders the tests of a file by their distance, and begins with the tests in its folder', () => {
  const importers = new Map([
    ['operator/queue/line.ts', ['operator/queue/queue.ts', 'test/queue/line.test.ts']],
    ['operator/queue/queue.ts', ['test/a/far.test.ts', 'test/queue/queue.test.ts']],
    ['operator/other.ts', ['test/other.test.ts']],
  ]);
  const tests = ['a/far', 'queue/queue', 'queue/line', 'other'];
  const candidates = new Set(tests.map((name) => `test/${name}.test.ts`));

  expect(nearestFirst(importers, 'operator/queue/line.ts', candidates)).toEqual([
    'test/queue/line.test.ts',
    'test/queue/queue.test.ts',
    'test/a/far.test.ts',
  ]);
});
