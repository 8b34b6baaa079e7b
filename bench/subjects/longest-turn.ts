/** Between two looks: as often as the delay of the event loop is looked at. */
const LOOK_MS = 1;

/**
 * The most CPU time that this thread takes without a timer being due in between: what of a delay of the
 * event loop is our own work. The rest of a delay is the machine's, which had others to serve.
 */
export class LongestTurn {
  #timer: NodeJS.Timeout | undefined;
  /** Undefined before the first look. */
  #lastMs: number | undefined;
  #longestMs = 0;

  /** Begins anew, with the next turn: as `monitorEventLoopDelay` does. */
  start(): void {
    this.stop();
    this.#lastMs = undefined;
    this.#longestMs = 0;
    this.#timer = setInterval(() => this.#look(), LOOK_MS).unref();
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  /** Of the turns since `start`, the one under way included. */
  get ms(): number {
    if (this.#lastMs !== undefined) this.#look();
    return this.#longestMs;
  }

  #look(): void {
    const nowMs = threadCpuMs();
    this.#longestMs = Math.max(this.#longestMs, nowMs - (this.#lastMs ?? nowMs));
    this.#lastMs = nowMs;
  }
}

function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1e3;
}
