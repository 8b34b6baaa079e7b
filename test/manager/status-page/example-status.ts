import type { KeyView } from '../../../operator/manager/status-page/key-view.ts';
import type { ProcessStatus } from '../../../operator/manager/status-page/process-status.ts';

/** A process with something of everything; names are as hostile as the API server lets them be. */
export function exampleStatus(changes: Partial<ProcessStatus> = {}): ProcessStatus {
  return {
    at: '2030-01-01T12:34:56.000Z',
    version: '0.0.0',
    uptimeSeconds: 90,
    phase: 'running',
    ready: true,
    apiUrl: 'http://127.0.0.1:8001',
    podName: 'web-operator-abc',
    podNamespace: 'web-system',
    leadership: { lease: 'web-system/web', leads: true, holder: 'web-operator-abc_1' },
    sharding: undefined,
    recording: undefined,
    sources: [
      {
        resource: 'websites.example.dev',
        namespace: undefined,
        selector: 'app=x',
        state: 'watching',
        health: 'healthy',
        synced: true,
        objects: 3,
        bytes: 2_048,
        lastContactSeconds: 4,
        lastListSeconds: 600,
      },
      {
        resource: 'secrets',
        namespace: 'web',
        selector: undefined,
        state: 'forbidden',
        health: 'forbidden',
        synced: false,
        objects: 0,
        bytes: 0,
        lastContactSeconds: undefined,
        lastListSeconds: undefined,
      },
    ],
    controllers: [
      {
        name: 'website',
        working: true,
        workers: 4,
        busy: 1,
        ready: [
          { priority: 0, keys: 2 },
          { priority: -100, keys: 17 },
        ],
        delayed: 5,
        failing: 1,
        longestRunningSeconds: 3,
        reconciles: 1_234,
        errors: 2,
        medianMs: 4.2,
        slowestMs: 2_300,
      },
    ],
    failing: [
      {
        controller: 'website',
        key: 'web/<img src=x onerror=alert(1)>',
        failures: 7,
        since: '2030-01-01T12:30:00.000Z',
        error: '422 Invalid',
        nextInMs: 640,
      },
    ],
    runnables: [],
    recent: [
      {
        at: '2030-01-01T12:34:55.000Z',
        controller: 'website',
        key: 'web/<img src=x onerror=alert(1)>',
        outcome: 'error',
        durationMs: 12,
        error: '422 Invalid',
      },
      {
        at: '2030-01-01T12:34:50.000Z',
        controller: 'website',
        key: 'web/b',
        outcome: 'success',
        durationMs: 3,
        error: undefined,
      },
    ],
    writesPerMinute: Array.from({ length: 60 }, (_, minute) => minute % 7),
    ...changes,
  };
}

/** No controller knows a key. */
export const NO_KEYS: Pick<KeyView, 'why' | 'search' | 'controllers'> = {
  controllers: [],
  why: (key) => ({ at: '2030-01-01T12:34:56.000Z', key, asked: [], known: [], notes: [] }),
  search: () => ({ at: '2030-01-01T12:34:56.000Z', matching: 0, isComplete: true, keys: [] }),
};
