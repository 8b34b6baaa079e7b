import { posix } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { NewFile } from '../files/new-files.ts';
import { recordFile, type ScaffoldRecord, textsOf } from '../files/scaffold-record.ts';
import type { CreateArguments } from './arguments.ts';
import { type ListedController, withController } from './controller-list.ts';
import { kindFiles } from './kind-files.ts';
import { kindOptions } from './names.ts';
import type { ProjectFolder } from './project-folder.ts';

/** A kind that `chancery create api` adds to a project. */
export interface AddedKind {
  /** The common prefix of the kind's file names. */
  readonly file: string;
  readonly files: readonly NewFile[];
  /** The controller, as it is listed in the module. */
  readonly controller: ListedController;
  /** The path of the module, relative to the project. */
  readonly module: string;
  /** The command line that adds the kind, without `chancery`. */
  readonly command: readonly string[];
}

export function addedKind(
  { names, isNamespaced, owns }: Pick<CreateArguments, 'names' | 'isNamespaced' | 'owns'>,
  { sources, module }: Pick<ProjectFolder, 'sources' | 'module'>,
): AddedKind {
  // The module may already have the file name that the kind would get, such as `operator.ts`.
  const file = module === `${names.dashed}.ts` ? `${names.dashed}-controller` : names.dashed;
  const path = posix.join(sources, module);
  return {
    file,
    files: kindFiles({ names, isNamespaced, owns, file, form: 'controller', folder: sources }),
    controller: { name: names.controller, file: `./${file}.ts` },
    module: path,
    command: [
      ...['create', 'api', ...kindOptions(names)],
      ...(owns.length === 0 ? [] : ['--owns', owns.map(({ name }) => name).join(',')]),
      ...(isNamespaced ? [] : ['--cluster-scoped']),
      ...['--module', path],
    ],
  };
}

/**
 * Adds the kind and its written files to a record, and returns the file of the new record.
 * Undefined when the record does not change.
 */
export function recordWith(
  record: ScaffoldRecord,
  { command, controller, module }: AddedKind,
  written: readonly NewFile[],
): NewFile | undefined {
  const isKnown = record.commands.some((each) => isDeepStrictEqual(each, command));
  if (isKnown && written.length === 0) return undefined;
  return recordFile({
    ...record,
    commands: isKnown ? record.commands : [...record.commands, command],
    files: withListed({ ...record.files, ...textsOf(written) }, module, controller),
  });
}

/**
 * Returns `files` with a changed `module`, which also lists the controller. If `module` is not
 * among the files, they are returned unchanged.
 */
export function withListed(
  files: Readonly<Record<string, string>>,
  module: string,
  controller: ListedController,
): Readonly<Record<string, string>> {
  const before = files[module];
  const after = before === undefined ? undefined : withController(before, controller).text;
  return after === undefined ? files : { ...files, [module]: after };
}
