/** The recorder drops or combines Events when a source records too many of them. */

import { settle } from '@chancery/testing';
import { describe, expect, test } from 'vitest';
import { MINUTE_MS, note, object, SECOND_MS, setup } from './api-event-recorder-setup.ts';

describe('[K-58] the limits for Events', () => {
  test('a source may send 25 Events about one object, and then one in 300 s', async () => {
    const { clock, sent, dropped, recorder } = setup();
    const flood = async (about: string): Promise<void> => {
      for (let index = 0; index < 30; index++) {
        recorder.record(note({ reason: `R${index}${about}`, regarding: object({ uid: about }) }));
      }
      await settle();
    };
    await flood('u1');
    await flood('u2');
    const atOnce = [sent.length, dropped('rate-limited')];
    const rested: number[] = [];

    for (const waitMs of [300_000 - 1, 1, 600_000]) {
      await clock.advanceAndSettle(waitMs);
      for (let index = 0; index < 5; index++) {
        recorder.record(note({ reason: `S${waitMs}${index}` }));
      }
      await settle();
      rested.push(sent.length);
    }

    expect(atOnce).toEqual([50, 10]);
    expect(rested).toEqual([50, 51, 53]);
  });

  test('one limit applies to all Events of a controller, whatever their reporters', async () => {
    const { sent, recorder } = setup();

    for (let index = 0; index < 30; index++) recorder.record(note({ reporter: `r${index}` }));
    await settle();

    expect(sent).toHaveLength(25);
  });

  test('the limit of one controller does not affect the Events of another controller', async () => {
    const { sent, all, recorder } = setup();
    for (let index = 0; index < 30; index++) recorder.record(note({ reason: `R${index}` }));

    all.for('other').record(note());
    await settle();

    expect(sent).toHaveLength(26);
  });

  test('dropped Events are logged in one line per minute, whatever their number', async () => {
    const { clock, logged, recorder } = setup();
    for (let index = 0; index < 100; index++) recorder.record(note({ reason: `R${index}` }));
    await clock.advanceAndSettle(MINUTE_MS);
    recorder.record(note({ reason: 'Another' }));

    expect(logged.map(({ fields }) => fields)).toEqual([
      { controller: 'test', reason: 'rate-limited', count: 1 },
      { controller: 'test', reason: 'rate-limited', count: 75 },
    ]);
  });

  test('Events that differ only in their notes are combined into one from the tenth on', async () => {
    const { clock, sent, patched, recorder } = setup();

    for (let index = 1; index <= 50; index++) recorder.record(note({ note: `pod ${index}` }));
    await clock.advanceAndSettle(10 * MINUTE_MS);

    const notes = sent.map((event) => event.note);
    expect(notes.slice(0, 9)).toEqual(Array.from({ length: 9 }, (_, index) => `pod ${index + 1}`));
    expect(notes.slice(9)).toEqual(['(combined from similar events): pod 10']);
    expect(patched.map(({ count }) => count)).toEqual([41]);
  });

  test('Events with the same note, or spread over more than 600 s, are not combined', async () => {
    const { clock, sent, recorder } = setup();

    for (let index = 0; index < 20; index++) {
      recorder.record(note({ note: `pod ${index}` }));
      recorder.record(note({ reason: 'Other' }));
      await clock.advanceAndSettle(67 * SECOND_MS);
    }

    expect(sent.filter((event) => event.note?.includes('combined'))).toEqual([]);
  });

  test('the note of a combined Event is cut to the length that the API allows', async () => {
    const { sent, recorder } = setup();

    for (let index = 10; index < 20; index++) {
      recorder.record(note({ note: `${index}${'é'.repeat(511)}` }));
    }
    await settle();

    expect(sent.at(-1)?.note).toMatch(/^\(combined from similar events\): 19é+$/);
    expect(Buffer.byteLength(sent.at(-1)?.note ?? '')).toBeLessThanOrEqual(1_024);
  });
});
