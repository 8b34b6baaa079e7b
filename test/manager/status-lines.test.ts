import { FakeClock } from '@chancery/testing';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { AmbassadorError } from '../../operator/core/errors.ts';
import { type StatusLine, StatusLines } from '../../operator/manager/sources/status-log.ts';
import { ApiError } from '../../operator/model/status.ts';
import type { Reason } from '../../operator/watch/policy/classify.ts';
import type { ReflectorStatus } from '../../operator/watch/reflector-status.ts';
import { expired, FakeCollection, type OpenWatch } from '../support/fake-collection.ts';
import { start } from '../watch/started-reflector.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

interface SaidLine extends StatusLine {
  readonly atMs: number;
}

/** What is said, and when. */
function listener(clock: FakeClock) {
  const said: SaidLine[] = [];
  const lines = new StatusLines(clock, (line) => {
    said.push({ ...line, atMs: clock.monotonic() });
  });
  return { lines, said, words: () => said.map(wordOf) };
}

function wordOf({ status: { health, reason }, changes, unsteady }: StatusLine): string {
  const word = reason === undefined ? health : `${health}: ${reason}`;
  return `${word}${changes > 1 ? ` (${changes} changes)` : ''}${unsteady ? ' unsteady' : ''}`;
}

/** The most lines in any hour. */
function mostInAnHour(said: readonly SaidLine[]): number {
  const within = said.map(
    ({ atMs: from }) => said.filter(({ atMs }) => atMs >= from && atMs < from + HOUR_MS).length,
  );
  return Math.max(0, ...within);
}

function status(health: ReflectorStatus['health'], reason?: Reason): ReflectorStatus {
  return { health, reason, error: undefined, retryInMs: undefined };
}
const healthy = (): ReflectorStatus => status('healthy');
const failing = (reason: Reason = 'broken'): ReflectorStatus => status('failing', reason);

/** A reflector whose server does with each watch what `served` says, for as long as it is told to. */
function flapping(served: (watch: OpenWatch, turn: number, clock: FakeClock) => void) {
  const clock = new FakeClock();
  const { lines, said, words } = listener(clock);
  const collection = new FakeCollection();
  const watch = collection.watch.bind(collection);
  let flaps = true;
  let turn = 0;
  collection.watch = async (request) => {
    const events = await watch(request);
    if (flaps) served(collection.newestWatch, turn++, clock);
    return events;
  };
  const { stop } = start({ clock }, collection, (to) => lines.changed(to));
  onTestFinished(stop);
  return {
    ...{ clock, collection, said, words },
    calm: () => {
      flaps = false;
    },
  };
}

function cutAfter(ms: number, error: () => Error = lost) {
  return (watch: OpenWatch, _: number, clock: FakeClock): void => {
    clock.schedule(ms, () => watch.fail(error()));
  };
}

describe('log lines of a source', () => {
  test.each([
    ['cuts every watch after 1.1 s', cutAfter(1_100)],
    ['cuts every watch after 5 s', cutAfter(5_000)],
    ['cuts every watch after 31 s', cutAfter(31_000)],
    ['cuts every watch after 61 s', cutAfter(61_000)],
    ['cuts every watch after 5 minutes', cutAfter(300_000)],
    ['answers 429 in every watch after 5 s', cutAfter(5_000, () => new ApiError({ code: 429 }))],
    ['answers 410 in every watch after 5 s', cutAfter(5_000, expired)],
    [
      'refuses every second watch, and cuts the others after 31 s',
      (watch: OpenWatch, turn: number, clock: FakeClock): void => {
        if (turn % 2 === 0) throw refused();
        cutAfter(31_000)(watch, turn, clock);
      },
    ],
    [
      'refuses every second watch with changing errors, and cuts the others after 5 s with changing errors',
      (watch: OpenWatch, turn: number, clock: FakeClock): void => {
        const errors = [refused, lost, upstream, () => new ApiError({ code: 503 }), forbidden];
        const error = errors[turn % errors.length] ?? lost;
        if (turn % 2 === 0) throw error();
        cutAfter(5_000, error)(watch, turn, clock);
      },
    ],
    [
      'cuts every watch after a bookmark',
      (watch: OpenWatch): void => {
        watch.send({ type: 'BOOKMARK', resourceVersion: '100', initialEventsEnd: false });
        watch.fail(lost());
      },
    ],
  ])('[W-41] if a server %s, a source writes at most ten log lines an hour, and logs the final state', async (_, served) => {
    const { calm, clock, collection, said } = flapping(served);

    await clock.advanceAndSettle(3 * HOUR_MS);
    calm();
    const calmAt = clock.monotonic();
    await clock.advanceAndSettle(HOUR_MS);

    expect(collection.watches.length).toBeGreaterThan(30);
    expect(mostInAnHour(said)).toBeLessThanOrEqual(10);
    const flaps = said.filter(({ atMs }) => atMs <= calmAt);
    if (flaps.length > 1) {
      const changes = flaps.reduce((sum, line) => sum + line.changes, 0);
      expect(changes).toBeGreaterThan(flaps.length); // what has no line of its own is in a number
      expect(flaps.slice(0, 4).map(({ changes }) => changes)).toEqual([1, 1, 1, 1]);
    }
    expect(said.at(-1)?.status.health).toBe('healthy');
    expect((said.at(-1)?.atMs ?? 0) - calmAt).toBeLessThanOrEqual(16 * MINUTE_MS);
  });

  test('[W-41] an outage, each of its reasons, and its end are logged at once', () => {
    const clock = new FakeClock();
    const { lines, said, words } = listener(clock);
    const changes = [healthy(), failing('broken'), failing('unreachable'), healthy()];

    for (const change of changes) {
      lines.changed(change);
      clock.advance(10_000);
    }

    expect(words()).toEqual(['healthy', 'failing: broken', 'failing: unreachable', 'healthy']);
    expect(said.map(({ atMs }) => atMs)).toEqual([0, 10_000, 20_000, 30_000]);
    expect(clock.pending).toBe(0);
  });

  test('[W-41] the end of an outage and the next outage are logged at once, however many reasons the outage has', () => {
    const clock = new FakeClock();
    const { lines, words } = listener(clock);
    const reasons: Reason[] = ['broken', 'unreachable', 'overloaded', 'server-error', 'expired'];

    lines.changed(healthy());
    for (const reason of reasons) lines.changed(failing(reason));
    lines.changed(healthy());
    lines.changed(failing());

    expect(words()).toEqual([
      'healthy',
      'failing: broken',
      'failing: unreachable',
      'healthy (4 changes)',
      'failing: broken unsteady',
    ]);
  });

  test('[W-41] if a flapping source keeps a state for a minute, the state is logged', () => {
    const clock = new FakeClock();
    const { lines, said, words } = listener(clock);

    for (let turn = 0; turn < 10; turn++) {
      lines.changed(turn % 2 === 0 ? healthy() : failing());
      clock.advance(1_000);
    }
    lines.changed(healthy());
    lines.changed(failing('unreachable'));
    clock.advance(59_999);
    const before = said.length;
    clock.advance(1);

    expect(before).toBe(5);
    expect(words().slice(3)).toEqual([
      'failing: broken',
      'healthy unsteady',
      'failing: unreachable (7 changes) unsteady',
    ]);
  });

  test('[W-41] a source that changes its state every minute or two causes at most ten log lines an hour', () => {
    const clock = new FakeClock();
    const { lines, said } = listener(clock);

    for (let turn = 0; turn < 120; turn++) {
      lines.changed(turn % 2 === 0 ? healthy() : failing());
      clock.advance(turn % 3 === 0 ? 61_000 : 2 * MINUTE_MS);
    }

    expect(mostInAnHour(said)).toBeLessThanOrEqual(10);
    const gaps = said.slice(1).map(({ atMs }, index) => atMs - (said[index]?.atMs ?? 0));
    expect(Math.max(...gaps)).toBeLessThan(18 * MINUTE_MS);
  });

  test('[W-41] changes that are soon undone do not use up the log line that is reserved for lasting changes', () => {
    const clock = new FakeClock();
    const { lines, words } = listener(clock);

    for (let turn = 0; turn < 7; turn++) lines.changed(turn % 2 === 0 ? healthy() : failing());
    clock.advance(5 * MINUTE_MS);
    const flapped = words().slice(5);
    lines.changed(failing());
    clock.advance(MINUTE_MS);
    const lasting = words().slice(5);

    expect(flapped).toEqual([]);
    expect(lasting).toEqual(['failing: broken (3 changes) unsteady']);
  });

  test('[W-41] if two more log lines are allowed, changes that are soon undone are summed up in one line', () => {
    const clock = new FakeClock();
    const { lines, words } = listener(clock);

    for (let turn = 0; turn < 7; turn++) lines.changed(turn % 2 === 0 ? healthy() : failing());
    clock.advance(15 * MINUTE_MS);

    expect(words().slice(5)).toEqual(['healthy (2 changes) unsteady']);
  });

  test('[W-41] a source that keeps flapping gets a log line with the number of changes every quarter of an hour', () => {
    const clock = new FakeClock();
    const { lines, said } = listener(clock);

    for (let turn = 0; turn < 720; turn++) {
      lines.changed(turn % 2 === 0 ? healthy() : failing());
      clock.advance(10_000);
    }

    const later = said.slice(5);
    expect(later.length).toBeGreaterThan(6);
    for (const { changes, unsteady } of later) {
      expect(changes).toBeGreaterThanOrEqual(85);
      expect(unsteady).toBe(true);
    }
  });

  test('[W-41] twenty minutes after the source has calmed down, a change is logged at once again', () => {
    const clock = new FakeClock();
    const { lines, words } = listener(clock);

    for (let turn = 0; turn < 11; turn++) lines.changed(turn % 2 === 0 ? healthy() : failing());
    clock.advance(30 * MINUTE_MS);
    const calm = words().length;
    lines.changed(failing('unreachable'));

    expect(words().slice(calm)).toEqual(['failing: unreachable unsteady']);
  });

  test('[W-41] stopping a source is logged at once, and leaves no timer behind', () => {
    const clock = new FakeClock();
    const { lines, words } = listener(clock);

    for (let turn = 0; turn < 8; turn++) lines.changed(turn % 2 === 0 ? healthy() : failing());
    const waiting = clock.pending;
    lines.changed(status('stopped'));

    expect(waiting).toBe(1);
    expect(words().at(-1)).toBe('stopped (4 changes) unsteady');
    expect(clock.pending).toBe(0);
  });

  test('[W-41] any source causes at most ten log lines an hour, and after a quarter of an hour the last line is correct', () => {
    const word = fc.constantFrom(
      ...[healthy(), failing(), failing('unreachable'), status('unserved', 'unserved')],
      status('forbidden', 'forbidden'),
    );
    const pauseMs = fc.oneof(fc.nat(2_000), fc.nat(90_000), fc.nat(20 * MINUTE_MS));

    fc.assert(
      fc.property(fc.array(fc.tuple(word, pauseMs), { maxLength: 150 }), (changes) => {
        const clock = new FakeClock();
        const { lines, said } = listener(clock);
        let last: ReflectorStatus | undefined;

        for (const [next, ms] of changes) {
          if (next.health !== last?.health || next.reason !== last.reason) lines.changed(next);
          last = next;
          clock.advance(ms);
        }
        clock.advance(15 * MINUTE_MS);
        const health = said.at(-1)?.status.health;
        clock.advance(15 * MINUTE_MS);

        expect(health).toBe(last?.health);
        expect(mostInAnHour(said)).toBeLessThanOrEqual(10);
        expect(clock.pending).toBe(0);
      }),
    );
  });
});

function refused(): AmbassadorError {
  return new AmbassadorError('refused', { code: 'AMBASSADOR_UNREACHABLE', fate: 'not-sent' });
}
function lost(): AmbassadorError {
  return new AmbassadorError('cut', { code: 'CONNECTION_LOST', fate: 'unknown' });
}
function upstream(): AmbassadorError {
  return new AmbassadorError('dial', { code: 'AMBASSADOR_UPSTREAM', fate: 'not-sent' });
}
function forbidden(): ApiError {
  return new ApiError({ code: 403, reason: 'Forbidden' });
}
