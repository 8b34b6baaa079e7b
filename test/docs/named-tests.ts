/** Tests that a page names: `file` › title, several of them parted by <br>. */
import { textsOf, titlesOf } from './test-titles.ts';

export interface NamedTest {
  /** From the root of the repository. */
  readonly file: string;
  /** As it is written there, without tags; `…` stands for what a table fills in, or for a part that is left out. */
  readonly title: string;
}

/** The tests that the last cell of a table's row names. */
export function testsNamedIn(cell: string): readonly NamedTest[] {
  return cell.split('<br>').map((test) => {
    const [file = '', title = ''] = test.replaceAll('`', '').split(' › ');
    return { file, title };
  });
}

/** Whether the file has a test of this title; a file without tests may be the table of one. */
export function isThere({ file, title }: NamedTest): boolean {
  const titles = titlesOf(file) ?? [];
  const written = titles.length > 0 ? titles : (textsOf(file) ?? []);
  return written.some((each) => isNamed(each, title));
}

/** @param written - a title as it stands in a source. @param title - the same as a page has it. */
export function isNamed(written: string, title: string): boolean {
  const plain = written
    .replace(/^(?:\[[^\]]+\] )+/, '') // tags
    .replace(/%[sdifjoO#]|\$[\w.]+/g, '…') // what a table fills in
    .replaceAll('`', '');
  const pieces = title.split('…').map((piece) => piece.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${pieces.join('.*')}$`, 's').test(plain);
}
