/** The page docs/reference/commands.md, from the tables of the commands. */
import type { CommandTable } from '../../operator/cli/command-table.ts';
import { COMMANDS } from '../../operator/cli/dispatch.ts';
import { optionGroups, optionMeaning, optionTitle, usageLines } from '../../operator/cli/help.ts';
import { type MadePart, tableOf } from './made-part.ts';

export const COMMANDS_PART: MadePart = {
  page: 'reference/commands.md',
  of: 'commands',
  text: () => {
    const tables = COMMANDS.map(({ table }) => table);
    const rows = tables.map(({ name, summary }) => [
      `[\`chancery ${name}\`](#chancery-${name})`,
      summary,
    ]);
    const chapters = tables.map(chapterOf);
    return [tableOf(['command', 'what it does'], rows), ...chapters].join('\n\n');
  },
};

function chapterOf(table: CommandTable): string {
  const options = optionGroups(table).flatMap((group) =>
    group.options.map(([name, option]) => {
      const takers = option.for === undefined ? '' : `${option.for.join(', ')}: `;
      return [`\`${optionTitle(name, option)}\``, `${takers}${optionMeaning(option)}`];
    }),
  );
  const usage = usageLines(table).map((line) => `- \`${line}\``);
  const rows = options.length === 0 ? [] : [tableOf(['option', 'what it does'], options)];
  return [`## chancery ${table.name}`, usage.join('\n'), ...rows].join('\n\n');
}
