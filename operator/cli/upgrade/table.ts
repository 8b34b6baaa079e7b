import type { CommandTable } from '../command-table.ts';

const OPTIONS = {
  'dry-run': { help: 'print the report and the differences, and write nothing' },
  force: {
    help: 'upgrade although there are changes that are not committed, or no git repository',
  },
} as const;

/** The command line of `chancery upgrade`. */
export const UPGRADE: CommandTable<typeof OPTIONS> = {
  name: 'upgrade',
  summary: 'move the files of a project to the templates of this version, and keep your changes',
  usage: ['[FOLDER] [--dry-run] [--force]'],
  arguments: [{ name: 'FOLDER', isPath: true }],
  options: OPTIONS,
  description: `Upgrades the project in FOLDER, or in this folder. .chancery.json has what chancery init and create api wrote.
Each file is compared with that and with what this version writes: a three-way merge.

  added            this version has a new file
  updated          you have not changed the file, so it is replaced
  merged           both have changed it, in different places
  conflict         both have changed the same place; it is marked as git marks it
  removed          this version does not have the file, and you have not changed it
  left             the file stays as it is
  deleted by you   the file is not written again

package.json is merged by its fields, all other files by lines. Manifests in deploy/ are not part of it:
npm run generate writes them.

A folder with changes that are not committed is refused, so that git can show and undo what the upgrade did.`,
  environment: [['CHANCERY_PACKAGES', 'as for chancery init: install the tarballs of that folder']],
  notes: 'It needs git, which merges the lines.',
  exitCodes: {
    0: 'upgraded, or nothing to do',
    1: 'there are conflicts, changes are not committed, or a file cannot be written',
    2: 'the command line is wrong, git is missing, or the folder has no usable .chancery.json',
  },
  examples: `  npx chancery@latest upgrade --dry-run
  npx chancery@latest upgrade`,
};
