import type { Clock } from '../core/clock.ts';

interface WatchdogOptions {
  readonly clock: Clock;
  /** When the line is dead, if nothing has come since `activeAt`. Asked anew at every check. */
  readonly limitAt: (activeAt: number) => number;
  /** Called once, when the line is dead. */
  readonly cut: () => void;
}

/** Finds dead connections: no server ends those, and no socket reports them. */
interface Watchdog {
  /** Something came. */
  active(): void;
  /** While a consumer holds what came, we do not read: that is not the line's silence. */
  hold(): void;
  release(): void;
  /** It has cut the line. */
  readonly fired: boolean;
  stop(): void;
}

/** A watchdog that runs until it is stopped. */
export function watchdog({ clock, limitAt, cut }: WatchdogOptions): Watchdog {
  let activeAt = clock.monotonic();
  let held = false;
  let fired = false;

  const check = (): void => {
    const leftMs = limitAt(activeAt) - clock.monotonic();
    if (leftMs > 0 || held) cancel = clock.schedule(Math.max(leftMs, 1_000), check);
    else cancel = confirm();
  };
  // After a stall of our own event loop the bytes may be waiting: let them in before judging.
  const confirm = (): (() => void) => {
    const seenAt = activeAt;
    const turn = setImmediate(() => {
      if (activeAt !== seenAt || held) return check();
      fired = true;
      cut();
    });
    return () => clearImmediate(turn);
  };
  let cancel = clock.schedule(limitAt(activeAt) - activeAt, check);

  return {
    active: () => {
      activeAt = clock.monotonic();
    },
    hold: () => {
      held = true;
    },
    release: () => {
      held = false;
      activeAt = clock.monotonic();
    },
    get fired() {
      return fired;
    },
    stop: () => cancel(),
  };
}
