/** What the status page says of the flight recorder. */
import { FakeClock } from '@chancery/testing';
import { expect, test } from 'vitest';
import { settingsFrom } from '../../../operator/manager/settings/settings.ts';
import type { ProcessStatus } from '../../../operator/manager/status-page/process-status.ts';
import { ProcessView } from '../../../operator/manager/status-page/process-view.ts';

function recordingOf(
  environment: Readonly<Record<string, string>>,
  observer?: object,
): ProcessStatus['recording'] {
  const view = new ProcessView({
    clock: new FakeClock(),
    settings: settingsFrom({ POD_NAMESPACE: 'web', ...environment }),
    phase: () => 'running',
    ready: () => true,
    leadership: () => undefined,
    sharing: () => undefined,
    scopes: () => [],
    controllers: () => [],
    runnables: () => [],
    ...(observer && { observer }),
  });
  return view.status.recording;
}

test('the status of a recorded process has the recorded minutes, and says whether the endpoint is on', () => {
  const environment = {
    CHANCERY_RECORD_DIR: '/records',
    CHANCERY_RECORD_MINUTES: '7',
    CHANCERY_RECORD_ENDPOINT: 'true',
  };

  expect(recordingOf(environment, {})).toEqual({ minutes: 7, endpoint: true });
  expect(recordingOf({}, {})).toEqual({ minutes: 10, endpoint: false });
});

test('the status of a process that is not recorded has no recording, whatever its settings are', () => {
  expect(recordingOf({ CHANCERY_RECORD_DIR: '/records' })).toBeUndefined();
});
