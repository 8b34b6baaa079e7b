import { ConfigurationError } from 'chancery';
import { JsonBytes } from './json-bytes.ts';
import { API_VERSION, type PluginRequest } from './protocol.ts';
import { isInstalled, isRead, normalPath } from './universe.ts';

const MIB = 1024 * 1024;

/**
 * Limit of the whole document. kubebuilder sends every file of the folder, and a byte that is not
 * UTF-8 becomes six bytes of JSON. The programs that a Go project keeps in bin/ can be several
 * hundred megabytes.
 */
const MAX_DOCUMENT_BYTES = 2_048 * MIB;
/** Limits of one file that is read, and of all such files together. */
const MAX_FILE_BYTES = 2 * MIB;
const MAX_READ_BYTES = 32 * MIB;
/**
 * Maximum length of a path. Linux accepts paths of up to 4,096 bytes, and JSON may need six bytes for each of
 * them.
 */
const MAX_PATH_BYTES = 4_096 * 6;
const MAX_PATHS = 500_000;
/** The largest size of the content of PROJECT, and of every other field of the request. */
const MAX_FIELD_BYTES = 4 * MIB;

/** The fields that are kept. All other fields are skipped. */
const FIELDS: ReadonlySet<string> = new Set([
  'apiVersion',
  'command',
  'args',
  'pluginChain',
  'config',
  'universe',
]);

/** Parses the request from the bytes of stdin. Files that the plugin does not read are omitted. */
export async function readRequest(chunks: AsyncIterable<Uint8Array>): Promise<PluginRequest> {
  const json = new JsonBytes(chunks, MAX_DOCUMENT_BYTES, tooLong());
  if ((await json.next()) === '') {
    throw new ConfigurationError(
      'nothing was on stdin: kubebuilder starts this command and writes a request to it',
    );
  }
  const fields = new Map<string, unknown>();
  let files: Files = { universe: new Map(), paths: new Set() };
  for await (const key of json.keys(MAX_PATH_BYTES)) {
    const name = key ?? '';
    if (name === 'universe' && (await json.next()) === '{') files = await readFiles(json);
    else if (FIELDS.has(name)) fields.set(name, await json.value(MAX_FIELD_BYTES));
    else await json.skip();
  }
  const after = await json.next();
  if (after !== '')
    throw new ConfigurationError(`no JSON: ${JSON.stringify(after)} follows the request`);
  return { ...decoded(fields), ...files };
}

interface Files {
  readonly universe: Map<string, string>;
  readonly paths: Set<string>;
}

async function readFiles(json: JsonBytes): Promise<Files> {
  const universe = new Map<string, string>();
  const paths = new Set<string>();
  let bytes = 0;
  for await (const key of json.keys(MAX_PATH_BYTES)) {
    const path = key === undefined || isInstalled(key) ? undefined : normalPath(key);
    const isWanted = path !== undefined && isRead(path) && !isShadowed(key, path, paths);
    const text = await json.string(isWanted ? MAX_FILE_BYTES : 0);
    if (path === undefined || isInstalled(path)) continue;
    paths.add(path);
    if (text !== undefined && isWanted) {
      universe.set(path, text);
      bytes += text.length;
    }
    if (bytes > MAX_READ_BYTES || paths.size > MAX_PATHS) throw tooMuch(bytes);
  }
  return { universe, paths };
}

/** True for a path with `\` that would replace an existing path with `/`. Linux allows `\` in a name. */
function isShadowed(key: string | undefined, path: string, paths: ReadonlySet<string>): boolean {
  return key !== path && paths.has(path);
}

function tooLong(): ConfigurationError {
  return new ConfigurationError(
    `the request has more than ${MAX_DOCUMENT_BYTES / MIB} MiB, because kubebuilder sends every file of the folder: ` +
      'move what is no source, such as large programs, out of it',
  );
}

function tooMuch(bytes: number): ConfigurationError {
  return new ConfigurationError(
    bytes > MAX_READ_BYTES
      ? `config/ and the sources have more than ${MAX_READ_BYTES / MIB} MiB of text: move what is no source out of them`
      : `the project has more than ${MAX_PATHS} files: move what is no source out of its folder`,
  );
}

function decoded(fields: ReadonlyMap<string, unknown>): Omit<PluginRequest, keyof Files> {
  const apiVersion = fields.get('apiVersion');
  if (apiVersion !== API_VERSION) {
    throw new ConfigurationError(
      `apiVersion must be ${API_VERSION}, not ${shown(apiVersion)}: update chancery, or kubebuilder`,
    );
  }
  mapping('universe', fields.get('universe'));
  const command = fields.get('command');
  if (typeof command !== 'string') {
    throw new ConfigurationError(`command must be a string, not ${shown(command)}`);
  }
  return {
    command,
    args: texts('args', fields.get('args')),
    pluginChain: texts('pluginChain', fields.get('pluginChain')),
    config: mapping('config', fields.get('config')),
  };
}

function texts(name: string, value: unknown): readonly string[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value;
  throw new ConfigurationError(`${name} must be a list of texts`);
}

function mapping(name: string, value: unknown): Readonly<Record<string, unknown>> | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'object' && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new ConfigurationError(`${name} must be a mapping`);
}

function shown(value: unknown): string {
  if (typeof value === 'object' && value !== null)
    return Array.isArray(value) ? 'a list' : 'a mapping';
  return value === undefined ? 'absent' : JSON.stringify(value).slice(0, 100);
}
