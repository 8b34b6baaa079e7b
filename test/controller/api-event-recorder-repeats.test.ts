/** An Event that comes again is counted in a series, and not sent again. */

import { settle } from '@chancery/testing';
import { describe, expect, test } from 'vitest';
import type { EventNote } from '../../operator/controller/events/event-recorder.ts';
import {
  MINUTE_MS,
  note,
  noteAbout,
  object,
  refusal,
  SECOND_MS,
  setup,
} from './api-event-recorder-setup.ts';

describe('[K-57] how repeats of an Event are counted', () => {
  test('a thousand repeats of an Event cause one POST and two PATCHes, whatever the resourceVersions', async () => {
    const { clock, sent, patched, recorder } = setup();

    for (let again = 1; again <= 1_000; again++) {
      const regarding = object({ uid: 'u1', resourceVersion: `${again}` });
      recorder.record(note({ regarding }));
      await clock.advanceAndSettle(SECOND_MS);
    }
    await clock.advanceAndSettle(30 * MINUTE_MS);

    expect(sent).toHaveLength(1);
    expect(sent[0]?.series).toBeUndefined();
    expect(patched.map(({ count }) => count)).toEqual([2, 1_000]);
    expect(patched.map(({ name }) => name)).toEqual(Array(2).fill(sent[0]?.metadata.name));
    expect(clock.pending).toBe(0);
  });

  test('a thousand repeats of an Event in one turn cause one POST and one PATCH', async () => {
    const { clock, sent, patched, recorder } = setup();

    for (let again = 1; again <= 1_000; again++) recorder.record(note());
    await clock.advanceAndSettle(30 * MINUTE_MS);

    expect(sent).toHaveLength(1);
    expect(patched.map(({ count }) => count)).toEqual([1_000]);
    expect(patched[0]?.lastObservedTime).toBe('2026-06-01T12:30:15.987000Z');
  });

  test('an Event that repeats for hours is updated every 30 minutes', async () => {
    const { clock, sent, patched, recorder } = setup();

    for (let minute = 0; minute <= 95; minute++) {
      recorder.record(note());
      await clock.advanceAndSettle(MINUTE_MS);
    }

    expect(sent).toHaveLength(1);
    expect(patched.map(({ count }) => count)).toEqual([2, 31, 61, 91]);
  });

  test('a repeat within 6 minutes is added to the same Event, and a later repeat is a new Event', async () => {
    const { clock, sent, patched, recorder } = setup();
    recorder.record(note());
    await clock.advanceAndSettle(6 * MINUTE_MS - 1);
    recorder.record(note());
    await clock.advanceAndSettle(6 * MINUTE_MS - 1);
    recorder.record(note());
    const within = sent.length;

    await clock.advanceAndSettle(6 * MINUTE_MS);
    recorder.record(note());
    await settle();

    expect([within, sent.length]).toEqual([1, 2]);
    expect(patched.map(({ count }) => count)).toEqual([2, 3]);
  });

  test('if the server has deleted a repeated Event, it is created again with its count', async () => {
    const { sent, patched, recorder } = setup({
      fate: (verb) => (verb === 'PATCH' ? refusal(404, 'NotFound') : 'sent'),
    });
    recorder.record(note());
    await settle();

    recorder.record(note());
    await settle();

    expect(sent).toHaveLength(2);
    expect(sent[1]?.series?.count).toBe(2);
    expect(sent[1]?.metadata.name).not.toBe(sent[0]?.metadata.name);
    expect(patched).toEqual([]);
  });

  test('`close` sends the last count of a repeated Event', async () => {
    const { clock, patched, all, recorder } = setup();
    for (let again = 0; again < 5; again++) {
      recorder.record(note());
      await settle();
    }

    await all.close();

    expect(patched.map(({ count }) => count)).toEqual([2, 5]);
    expect(clock.pending).toBe(0);
  });

  test.each<[string, Partial<EventNote>]>([
    ['type', { type: 'Warning' }],
    ['reason', { reason: 'Other' }],
    ['action', { action: 'Other' }],
    ['note', { note: 'other' }],
    ['name', { regarding: object({ uid: 'u1', name: 'other' }) }],
    ['namespace', { regarding: object({ uid: 'u1', namespace: 'other' }) }],
    ['uid', { regarding: object({ uid: 'u2' }) }],
    ['kind', { regarding: { ...object({ uid: 'u1' }), kind: 'Other' } }],
    ['related object', { related: object({ uid: 'u3' }) }],
  ])('an Event with another %s is a separate Event', async (_field, difference) => {
    const { sent, recorder } = setup();

    recorder.record(note());
    recorder.record(note(difference));
    await settle();

    expect(sent).toHaveLength(2);
  });

  test('the same Event from another controller is a separate Event', async () => {
    const { sent, all, recorder } = setup();

    recorder.record(note());
    all.for('other').record(note());
    await settle();

    expect(sent.map(({ reportingController }) => reportingController)).toEqual([
      'chancery.dev/test',
      'chancery.dev/other',
    ]);
  });

  test('the recorder remembers the last 4,096 Events, and a repeat of an older Event is a new Event', async () => {
    const { sent, patched, recorder } = setup();
    for (const index of [0, 0, 0]) {
      recorder.record(noteAbout(index));
      await settle();
    }
    for (let index = 1; index <= 4_096; index++) {
      recorder.record(noteAbout(index));
      if (index % 500 === 0) await settle();
    }
    await settle();
    recorder.record(noteAbout(2)); // remembered
    recorder.record(noteAbout(0)); // forgotten
    await settle();

    expect(sent).toHaveLength(4_098);
    expect(sent.at(-1)?.regarding.uid).toBe('u0');
    expect(patched.map(({ count }) => count)).toEqual([2, 3, 2]);
  });
});
