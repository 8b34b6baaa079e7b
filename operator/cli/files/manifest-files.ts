import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { ConfigurationError, messageOf } from '../../core/errors.ts';
import { parseYamlDocuments } from '../../core/yaml.ts';

/** One document of a manifest, and the file that contains it. */
export interface ManifestDocument {
  /** The path on the command line, or `standard input`. */
  readonly file: string;
  readonly value: unknown;
}

/**
 * Maximum size of a file in bytes, because it is read into memory. The largest installers have a
 * few MiB.
 */
const MAX_MANIFEST_BYTES = 64 * 1_048_576;

/** Matches the names of files that kubectl reads from a folder. */
const MANIFEST = /\.(?:ya?ml|json)$/;

/** True for the name of a file that is read when its folder is given. */
export function isManifestName(name: string): boolean {
  return MANIFEST.test(name);
}

/**
 * The YAML documents in `paths`. In a folder, the manifests are read sorted by name, without
 * sub-folders. `-` stands for standard input.
 *
 * @param option - the option that comes before a path on the command line. Messages contain it.
 * @throws ConfigurationError `CONFIG` with the path, and for invalid YAML with the line and the
 * column.
 */
export async function readManifests(
  paths: readonly string[],
  stdin: Readable,
  option: string = '-f ',
): Promise<readonly ManifestDocument[]> {
  const files: (readonly ManifestDocument[])[] = [];
  for (const path of paths) {
    if (path === '-') files.push(documentsOf('standard input', await textOf(stdin)));
    else for (const file of await filesOf(path, option)) files.push(await read(file, option));
  }
  return files.flat(); // a file may have more documents than a call can have arguments
}

/**
 * The items of a List, as `kubectl get -o yaml` writes it. Any other document is returned
 * unchanged.
 */
export function manifestItems({ file, value }: ManifestDocument): readonly ManifestDocument[] {
  return (listItems(value) ?? [value]).map((item) => ({ file, value: item }));
}

/** The items of a `List` or a `CustomResourceDefinitionList`. Undefined for any other object. */
export function listItems(value: unknown): readonly unknown[] | undefined {
  const { kind, items } = (value ?? {}) as Partial<Record<string, unknown>>;
  const isList = kind === 'List' || kind === 'CustomResourceDefinitionList';
  return isList && Array.isArray(items) ? items : undefined;
}

async function textOf(stdin: Readable): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stdin) {
    const part = Buffer.from(chunk as string | Uint8Array);
    bytes += part.length;
    if (bytes > MAX_MANIFEST_BYTES) throw tooLong('standard input');
    chunks.push(part);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function tooLong(what: string): ConfigurationError {
  return new ConfigurationError(`${what} has more than ${MAX_MANIFEST_BYTES} bytes`);
}

async function filesOf(path: string, option: string): Promise<readonly string[]> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    const why = error.code === 'ENOENT' ? 'no such file or folder' : messageOf(error);
    throw new ConfigurationError(`cannot read ${option}${path}: ${why}`, { cause: error });
  });
  if (!found.isDirectory()) return [path];
  const names = (await readdir(path)).filter(isManifestName).sort();
  if (names.length > 0) return names.map((name) => join(path, name));
  throw new ConfigurationError(
    `cannot read ${option}${path}: the folder has no .yaml, .yml or .json`,
  );
}

async function read(file: string, option: string): Promise<readonly ManifestDocument[]> {
  let content: string;
  const { size } = await stat(file).catch(() => ({ size: 0 }));
  if (size > MAX_MANIFEST_BYTES) throw tooLong(file);
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
