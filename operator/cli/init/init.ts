import { join, resolve } from 'node:path';
import { visibleText } from '../../core/text/visible-text.ts';
import { VERSION } from '../../core/version.ts';
import type { ExitCode, Io } from '../command.ts';
import type { GivenTo } from '../command-table.ts';
import { conflictsOf, type NewFile, namesIn, writeNewFiles } from '../files/new-files.ts';
import { RECORD_FILE, recordFile, textsOf } from '../files/scaffold-record.ts';
import { type InitArguments, initArguments, initCommand } from './arguments.ts';
import { definitionKinds } from './existing/definition-files.ts';
import { projectKinds } from './existing/kubebuilder-project.ts';
import { type PackageSpecs, packageSpecs } from './packages.ts';
import { existingProjectFiles, projectFiles } from './project.ts';
import type { INIT } from './table.ts';

/** Maximum number of names in the message about a folder that is not empty. */
const LISTED = 12;

/** `chancery init`: writes a new project. */
export async function init(given: GivenTo<typeof INIT>, io: Io): Promise<ExitCode> {
  const parsed = initArguments(given);
  const packages = await packageSpecs(io.env.CHANCERY_PACKAGES);
  const { files, messages } = await filesFor(parsed, packages, io);
  for (const each of messages)
    io.stderr.write(`${visibleText(`chancery init: ${oneLine(each)}`)}\n`);
  const conflicts = await conflictsOf(parsed.folder, [...files, { path: RECORD_FILE, text: '' }]);
  const refusal = parsed.force ? undefined : await refusalOf(parsed, conflicts);
  if (refusal !== undefined) {
    io.stderr.write(refusal);
    return 1;
  }
  const missing = files.filter(({ path }) => !conflicts.includes(path));
  const written = [...missing, ...recordOf(parsed, missing, conflicts)];
  await writeNewFiles(parsed.folder, written);
  report(parsed, written, files.length + 1, io);
  return 0;
}

/** The record of the files that are written. Files that already existed belong to the user. */
function recordOf(
  parsed: InitArguments,
  written: readonly NewFile[],
  conflicts: readonly string[],
): readonly NewFile[] {
  if (conflicts.includes(RECORD_FILE)) return [];
  const commands = [initCommand(parsed)];
  return [recordFile({ version: VERSION, commands, files: textsOf(written) })];
}

/** The files of the project, and messages about the source of its kinds. */
async function filesFor(
  { name, from, ...parsed }: InitArguments,
  packages: PackageSpecs,
  { stdin }: Io,
): Promise<{ readonly files: readonly NewFile[]; readonly messages: readonly string[] }> {
  if (from === undefined)
    return { files: projectFiles({ name, ...parsed }, packages), messages: [] };
  const { kinds, skipped, notes } =
    from.project === undefined
      ? await definitionKinds(from.definitions, stdin)
      : await projectKinds(from.project, stdin);
  const { files, notes: more } = existingProjectFiles(name, kinds, packages);
  return { files, messages: [...skipped.map((each) => `skipped: ${each}`), ...notes, ...more] };
}

function oneLine(text: string): string {
  return text.replaceAll(/[\n\t]/g, ' ');
}

/** The reason for writing nothing into a folder. Undefined when it is empty, apart from `.git`. */
async function refusalOf(
  { folder }: InitArguments,
  conflicts: readonly string[],
): Promise<string | undefined> {
  const names = (await namesIn(folder)).filter((name) => name !== '.git');
  if (names.length === 0) return undefined;
  const listed = conflicts.length > 0 ? conflicts : names;
  const what = conflicts.length > 0 ? 'exist already' : 'exist';
  const more = listed.length > LISTED ? `  … ${listed.length - LISTED} more\n` : '';
  const list = listed.slice(0, LISTED).map((path) => `  ${path}\n`);
  return (
    `chancery init: ${folder} is not empty, so nothing was written; these ${what}:\n` +
    `${list.join('')}${more}` +
    'Choose another NAME, or write only the files that are missing with --force.\n'
  );
}

function report(
  { folder, name }: InitArguments,
  written: readonly NewFile[],
  count: number,
  { stdout, stderr }: Io,
): void {
  for (const { path } of written) stdout.write(`written ${join(folder, path)}\n`);
  const kept = count - written.length;
  const also = kept === 0 ? '' : `, ${kept} kept as they are`;
  const enter = resolve(folder) === resolve('') ? '' : `  cd ${folder}\n`;
  stderr.write(
    `chancery init: ${written.length} files of ${name} written${also}. Next:\n\n` +
      `${enter}  npm install\n  npm test\n  npm run dev\n`,
  );
}
