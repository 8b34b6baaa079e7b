/**
 * The recorder drops an Event that the API refuses. It sends an Event again while the API server is
 * away.
 */

import { settle } from '@chancery/testing';
import { describe, expect, test } from 'vitest';
import type { EventNote } from '../../operator/controller/events/event-recorder.ts';
import { AmbassadorError, ProtocolError } from '../../operator/core/errors.ts';
import { ApiError } from '../../operator/model/status.ts';
import {
  type Fate,
  MINUTE_MS,
  note,
  noteAbout,
  object,
  refusal,
  SECOND_MS,
  setup,
  UNREACHABLE,
} from './api-event-recorder-setup.ts';

describe('[K-59] what happens with an Event that the API server refuses', () => {
  test.each<[string, Error, string]>([
    ['400', refusal(400), 'refused'],
    ['403', refusal(403, 'Forbidden'), 'refused'],
    ['404', refusal(404, 'NotFound'), 'refused'],
    ['409 at once', refusal(409, 'AlreadyExists'), 'refused'],
    ['422', refusal(422, 'Invalid'), 'refused'],
    [
      '403 of the ambassador',
      new AmbassadorError('filtered', { code: 'AMBASSADOR_FORBIDDEN', fate: 'not-sent' }),
      'refused',
    ],
    ['a bug', new TypeError('bug'), 'refused'],
  ])('an Event that the API server refuses with %s is dropped, counted and logged', async (_what, error, reason) => {
    const { clock, triedAt, logged, dropped, recorder } = setup({ fate: () => error });

    recorder.record(note());
    await clock.advanceAndSettle(5 * MINUTE_MS);

    expect(triedAt).toHaveLength(1);
    expect(dropped(reason)).toBe(1);
    expect(logged).toEqual([
      { message: 'events dropped', fields: { controller: 'test', reason, count: 1, err: error } },
    ]);
  });

  test('an Event in a namespace that is being deleted is dropped without a log line', async () => {
    const terminating = refusal(403, 'Forbidden', [{ reason: 'NamespaceTerminating' }]);
    const { logged, triedAt, dropped, recorder } = setup({ fate: () => terminating });

    recorder.record(note());
    await settle();

    expect(triedAt).toHaveLength(1);
    expect(dropped()).toBe(dropped('namespace-terminating'));
    expect(logged).toEqual([]);
  });

  test.each<[string, Error]>([
    ['no server listens', UNREACHABLE],
    ['429', refusal(429, 'TooManyRequests')],
    ['500', refusal(500, 'InternalError')],
    ['503', refusal(503, 'ServiceUnavailable')],
    ['no Kubernetes answers', new ProtocolError('a login page', { code: 'NOT_KUBERNETES' })],
  ])('there are 12 attempts to send an Event, 10 s apart, if the failure is: %s', async (_what, error) => {
    const { clock, triedAt, dropped, recorder } = setup({ fate: () => error, random: 0.3 });

    recorder.record(note());
    await clock.advanceAndSettle(5 * MINUTE_MS);

    expect(triedAt).toEqual([0, 3, 13, 23, 33, 43, 53, 63, 73, 83, 93, 103]);
    expect(dropped('unreachable')).toBe(1);
  });

  test('before an Event is sent again, the recorder waits for the Retry-After of the answer', async () => {
    const busy = new ApiError(
      { code: 429, reason: 'TooManyRequests', message: 'busy' },
      { retryAfterMs: 25_000 },
    );
    const fates: Fate[] = [busy];
    const { clock, triedAt, recorder } = setup({ fate: () => fates.shift() ?? 'sent' });

    recorder.record(note());
    await clock.advanceAndSettle(MINUTE_MS);

    expect(triedAt).toEqual([0, 25]);
  });

  test('if the first response to an Event is lost, the Event is recognised by its name, and is not counted as dropped', async () => {
    const lost = new AmbassadorError('cut', { code: 'CONNECTION_LOST', fate: 'unknown' });
    const fates: Fate[] = [lost, refusal(409, 'AlreadyExists')];
    const { clock, patched, dropped, recorder } = setup({ fate: () => fates.shift() ?? 'sent' });
    recorder.record(note());
    await clock.advanceAndSettle(MINUTE_MS);

    recorder.record(note());
    await settle();

    expect(dropped()).toBe(0);
    expect(patched.map(({ count }) => count)).toEqual([2]);
  });

  test('after one Event is refused, other Events are still sent, even later Events like it', async () => {
    const fates: Fate[] = [refusal(403, 'Forbidden')];
    const { sent, recorder } = setup({ fate: () => fates.shift() ?? 'sent' });

    recorder.record(noteAbout(1));
    recorder.record(noteAbout(2));
    await settle();
    recorder.record(noteAbout(1));
    await settle();

    expect(sent.map(({ regarding }) => regarding.uid)).toEqual(['u2', 'u1']);
  });
});

describe('[K-55] Events while the API server is unreachable for an hour', () => {
  test('while the API server is unreachable, at most a thousand Events wait, and are sent afterwards', async () => {
    let isDown = true;
    const { clock, sent, dropped, recorder } = setup({
      fate: () => (isDown ? UNREACHABLE : 'sent'),
    });
    let recorded = 0;
    for (let minute = 0; minute < 60; minute++) {
      for (let index = 0; index < 100; index++) recorder.record(noteAbout(recorded++));
      await clock.advanceAndSettle(MINUTE_MS);
    }
    const lost = dropped();
    isDown = false;

    await clock.advanceAndSettle(MINUTE_MS);
    const recovered = sent.length;
    recorder.record(note());
    await settle();

    expect(recovered).toBeGreaterThanOrEqual(999); // one may have been given up at the very end
    expect(recovered).toBeLessThanOrEqual(1_000);
    expect(lost + recovered).toBe(recorded);
    expect(dropped('queue-full') + dropped('unreachable')).toBe(lost);
    expect(sent.length).toBe(recovered + 1);
  }, 60_000);

  test('a repeated Event causes one POST and one PATCH when the API server is reachable again', async () => {
    let isDown = true;
    const { clock, sent, patched, recorder } = setup({
      fate: () => (isDown ? refusal(500) : 'sent'),
    });
    for (let second = 0; second < 90; second++) {
      recorder.record(note());
      await clock.advanceAndSettle(SECOND_MS);
    }

    isDown = false;
    await clock.advanceAndSettle(10 * SECOND_MS);

    expect(sent).toHaveLength(1);
    expect(patched.map(({ count }) => count)).toEqual([90]);
  });

  test('an invalid Event is counted and logged, and record() does not throw', () => {
    const { logged, dropped, recorder } = setup();
    const broken = { type: 'Normal', reason: 'A', action: 'B', note: 'c' } as unknown as EventNote;

    recorder.record(broken);
    recorder.record(undefined as unknown as EventNote);
    recorder.record(note({ regarding: object({ name: '' }) }));

    expect(dropped('invalid')).toBe(3);
    expect(logged).toHaveLength(1);
  });
});
