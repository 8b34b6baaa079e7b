import { once } from 'node:events';
import { eventually, FakeClock, RecordingMeter } from '@chancery/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { sleep, systemClock } from '../../operator/core/clock.ts';
import {
  type DelayMonitor,
  nodeDelayMonitor,
  watchEventLoop,
} from '../../operator/manager/observe/event-loop-watch.ts';
import { recordingLog } from '../support/recording-log.ts';

const SECONDS = 'chancery_event_loop_delay_seconds';

/** A monitor that reads what the test says, and 0 again after that. */
class SetMonitor implements DelayMonitor {
  running = false;
  nextMs = 0;

  start(): void {
    this.running = true;
  }

  stop(): void {
    this.running = false;
  }

  takeMaxMs(): number {
    const taken = this.nextMs;
    this.nextMs = 0;
    return taken;
  }
}

function world() {
  const clock = new FakeClock();
  const meter = new RecordingMeter();
  const monitor = new SetMonitor();
  const { lines, logFor } = recordingLog();
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  const watching = watchEventLoop({ clock, meter, log: logFor({}), monitor }, stop.signal);
  /** A second in which the loop stood still for so long. */
  const second = async (delayMs: number): Promise<void> => {
    monitor.nextMs = delayMs;
    await clock.advanceAndSettle(1_000);
  };
  return { clock, meter, monitor, lines, stop, watching, second };
}

describe('watchEventLoop', () => {
  test('[K-6] watchEventLoop measures the longest delay of each second', async () => {
    const { meter, second } = world();

    for (const delayMs of [3, 0, 250, 1_000]) await second(delayMs);

    expect(meter.observations(SECONDS)).toEqual([0.003, 0, 0.25, 1]);
  });

  test('[K-6] an event loop that is blocked for more than a second is logged as a warning, with the remedy', async () => {
    const { lines, second } = world();

    await second(1_000);
    const atTheLimit = lines.length;
    await second(1_000.6);

    expect(atTheLimit).toBe(0);
    expect(lines).toEqual([
      {
        level: 'warn',
        message: 'event loop was blocked, leases and timers are late',
        fields: { delayMs: 1001, remedy: expect.stringContaining('worker thread') },
      },
    ]);
  });

  test('[K-6] an event loop that is blocked repeatedly is logged once a minute, with the number of blocks', async () => {
    const { lines, second } = world();

    for (let at = 0; at < 61; at++) await second(at % 2 === 0 ? 1_500 : 0);

    expect(lines.map(({ fields }) => [fields.delayMs, fields.before])).toEqual([
      [1_500, undefined],
      [1_500, 29],
    ]);
  });

  test('watchEventLoop stops when its signal aborts, and leaves neither a timer nor a monitor behind', async () => {
    const { clock, monitor, stop, watching } = world();
    const during = [monitor.running, clock.pending];

    stop.abort();
    await watching;

    expect(during).toEqual([true, 1]);
    expect([monitor.running, clock.pending]).toEqual([false, 0]);
  });

  test('watchEventLoop starts nothing for an aborted signal', async () => {
    const clock = new FakeClock();
    const monitor = new SetMonitor();
    const log = recordingLog().logFor({});
    const meter = new RecordingMeter();

    await watchEventLoop({ clock, meter, log, monitor }, AbortSignal.abort());

    expect([monitor.running, clock.pending]).toEqual([false, 0]);
  });

  test('[K-6] watchEventLoop detects a real event loop that is busy for more than a second', async () => {
    const { lines, logFor } = recordingLog();
    const meter = new RecordingMeter();
    const stop = new AbortController();
    const told = new EventTarget();
    const log = {
      warn: (fields: object, message: string) => {
        logFor({}).warn(fields, message);
        told.dispatchEvent(new Event('warned'));
      },
    };
    const watching = watchEventLoop({ clock: systemClock, meter, log }, stop.signal);
    const warned = once(told, 'warned');
    await eventually(() => meter.observations(SECONDS).length === 1);

    beBusy(1_300); // as a reconciler that parses too much
    await warned;
    stop.abort();
    await watching;

    const delayMs = Number(lines[0]?.fields.delayMs);
    expect(delayMs).toBeGreaterThan(1_200);
    expect(Math.max(...meter.observations(SECONDS))).toBeCloseTo(delayMs / 1_000, 2);
  });
});

/** Blocks the loop as a computation does, and leaves the core to other tests. */
function beBusy(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

/** Resolves when the loop has turned for so long. */
async function turn(ms: number): Promise<void> {
  await sleep(systemClock, ms, new AbortController().signal);
}

test('[K-6] the delay monitor of Node notices every block of the event loop between two readings', async () => {
  const monitor = nodeDelayMonitor();
  monitor.start();
  onTestFinished(() => monitor.stop());
  await turn(150);
  const missed: object[] = [];

  for (const [at, pauseMs] of [0, 1, 30, 75, 0, 0].entries()) {
    const blockedMs = 200 + 100 * at;
    await turn(pauseMs);
    beBusy(blockedMs);
    await turn(120);
    const seenMs = monitor.takeMaxMs();
    if (seenMs < blockedMs - 60) missed.push({ pauseMs, blockedMs, seenMs });
  }

  expect(missed).toEqual([]);
});

test('the delay monitor of Node reports a short delay as short, and resets after each reading', async () => {
  const monitor = nodeDelayMonitor();
  monitor.start();
  onTestFinished(() => monitor.stop());

  const taken: number[] = [];
  await eventually(() => taken.push(monitor.takeMaxMs()) > 5);

  expect(Math.min(...taken)).toBeLessThan(500);
  expect(taken.every((ms) => ms >= 0)).toBe(true);
});
