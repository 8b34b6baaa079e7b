import { open, readFile, rename, rm, stat } from 'node:fs/promises';
import process from 'node:process';
import { ConfigurationError, messageOf, OperatorError } from 'chancery/internal-objects';
import { parseGoJson } from '../objects/go-json.ts';
import { jsonText } from '../objects/json-text.ts';
import { isJsonObject } from '../objects/json-value.ts';
import type { StorageSnapshot } from './snapshot.ts';
import { cannotRestore, SnapshotContents } from './snapshot-contents.ts';

/**
 * The maximum size of a snapshot: half of V8's longest string, and far more than a test writes. 100,000 small
 * objects take 60 MB.
 */
export const SNAPSHOT_LIMIT_BYTES: number = 256 * 1_048_576;

const FORMAT = 'chancery snapshot';
const VERSION = 1;
/** Lines are joined and written in chunks of about this size. */
const PART_CHARS = 1_048_576;

/**
 * A snapshot as lines of JSON: a header with version, revision and the number of objects, then one line per
 * object. The history is omitted, so after a restore no watch or exact list reaches further back than the
 * snapshot.
 */
function* snapshotLines({ revision, collections }: StorageSnapshot): Generator<string> {
  let objects = 0;
  for (const collection of collections.values()) objects += collection.objects.size;
  yield `${JSON.stringify({ format: FORMAT, version: VERSION, revision, objects })}\n`;
  for (const [resource, collection] of collections) {
    for (const object of collection.objects.values()) yield `${jsonText({ resource, object })}\n`;
  }
}

/** The lines of a snapshot, joined into chunks of about a megabyte. */
export function* snapshotParts(snapshot: StorageSnapshot): Generator<string> {
  let part = '';
  for (const line of snapshotLines(snapshot)) {
    part += line;
    if (part.length < PART_CHARS) continue;
    yield part;
    part = '';
  }
  if (part !== '') yield part;
}

/**
 * The size of a snapshot as a file, in bytes. Undefined above 256 MiB, because no server restores such a
 * large snapshot.
 *
 * @param rest - is called and awaited after each chunk, so that the caller can do other work.
 */
export async function snapshotBytes(
  snapshot: StorageSnapshot,
  rest: () => Promise<unknown>,
): Promise<number | undefined> {
  let bytes = 0;
  for (const part of snapshotParts(snapshot)) {
    bytes += Buffer.byteLength(part);
    if (bytes > SNAPSHOT_LIMIT_BYTES) return undefined;
    await rest();
  }
  return bytes;
}

/**
 * Parses the output of `snapshotParts`. Resources and kinds are not checked here: a server checks
 * them when it restores the snapshot.
 *
 * @param path - the file that contained the bytes, for messages.
 * @throws ConfigurationError `CONFIG` for any other input, such as another version, a truncated file, or more
 * than 256 MiB.
 * @throws ImpossibleSnapshot `CONFIG` for objects that cannot come from one server.
 */
export function parseSnapshot(bytes: Buffer, path?: string): StorageSnapshot {
  const parsing = snapshotParser(bytes, path);
  for (let step = parsing.next(); ; step = parsing.next()) if (step.done) return step.value;
}

/**
 * Like `parseSnapshot`, but lets the caller do other work in between.
 *
 * @param rest - is called and awaited after about each megabyte, so that the caller can do other work.
 */
export async function parseSnapshotInParts(
  bytes: Buffer,
  rest: () => Promise<unknown>,
): Promise<StorageSnapshot> {
  const parsing = snapshotParser(bytes);
  for (let step = parsing.next(); ; step = parsing.next()) {
    if (step.done) return step.value;
    await rest();
  }
}

/** Parses a snapshot, and yields after each chunk of about a megabyte. */
function* snapshotParser(bytes: Buffer, path?: string): Generator<undefined, StorageSnapshot> {
  if (bytes.length > SNAPSHOT_LIMIT_BYTES) throw tooLarge(bytes.length);
  const { revision, objects, end } = headerOf(bytes);
  const contents = new SnapshotContents(revision);
  let from = end;
  let rested = end;
  for (let read = 0; read < objects; read++) {
    const to = bytes.indexOf(10, from);
    if (to < 0) {
      throw unusable(`it is cut off: of its ${objects} objects, ${read} are complete`);
    }
    const line = read + 2;
    const entry = decoded(bytes.toString('utf8', from, to));
    if (!isJsonObject(entry)) throw unusable(`line ${line} is no JSON`);
    contents.add(entry, line);
    from = to + 1;
    if (from - rested < PART_CHARS) continue;
    rested = from;
    yield undefined;
  }
  if (from < bytes.length) throw unusable(`it goes on after its ${objects} objects`);
  return contents.snapshot(path);
}

interface Header {
  readonly revision: number;
  readonly objects: number;
  /** The offset in the file at which the objects begin. */
  readonly end: number;
}

/** The maximum length of the header. Real headers are far shorter. */
const MAX_HEADER_BYTES = 1_024;

function headerOf(bytes: Buffer): Header {
  const line = bytes.subarray(0, MAX_HEADER_BYTES).indexOf(10);
  const header = line < 0 ? undefined : decoded(bytes.toString('utf8', 0, line));
  if (!isJsonObject(header) || header.format !== FORMAT) {
    throw unusable(bytes.length === 0 ? 'it is empty' : 'it does not begin as a snapshot does');
  }
  const { version, revision, objects } = header;
  if (version !== VERSION) {
    throw new ConfigurationError(
      `it has version ${JSON.stringify(version)} of the format, and this release reads version ${VERSION} only`,
    );
  }
  if (!isCount(revision) || revision === 0 || !isCount(objects)) {
    throw unusable('its first line is damaged: revision and objects are numbers');
  }
  return { revision, objects, end: line + 1 };
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

/** The JSON of a line; undefined if it is invalid. Integers keep all their digits. */
function decoded(line: string): unknown {
  try {
    return /[0-9]{16}/.test(line) ? parseGoJson(line).value : JSON.parse(line);
  } catch {
    return undefined;
  }
}

function unusable(why: string): ConfigurationError {
  return new ConfigurationError(why);
}

function tooLarge(bytes: number): ConfigurationError {
  return unusable(`it has ${bytes} bytes, and a snapshot has at most ${SNAPSHOT_LIMIT_BYTES}`);
}

/**
 * Reads a snapshot that `writeSnapshot` has saved to a file.
 *
 * @throws ConfigurationError `CONFIG` with the file's name, when the file cannot be read, has another
 * version, is truncated or damaged, or exceeds 256 MiB.
 */
export async function readSnapshot(path: string): Promise<StorageSnapshot> {
  try {
    const { size } = await stat(path);
    if (size > SNAPSHOT_LIMIT_BYTES) throw tooLarge(size);
    return parseSnapshot(await readFile(path), path);
  } catch (error) {
    throw cannotRestore(path, error);
  }
}

/**
 * Saves a snapshot to a file. Only the user can read the file, because it contains the server's
 * Secrets. The file is written completely or not at all. History is not saved.
 *
 * @throws OperatorError `CONFIG` with the file's name, when the file cannot be written, or would exceed 256
 * MiB.
 */
export async function writeSnapshot(path: string, snapshot: StorageSnapshot): Promise<void> {
  const draft = `${path}.${process.pid}.tmp`;
  try {
    await rm(draft, { force: true }); // a killed process may have left one
    const file = await open(draft, 'wx', 0o600);
    try {
      let bytes = 0;
      for (const part of snapshotParts(snapshot)) {
        bytes += Buffer.byteLength(part);
        if (bytes > SNAPSHOT_LIMIT_BYTES) {
          throw new Error(`its objects have more than ${SNAPSHOT_LIMIT_BYTES} bytes`);
        }
        await file.writeFile(part);
      }
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw new OperatorError(`cannot save the snapshot ${path}: ${messageOf(error)}`, {
      code: 'CONFIG',
      layer: 'configuration',
      cause: error,
    });
  }
}
