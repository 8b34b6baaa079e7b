import { FakeClock, RecordingMeter } from '@chancery/testing';
import type { Client } from '../../operator/client/client.ts';
import { ApiEventRecorder } from '../../operator/controller/events/api-event-recorder.ts';
import type { EventNote, EventRecorder } from '../../operator/controller/events/event-recorder.ts';
import type { Self } from '../../operator/controller/reconciler.ts';
import { abortable, NEVER_ABORTED } from '../../operator/core/abort.ts';
import { AmbassadorError } from '../../operator/core/errors.ts';
import type { KubernetesEvent } from '../../operator/model/builtin.ts';
import type { KubernetesObject, ObjectMeta } from '../../operator/model/object.ts';
import { ApiError } from '../../operator/model/status.ts';

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60_000;
export const SELF: Self = { namespace: 'ops', podName: 'operator-1' };
const START_MS = Date.UTC(2026, 5, 1, 12, 30, 15, 987);

/** What happens to one request: an error is the answer; one that hangs does so until it is aborted. */
export type Fate = 'sent' | 'hangs' | Error;

export interface Patched {
  readonly name: string;
  readonly count: number;
  readonly lastObservedTime: string;
}

export interface Setup {
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

export function setup({
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

export function object(metadata: Partial<ObjectMeta> = {}): KubernetesObject {
  const { name = 'web', namespace = 'demo', ...rest } = metadata;
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name, namespace, ...rest } };
}

export function note(more: Partial<EventNote> = {}): EventNote {
  const base = { type: 'Normal', reason: 'Restarted', action: 'Restart', note: 'n' } as const;
  return { regarding: object({ uid: 'u1', resourceVersion: '7' }), ...base, ...more };
}

/** About another object each time: no limit and no likeness stands between them. */
export function noteAbout(index: number): EventNote {
  return note({ regarding: object({ uid: `u${index}` }) });
}

export function refusal(
  code: number,
  reason = '',
  causes: readonly { reason: string }[] = [],
): ApiError {
  return new ApiError({ code, reason, message: 'no', details: { name: 'a', causes } });
}

export const UNREACHABLE = new AmbassadorError('nobody listens', {
  code: 'AMBASSADOR_UNREACHABLE',
  fate: 'not-sent',
});
