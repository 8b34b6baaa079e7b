import { describe, expect, test } from 'vitest';
import type { Client } from '../../operator/client/client.ts';
import { ApiEventRecorder } from '../../operator/controller/api-event-recorder.ts';
import type { EventNote } from '../../operator/controller/event-recorder.ts';
import type { Self } from '../../operator/controller/reconciler.ts';
import { NEVER_ABORTED } from '../../operator/core/abort.ts';
import type { KubernetesEvent } from '../../operator/model/builtin.ts';
import type { KubernetesObject, ObjectMeta } from '../../operator/model/object.ts';
import { FakeClock, settle } from '../../operator/testing/fake-clock.ts';

const MINUTE_MS = 60_000;
const SELF: Self = { namespace: 'ops', podName: 'operator-1' };
const START_MS = Date.UTC(2026, 5, 1, 12, 30, 15, 987);

/** What happens to one request: it is answered, refused, or hangs until it is aborted. */
type Fate = 'sent' | 'refused' | 'hangs';

interface Setup {
  readonly clock: FakeClock;
  readonly sent: KubernetesEvent[];
  readonly logged: { readonly message: string; readonly fields: object }[];
  readonly recorder: ApiEventRecorder;
}

function setup({
  fate = () => 'sent',
  self = SELF,
  random = 0,
}: {
  readonly fate?: () => Fate;
  readonly self?: Self;
  readonly random?: number;
} = {}): Setup {
  const clock = new FakeClock(START_MS);
  const sent: KubernetesEvent[] = [];
  const logged: Setup['logged'] = [];
  const client: Pick<Client, 'create'> = {
    async create(_resource, object, { signal = NEVER_ABORTED } = {}) {
      signal.throwIfAborted();
      const now = fate();
      if (now === 'hangs') {
        await new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason), { once: true });
        });
      }
      if (now === 'refused') throw new Error('refused');
      sent.push(object as unknown as KubernetesEvent);
      return object;
    },
  };
  const log = (fields: object, message: string): void => {
    logged.push({ message, fields });
  };
  const recorder = new ApiEventRecorder({
    client: client as Client,
    clock,
    reportingController: 'chancery.dev/test',
    self,
    log: { debug: log, info: log, warn: log, error: log },
    random: () => random,
  });
  return { clock, sent, logged, recorder };
}

function object(metadata: Partial<ObjectMeta> = {}): KubernetesObject {
  const { name = 'web', namespace = 'demo', ...rest } = metadata;
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name, namespace, ...rest } };
}

function note(more: Partial<EventNote> = {}): EventNote {
  const base = { type: 'Normal', reason: 'Restarted', action: 'Restart', note: 'n' } as const;
  return { regarding: object({ uid: 'u1', resourceVersion: '7' }), ...base, ...more };
}

const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

describe('an Event', () => {
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
      one.recorder.record(note({ note: `${index}` }));
      other.recorder.record(note({ note: `${index}` }));
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

describe('repeats', () => {
  test('are sent once in six minutes, whatever the resourceVersion', async () => {
    const { clock, sent, recorder } = setup();
    const record = async (resourceVersion: string): Promise<void> => {
      recorder.record(note({ regarding: object({ uid: 'u1', resourceVersion }) }));
      await settle();
    };
    await record('1');

    for (let again = 2; again < 1_000; again++) {
      recorder.record(note({ regarding: object({ uid: 'u1', resourceVersion: `${again}` }) }));
    }
    clock.advance(6 * MINUTE_MS - 1);
    await record('1000');
    const within = sent.length;
    clock.advance(1);
    await record('1001');

    expect(within).toBe(1);
    expect(sent.map(({ regarding }) => regarding.resourceVersion)).toEqual(['1', '1001']);
  });

  test.each<[string, Partial<EventNote>]>([
    ['type', { type: 'Warning' }],
    ['reason', { reason: 'Other' }],
    ['action', { action: 'Other' }],
    ['note', { note: 'other' }],
    ['name', { regarding: object({ uid: 'u1', name: 'other' }) }],
    ['namespace', { regarding: object({ uid: 'u1', namespace: 'other' }) }],
    ['uid', { regarding: object({ uid: 'u2' }) }],
  ])('are not repeats when the %s differs', async (_field, difference) => {
    const { sent, recorder } = setup();

    recorder.record(note());
    recorder.record(note(difference));
    await settle();

    expect(sent).toHaveLength(2);
  });

  test('are remembered for the last 4,096 different Events', async () => {
    const { sent, recorder } = setup();
    for (let index = 0; index <= 4_096; index++) {
      recorder.record(note({ note: `${index}` }));
      if (index % 500 === 0) await settle();
    }
    await settle();

    recorder.record(note({ note: '1' })); // remembered
    recorder.record(note({ note: '0' })); // the oldest, forgotten
    await settle();

    expect(sent).toHaveLength(4_098);
    expect(sent.at(-1)?.note).toBe('0');
  });
});

describe('an outage', () => {
  test('fills memory with no more than a thousand Events', async () => {
    const { clock, logged, recorder } = setup({ fate: () => 'hangs' });

    for (let index = 0; index < 1_500; index++) recorder.record(note({ note: `${index}` }));
    const closing = recorder.close(10);
    clock.advance(10);
    await closing;

    // One is under way, a thousand wait, the rest is dropped.
    expect(logged.filter(({ message }) => message.includes('too many'))).toHaveLength(499);
    expect(logged.at(-1)?.fields).toEqual({ count: 1_000 });
  });

  test('costs one line for each Event that could not be sent, and the next is sent', async () => {
    const fates: Fate[] = ['refused', 'sent'];
    const { sent, logged, recorder } = setup({ fate: () => fates.shift() ?? 'sent' });

    recorder.record(note({ note: '1' }));
    recorder.record(note({ note: '2' }));
    await settle();

    expect(sent.map((event) => event.note)).toEqual(['2']);
    expect(logged).toEqual([
      { message: 'event not sent', fields: { err: expect.any(Error), reason: 'Restarted' } },
    ]);
  });

  test('is no reason to throw, nor is a note that is none: it is logged', () => {
    const { logged, recorder } = setup();
    const broken = { type: 'Normal', reason: 'A', action: 'B', note: 'c' } as unknown as EventNote;

    recorder.record(broken);

    expect(logged.map(({ message }) => message)).toEqual(['event not recorded']);
  });
});

describe('close', () => {
  test('waits for what is recorded', async () => {
    const { clock, sent, recorder } = setup();
    for (let index = 0; index < 50; index++) recorder.record(note({ note: `${index}` }));

    await recorder.close(5_000);

    expect(sent).toHaveLength(50);
    expect(clock.pending).toBe(0);
  });

  test('gives up after its limit, with one line for all that is left', async () => {
    const { clock, sent, logged, recorder } = setup({ fate: () => 'hangs' });
    for (let index = 0; index < 100; index++) recorder.record(note({ note: `${index}` }));
    let closed = false;
    const closing = recorder.close(5_000).then(() => {
      closed = true;
    });

    await clock.advanceAndSettle(4_999);
    const early = closed;
    await clock.advanceAndSettle(1);
    await closing;

    expect(early).toBe(false);
    expect(sent).toEqual([]);
    expect(logged.map(({ message }) => message)).toEqual([
      'event not sent',
      'events dropped, the time to send them is over',
    ]);
    expect(logged[1]?.fields).toEqual({ count: 99 });
    expect(clock.pending).toBe(0);
  });

  test('ends recording', async () => {
    const { sent, recorder } = setup();

    await recorder.close(5_000);
    recorder.record(note());
    await settle();

    expect(sent).toEqual([]);
  });
});
