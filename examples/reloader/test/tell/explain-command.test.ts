/** The command as its command line starts it, on a cluster in which the operator has worked. */
import { FakeClock } from '@chancery/testing';
import { restClient, systemClock, undiciTransport } from 'chancery/low-level';
import { expect, onTestFinished, test } from 'vitest';
import program from '../../operator.ts';
import { AUTO, envFrom, type Reloading, startReloader } from '../support/start.ts';

const WINDOW = JSON.stringify({ windows: [{ cron: '0 2 * * *', duration: '2h' }] });

/** What `explain` prints, and its exit code. */
async function explain(reloader: Reloading, ...args: readonly string[]) {
  const { command } = await program.create({
    args: ['explain', ...args, '--namespace', reloader.namespace],
    environment: {},
  });
  const written = { stdout: '', stderr: '' };
  const to = (name: keyof typeof written) => ({
    write: (text: string) => {
      written[name] += text;
    },
  });
  const transport = undiciTransport(reloader.env.url);
  onTestFinished(() => transport.close());
  const code = await command?.({
    client: restClient({ transport, fieldManager: 'test', clock: systemClock }),
    stdout: to('stdout'),
    stderr: to('stderr'),
    signal: new AbortController().signal,
    clock: new FakeClock(Date.parse('2030-01-01T12:00:00Z')),
  });
  return { code, ...written };
}

test('[reloader 28] `explain` prints each resource of a workload from the cluster, without its content', async () => {
  const reloader = await startReloader();
  await reloader.config('app', { mode: 'SLOW' });
  await reloader.config('log-a', { level: 'x' });
  await reloader.config('other', { level: 'x' });
  const named = {
    ...AUTO,
    'configmap.reloader.stakater.com/reload': 'log-.*,(',
    'reloader.stakater.com/restart-window': WINDOW,
  };
  await reloader.workload('web', {
    annotations: { ...named, 'secrets.exclude.reloader.stakater.com/reload': 'login' },
    ...envFrom('configmap/app', 'configmap/missing', 'secret/login'),
  });
  await reloader.recorded('web');
  await reloader.idle();
  await reloader.operator.stop();
  await reloader.config('app', { mode: 'FAST' });

  const { code, stdout } = await explain(
    reloader,
    'deploy/web',
    'cm/other',
    '--enable-restart-windows',
  );

  expect(code).toBe(0);
  expect(stdout.split('\n')).toEqual([
    `Deployment web in namespace ${reloader.namespace}`,
    '  configmap/app: a change restarts the workload',
    '    rule auto: the auto annotation is true, and the Pod template references the resource',
    '    container: app',
    '    state: the content differs from what is recorded, so a restart is due',
    '  configmap/log-a: a change restarts the workload',
    expect.stringMatching(/^ {4}rule named-unreferenced: /),
    '    container: app',
    '    state: the content is what is recorded',
    '  configmap/missing: a change restarts the workload',
    expect.stringMatching(/^ {4}rule auto: /),
    '    container: app',
    '    state: there is no such resource now',
    '  configmap/other: a change restarts nothing',
    expect.stringMatching(/^ {4}rule unreferenced: /),
    '  secret/login: a change restarts nothing',
    expect.stringMatching(/^ {4}rule excluded: /),
    expect.stringMatching(/^ {2}cannot be used: configmap.reloader.stakater.com\/reload: /),
    '  waits: The restart for configmap/app waits until the restart window opens: 2030-01-02T02:00:00Z.',
    'A restart is due and waits, because of configmap/app.',
    '',
  ]);
  expect(stdout).not.toContain('FAST');
});

test('[reloader 28] for an unknown workload, `explain` exits with 1, and lists the existing workloads', async () => {
  const reloader = await startReloader({ stopped: true });
  await reloader.workload('web');
  await reloader.workload('api');

  const absent = await explain(reloader, 'deployment/wbe');
  const unknown = await explain(reloader, 'pod/web');
  const unserved = await explain(reloader, 'rollout/web'); // no Argo Rollouts here

  expect(absent).toEqual({
    code: 1,
    stdout: '',
    stderr: `no Deployment wbe in namespace ${reloader.namespace}; it has api, web\n`,
  });
  expect(unserved).toEqual({
    code: 1,
    stdout: '',
    stderr: `no Rollout web in namespace ${reloader.namespace}; it has none\n`,
  });
  expect(unknown.code).toBe(1);
  expect(unknown.stderr).toContain('there is no kind pod; known: deployment,');
});

test('[reloader 28] `explain` reports an invalid pause period, because the restart waits until it is corrected', async () => {
  const reloader = await startReloader();
  await reloader.config('app', { mode: '1' });
  const annotations = { ...AUTO, 'deployment.reloader.stakater.com/pause-period': 'soon' };
  await reloader.workload('web', { annotations, ...envFrom('configmap/app') });
  await reloader.recorded('web');
  await reloader.operator.stop();
  await reloader.config('app', { mode: '2' });

  const { stdout } = await explain(reloader, 'deployment/web');

  expect(stdout.trimEnd().split('\n').slice(-3)).toEqual([
    expect.stringMatching(/^ {2}cannot be used: deployment\S+pause-period: must be a duration/),
    '  waits: The restart waits until deployment.reloader.stakater.com/pause-period can be used.',
    'A restart is due and waits, because of configmap/app.',
  ]);
});

test('the error for a word such as false after a flag contains the right notation', async () => {
  const given = { args: ['--auto-reload-all', 'false'], environment: {} };

  await expect(program.create(given)).rejects.toThrow(
    'got "false"; the value of a flag follows "=", as in --auto-reload-all=false',
  );
});

test.each(['', 'A/B', '..'])('`explain` refuses the namespace %j', async (namespace) => {
  const given = { args: ['explain', 'deployment/web', '--namespace', namespace], environment: {} };

  await expect(program.create(given)).rejects.toThrow(
    '--namespace must be the name of a namespace',
  );
});
