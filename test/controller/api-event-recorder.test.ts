import { describe, expect, test } from 'vitest';
import type { Client } from '../../operator/client/client.ts';
import { ApiEventRecorder } from '../../operator/controller/api-event-recorder.ts';
import type { EventNote, EventRecorder } from '../../operator/controller/event-recorder.ts';
import type { Self } from '../../operator/controller/reconciler.ts';
import { abortable, NEVER_ABORTED } from '../../operator/core/abort.ts';
import { AmbassadorError, ProtocolError } from '../../operator/core/errors.ts';
import type { KubernetesEvent } from '../../operator/model/builtin.ts';
import type { KubernetesObject, ObjectMeta } from '../../operator/model/object.ts';
import { ApiError } from '../../operator/model/status.ts';
import { FakeClock, settle } from '../../operator/testing/fake-clock.ts';
import { RecordingMeter } from '../../operator/testing/recording-meter.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const SELF: Self = { namespace: 'ops', podName: 'operator-1' };
const START_MS = Date.UTC(2026, 5, 1, 12, 30, 15, 987);

/** What happens to one request: an error is the answer; one that hangs does so until it is aborted. */
type Fate = 'sent' | 'hangs' | Error;

interface Patched {
  readonly name: string;
  readonly count: number;
  readonly lastObservedTime: string;
}

interface Setup {
  readonly clock: FakeClock;
  readonly sent: KubernetesEvent[];
  readonly patched: Patched[];
  /** When requests were made, answered or not, in seconds since the start. */
  readonly triedAt: number[];
  readonly logged: { readonly message: string; readonly fields: object }[];
  readonly all: ApiEventRecorder;
  readonly recorder: EventRecorder;
  readonly dropped: (reason?: string) => number;
}

function setup({
  fate = () => 'sent',
  self = SELF,
  random = 0,
}: {
  readonly fate?: (verb: 'POST' | 'PATCH') => Fate;
  readonly self?: Self;
  readonly random?: number;
} = {}): Setup {
  const clock = new FakeClock(START_MS);
  const meter = new RecordingMeter();
  const sent: KubernetesEvent[] = [];
  const patched: Patched[] = [];
  const triedAt: number[] = [];
  const logged: Setup['logged'] = [];
  const request = async (verb: 'POST' | 'PATCH', signal: AbortSignal): Promise<void> => {
    signal.throwIfAborted();
    triedAt.push((clock.now() - START_MS) / SECOND_MS);
    const now = fate(verb);
    if (now === 'hangs') await abortable(new Promise(() => {}), signal);
    if (now instanceof Error) throw now;
  };
  const client: Pick<Client, 'create' | 'patch'> = {
    async create(_resource, object, { signal = NEVER_ABORTED } = {}) {
      await request('POST', signal);
      sent.push(object as unknown as KubernetesEvent);
      return object as never;
    },
    async patch(_resource, { name }, { body }, { signal = NEVER_ABORTED } = {}) {
      await request('PATCH', signal);
      const { series } = body as unknown as Required<Pick<KubernetesEvent, 'series'>>;
      patched.push({ name, ...series });
      return {} as never;
    },
  };
  const log = (fields: object, message: string): void => {
    logged.push({ message, fields });
  };
  const all = new ApiEventRecorder({
    client,
    clock,
    self,
    log: { debug: log, info: log, warn: log, error: log },
    meter,
    random: () => random,
  });
  const dropped = (reason?: string): number =>
    meter.value('chancery_events_dropped_total', reason === undefined ? {} : { reason });
  return { clock, sent, patched, triedAt, logged, all, recorder: all.for('test'), dropped };
}

function object(metadata: Partial<ObjectMeta> = {}): KubernetesObject {
  const { name = 'web', namespace = 'demo', ...rest } = metadata;
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name, namespace, ...rest } };
}

function note(more: Partial<EventNote> = {}): EventNote {
  const base = { type: 'Normal', reason: 'Restarted', action: 'Restart', note: 'n' } as const;
  return { regarding: object({ uid: 'u1', resourceVersion: '7' }), ...base, ...more };
}

/** About another object each time: no limit and no likeness stands between them. */
function noteAbout(index: number): EventNote {
  return note({ regarding: object({ uid: `u${index}` }) });
}

function refusal(code: number, reason = '', causes: readonly { reason: string }[] = []): ApiError {
  return new ApiError({ code, reason, message: 'no', details: { causes } });
}

const UNREACHABLE = new AmbassadorError('nobody listens', {
  code: 'AMBASSADOR_UNREACHABLE',
  fate: 'not-sent',
});

const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

describe('K-56: an Event', () => {
  test('has everything that the API demands', async () => {
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

  test('may name a second object', async () => {
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
    ['another type', { type: 'Error' as 'Warning' }, { type: 'Normal' }],
  ])('with %s is mended, and one line says so', async (_what, given, expected) => {
    const { sent, logged, recorder } = setup();

    recorder.record(note(given));
    recorder.record(note({ ...given, note: 'other' }));
    await settle();

    expect(sent).toHaveLength(2);
    expect(sent[0]).toMatchObject(expected);
    expect(logged).toEqual([
      {
        message: 'event has a field that the API does not take, it is mended',
        fields: { controller: 'test', field: Object.keys(given)[0] },
      },
    ]);
  });

  test('of a Pod with a long name has as much of it as the API takes', async () => {
    const { sent, recorder } = setup({ self: { namespace: 'ops', podName: 'p'.repeat(253) } });

    recorder.record(note());
    await settle();

    expect(sent[0]?.reportingInstance).toBe('p'.repeat(128));
  });

  test('about a cluster-scoped object is in the namespace default', async () => {
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
  ])('of %s is cut to what is allowed, between characters', async (_what, text, expected) => {
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
  ])('about an object called %s has a name that is allowed', async (name) => {
    const { sent, recorder } = setup();

    recorder.record(note({ regarding: object({ name }) }));
    await settle();

    expect(sent[0]?.metadata.name).toMatch(SUBDOMAIN);
    expect(sent[0]?.metadata.name.length).toBeLessThanOrEqual(253);
    expect(sent[0]?.regarding.name).toBe(name);
  });

  test('has a name of its own, at any time and from any recorder', async () => {
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

  test('is sent at a fraction of a millisecond as well', async () => {
    const { clock, sent, recorder } = setup();
    clock.advance(0.3);

    recorder.record(note());
    await settle();

    expect(sent).toHaveLength(1);
  });

  test('says so when the Pod’s name is not known', async () => {
    const { sent, recorder } = setup({ self: { namespace: undefined, podName: undefined } });

    recorder.record(note());
    await settle();

    expect(sent[0]?.reportingInstance).toBe('unknown');
  });
});

describe('K-57: an Event that comes again', () => {
  test('a thousand times is one POST and two PATCHes, whatever the resourceVersion', async () => {
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

  test('a thousand times in one turn is one POST and one PATCH', async () => {
    const { clock, sent, patched, recorder } = setup();

    for (let again = 1; again <= 1_000; again++) recorder.record(note());
    await clock.advanceAndSettle(30 * MINUTE_MS);

    expect(sent).toHaveLength(1);
    expect(patched.map(({ count }) => count)).toEqual([1_000]);
    expect(patched[0]?.lastObservedTime).toBe('2026-06-01T12:30:15.987000Z');
  });

  test('for hours is told of every 30 minutes', async () => {
    const { clock, sent, patched, recorder } = setup();

    for (let minute = 0; minute <= 95; minute++) {
      recorder.record(note());
      await clock.advanceAndSettle(MINUTE_MS);
    }

    expect(sent).toHaveLength(1);
    expect(patched.map(({ count }) => count)).toEqual([2, 31, 61, 91]);
  });

  test('belongs to the first up to 6 minutes after the last one, and is then another', async () => {
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

  test('and is gone from the server is sent anew, with its count', async () => {
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

  test('is told of when the process ends', async () => {
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
  ])('is another when the %s differs', async (_field, difference) => {
    const { sent, recorder } = setup();

    recorder.record(note());
    recorder.record(note(difference));
    await settle();

    expect(sent).toHaveLength(2);
  });

  test('is another when it comes from another controller', async () => {
    const { sent, all, recorder } = setup();

    recorder.record(note());
    all.for('other').record(note());
    await settle();

    expect(sent.map(({ reportingController }) => reportingController)).toEqual([
      'chancery.dev/test',
      'chancery.dev/other',
    ]);
  });

  test('is remembered among the last 4,096; what is forgotten is told of first', async () => {
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

describe('K-58: too many Events', () => {
  test('about one object from one source are dropped after 25, but for one in 300 s', async () => {
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

  test('of one controller leave those of another alone', async () => {
    const { sent, all, recorder } = setup();
    for (let index = 0; index < 30; index++) recorder.record(note({ reason: `R${index}` }));

    all.for('other').record(note());
    await settle();

    expect(sent).toHaveLength(26);
  });

  test('are one line a minute, whatever their number', async () => {
    const { clock, logged, recorder } = setup();
    for (let index = 0; index < 100; index++) recorder.record(note({ reason: `R${index}` }));
    await clock.advanceAndSettle(MINUTE_MS);
    recorder.record(note({ reason: 'Another' }));

    expect(logged.map(({ fields }) => fields)).toEqual([
      { controller: 'test', reason: 'rate-limited', count: 1 },
      { controller: 'test', reason: 'rate-limited', count: 75 },
    ]);
  });

  test('that differ in their notes only are one from the tenth on', async () => {
    const { clock, sent, patched, recorder } = setup();

    for (let index = 1; index <= 50; index++) recorder.record(note({ note: `pod ${index}` }));
    await clock.advanceAndSettle(10 * MINUTE_MS);

    const notes = sent.map((event) => event.note);
    expect(notes.slice(0, 9)).toEqual(Array.from({ length: 9 }, (_, index) => `pod ${index + 1}`));
    expect(notes.slice(9)).toEqual(['(combined from similar events): pod 10']);
    expect(patched.map(({ count }) => count)).toEqual([41]);
  });

  test('with one note, or spread over more than 600 s, are not combined', async () => {
    const { clock, sent, recorder } = setup();

    for (let index = 0; index < 20; index++) {
      recorder.record(note({ note: `pod ${index}` }));
      recorder.record(note({ reason: 'Other' }));
      await clock.advanceAndSettle(67 * SECOND_MS);
    }

    expect(sent.filter((event) => event.note?.includes('combined'))).toEqual([]);
  });

  test('combined still have a note that the API takes', async () => {
    const { sent, recorder } = setup();

    for (let index = 10; index < 20; index++) {
      recorder.record(note({ note: `${index}${'é'.repeat(511)}` }));
    }
    await settle();

    expect(sent.at(-1)?.note).toMatch(/^\(combined from similar events\): 19é+$/);
    expect(Buffer.byteLength(sent.at(-1)?.note ?? '')).toBeLessThanOrEqual(1_024);
  });
});

describe('K-59: an Event that is not taken', () => {
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
  ])('with %s is dropped, counted and logged', async (_what, error, reason) => {
    const { clock, triedAt, logged, dropped, recorder } = setup({ fate: () => error });

    recorder.record(note());
    await clock.advanceAndSettle(5 * MINUTE_MS);

    expect(triedAt).toHaveLength(1);
    expect(dropped(reason)).toBe(1);
    expect(logged).toEqual([
      { message: 'events dropped', fields: { controller: 'test', reason, count: 1, err: error } },
    ]);
  });

  test('because its namespace is being deleted is dropped without a word', async () => {
    const terminating = refusal(403, 'Forbidden', [{ reason: 'NamespaceTerminating' }]);
    const { logged, triedAt, dropped, recorder } = setup({ fate: () => terminating });

    recorder.record(note());
    await settle();

    expect(triedAt).toHaveLength(1);
    expect(dropped()).toBe(dropped('namespace-terminating'));
    expect(logged).toEqual([]);
  });

  test.each<[string, Error]>([
    ['nobody listens', UNREACHABLE],
    ['429', refusal(429, 'TooManyRequests')],
    ['500', refusal(500, 'InternalError')],
    ['503', refusal(503, 'ServiceUnavailable')],
    ['no Kubernetes answers', new ProtocolError('a login page', { code: 'NOT_KUBERNETES' })],
  ])('because %s is sent 12 times, 10 s apart but for the first time', async (_what, error) => {
    const { clock, triedAt, dropped, recorder } = setup({ fate: () => error, random: 0.3 });

    recorder.record(note());
    await clock.advanceAndSettle(5 * MINUTE_MS);

    expect(triedAt).toEqual([0, 3, 13, 23, 33, 43, 53, 63, 73, 83, 93, 103]);
    expect(dropped('unreachable')).toBe(1);
  });

  test('waits for as long as the API server asks', async () => {
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

  test('because its first answer was lost is known by its name, and no failure', async () => {
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

  test('holds nothing against the next one, nor against the same a while later', async () => {
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

describe('K-55: an hour without an API server', () => {
  test('leaves a thousand Events waiting, and afterwards they are sent', async () => {
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

  test('of the same Event all the time is one POST and one PATCH afterwards', async () => {
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

  test('is no reason to throw, nor is a note that is none: it is counted and logged', () => {
    const { logged, dropped, recorder } = setup();
    const broken = { type: 'Normal', reason: 'A', action: 'B', note: 'c' } as unknown as EventNote;

    recorder.record(broken);
    recorder.record(undefined as unknown as EventNote);
    recorder.record(note({ regarding: object({ name: '' }) }));

    expect(dropped('invalid')).toBe(3);
    expect(logged).toHaveLength(1);
  });
});

describe('K-55: at the end of the process', () => {
  test('what is recorded is sent', async () => {
    const { clock, sent, all, recorder } = setup();
    for (let index = 0; index < 50; index++) recorder.record(noteAbout(index));

    await all.close();

    expect(sent).toHaveLength(50);
    expect(clock.pending).toBe(0);
  });

  test('nothing is waited for longer than 5 s, and one more line says how many were left', async () => {
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

  test('what waits to be sent again is tried at once, not after 10 s', async () => {
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

  test('nobody who listens is no reason to wait', async () => {
    const { clock, dropped, all, recorder } = setup({ fate: () => UNREACHABLE, random: 0.5 });
    for (let index = 0; index < 100; index++) recorder.record(noteAbout(index));

    await all.close();

    expect(dropped('closed')).toBe(100);
    expect(clock.pending).toBe(0);
  });

  test('a request that does not heed its signal is left behind', async () => {
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

  test('no more is taken', async () => {
    const { sent, dropped, all, recorder } = setup();

    await all.close();
    recorder.record(note());
    await settle();

    expect(sent).toEqual([]);
    expect(dropped('closed')).toBe(1);
  });
});
