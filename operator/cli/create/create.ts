import { rm } from 'node:fs/promises';
import { join, posix, relative } from 'node:path';
import process from 'node:process';
import type { ExitCode, Io } from '../command.ts';
import type { GivenTo } from '../command-table.ts';
import { conflictsOf, type NewFile, replaceFiles, writeNewFiles } from '../files/new-files.ts';
import { readRecord } from '../files/scaffold-record.ts';
import { type AddedKind, addedKind, recordWith } from './added-kind.ts';
import { type CreateArguments, createArguments } from './arguments.ts';
import { withController } from './controller-list.ts';
import { createHook } from './create-hook.ts';
import { definingFile, type ProjectFolder, projectOf } from './project-folder.ts';
import type { CREATE } from './table.ts';

/** `chancery create`: adds a kind to a project, or a hook to a folder. */
export async function create(given: GivenTo<typeof CREATE>, io: Io): Promise<ExitCode> {
  if (given.kind === 'hook') return createHook(given, io);
  const parsed = createArguments(given);
  const project = await projectOf(parsed.module);
  const change = await changeFor(parsed, project);
  if (change.refusal !== undefined) {
    io.stderr.write(`chancery create: ${change.refusal}; nothing was written\n`);
    return 1;
  }
  await carryOut(change, project);
  report(change, parsed, project, io);
  return 0;
}

/** The changes that the command makes in a project. */
type Change =
  | {
      readonly refusal?: undefined;
      readonly files: readonly NewFile[];
      /** The new text of the module. Undefined when it already lists the controller. */
      readonly moduleText: string | undefined;
      /** The new record. Undefined when it does not change. */
      readonly record: NewFile | undefined;
    }
  | { readonly refusal: string };

async function changeFor(args: CreateArguments, project: ProjectFolder): Promise<Change> {
  const { names, force } = args;
  const added = addedKind(args, project);
  const defining = await definingFile(project, names);
  if (defining !== undefined && !(force && defining === `${added.file}.ts`)) {
    const also = force ? '' : '; --force writes only the files that are missing';
    return {
      refusal: `${inSources(project, defining)} defines ${names.kind} of ${names.group} already${also}`,
    };
  }
  const conflicts = await conflictsOf(project.root, added.files);
  if (conflicts.length > 0 && !force) {
    const also = '; --force writes only the files that are missing';
    return { refusal: `${conflicts.join(', ')} would be overwritten${also}` };
  }
  const { text, problem } = withController(project.moduleText, added.controller);
  if (problem !== undefined) return { refusal: refusalOf(problem, added, project) };
  const files = added.files.filter(({ path }) => !conflicts.includes(path));
  const record = await readRecord(project.root);
  return {
    files,
    moduleText: text === project.moduleText ? undefined : text,
    record: record && recordWith(record, added, files),
  };
}

function refusalOf(problem: string, { controller }: AddedKind, project: ProjectFolder): string {
  return (
    `${inSources(project, project.module)} cannot be changed safely, because ${problem}: make its default ` +
    `export a list, \`export default [ … ];\`, and remove what conflicts with ` +
    `\`import ${controller.name} from '${controller.file}';\``
  );
}

async function carryOut(
  { files, moduleText, record }: Extract<Change, { readonly refusal?: undefined }>,
  { root, sources, module }: ProjectFolder,
): Promise<void> {
  await writeNewFiles(root, files);
  const path = posix.join(sources, module);
  try {
    await replaceFiles(root, [
      ...(moduleText === undefined ? [] : [{ path, text: moduleText }]),
      ...(record === undefined ? [] : [record]),
    ]);
  } catch (error) {
    for (const each of files) await rm(join(root, each.path), { force: true });
    throw error;
  }
}

function report(
  { files, moduleText, record }: Extract<Change, { readonly refusal?: undefined }>,
  { names }: CreateArguments,
  { root, sources, module }: ProjectFolder,
  { stdout, stderr }: Io,
): void {
  const shown = (path: string): string => join(relative(process.cwd(), root), path);
  for (const { path } of files) stdout.write(`written ${shown(path)}\n`);
  if (moduleText !== undefined) stdout.write(`changed ${shown(posix.join(sources, module))}\n`);
  if (record !== undefined) stdout.write(`changed ${shown(record.path)}\n`);
  const { kind, group, version } = names;
  const isDone = files.length === 0 && moduleText === undefined;
  stderr.write(
    isDone
      ? `chancery create: ${kind} of ${group} is complete; nothing was written\n`
      : `chancery create: ${kind} of ${group}/${version} added. Next:\n\n  npm test\n  npm run generate\n`,
  );
}

function inSources({ sources }: ProjectFolder, file: string): string {
  return posix.join(sources, file);
}
