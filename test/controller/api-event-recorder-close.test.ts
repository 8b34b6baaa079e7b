/** At the end of the process the recorder sends the Events that wait. It gives up after 5 s. */

import { FakeClock, settle } from '@chancery/testing';
import { describe, expect, test } from 'vitest';
import { ApiEventRecorder } from '../../operator/controller/events/api-event-recorder.ts';
import {
  type Fate,
  note,
  noteAbout,
  SECOND_MS,
  SELF,
  setup,
  UNREACHABLE,
} from './api-event-recorder-setup.ts';

describe('[K-55] the method `close` of the Event recorder', () => {
  test('`close` sends every Event that was recorded', async () => {
    const { clock, sent, all, recorder } = setup();
    for (let index = 0; index < 50; index++) recorder.record(noteAbout(index));

    await all.close();

    expect(sent).toHaveLength(50);
    expect(clock.pending).toBe(0);
  });

  test('`close` waits at most 5 s, and logs how many Events were dropped', async () => {
    const { clock, sent, logged, dropped, all, recorder } = setup({ fate: () => 'hangs' });
    for (let index = 0; index < 100; index++) recorder.record(noteAbout(index));
    let closed = false;
    const closing = all.close().then(() => {
      closed = true;
    });

    await clock.advanceAndSettle(5 * SECOND_MS - 1);
    const early = closed;
    await clock.advanceAndSettle(1);
    await closing;

    expect(early).toBe(false);
    expect(sent).toEqual([]);
    expect(dropped('closed')).toBe(100);
    expect(logged.map(({ fields }) => fields)).toEqual([
      { controller: 'test', reason: 'closed', count: 1 },
      { controller: 'test', reason: 'closed', count: 99 },
    ]);
    expect(clock.pending).toBe(0);
  });

  test('`close` retries a waiting Event at once, and not after 10 s', async () => {
    const fates: Fate[] = [UNREACHABLE];
    const { clock, sent, all, recorder } = setup({
      fate: () => fates.shift() ?? 'sent',
      random: 0.5,
    });
    recorder.record(note());
    await settle();

    await all.close();

    expect(sent).toHaveLength(1);
    expect(clock.pending).toBe(0);
  });

  test('`close` does not wait if the API server is unreachable', async () => {
    const { clock, dropped, all, recorder } = setup({ fate: () => UNREACHABLE, random: 0.5 });
    for (let index = 0; index < 100; index++) recorder.record(noteAbout(index));

    await all.close();

    expect(dropped('closed')).toBe(100);
    expect(clock.pending).toBe(0);
  });

  test('`close` does not wait for a request that ignores its abort signal', async () => {
    const clock = new FakeClock();
    const deaf = { create: () => new Promise<never>(() => {}), patch: () => expect.unreachable() };
    const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
    const recorder = new ApiEventRecorder({ client: deaf, clock, self: SELF, log });
    recorder.for('test').record(note());
    const closing = recorder.close();

    await clock.advanceAndSettle(5 * SECOND_MS);
    await closing;

    expect(clock.pending).toBe(0);
  });

  test('a closed recorder drops new Events', async () => {
    const { sent, dropped, all, recorder } = setup();

    await all.close();
    recorder.record(note());
    await settle();

    expect(sent).toEqual([]);
    expect(dropped('closed')).toBe(1);
  });
});
