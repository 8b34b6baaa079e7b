import type { Clock } from '../../core/clock.ts';
import type { ObjectKey } from '../../model/object.ts';
import type { SharingStatus } from '../sharding/sharding.ts';
import type { KeyAnswer, KeysAnswer } from './key-answer.ts';
import type { KeyMemory } from './key-memory.ts';
import { isKnown, type KnownKey, keyStatus } from './key-status.ts';
import type { Surroundings } from './key-waits.ts';
import type { ObservedController } from './observed-controller.ts';
import type { FailingKey, ProcessStatus } from './process-status.ts';

interface KeyViewOptions {
  readonly clock: Clock;
  readonly controllers: () => Iterable<ObservedController>;
  readonly phase: () => ProcessStatus['phase'];
  readonly leadership: () => ProcessStatus['leadership'];
  readonly sharing: () => SharingStatus | undefined;
  /** If undefined, nothing is remembered. */
  readonly memory: KeyMemory | undefined;
}

/** Maximum number of failing keys in the status of a process. */
const MAX_FAILING = 20;

/** Maximum number of keys in one answer. */
const MAX_FOUND = 100;

/**
 * Maximum number of cached keys that one search compares in all controllers. A search of that many keys takes
 * a few milliseconds.
 */
const MAX_COMPARED = 50_000;

/** The filters of a search. */
export const KEY_FILTERS = ['all', 'failing', 'working', 'waiting'] as const;

export type KeyFilter = (typeof KEY_FILTERS)[number];

export interface KeySearch {
  /** A substring of the key. If empty, every key matches. */
  readonly text: string;
  /** Undefined for all controllers. */
  readonly controller: string | undefined;
  readonly filter: KeyFilter;
}

/** Answers questions about keys from memory. This has no effect on the keys. */
export class KeyView {
  readonly #options: KeyViewOptions;

  constructor(options: KeyViewOptions) {
    this.#options = options;
  }

  /** The names of all controllers. */
  get controllers(): readonly string[] {
    return Array.from(this.#options.controllers(), ({ activity }) => activity.name);
  }

  /** @param controller - the only controller to search. Default: all controllers. */
  why(key: ObjectKey, controller?: string): KeyAnswer {
    const asked = this.#asked(controller);
    const around = this.#surroundings();
    const nowMs = this.#options.clock.now();
    const known = asked.map((each) => this.#knownKey(each, key)).filter(isKnown);
    return {
      at: new Date(nowMs).toISOString(),
      key,
      asked: asked.map(({ activity }) => activity.name),
      known: known.map((each) => keyStatus(each, around, nowMs)),
      notes: known.length > 0 ? [] : notesOf(asked, around),
    };
  }

  /** The first matching keys, most urgent first. */
  search({ text, controller, filter }: KeySearch): KeysAnswer {
    const found = new FoundKeys(text);
    for (const each of this.#asked(controller)) {
      for (const { key } of this.#failingOf(each)) found.add(each, key, 'failing');
      for (const { key, state } of each.waiting()) {
        found.add(each, key, state === 'working' ? 'working' : 'waiting');
      }
      if (filter === 'all') for (const key of each.cachedKeys()) found.compare(each, key);
      found.end();
    }
    const nowMs = this.#options.clock.now();
    const around = this.#surroundings();
    return {
      at: new Date(nowMs).toISOString(),
      matching: found.count(filter),
      isComplete: found.isComplete,
      keys: found.first(filter).map(([of, key]) => {
        const status = keyStatus(this.#knownKey(of, key), around, nowMs);
        const { verdict, summary } = status;
        return { controller: status.controller, key, verdict, summary };
      }),
    };
  }

  /** The first keys whose last attempt failed: see `ProcessStatus.failing`. */
  failing(): readonly FailingKey[] {
    const all = Array.from(this.#options.controllers(), (each) => this.#failingOf(each)).flat();
    const first = all.toSorted((a, b) => urgency(b) - urgency(a)).slice(0, MAX_FAILING);
    return first.map(({ of, key, failures }) => {
      const remembered = this.#options.memory?.of(of.activity.name, key);
      const since = remembered?.failingSinceMs;
      const { dueInMs } = of.keyState(key);
      return {
        ...{ controller: of.activity.name, key, failures },
        since: since === undefined ? undefined : new Date(since).toISOString(),
        error: remembered?.last?.error,
        nextInMs: dueInMs === undefined ? undefined : Math.round(dueInMs),
      };
    });
  }

  /**
   * The failing keys of a controller, as far as this process works on them, most urgent first. A single
   * conflict is normal, so only repeated conflicts count as failures.
   */
  #failingOf(of: ObservedController): readonly FailedKey[] {
    const { name } = of.activity;
    const failing: FailedKey[] = [];
    for (const [key, { last }] of this.#options.memory?.failing(name) ?? []) {
      const { failures, group } = of.keyState(key);
      const isRetried = failures > (last?.outcome === 'conflict' ? 1 : 0);
      if (group?.isHere === false || !(isRetried || last?.outcome === 'terminal')) continue;
      failing.push({ of, key, failures });
    }
    return failing.toSorted((a, b) => urgency(b) - urgency(a));
  }

  #asked(name: string | undefined): readonly ObservedController[] {
    const all = [...this.#options.controllers()];
    return name === undefined ? all : all.filter(({ activity }) => activity.name === name);
  }

  #knownKey(controller: ObservedController, key: ObjectKey): KnownKey {
    const remembered = this.#options.memory?.of(controller.activity.name, key);
    return { controller, key, state: controller.keyState(key), remembered };
  }

  #surroundings(): Surroundings {
    const { phase, leadership, sharing } = this.#options;
    return { phase: phase(), leadership: leadership(), sharing: sharing() };
  }
}

interface FailedKey {
  readonly of: ObservedController;
  readonly key: ObjectKey;
  /** Number of failures in a row; 0 when the key is not retried. */
  readonly failures: number;
}

/** Keys that only a change can repair come before keys that are retried. */
function urgency({ failures }: FailedKey): number {
  return failures === 0 ? Number.POSITIVE_INFINITY : failures;
}

/** Possible reasons why no controller knows a key. */
function notesOf(
  asked: readonly ObservedController[],
  { leadership, sharing }: Surroundings,
): readonly string[] {
  const notes: string[] = [];
  for (const { activity, troubledSources } of asked) {
    for (const { resource, synced, health } of troubledSources) {
      if (!synced) notes.push(`${activity.name}: ${resource} has no first list (${health})`);
    }
  }
  if (leadership?.leads === false && leadership.holder) {
    notes.push(`this replica stands by: ${leadership.holder} leads, ask that one, too`);
  }
  if (sharing !== undefined) {
    const own = sharing.groups.filter(({ phase }) => phase === 'owning').length;
    notes.push(
      `replicas share the keys, and this one works on ${own} of ${sharing.groups.length} groups: ask the others, too`,
    );
  }
  return notes;
}

type FoundKey = readonly [of: ObservedController, key: ObjectKey];

/**
 * Keys that contain a search string, grouped by state. All keys of one controller are added before the keys
 * of the next controller.
 */
class FoundKeys {
  readonly #text: string;
  readonly #found: Record<KeyFilter, FoundKey[]> = {
    failing: [],
    working: [],
    waiting: [],
    all: [],
  };
  readonly #counts: Record<KeyFilter, number> = { failing: 0, working: 0, waiting: 0, all: 0 };
  #ofController = new Set<ObjectKey>();
  #compared = 0;
  isComplete = true;

  constructor(text: string) {
    this.#text = text;
  }

  /** Adds a key. Further calls for the same key are ignored. */
  add(of: ObservedController, key: ObjectKey, as: KeyFilter): void {
    if (!key.includes(this.#text) || this.#ofController.has(key)) return;
    this.#ofController.add(key);
    this.#put(of, key, as);
  }

  /** Like `add`, for a key that has nothing due, until the maximum number of comparisons is reached. */
  compare(of: ObservedController, key: ObjectKey): void {
    if (++this.#compared > MAX_COMPARED) this.isComplete = false;
    else if (key.includes(this.#text) && !this.#ofController.has(key)) this.#put(of, key, 'all');
  }

  /** Call this when all keys of one controller were added. */
  end(): void {
    this.#ofController = new Set();
  }

  count(filter: KeyFilter): number {
    if (filter !== 'all') return this.#counts[filter];
    return Object.values(this.#counts).reduce((sum, count) => sum + count, 0);
  }

  first(filter: KeyFilter): readonly FoundKey[] {
    if (filter !== 'all') return this.#found[filter];
    const { failing, working, waiting, all } = this.#found;
    return [...failing, ...working, ...waiting, ...all].slice(0, MAX_FOUND);
  }

  #put(of: ObservedController, key: ObjectKey, as: KeyFilter): void {
    this.#counts[as]++;
    if (this.#found[as].length < MAX_FOUND) this.#found[as].push([of, key]);
  }
}
