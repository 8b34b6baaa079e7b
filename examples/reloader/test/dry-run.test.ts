/** `chancery run --dry-run` with the defaults of the command line: it lists what would restart, and why. */
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { invoke } from '../../../test/cli/invocation.ts';
import { AUTO, envFrom, startReloader } from './support/start.ts';

const MODULE = fileURLToPath(new URL('../operator.ts', import.meta.url));

test('a dry run lists each workload that would restart and the rule, regardless of rate limits, and stores nothing', async () => {
  let ambassador = '';
  const reloader = await startReloader({
    between: async (url) => {
      ambassador = url;
      return url;
    },
  });
  await reloader.config('app', { mode: '1' });
  await reloader.config('log-a', { mode: '1' });
  const order = { labels: { wave: '2' } };
  await reloader.workload('web', { annotations: AUTO, ...order, ...envFrom('configmap/app') });
  const named = { 'configmap.reloader.stakater.com/reload': 'log-.*' };
  await reloader.workload('other', { annotations: named, labels: { wave: '1' } });
  await reloader.recorded('web');
  await reloader.recorded('other');
  await reloader.operator.stop();
  await reloader.config('app', { mode: '2' });
  await reloader.config('log-a', { mode: '2' });
  const { revision } = reloader.env.server.snapshot();

  const { namespace } = reloader;
  const paced = ['--order-label=wave', '--rollouts-per-second=0.001', '--wait-for-rollout'];
  const run = invoke(['run', '--dry-run', MODULE, '--', ...paced], {
    env: {
      CHANCERY_API_URL: ambassador,
      WATCH_NAMESPACE: namespace,
      POD_NAMESPACE: namespace,
      CHANCERY_INSECURE_ALLOW_TOKEN: 'true',
    },
  });

  expect(await run.exit).toBe(0);
  const events = run.stdout.lines.filter((line) => line.startsWith('# event: Normal Reloaded'));
  expect(events.sort()).toEqual([
    expect.stringMatching(/'log-a' .* restart 'other' .*\(dry run; rule: named-unreferenced\)$/),
    expect.stringMatching(/'app' .* restart 'web' .*\(dry run; rule: auto\)$/),
  ]);
  const shown = run.stdout.lines.filter((line) => /^\+ .*STAKATER_/.test(line));
  expect(shown).toHaveLength(2);
  expect(reloader.env.server.snapshot().revision).toBe(revision);
});
