/** Parts of pages that `npm run generate -- api` writes, each between two marks. */
import { readFileSync, writeFileSync } from 'node:fs';

const END = '<!-- The end of what npm run generate -- api writes. -->';

/** A part of a page in docs/. */
export interface MadePart {
  readonly page: string;
  /** What it has, for the mark before it. */
  readonly of: string;
  readonly text: () => string;
}

/** The page as it is. */
export function readPage({ page }: MadePart): string {
  return readFileSync(fileOf(page), 'utf8');
}

/** The page as it would be written. */
export function madePage(part: MadePart): string {
  const { page, of, text } = part;
  const begin = `<!-- The tables of the ${of}, written by npm run generate -- api. -->`;
  const [before = '', rest] = readPage(part).split(`${begin}\n`);
  const after = rest?.split(`${END}\n`)[1];
  if (after === undefined) throw new Error(`docs/${page} has not both marks: ${begin} ${END}`);
  return `${before}${begin}\n\n${text()}\n\n${END}\n${after}`;
}

/** Writes the part anew. */
export function writePart(part: MadePart): void {
  writeFileSync(fileOf(part.page), madePage(part));
}

/** A table of Markdown. */
export function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}

function fileOf(page: string): URL {
  return new URL(`../../docs/${page}`, import.meta.url);
}
