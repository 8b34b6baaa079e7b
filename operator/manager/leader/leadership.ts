import type { Fence } from '../../client/connection.ts';

/** What decides who leads, as far as a manager knows it. */
interface Elector extends Fence {
  /** Resolves when this process leads. @throws `signal.reason` when aborted first. */
  acquire(signal: AbortSignal): Promise<void>;
  /** Keeps it until `signal` aborts. @throws LeadershipLostError `LEADERSHIP_LOST` when it is lost. */
  hold(signal: AbortSignal): Promise<void>;
  /** Gives it back, once nothing acts by it any more; within `limitMs`. Never rejects. */
  release(limitMs?: number): Promise<void>;
  /** False when the process should have ended long ago. */
  readonly healthy: boolean;
  /** By when, on the monotonic clock, a process that has lost it must be gone. */
  readonly exitBy: number;
}

/** One candidacy: it is won at most once, and then lost or ended. */
export class Leadership {
  readonly elector: Elector;
  readonly #hold = new AbortController();
  #acquiring: Promise<void> | undefined;
  #holding: Promise<void> | undefined;
  #isHeld = false;

  constructor(elector: Elector) {
    this.elector = elector;
  }

  /** True from the gain to the loss or the end. */
  get isHeld(): boolean {
    return this.#isHeld;
  }

  /**
   * Waits for leadership and begins to hold it; resolves to whether it is ours.
   *
   * @param lost - called when it is lost, and not when it is ended.
   * @throws what the elector throws that is not the stop.
   */
  async gain(signal: AbortSignal, lost: (error: unknown) => void): Promise<boolean> {
    this.#acquiring = this.elector.acquire(signal);
    try {
      await this.#acquiring;
    } catch (error) {
      if (signal.aborted) return false;
      throw error;
    }
    this.#isHeld = true;
    this.#holding = this.elector.hold(this.#hold.signal).catch((error: unknown) => {
      this.#isHeld = false;
      lost(error);
    });
    return true;
  }

  /**
   * Holds it no longer, nor stands for it: the signal of `gain` has been aborted before.
   *
   * @param release - false leaves the Lease to expire: what acts by it may still be at work.
   * @param limitMs - how long it may take to give it back.
   */
  async end(release: boolean, limitMs: number): Promise<void> {
    this.#hold.abort(new Error('leadership is not wanted any more'));
    await this.#acquiring?.catch(() => {}); // its failure is told by `gain`
    await this.#holding;
    if (release && this.#isHeld) await this.elector.release(limitMs);
    this.#isHeld = false;
  }
}
