import fc from 'fast-check';
import { expect, test } from 'vitest';
import { unifiedDiff } from '../../../operator/core/text/unified-diff.ts';

test('the diff of equal texts has no hunks', () => {
  expect(unifiedDiff('a\nb\n', 'a\nb\n')).toEqual([]);
  expect(unifiedDiff('', '')).toEqual([]);
});

test('a hunk of the diff has three unchanged lines before and after the change', () => {
  const before = ['1', '2', '3', '4', 'old', '6', '7', '8', '9'].join('\n');
  const after = ['1', '2', '3', '4', 'new', 'more', '6', '7', '8', '9'].join('\n');

  const lines = unifiedDiff(before, after);

  expect(lines).toEqual([
    '@@ -2,7 +2,8 @@',
    ...[' 2', ' 3', ' 4', '-old', '+new', '+more', ' 6', ' 7', ' 8'],
  ]);
});

test('the diff has separate hunks for distant changes', () => {
  const before = Array.from({ length: 20 }, (_, at) => `${at}`);
  const after = before.with(1, 'x').with(18, 'y');

  const lines = unifiedDiff(before.join('\n'), after.join('\n'));

  expect(lines.filter((line) => line.startsWith('@@'))).toEqual([
    '@@ -1,5 +1,5 @@',
    '@@ -16,5 +16,5 @@',
  ]);
});

test('if one of the texts is empty, the diff is one hunk', () => {
  expect(unifiedDiff('', 'a\nb\n')).toEqual(['@@ -0,0 +1,2 @@', '+a', '+b']);
  expect(unifiedDiff('a\nb\n', '')).toEqual(['@@ -1,2 +0,0 @@', '-a', '-b']);
});

const text = fc.array(fc.constantFrom('a', 'b', 'c', '', '- x'), { maxLength: 30 });

test('the hunks of a diff turn the first text into the second, with the fewest lines', () => {
  fc.assert(
    fc.property(text, text, (before, after) => {
      const lines = unifiedDiff(whole(before), whole(after));

      expect(patched(before, lines)).toEqual(after);
      expect(lines.filter((line) => /^[-+]/.test(line))).toHaveLength(
        before.length + after.length - 2 * longestCommon(before, after),
      );
    }),
  );
});

test('the time to compare two long texts without common lines is limited', () => {
  const before = Array.from({ length: 20_000 }, (_, at) => `a${at}`);
  const after = Array.from({ length: 20_000 }, (_, at) => `b${at}`);

  const lines = unifiedDiff(whole(['same', ...before]), whole(['same', ...after]));

  expect(lines.slice(0, 3)).toEqual(['@@ -1,20001 +1,20001 @@', '-same', '-a0']);
  expect(lines).toHaveLength(40_003);
  expect(patched(['same', ...before], lines)).toEqual(['same', ...after]);
});

test('the diff of an empty text and a long text is one hunk', () => {
  const lines = Array.from({ length: 1_001 }, (_, at) => `${at}`);

  const [appears, goes] = [unifiedDiff('', whole(lines)), unifiedDiff(whole(lines), '')];

  expect(appears.slice(0, 2)).toEqual(['@@ -0,0 +1,1001 @@', '+0']);
  expect(goes.slice(0, 2)).toEqual(['@@ -1,1001 +0,0 @@', '-0']);
  expect([appears.length, goes.length]).toEqual([1_002, 1_002]);
});

function whole(lines: readonly string[]): string {
  return lines.map((line) => `${line}\n`).join('');
}

/** What `patch` does. */
function patched(before: readonly string[], lines: readonly string[]): readonly string[] {
  const after: string[] = [];
  let at = 0;
  for (const line of lines) {
    const [, from = '', count = ''] = /^@@ -(\d+),(\d+) /.exec(line) ?? [];
    if (from !== '') {
      const start = Number(count) === 0 ? Number(from) : Number(from) - 1;
      after.push(...before.slice(at, start));
      at = start;
      continue;
    }
    if (!line.startsWith('+')) expect(before[at++]).toBe(line.slice(1));
    if (!line.startsWith('-')) after.push(line.slice(1));
  }
  return [...after, ...before.slice(at)];
}

function longestCommon(a: readonly string[], b: readonly string[]): number {
  let row = new Array<number>(b.length + 1).fill(0);
  for (const one of a) {
    const next = [0];
    b.forEach((other, at) => {
      const best = Math.max(row[at + 1] ?? 0, next[at] ?? 0);
      next.push(one === other ? (row[at] ?? 0) + 1 : best);
    });
    row = next;
  }
  return row[b.length] ?? 0;
}
