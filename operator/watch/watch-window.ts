import { linkedAbort } from '../core/abort.ts';
import type { Clock } from '../core/clock.ts';
import type { KubernetesObject } from '../model/object.ts';
import type { WatchEvent } from '../model/watch-event.ts';
import { type Outcome, SHORT_WATCH_MS } from './classify.ts';
import type { ListWatch } from './list-watch.ts';

/** What the server is given beyond its own deadline before the line is taken for dead. */
const GRACE_MS = 10_000;

/** Silence after which a line is dead whose bookmarks have come every minute. */
const PROVEN_SILENCE_MS = 90_000;

/** Longest gap of a window that proves that bookmarks come. */
const PROOF_GAP_MS = 75_000;

export interface WindowRequest {
  readonly resourceVersion: string;
  readonly timeoutSeconds: number;
  /** The window before saw a line at least every 75 s: silence means more now. */
  readonly livelyBefore: boolean;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** What one watch, from opening to end, showed. */
export interface WindowReport {
  readonly outcome: Outcome;
  /** The server accepted it; how long it lived after that. */
  readonly acceptedForMs: number | undefined;
  /** Events and bookmarks. */
  readonly lines: number;
  /** A line came at least every 75 s. */
  readonly lively: boolean;
}

/** What happens to a window's contents; both are awaited, so that a slow consumer slows the socket. */
export interface WindowSink<T extends KubernetesObject> {
  /** The server has accepted the watch. */
  accepted(): void;
  /** It has delivered something, or has lived for a second: it is more than accepted. */
  proven(): void;
  events(batch: readonly WatchEvent<T>[]): void | Promise<void>;
}

/**
 * One watch, with timers of its own: a server-side timeout ends no half-open connection.
 *
 * Never throws for a failed watch: the report says how it ended. An abort of `signal` shows as the
 * outcome of a failed stream. What the sink throws is thrown: a bug must not pass for a bad line.
 */
export async function watchWindow<T extends KubernetesObject>(
  source: Pick<ListWatch<T>, 'watch'>,
  sink: WindowSink<T>,
  request: WindowRequest,
): Promise<WindowReport> {
  const { clock, timeoutSeconds, resourceVersion } = request;
  using line = linkedAbort(request.signal);
  const openedAt = clock.monotonic();
  const hardLimitMs = timeoutSeconds * 1_000 + GRACE_MS;
  const silenceMs = request.livelyBefore ? Math.min(PROVEN_SILENCE_MS, hardLimitMs) : hardLimitMs;
  let activeAt = openedAt;
  let handing = false;
  let stalled = false;
  let bug: { readonly error: unknown } | undefined;
  let lines = 0;
  let lastLineAt = openedAt;
  let longestGapMs = 0;
  let acceptedAt: number | undefined;

  const limitAt = (): number => Math.min(openedAt + hardLimitMs, activeAt + silenceMs);
  const check = (): void => {
    const leftMs = limitAt() - clock.monotonic();
    // A consumer that holds a batch keeps us from reading: that is not the line's silence.
    if (leftMs > 0 || handing) cancelCheck = clock.schedule(Math.max(leftMs, 1_000), check);
    else cancelCheck = confirm();
  };
  // After a stall of our own event loop the bytes may be waiting: let them in before judging.
  const confirm = (): (() => void) => {
    const seenAt = activeAt;
    const turn = setImmediate(() => {
      if (activeAt !== seenAt) return check();
      stalled = true;
      line.abort(new Error('watch stalled'));
    });
    return () => clearImmediate(turn);
  };
  let cancelCheck = clock.schedule(limitAt() - openedAt, check);
  let cancelProof = (): void => {};

  const report = (outcome: Outcome): WindowReport => ({
    outcome,
    lines,
    lively: lines > 0 && Math.max(longestGapMs, clock.monotonic() - lastLineAt) <= PROOF_GAP_MS,
    acceptedForMs: acceptedAt === undefined ? undefined : clock.monotonic() - acceptedAt,
  });
  try {
    const batches = await source.watch({
      resourceVersion,
      timeoutSeconds,
      onActivity: () => {
        activeAt = clock.monotonic();
      },
      signal: line.signal,
    });
    acceptedAt = clock.monotonic();
    activeAt = acceptedAt;
    sink.accepted();
    cancelProof = clock.schedule(SHORT_WATCH_MS, () => sink.proven());
    for await (const batch of batches) {
      if (line.signal.aborted) break;
      const nowMs = clock.monotonic();
      longestGapMs = Math.max(longestGapMs, nowMs - lastLineAt);
      lastLineAt = nowMs;
      activeAt = nowMs;
      lines += batch.length;
      sink.proven();
      handing = true;
      try {
        await sink.events(batch);
      } catch (error) {
        bug = { error };
        throw error;
      }
      handing = false;
      activeAt = clock.monotonic();
    }
    if (stalled) return report({ during: 'stream', stalled });
    return report({ during: 'stream', lines, livedMs: clock.monotonic() - acceptedAt });
  } catch (error) {
    if (bug !== undefined) throw bug.error;
    if (stalled) return report({ during: 'stream', stalled });
    return report({ during: acceptedAt === undefined ? 'open' : 'stream', error });
  } finally {
    cancelCheck();
    cancelProof();
  }
}
