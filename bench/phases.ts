import { setTimeout as after } from 'node:timers/promises';
import type { Figures } from './figures.ts';
import { type Message, nanosecondsIn, numberIn } from './message.ts';
import type { Speaker } from './speaker.ts';
import { summarise } from './statistics.ts';
import type { Phase, Subject } from './subjects.ts';
import type { Work } from './works.ts';

/** A subject and its load server, both started. */
export interface Pair {
  readonly server: Pick<Speaker, 'ask' | 'say' | 'hear'>;
  readonly child: Pick<Speaker, 'ask' | 'say' | 'hear'>;
  readonly subject: Pick<Subject, 'mute' | 'alone' | 'lacks'>;
  readonly work: Work;
}

const HOT_KEYS = 1_000;
const RATE = 200;
const OVERSIZED_BYTES = 1_500_000;
const CHUNK_BYTES = 16_384;
/** A client that reads more of one line than this has no limit. The limit of Chancery is 64 MiB. */
const ENDLESS_BYTES = 256 * 2 ** 20;
/** After this time a client has finished the work that follows its first list. */
const SETTLE_MS = 1_000;

/** Runs every phase that the work has and the subject supports, in a fixed order. */
export async function runPhases(pair: Pair): Promise<Figures> {
  const { work, subject } = pair;
  const markers = numbered();
  const able = (phase: Phase): boolean => subject.lacks?.includes(phase) !== true;
  const figures: Figures = await sync(pair, able);
  if (work.burst && able('burst')) {
    const spent = await burst(pair, { events: work.burst, keys: work.objects }, markers);
    Object.assign(figures, burstFigures(spent));
  }
  if (work.deletions && able('burst')) {
    const asked = { events: work.objects + 1, keys: work.objects, deletions: true };
    Object.assign(figures, burstFigures(await burst(pair, asked, markers)));
  }
  if (work.hot && able('hot')) {
    const keys = Math.min(HOT_KEYS, work.objects);
    const spent = await burst(pair, { events: work.hot, keys }, markers);
    const { eventsPerSecond, cpuSecondsPer100k } = burstFigures(spent);
    figures.hotEventsPerSecond = eventsPerSecond;
    figures.hotCpuSecondsPer100k = cpuSecondsPer100k;
  }
  if (work.latencySeconds && able('latency')) {
    Object.assign(figures, await latency(pair, work.latencySeconds, markers));
  }
  if (work.relist && able('relist')) Object.assign(figures, await relist(pair, markers));
  if (work.oversized && able('chunks')) {
    Object.assign(figures, await chunks(pair, work.oversized, markers));
  }
  if (work.endless && able('endless')) Object.assign(figures, await endless(pair, markers));
  if (work.idleSeconds) Object.assign(figures, await idle(pair, work.idleSeconds));
  return figures;
}

type Markers = Iterator<string, never>;

function* numbered(): Generator<string, never> {
  for (let number = 1; ; number++) yield `marker-${number}`;
}

/** Measures the time from the start to the first list, then the memory in use. */
async function sync(
  { child, subject, work }: Pair,
  able: (phase: Phase) => boolean,
): Promise<Figures> {
  const figures: Figures = {};
  const importMs = optional(await child.hear('imported'), 'ms');
  if (able('first') && !work.idleSeconds) {
    figures.firstEventMs = optional(await child.hear('first'), 'ms');
  }
  const syncMs = optional(await child.hear('synced'), 'ms');
  if (subject.mute) return figures;
  if (subject.alone) return { ...figures, importMs };
  const report = await child.ask({ do: 'report' }, 'report');
  Object.assign(figures, {
    ...{ importMs, syncMs },
    listMs: importMs === undefined || syncMs === undefined ? undefined : syncMs - importMs,
    syncDelayMs: optional(report, 'delayMs'),
    syncTurnMs: optional(report, 'turnMs'),
    syncPeakBytes: optional(report, 'peakBytes'),
  });
  if (!able('memory')) return figures;
  const memory = await child.ask({ do: 'memory' }, 'memory');
  const heapBytes = numberIn(memory, 'heapUsed') + numberIn(memory, 'external');
  return { ...figures, heapBytes, rssBytes: numberIn(memory, 'rss') };
}

interface Burst {
  readonly events: number;
  readonly keys: number;
  /** The events delete every object instead of changing some. */
  readonly deletions?: boolean;
}

interface Spent {
  readonly events: number;
  readonly ms: number;
  readonly cpuMs: number | undefined;
  readonly delayMs: number | undefined;
  readonly turnMs: number | undefined;
  readonly peakBytes: number | undefined;
}

/** Sends events as fast as the client reads them, until its handler has received the last one. */
async function burst(
  pair: Pair,
  { events, keys, deletions = false }: Burst,
  markers: Markers,
): Promise<Spent> {
  const { server, child, subject } = pair;
  const marker = markers.next().value;
  const asked = { events, keys, marker };
  const what = deletions ? 'prepare-deletions' : 'prepare';
  const bytes = subject.alone
    ? 0
    : numberIn(await server.ask({ do: what, ...asked }, 'prepared'), 'bytes');
  await expectMarker(pair, { ...asked, bytes, delay: true });
  if (!subject.alone) server.say({ do: 'send' });
  const seen = await child.hear('seen');
  const heardNs = process.hrtime.bigint();
  const began = subject.alone ? seen : await server.hear('sent');
  const atNs = subject.mute ? heardNs : nanosecondsIn(seen, 'atNs');
  const ms = Number(atNs - nanosecondsIn(began, 'startedNs')) / 1e6;
  const report = await reported(pair);
  return {
    ...{ events, ms },
    cpuMs: optional(report, 'cpuMs'),
    // A subject that creates its own events works in one turn of the event loop: its delay means nothing.
    delayMs: subject.alone ? undefined : optional(report, 'delayMs'),
    turnMs: subject.alone ? undefined : optional(report, 'turnMs'),
    peakBytes: subject.alone ? undefined : optional(report, 'peakBytes'),
  };
}

function burstFigures({ events, ms, cpuMs, delayMs, turnMs, peakBytes }: Spent): Figures {
  return {
    eventsPerSecond: (events / ms) * 1_000,
    cpuSecondsPer100k: cpuMs === undefined ? undefined : (cpuMs / events) * 100,
    burstDelayMs: delayMs,
    burstTurnMs: turnMs,
    burstPeakBytes: peakBytes,
  };
}

/** Sends single events at a steady rate, each with its sending time. */
async function latency(pair: Pair, seconds: number, markers: Markers): Promise<Figures> {
  const marker = markers.next().value;
  await expectMarker(pair, { marker, events: RATE * seconds, keys: 0, bytes: 0, delay: false });
  await pair.server.ask({ do: 'trickle', rate: RATE, seconds, marker }, 'trickled');
  await pair.child.hear('seen');
  const report = await reported(pair);
  return {
    latencyP50Ms: optional(report, 'latencyP50Ms'),
    latencyP99Ms: optional(report, 'latencyP99Ms'),
    latencyMaxMs: optional(report, 'latencyMaxMs'),
  };
}

/**
 * Breaks the watch so that it cannot be resumed. Measures until the handler sees an object that was created
 * in between.
 */
async function relist(pair: Pair, markers: Markers): Promise<Figures> {
  const marker = markers.next().value;
  await expectMarker(pair, { marker, events: 1, keys: 0, bytes: 0, delay: true });
  const cut = await pair.server.ask({ do: 'cut', marker }, 'cut');
  const seen = await pair.child.hear('seen');
  const report = await reported(pair);
  const ns = nanosecondsIn(seen, 'atNs') - nanosecondsIn(cut, 'startedNs');
  return {
    relistMs: Number(ns) / 1e6,
    relistDelayMs: optional(report, 'delayMs'),
    relistTurnMs: optional(report, 'turnMs'),
    relistPeakBytes: optional(report, 'peakBytes'),
  };
}

/** Sends events one by one; the first one warms up. */
async function chunks(pair: Pair, events: number, markers: Markers): Promise<Figures> {
  const costs: number[] = [];
  for (let event = 0; event < events; event++) {
    const marker = markers.next().value;
    await expectMarker(pair, { marker, events: 1, keys: 0, bytes: 0, delay: false });
    const sizes = { bytes: OVERSIZED_BYTES, chunkBytes: CHUNK_BYTES };
    await pair.server.ask({ do: 'chunks', ...sizes, marker }, 'sent');
    await pair.child.hear('seen');
    const cpuMs = optional(await reported(pair), 'cpuMs');
    if (cpuMs !== undefined && event > 0) costs.push(cpuMs);
  }
  return { chunksCpuMs: summarise(costs)?.median };
}

/** Sends an endless line to one source, until the client ends the connection and lists what it missed. */
async function endless(pair: Pair, markers: Markers): Promise<Figures> {
  const marker = markers.next().value;
  await expectMarker(pair, { marker, events: 1, keys: 0, bytes: 0, delay: true });
  pair.server.say({ do: 'endless', maxBytes: ENDLESS_BYTES, marker });
  const seen = await pair.child.hear('seen');
  const sent = await pair.server.hear('sent');
  const report = await reported(pair);
  return {
    endlessMs: Number(nanosecondsIn(seen, 'atNs') - nanosecondsIn(sent, 'startedNs')) / 1e6,
    endlessDelayMs: optional(report, 'delayMs'),
    endlessTurnMs: optional(report, 'turnMs'),
    endlessPeakBytes: optional(report, 'peakBytes'),
    endlessLatencyMs: optional(report, 'latencyMaxMs'),
  };
}

async function idle({ child }: Pair, seconds: number): Promise<Figures> {
  await after(SETTLE_MS);
  await child.ask({ do: 'reset', delay: false }, 'reset');
  await after(seconds * 1_000);
  const report = await child.ask({ do: 'report' }, 'report');
  return { idleCpuMsPerMinute: (numberIn(report, 'cpuMs') / seconds) * 60 };
}

interface Expected {
  readonly marker: string;
  readonly events: number;
  readonly keys: number;
  readonly bytes: number;
  /** Measure the delay of the event loop. */
  readonly delay: boolean;
}

async function expectMarker(
  { child, subject }: Pair,
  { delay, ...expected }: Expected,
): Promise<void> {
  if (subject.mute) return;
  await child.ask({ do: 'expect', ...expected }, 'ready');
  await child.ask({ do: 'reset', delay }, 'reset');
}

async function reported({ child, subject }: Pair): Promise<Message> {
  return subject.mute ? { is: 'report' } : await child.ask({ do: 'report' }, 'report');
}

function optional(message: Message, field: string): number | undefined {
  return message[field] === undefined ? undefined : numberIn(message, field);
}
