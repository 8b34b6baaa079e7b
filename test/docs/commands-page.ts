/** The chapter of docs/starting.md about the commands, from their tables. */
import { readFileSync, writeFileSync } from 'node:fs';
import type { CommandTable } from '../../operator/cli/command-table.ts';
import { COMMANDS } from '../../operator/cli/dispatch.ts';
import { optionGroups, optionMeaning, optionTitle, usageLines } from '../../operator/cli/help.ts';

const PAGE = new URL('../../docs/starting.md', import.meta.url);
const BEGIN = '<!-- The tables of the commands, written by npm run generate -- api. -->';
const END = '<!-- The end of what npm run generate -- api writes. -->';

/** The page as it is. */
export function readCommandsPage(): string {
  return readFileSync(PAGE, 'utf8');
}

/** Writes the chapter anew. */
export function writeCommandsPage(): void {
  writeFileSync(PAGE, withCommands(readCommandsPage()));
}

/** `page` with what the tables say between its two marks. */
export function withCommands(page: string): string {
  const [before = '', rest] = page.split(`${BEGIN}\n`);
  const after = rest?.split(`${END}\n`)[1];
  if (after === undefined) throw new Error(`docs/starting.md has not both marks: ${BEGIN} ${END}`);
  const tables = COMMANDS.map(({ table }) => table);
  const rows = tables.map(({ name, summary }) => [
    `[\`chancery ${name}\`](#chancery-${name})`,
    summary,
  ]);
  const chapters = tables.map(chapterOf);
  const own = [tableOf(['command', 'what it does'], rows), ...chapters].join('\n\n');
  return `${before}${BEGIN}\n\n${own}\n\n${END}\n${after}`;
}

function chapterOf(table: CommandTable): string {
  const options = optionGroups(table).flatMap((group) =>
    group.options.map(([name, option]) => {
      const takers = option.for === undefined ? '' : `${option.for.join(', ')}: `;
      return [`\`${optionTitle(name, option)}\``, `${takers}${optionMeaning(option)}`];
    }),
  );
  const usage = usageLines(table).map((line) => `- \`${line}\``);
  const rows = options.length === 0 ? [] : [tableOf(['option', 'what it does'], options)];
  return [`### chancery ${table.name}`, usage.join('\n'), ...rows].join('\n\n');
}

function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), '|---|---|', ...rows.map(line)].join('\n');
}
