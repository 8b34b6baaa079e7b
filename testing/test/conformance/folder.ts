import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type RecordedExchange, readRecording } from '../../../test/support/recorded-stream.ts';
import { CHAPTERS, type Chapter, SECOND_CHAPTERS } from './session.ts';

const RECORDINGS = new URL('../../../test/recordings/', import.meta.url);

/** The recordings of a folder, in groups that share a server. */
export interface RecordingFolder {
  /** Those of the first committed set that are in the folder, unchanged: they were made on one server. */
  readonly session: readonly Chapter[];
  /** The others: each was made on a server of its own. */
  readonly alone: readonly Chapter[];
}

/**
 * What `*.jsonl` of a folder need to be replayed. Nothing has to be known of them: when they began, and which
 * namespaces were there before, their answers tell. A file that is a committed one, too, is replayed as that.
 *
 * @throws TypeError when the folder has no recording, or one that cannot be read.
 */
export function recordingFolder(folder: string): RecordingFolder {
  const files = filesOf(folder);
  const session = CHAPTERS.filter(({ recording }) => files.some((file) => is(file, recording)));
  const alone = files
    .filter((file) => !session.some(({ recording }) => is(file, recording)))
    .map((file) => {
      const known = SECOND_CHAPTERS.find(({ recording }) => is(file, recording));
      return known ?? chapterOf(path.basename(file, SUFFIX), readRecording(file));
    });
  return { session, alone };
}

/** A recording about which nothing is known but itself. */
export function chapterOf(recording: string, exchanges: readonly RecordedExchange[]): Chapter {
  return {
    recording,
    exchanges,
    startedAt: new Date(startOf(exchanges)).toISOString(),
    namespaces: namespacesBefore(exchanges),
    withoutControllers: true,
  };
}

const SUFFIX = '.jsonl';

function filesOf(folder: string): readonly string[] {
  const names = readdirSync(folder)
    .filter((name) => name.endsWith(SUFFIX))
    .sort();
  if (names.length === 0) throw new TypeError(`${folder} has no file *${SUFFIX}`);
  return names.map((name) => path.join(folder, name));
}

/** Whether a file is the committed recording of that name, byte by byte. */
function is(file: string, recording: string): boolean {
  if (path.basename(file) !== recording + SUFFIX) return false;
  return readFileSync(file).equals(readFileSync(new URL(recording + SUFFIX, RECORDINGS)));
}

const CREATED = 201;

/**
 * When a recording began, in milliseconds since 1970. An object that was created `at` ms after it has that
 * time, cut to seconds, as its creation time: each narrows the moment down.
 */
function startOf(exchanges: readonly RecordedExchange[]): number {
  let earliest = Number.NEGATIVE_INFINITY;
  let latest = Number.POSITIVE_INFINITY;
  for (const { at, response } of exchanges) {
    if (response.status !== CREATED) continue;
    const time = Date.parse(createdAt(response.body) ?? '');
    if (Number.isNaN(time)) continue;
    earliest = Math.max(earliest, time - at);
    latest = Math.min(latest, time + 1_000 - at);
  }
  if (earliest === Number.NEGATIVE_INFINITY) return DAY_WITHOUT_ANSWERS;
  // The answers took a while, so that the ends may cross.
  return Math.round((earliest + Math.max(earliest, latest)) / 2);
}

/** Nothing was created: no answer depends on the day. */
const DAY_WITHOUT_ANSWERS = Date.parse('2026-11-21T06:00:00Z');

function createdAt(body = ''): string | undefined {
  const { metadata } = parsed(body);
  return (metadata as { creationTimestamp?: string } | undefined)?.creationTimestamp;
}

/** Namespaces with objects that the recording creates, and that it does not create itself. */
function namespacesBefore(exchanges: readonly RecordedExchange[]): readonly string[] {
  const created = new Set<string>();
  const before = new Set<string>();
  for (const { request, response } of exchanges) {
    if (response.status !== CREATED) continue;
    const [, namespace] = /\/namespaces\/([^/?]+)\//.exec(request.path) ?? [];
    if (namespace !== undefined && !created.has(namespace)) before.add(namespace);
    const { kind, metadata } = parsed(response.body ?? '');
    const { name } = (metadata ?? {}) as { name?: string };
    if (kind === 'Namespace' && name !== undefined) created.add(name);
  }
  return [...before].filter((name) => !OF_EVERY_CLUSTER.includes(name));
}

const OF_EVERY_CLUSTER = ['default', 'kube-system', 'kube-public', 'kube-node-lease'];

function parsed(body: string): { readonly kind?: unknown; readonly metadata?: unknown } {
  try {
    return JSON.parse(body) ?? {};
  } catch {
    return {};
  }
}
