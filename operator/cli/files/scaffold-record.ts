import { readFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { ConfigurationError, messageOf } from '../../core/errors.ts';
import type { NewFile } from './new-files.ts';

/** The file of a project in which `chancery init` and `create api` record what they wrote. */
export const RECORD_FILE = '.chancery.json';

/**
 * The files that the toolkit wrote into a project. They are the base of the three-way merge of
 * `chancery upgrade`.
 *
 * The contents of the files are recorded, and not only the version that wrote them. So an upgrade
 * needs neither the registry nor an old release, and it also works for files that a release
 * candidate or a fork has written. A project has about 20 KB of such contents.
 */
export interface ScaffoldRecord {
  /** The version of the toolkit that last wrote or upgraded the files. */
  readonly version: string;
  /**
   * The command lines that wrote the files, without `chancery`, in the order in which they were
   * run.
   */
  readonly commands: readonly (readonly string[])[];
  /**
   * The contents of the files as they were written, keyed by their paths relative to the project,
   * with `/` as the separator.
   */
  readonly files: Readonly<Record<string, string>>;
}

const NOTE =
  'What Chancery wrote into this project. chancery upgrade compares it with your files, to keep your changes. ' +
  'Commit this file, and do not edit it.';

export function recordFile({ version, commands, files }: ScaffoldRecord): NewFile {
  const sorted = Object.fromEntries(Object.entries(files).sort(([a], [b]) => (a < b ? -1 : 1)));
  const record = { note: NOTE, version, commands, files: sorted };
  return { path: RECORD_FILE, text: `${JSON.stringify(record, null, 2)}\n` };
}

/** The contents of files, keyed by their paths. */
export function textsOf(files: readonly NewFile[]): Readonly<Record<string, string>> {
  return Object.fromEntries(files.map(({ path, text }) => [posix.normalize(path), text]));
}

/**
 * The record of a project. Undefined when the folder has none.
 *
 * @throws ConfigurationError `CONFIG` when the file cannot be read, or does not contain a record as
 * `recordFile` writes it.
 */
export async function readRecord(folder: string): Promise<ScaffoldRecord | undefined> {
  const path = join(folder, RECORD_FILE);
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new ConfigurationError(`cannot read ${path}: ${messageOf(error)}`, { cause: error });
  }
  const problem = (what: string, cause?: unknown): ConfigurationError =>
    new ConfigurationError(`${path} ${what}; restore the file that is committed`, { cause });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw problem(`is not JSON: ${messageOf(error)}`, error);
  }
  const record = (value ?? {}) as Partial<Record<keyof ScaffoldRecord, unknown>>;
  const { version, commands, files } = record;
  if (typeof version !== 'string' || !/^\d+\.\d+\.\d+/.test(version)) {
    throw problem('names no version');
  }
  if (!isListOfCommands(commands)) throw problem('has no list of commands');
  if (!isTexts(files)) throw problem('has no texts of files');
  const outside = Object.keys(files).find((each) => !isInside(each));
  if (outside !== undefined) throw problem(`names a file that is not in the project, ${outside}`);
  return { version, commands, files };
}

function isListOfCommands(value: unknown): value is ScaffoldRecord['commands'] {
  const isCommand = (each: unknown): boolean =>
    Array.isArray(each) && each.every((word) => typeof word === 'string');
  return Array.isArray(value) && value.every(isCommand);
}

function isTexts(value: unknown): value is ScaffoldRecord['files'] {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    Object.values(value).every((text) => typeof text === 'string')
  );
}

/**
 * True for a path within a project. An upgrade writes and removes files at the recorded paths, and
 * the record may come from anyone.
 */
export function isInside(path: string): boolean {
  return (
    path !== '' &&
    !/[\\:\0]/.test(path) &&
    path.split('/').every((part) => part !== '' && part !== '.' && part !== '..' && part !== '.git')
  );
}
