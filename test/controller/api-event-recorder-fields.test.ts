/** Every Event has the fields that the API demands, in a form that the API takes. */

import { settle } from '@chancery/testing';
import { describe, expect, test } from 'vitest';
import type { EventNote } from '../../operator/controller/events/event-recorder.ts';
import { note, object, setup } from './api-event-recorder-setup.ts';

const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

const OURS = 'chancery.dev/test';

describe('[K-56] the fields of an Event', () => {
  test('Events that differ only in their reporter are separate Events', async () => {
    const { sent, patched, logged, recorder } = setup();

    recorder.record(note({ reporter: 'reloader-configmaps' }));
    recorder.record(note({ reporter: 'example.com/b' }));
    recorder.record(note({ reporter: 'example.com/b' }));
    recorder.record(note());
    await settle();

    expect(sent.map(({ reportingController }) => reportingController)).toEqual([
      'reloader-configmaps',
      'example.com/b',
      OURS,
    ]);
    expect(patched).toHaveLength(1);
    expect(logged).toEqual([]);
  });

  test('an Event has every field that the API requires', async () => {
    const { sent, recorder } = setup();

    recorder.record(note({ type: 'Warning' }));
    await settle();

    expect(sent).toEqual([
      {
        apiVersion: 'events.k8s.io/v1',
        kind: 'Event',
        metadata: { name: expect.stringMatching(/^web\.[0-9a-f]{16}$/), namespace: 'demo' },
        eventTime: '2026-06-01T12:30:15.987000Z',
        reportingController: 'chancery.dev/test',
        reportingInstance: 'operator-1',
        type: 'Warning',
        reason: 'Restarted',
        action: 'Restart',
        note: 'n',
        regarding: {
          apiVersion: 'apps/v1',
          kind: 'Deployment',
          name: 'web',
          namespace: 'demo',
          uid: 'u1',
          resourceVersion: '7',
        },
      },
    ]);
  });

  test('an Event may refer to a second object by `related`', async () => {
    const { sent, recorder } = setup();

    recorder.record(note({ related: object({ name: 'child', uid: 'u2' }) }));
    await settle();

    expect(sent[0]?.related).toEqual({
      ...{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'child', namespace: 'demo', uid: 'u2' },
    });
  });

  test.each<[string, Partial<EventNote>, object]>([
    ['an empty reason', { reason: '' }, { reason: 'Unspecified' }],
    ['an empty action', { action: ' ' }, { action: 'Reconcile' }],
    ['a reason of 129 characters', { reason: 'R'.repeat(129) }, { reason: 'R'.repeat(128) }],
    ['an action of 129 characters', { action: 'A'.repeat(129) }, { action: 'A'.repeat(128) }],
    ['a reporter with two prefixes', { reporter: 'a/b/c' }, { reportingController: OURS }],
    ['an empty reporter', { reporter: '' }, { reportingController: OURS }],
    [
      'a reporter of 129 characters',
      { reporter: `${'a'.repeat(66)}/${'b'.repeat(62)}` },
      { reportingController: OURS },
    ],
    ['another type', { type: 'Error' as 'Warning' }, { type: 'Normal' }],
  ])('an Event with %s is corrected, with one log line', async (_what, given, expected) => {
    const { sent, logged, recorder } = setup();

    recorder.record(note(given));
    recorder.record(note({ ...given, note: 'other' }));
    await settle();

    expect(sent).toHaveLength(2);
    expect(sent[0]).toMatchObject(expected);
    expect(logged).toEqual([
      {
        message: 'event has a field that the API refuses; it is corrected',
        fields: { controller: 'test', field: Object.keys(given)[0] },
      },
    ]);
  });

  test('reportingInstance is cut to the 128 characters that the API allows', async () => {
    const { sent, recorder } = setup({ self: { namespace: 'ops', podName: 'p'.repeat(253) } });

    recorder.record(note());
    await settle();

    expect(sent[0]?.reportingInstance).toBe('p'.repeat(128));
  });

  test('an Event about a cluster-scoped object is in the namespace default', async () => {
    const { sent, recorder } = setup();
    const regarding = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'node-1' } };

    recorder.record(note({ regarding }));
    await settle();

    expect(sent[0]?.metadata.namespace).toBe('default');
    expect(sent[0]?.regarding).toEqual({ apiVersion: 'v1', kind: 'Node', name: 'node-1' });
  });

  test.each([
    ['1,024 bytes', 'x'.repeat(1_024), 'x'.repeat(1_024)],
    ['1,025 bytes', 'x'.repeat(1_025), 'x'.repeat(1_024)],
    ['256 characters of four bytes', '😀'.repeat(256), '😀'.repeat(256)],
    ['257 characters of four bytes', '😀'.repeat(257), '😀'.repeat(256)],
    ['a four-byte character across the limit', `x${'😀'.repeat(256)}`, `x${'😀'.repeat(255)}`],
    ['a two-byte character across the limit', `x${'ä'.repeat(512)}`, `x${'ä'.repeat(511)}`],
    ['nothing', '', ''],
  ])('a note of %s is cut to the allowed length, but not within a character', async (_what, text, expected) => {
    const { sent, recorder } = setup();

    recorder.record(note({ note: text }));
    await settle();

    expect(sent[0]?.note).toBe(expected);
  });

  test.each([
    ['a'.repeat(253)],
    [`${'a'.repeat(235)}-${'b'.repeat(10)}`],
    [`${'a'.repeat(234)}.-.${'b'.repeat(10)}`],
    ['system:node:a'],
    ['Upper'],
  ])('an Event about an object called %s has a valid name', async (name) => {
    const { sent, recorder } = setup();

    recorder.record(note({ regarding: object({ name }) }));
    await settle();

    expect(sent[0]?.metadata.name).toMatch(SUBDOMAIN);
    expect(sent[0]?.metadata.name.length).toBeLessThanOrEqual(253);
    expect(sent[0]?.regarding.name).toBe(name);
  });

  test('every Event has a unique name, also across recorders', async () => {
    const one = setup({ random: 0.1 });
    const other = setup({ random: 0.2 });
    for (let index = 0; index < 100; index++) {
      const regarding = object({ uid: `${index}` });
      one.recorder.record(note({ regarding }));
      other.recorder.record(note({ regarding }));
    }
    await settle();

    const names = [...one.sent, ...other.sent].map(({ metadata }) => metadata.name);

    expect(new Set(names).size).toBe(200);
  });

  test('an Event is sent even if the clock returns a fraction of a millisecond', async () => {
    const { clock, sent, recorder } = setup();
    clock.advance(0.3);

    recorder.record(note());
    await settle();

    expect(sent).toHaveLength(1);
  });

  test('reportingInstance is "unknown" if the Pod\'s name is not known', async () => {
    const { sent, recorder } = setup({ self: { namespace: undefined, podName: undefined } });

    recorder.record(note());
    await settle();

    expect(sent[0]?.reportingInstance).toBe('unknown');
  });
});
