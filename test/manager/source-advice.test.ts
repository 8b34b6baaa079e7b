import { settle } from '@chancery/testing';
import { expect, test } from 'vitest';
import { ProtocolError } from '../../operator/core/errors.ts';
import { sourceAdvice } from '../../operator/manager/sources/source-advice.ts';
import type { ReflectorStatus } from '../../operator/watch/reflector-status.ts';
import { recordingLog } from '../support/recording-log.ts';

const status = (health: ReflectorStatus['health'], error?: Error): ReflectorStatus => ({
  ...{ health, reason: undefined, error, retryInMs: undefined },
});

function advised({ isNeeded = true } = {}) {
  const { lines, logFor } = recordingLog();
  let asked = 0;
  const advise = sourceAdvice({
    log: logFor({}),
    facts: { resource: 'widgets' },
    apiUrl: 'http://127.0.0.1:8001',
    explain: async () => {
      asked++;
      return 'did you mean gadgets?';
    },
    isNeeded: () => isNeeded,
    failed: (bug) => {
      throw bug;
    },
  });
  return { advise, lines, asked: () => asked };
}

test('[N-3] for a source that the server does not serve, the log explains once what to do', async () => {
  const { advise, lines, asked } = advised();

  advise(status('unserved'));
  advise(status('healthy'));
  advise(status('unserved'));
  await settle();

  expect(asked()).toBe(1);
  expect(lines).toEqual([
    {
      level: 'warn',
      message: 'resource is not served',
      fields: {
        resource: 'widgets',
        apiUrl: 'http://127.0.0.1:8001',
        remedy: 'did you mean gadgets?',
      },
    },
  ]);
});

test('if the server does not serve an optional source, the log gives no explanation', async () => {
  const { advise, lines, asked } = advised({ isNeeded: false });

  advise(status('unserved'));
  await settle();

  expect([asked(), lines]).toEqual([0, []]);
});

test('[N-3] a server that is not Kubernetes is logged once, with the URL and the variable', () => {
  const { advise, lines } = advised();
  const error = new ProtocolError('HTML', { code: 'NOT_KUBERNETES' });

  advise(status('failing', error));
  advise(status('failing', error));

  expect(lines).toEqual([
    {
      level: 'warn',
      message: 'no Kubernetes API answers',
      fields: {
        resource: 'widgets',
        apiUrl: 'http://127.0.0.1:8001',
        remedy: expect.stringContaining('set CHANCERY_API_URL'),
      },
    },
  ]);
});
