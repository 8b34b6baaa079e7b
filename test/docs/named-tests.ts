/** Tests that a page names: `file` › name, several of them parted by <br>. */
import { existsSync, readFileSync } from 'node:fs';

const root = new URL('../../', import.meta.url);

export interface NamedTest {
  /** From the root of the repository. */
  readonly file: string;
  /** Parts that a table of cases fills in may be left out, as `…`. */
  readonly name: string;
}

/** The tests that the last cell of a table's row names. */
export function testsNamedIn(cell: string): readonly NamedTest[] {
  return cell.split('<br>').map((test) => {
    const [file = '', name = ''] = test.replaceAll('`', '').split(' › ');
    return { file, name };
  });
}

/**
 * How much of a test's name stands in its file, by runs of three words: a table fills in words, and a
 * `describe` may hold the beginning. 0 when there is no such file.
 */
export function shareOfNameFound({ file, name }: NamedTest): number {
  const path = new URL(file, root);
  if (!existsSync(path)) return 0;
  const text = ` ${wordsOf(readFileSync(path, 'utf8')).join(' ')} `;
  const runs = name.split('…').flatMap((piece) => runsOf(wordsOf(piece)));
  const found = runs.filter((run) => text.includes(` ${run} `));
  return runs.length === 0 ? 0 : found.length / runs.length;
}

function runsOf(words: readonly string[]): string[] {
  if (words.length === 0) return [];
  if (words.length < 3) return [words.join(' ')];
  return words.slice(2).map((_, at) => words.slice(at, at + 3).join(' '));
}

function wordsOf(text: string): string[] {
  return text.match(/[\p{L}\p{N}]+/gu) ?? [];
}
