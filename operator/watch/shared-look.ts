import { abortable } from '../core/abort.ts';
import type { Clock } from '../core/clock.ts';
import type { Discovery } from './discovery.ts';
import { untilLook } from './expected-served.ts';

/**
 * What a look came to. `gone`: not served, and its CustomResourceDefinition is no more. `unknown`:
 * discovery did not answer, or is not allowed; only the resource itself can be asked.
 */
type Finding = 'served' | 'absent' | 'gone' | 'unknown';

interface LookOptions {
  readonly clock: Clock;
  /** How long from now, for the first of those who share the look; the others join it. */
  readonly delayMs: number;
  /** Ask for the CustomResourceDefinition too, when the resource is not served. */
  readonly confirmsGone: boolean;
  readonly signal: AbortSignal;
}

/** The looks to come: one at most for each client, group and version. */
const looks = new WeakMap<object, Map<string, SharedLook>>();

/**
 * Whether the server serves a resource, asked of discovery: one request for all sources of a client
 * that wait for a resource of the same group and version at the same time. It is not sent, or is
 * aborted, when the last of them is.
 *
 * @throws `signal.reason` when aborted; then nothing of the look is left that nobody else waits for.
 */
export async function lookFor(
  discovery: Discovery,
  { clock, delayMs, confirmsGone, signal }: LookOptions,
): Promise<Finding> {
  signal.throwIfAborted();
  const look = sharedLook(discovery, clock, delayMs);
  look.join();
  try {
    const served = await abortable(look.served, signal);
    if (served === undefined) return 'unknown';
    discovery.onAnswer?.();
    if (served.includes(discovery.plural)) return 'served';
    if (!confirmsGone) return 'absent';
    return (await abortable(look.isGone(discovery), signal)) ? 'gone' : 'absent';
  } finally {
    await look.leave();
  }
}

function sharedLook(discovery: Discovery, clock: Clock, delayMs: number): SharedLook {
  const { client, groupVersion } = discovery;
  const ofClient = looks.get(client) ?? new Map<string, SharedLook>();
  looks.set(client, ofClient);
  const known = ofClient.get(groupVersion);
  if (known !== undefined) return known;
  const look = new SharedLook(() => {
    if (ofClient.get(groupVersion) === look) ofClient.delete(groupVersion);
  });
  ofClient.set(groupVersion, look);
  look.begin(discovery, clock, delayMs);
  return look;
}

class SharedLook {
  /** What the server lists; undefined when it could not be asked. Never rejects. */
  served: Promise<readonly string[] | undefined> = Promise.resolve(undefined);
  readonly #stop = new AbortController();
  readonly #over: () => void;
  /** Answers about definitions, by plural. */
  readonly #gone = new Map<string, Promise<boolean>>();
  #waiting = 0;

  /** @param over - called when nobody can join any more. */
  constructor(over: () => void) {
    this.#over = over;
  }

  /** Asks in `delayMs`. */
  begin(discovery: Discovery, clock: Clock, delayMs: number): void {
    this.served = this.#look(discovery, clock, delayMs);
  }

  join(): void {
    this.#waiting++;
  }

  /** The last to leave ends what is still under way, and waits for its end. */
  async leave(): Promise<void> {
    this.#waiting--;
    if (this.#waiting > 0) return;
    this.#over();
    this.#stop.abort(new Error('nobody waits for the resource any more'));
    await Promise.allSettled([this.served, ...this.#gone.values()]);
  }

  /** Asked once, however many sources have the resource. */
  isGone(discovery: Discovery): Promise<boolean> {
    const { plural } = discovery;
    const asked = this.#gone.get(plural) ?? discovery.isDefinitionGone(this.#stop.signal);
    this.#gone.set(plural, asked);
    return asked;
  }

  async #look(
    discovery: Discovery,
    clock: Clock,
    delayMs: number,
  ): Promise<readonly string[] | undefined> {
    const { signal } = this.#stop;
    try {
      await untilLook(clock, discovery.groupVersion, delayMs, signal);
      return await discovery.served(signal);
    } catch {
      return undefined; // the source meets the same failure when it asks for itself, and reports it
    } finally {
      this.#over();
    }
  }
}
