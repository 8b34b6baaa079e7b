import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { ConfigurationError, messageOf } from '../core/errors.ts';
import { parseYamlDocuments } from '../core/yaml.ts';

/** One document of a manifest, and the file that contains it. */
export interface ManifestDocument {
  /** The path as given, or `standard input`. */
  readonly file: string;
  readonly value: unknown;
}

/** The file names that kubectl reads from a folder. */
const MANIFEST = /\.(?:ya?ml|json)$/;

/**
 * Reads the YAML documents of `paths`. For a folder it reads the manifests in it, sorted by name, without
 * sub-folders. `-` is standard input.
 *
 * @param option - the option before a path on the command line, for messages.
 * @throws ConfigurationError `CONFIG` that names the path, and for bad YAML the line and the column.
 */
export async function readManifests(
  paths: readonly string[],
  stdin: Readable,
  option: string = '-f ',
): Promise<readonly ManifestDocument[]> {
  const documents: ManifestDocument[] = [];
  for (const path of paths) {
    if (path === '-') documents.push(...documentsOf('standard input', await text(stdin)));
    else
      for (const file of await filesOf(path, option)) documents.push(...(await read(file, option)));
  }
  return documents;
}

async function filesOf(path: string, option: string): Promise<readonly string[]> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    const why = error.code === 'ENOENT' ? 'no such file or folder' : messageOf(error);
    throw new ConfigurationError(`cannot read ${option}${path}: ${why}`, { cause: error });
  });
  if (!found.isDirectory()) return [path];
  const names = (await readdir(path)).filter((name) => MANIFEST.test(name)).sort();
  if (names.length > 0) return names.map((name) => join(path, name));
  throw new ConfigurationError(
    `cannot read ${option}${path}: the folder has no .yaml, .yml or .json`,
  );
}

async function read(file: string, option: string): Promise<readonly ManifestDocument[]> {
  let content: string;
  try {
    content = await readFile(file, 'utf8');
  } catch (error) {
    throw new ConfigurationError(`cannot read ${option}${file}: ${messageOf(error)}`, {
      cause: error,
    });
  }
  return documentsOf(file, content);
}

function documentsOf(file: string, content: string): readonly ManifestDocument[] {
  try {
    return parseYamlDocuments(content).map((value) => ({ file, value }));
  } catch (error) {
    throw new ConfigurationError(`${file}: ${messageOf(error)}`, { cause: error });
  }
}
