import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Log } from '../../controller/reconciler.ts';
import { aborted } from '../../core/abort.ts';
import type { Clock } from '../../core/clock.ts';
import type { Meter } from '../../core/metrics.ts';

/** Measures how long the event loop is blocked. */
export interface DelayMonitor {
  start(): void;
  stop(): void;
  /** The longest delay since the last call, in milliseconds. */
  takeMaxMs(): number;
}

interface EventLoopWatchOptions {
  readonly clock: Clock;
  readonly meter: Meter;
  readonly log: Pick<Log, 'warn'>;
  /** Default: a monitor based on Node's event loop delay histogram. */
  readonly monitor?: DelayMonitor;
}

const LOOK_EVERY_MS = 1_000;

/** Milliseconds. A longer block affects timers, watches and the renewal of the Lease. */
const BLOCKED_MS = 1_000;

/** Milliseconds: if the loop is blocked repeatedly, a warning is logged at most once a minute. */
const QUIET_MS = 60_000;

/** The sampling interval of Node's monitor. Node adds it to each reading. */
const RESOLUTION_MS = 50;

/**
 * Watches the event loop until `signal` aborts. While the loop is blocked, no Lease is renewed, no timeout
 * fires and no probe is answered. Observes `chancery_event_loop_delay_seconds` once a second and logs a
 * warning above 1 s, at most once a minute.
 */
export async function watchEventLoop(
  { clock, meter, log, monitor = nodeDelayMonitor() }: EventLoopWatchOptions,
  signal: AbortSignal,
): Promise<void> {
  let quietUntil = Number.NEGATIVE_INFINITY;
  let untold = 0;
  let cancel = (): void => {};
  // After a block, JavaScript timers fire before the timers of the monitor. So the reading waits for
  // `setImmediate`.
  const wait = (): void => {
    cancel = clock.schedule(LOOK_EVERY_MS, () => setImmediate(measure));
  };
  const measure = (): void => {
    if (signal.aborted) return;
    wait();
    const delayMs = monitor.takeMaxMs();
    meter.observe('chancery_event_loop_delay_seconds', {}, delayMs / 1_000);
    if (delayMs <= BLOCKED_MS) return;
    if (clock.monotonic() < quietUntil) {
      untold++;
      return;
    }
    quietUntil = clock.monotonic() + QUIET_MS;
    const more = untold > 0 ? { before: untold } : {};
    untold = 0;
    log.warn(
      { delayMs: Math.round(delayMs), ...more, remedy: REMEDY },
      'event loop was blocked, leases and timers are late',
    );
  };
  if (signal.aborted) return;
  monitor.start();
  wait();
  try {
    await aborted(signal);
  } finally {
    cancel();
    monitor.stop();
  }
}

const REMEDY =
  'split long synchronous work, or move it to a worker thread; otherwise raise the CPU limit';

/**
 * A monitor based on Node's histogram. It does not keep the process alive.
 * A Node histogram measures nothing between its reset and its next tick, so it misses a block that begins in
 * between. Therefore two histograms are reset alternately: one of them records the block that the other
 * misses, unless the block is shorter than the previous one.
 */
export function nodeDelayMonitor(): DelayMonitor {
  let fresh = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  let old = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  let toldOfOld = 0;
  return {
    start: () => {
      fresh.enable();
      old.enable();
    },
    stop: () => {
      fresh.disable();
      old.disable();
    },
    takeMaxMs: () => {
      const maxNs = Math.max(fresh.max, old.max > toldOfOld ? old.max : 0);
      old.reset();
      [fresh, old] = [old, fresh];
      toldOfOld = old.max;
      return Math.max(0, maxNs / 1e6 - RESOLUTION_MS);
    },
  };
}
