import { basename } from 'node:path';
import type { HeaderLine } from '../../flight/record-line.ts';
import type { LoadedFiles } from '../loading/loaded-files.ts';

/** The current files of an operator, compared with the files in the record. */
export interface ModuleChanges {
  /** Files of the record whose content has changed. */
  readonly changed: readonly string[];
  /** Files of the record that are no longer loaded. */
  readonly missing: readonly string[];
  /** True when no file is the same as in the record. */
  readonly isOther: boolean;
}

/**
 * Compares files. Their folders may differ from the record, so they are compared by content, then
 * by name.
 */
export function moduleChanges(
  { modules }: Pick<HeaderLine, 'modules'>,
  { hashes: loaded }: Pick<LoadedFiles, 'hashes'>,
): ModuleChanges {
  const hashes = new Set(loaded.values());
  const names = new Set([...loaded.keys()].map((path) => basename(path)));
  const others = modules.filter(({ sha256 }) => !hashes.has(sha256)).map(({ path }) => path);
  return {
    changed: others.filter((path) => names.has(basename(path))),
    missing: others.filter((path) => !names.has(basename(path))),
    isOther: modules.length > 0 && others.length === modules.length,
  };
}
