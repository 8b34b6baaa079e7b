import { objectKey, rfc3339 } from 'chancery';
import { type ConfigMap, configMaps } from 'chancery/kubernetes';
import { configMapSource } from './config-map-source.ts';
import { contentOf, revisionOf } from './content.ts';
import { type Entry, isForgotten } from './entry.ts';
import { unknownFrontEnds } from './front-ends/front-ends.ts';
import type { Memory } from './memory.ts';
import { STATE_NAME } from './own-objects.ts';
import type { Pass, PassResult } from './pass.ts';
import { advance, begin, type Wanted } from './restart.ts';
import { type Entries, readEntries, writeEntry } from './state.ts';

/** How soon to look again for front ends that are about to be listed. */
const LISTING_MS = 1_000;

/** How soon to look again when an entry belongs to a front end that is not there. */
const ABSENT_FRONT_END_MS = 60_000;

/**
 * Compares a ConfigMap with what was last acted upon, and acts when it has changed.
 *
 * The first sight of a ConfigMap that somebody watches is only noted down.
 */
export async function observe(pass: Pass, memory: Memory): Promise<PassResult> {
  const { key, namespace, name, configMap, context } = pass;
  if (configMap === undefined) return noteMissing(pass, memory);
  if (pass.accepted.length === 0) return retire(pass, memory);
  const entries = await readEntries(namespace, context);
  memory.remembered.add(key);
  const known = entries.get(name);
  const entry = known && !isForgotten(known, context.clock.now()) ? known : undefined;
  const cached = wantedOf(pass, configMap);
  if (entry && !isChange(entry, cached)) return keep(pass, memory, entry, entries, cached);

  const waitMs = entry === undefined ? 0 : debounceMs(pass, memory, cached);
  if (entry && waitMs > 0) return watching(entry, waitMs);
  // The cache may be behind what an earlier process has acted upon, and would make us act again.
  const { client, signal } = context;
  const live = await client.find(configMaps, { namespace, name }, { signal });
  if (live === undefined) return { phase: 'missing', result: undefined };
  const wanted = wantedOf(pass, live);
  if (entry === undefined) return noteBaseline(pass, entries, wanted);
  if (!isChange(entry, wanted)) return keep(pass, memory, entry, entries, wanted);
  if (isIncomplete(pass, memory, entry)) return watching(entry, LISTING_MS);
  const outcome = await begin(pass, memory, entry, entries, wanted);
  memory.debounce.settle(key);
  return outcome;
}

/** Nothing to act upon: carries on with a restart under way, or brings the entry up to date. */
async function keep(
  pass: Pass,
  memory: Memory,
  entry: Entry,
  entries: Entries,
  wanted: Wanted,
): Promise<PassResult> {
  memory.debounce.settle(pass.key);
  if (entry.pending !== undefined) {
    return advance(pass, { ...entry, pending: entry.pending }, entries, wanted);
  }
  const unknown = unknownFrontEnds(pass.context);
  const frontEnds = new Set([
    ...wanted.frontEnds,
    ...entry.frontEnds.filter((each) => unknown.has(each)),
  ]);
  const { hash, restarts } = entry;
  const { metadataHash } = wanted;
  const next = { hash, metadataHash, restarts, frontEnds: [...frontEnds].sort() };
  if (JSON.stringify(next) !== JSON.stringify(canonical(entry))) {
    await writeEntry(pass, next, entries, pass.context);
  }
  return watching(entry);
}

/** The fields of `entry` in the order in which `keep` writes them. */
function canonical({ hash, metadataHash, restarts, frontEnds, ...rest }: Entry): Entry {
  return { hash, metadataHash, restarts, frontEnds, ...rest };
}

async function noteBaseline(pass: Pass, entries: Entries, wanted: Wanted): Promise<PassResult> {
  const entry: Entry = { ...wanted, restarts: 0 };
  await writeEntry(pass, entry, entries, pass.context);
  pass.context.log.debug({ hash: entry.hash }, 'watching from here on');
  return watching(entry);
}

/** Nobody watches an existing ConfigMap: its entry goes, so that a later watcher starts afresh. */
async function retire(pass: Pass, memory: Memory): Promise<PassResult> {
  const idle = { phase: 'watching', result: undefined } as const;
  memory.debounce.settle(pass.key);
  if (!hasEntry(pass, memory)) return idle;
  const entries = await readEntries(pass.namespace, pass.context);
  const entry = entries.get(pass.name);
  const unknown = unknownFrontEnds(pass.context);
  if (entry?.frontEnds.some((frontEnd) => unknown.has(frontEnd))) {
    return { ...idle, result: { requeueAfterMs: ABSENT_FRONT_END_MS } };
  }
  if (entry !== undefined) await writeEntry(pass, undefined, entries, pass.context);
  memory.remembered.delete(pass.key);
  return idle;
}

/** The entry of a deleted ConfigMap stays for a while: see `isForgotten`. */
async function noteMissing(pass: Pass, memory: Memory): Promise<PassResult> {
  memory.debounce.settle(pass.key);
  if (hasEntry(pass, memory)) {
    const entries = await readEntries(pass.namespace, pass.context);
    const entry = entries.get(pass.name);
    if (entry !== undefined && entry.missingSince === undefined) {
      const missingSince = rfc3339(pass.context.clock.now());
      await writeEntry(pass, { ...entry, missingSince }, entries, pass.context);
    }
    memory.remembered.delete(pass.key);
  }
  return { phase: 'missing', result: undefined };
}

/** Spares a request for each of the many ConfigMaps that nobody watches. */
function hasEntry({ key, namespace, name, context }: Pass, { remembered }: Memory): boolean {
  const cached = context.store(configMapSource).get(objectKey(namespace, STATE_NAME));
  return remembered.has(key) || cached?.data?.[name] !== undefined;
}

/** True while a front end that watched this ConfigMap may still be about to be listed. */
function isIncomplete({ context }: Pass, memory: Memory, entry: Entry): boolean {
  if (!memory.isStarting(context.clock.monotonic())) return false;
  const unknown = unknownFrontEnds(context);
  return entry.frontEnds.some((frontEnd) => unknown.has(frontEnd));
}

function wantedOf({ accepted }: Pass, configMap: ConfigMap): Wanted {
  const { hash, metadataHash } = contentOf(configMap);
  const metadataCounts = accepted.some(({ demand }) => demand.restartOn === 'any');
  const frontEnds = [...new Set(accepted.map((watcher) => watcher.frontEnd))].sort();
  return { hash, metadataHash: metadataCounts ? metadataHash : undefined, frontEnds };
}

/** Metadata that did not count before has nothing to be compared with. */
function isChange(entry: Entry, wanted: Wanted): boolean {
  const known = entry.pending ?? entry;
  if (known.hash !== wanted.hash) return true;
  if (known.metadataHash === undefined || wanted.metadataHash === undefined) return false;
  return known.metadataHash !== wanted.metadataHash;
}

/** The watchers of one ConfigMap act together, after the longest wait that one of them asks for. */
function debounceMs({ key, accepted, context }: Pass, memory: Memory, wanted: Wanted): number {
  const waitMs = Math.max(...accepted.map(({ demand }) => demand.debounceMs));
  const nowAt = context.clock.monotonic();
  return memory.debounce.leftMs(key, revisionOf(wanted), { waitMs }, nowAt);
}

function watching({ hash }: Entry, requeueAfterMs?: number): PassResult {
  const result = requeueAfterMs === undefined ? undefined : { requeueAfterMs };
  return { phase: 'watching', observedHash: hash, result };
}
