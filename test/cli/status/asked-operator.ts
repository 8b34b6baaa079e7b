import { FakeClock } from '@chancery/testing';
import { onTestFinished } from 'vitest';
import type { KeyState } from '../../../operator/controller/run/key-state.ts';
import { HealthServer } from '../../../operator/manager/http/health-server.ts';
import { KeyMemory } from '../../../operator/manager/status-page/key-memory.ts';
import { KeyView } from '../../../operator/manager/status-page/key-view.ts';
import type { ObservedController } from '../../../operator/manager/status-page/observed-controller.ts';
import type { ProcessStatus } from '../../../operator/manager/status-page/process-status.ts';
import { answersOff, StatusPage } from '../../../operator/manager/status-page/status-page.ts';
import { type ObjectKey, objectKey } from '../../../operator/model/object.ts';
import { exampleStatus } from '../../manager/status-page/example-status.ts';

const IDLE: KeyState = {
  ...{ object: 'absent', state: 'idle', priority: undefined, forMs: 0, dueInMs: undefined },
  ...{ isEnqueuedAgain: false, failures: 0, waits: [], wokenBy: undefined, group: undefined },
};

/** A controller that knows these keys. */
export function controllerWith(
  name: string,
  keys: Readonly<Record<string, Partial<KeyState>>>,
): ObservedController {
  const known = new Map(Object.entries(keys));
  return {
    activity: {
      ...{ name, working: true, workers: 2, busy: 2, delayed: 0, failing: 0, longestRunningMs: 0 },
      ready: [{ priority: 0, keys: 5 }],
    },
    ...{ needsLeaderElection: true, troubledSources: [], waiting: () => [] },
    keyState: (key) => ({ ...IDLE, ...known.get(key) }),
    cachedKeys: () => Array.from(known.keys(), (key) => key as ObjectKey),
  };
}

interface AskedOptions {
  /** The status page is turned off. */
  readonly isOff?: boolean;
  readonly status?: Partial<ProcessStatus>;
  /** What its clock shows. */
  readonly startMs?: number;
}

/** An operator that is asked for its status: a real port, on a clock that stands still. */
export async function askedOperator(
  controllers: readonly ObservedController[] = [],
  { isOff = false, status = {}, startMs = 0 }: AskedOptions = {},
) {
  const clock = new FakeClock(startMs);
  const memory = new KeyMemory(clock);
  const keys = new KeyView({
    ...{ clock, memory, controllers: () => controllers, phase: () => 'running' },
    ...{ leadership: () => undefined, sharing: () => undefined },
  });
  let changed: Partial<ProcessStatus> = status;
  const page = new StatusPage({ clock, keys, status: () => exampleStatus(changed) });
  const server = new HealthServer({
    ...{ port: 0, host: '127.0.0.1', live: [], ready: [] },
    others: (request, response) =>
      isOff ? answersOff(request, response) : page.answer(request, response),
  });
  await server.start();
  const stop = (): Promise<void> => server.stop();
  onTestFinished(stop);
  const url = `http://127.0.0.1:${server.port}`;
  const change = (to: Partial<ProcessStatus>): void => {
    changed = to;
  };
  return { url, memory, clock, stop, change };
}

/** An attempt that has failed, after two changes of one Secret. */
export function failAttempt(
  memory: KeyMemory,
  controller: string,
  name: string,
  reconcileId = 'id-1',
): void {
  const key = objectKey('demo', name);
  const observer = memory.observe(controller);
  const attempt = { controller, key, reconcileId, attempt: 0, priority: 0 };
  const wokenBy = { causes: [{ cause: 'Secret demo/pw', via: 'mapping', times: 2 }], more: 0 };
  observer.began(attempt, 0, new AbortController().signal, wokenBy);
  observer.ended(attempt, { outcome: 'error', durationMs: 12, error: new TypeError('hunter2') });
}
