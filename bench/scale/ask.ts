/** What all scale runs ask of their two processes. */
import { type Message, nanosecondsIn, numberIn } from '../message.ts';
import type { Pair } from './pair.ts';

export interface Memory {
  readonly heapBytes: number;
  readonly rssBytes: number;
}

/** What is left after a garbage collection; `heapBytes` counts external memory, too. */
export async function memoryOf({ child }: Pair): Promise<Memory> {
  const memory = await child.ask({ do: 'memory' }, 'memory');
  const heapBytes = numberIn(memory, 'heapUsed') + numberIn(memory, 'external');
  return { heapBytes, rssBytes: numberIn(memory, 'rss') };
}

export interface Spent {
  readonly cpuMs: number;
  /** NaN when the event loop was not looked at. */
  readonly delayMs: number;
  readonly peakBytes: number;
}

/** CPU, peak memory and, if `delay` is true, event-loop delays count from now on. */
export async function reset(
  { child }: Pair,
  { delay }: { readonly delay: boolean },
): Promise<void> {
  await child.ask({ do: 'reset', delay }, 'reset');
}

export async function spent({ child }: Pair): Promise<Spent> {
  const report = await child.ask({ do: 'report' }, 'report');
  return {
    cpuMs: numberIn(report, 'cpuMs'),
    delayMs: report.delayMs === undefined ? Number.NaN : numberIn(report, 'delayMs'),
    peakBytes: numberIn(report, 'peakBytes'),
  };
}

/** Lets the subject begin. @returns how long it took until its first lists were known. */
export async function untilSynced({ child }: Pair): Promise<number> {
  const going = await child.ask({ do: 'go' }, 'going');
  return numberIn(await child.hear('synced'), 'ms') - numberIn(going, 'ms');
}

export async function expectMarker({ child }: Pair, marker: string): Promise<void> {
  await child.ask({ do: 'expect', marker, events: 1, keys: 0, bytes: 0 }, 'ready');
}

/** So many events over the first `keys` objects, the last of them a new one. @returns ms until all were seen. */
export async function burst(
  pair: Pair,
  { events, keys, marker }: { events: number; keys: number; marker: string },
): Promise<number> {
  const { server, child } = pair;
  await server.ask({ do: 'prepare', events, keys, marker }, 'prepared');
  await expectMarker(pair, marker);
  const sent = await server.ask({ do: 'send' }, 'sent');
  return millisecondsBetween(nanosecondsIn(sent, 'startedNs'), await child.hear('seen'));
}

/** From a time to what a message says of `atNs`. */
export function millisecondsBetween(startNs: bigint, message: Message): number {
  return Number(nanosecondsIn(message, 'atNs') - startNs) / 1e6;
}

/** @throws Error when a cache, or what a controller has acted upon, is not what the server holds. */
export async function requireSameState({ server, child }: Pair): Promise<void> {
  const { digest } = await server.ask({ do: 'digest' }, 'digest');
  const { digests } = await child.ask({ do: 'states' }, 'states');
  if (JSON.stringify(digests) === JSON.stringify([digest])) return;
  const found = Array.isArray(digests) ? digests.length : 0;
  throw new Error(`not all states are the server's: ${found} different ones`);
}
