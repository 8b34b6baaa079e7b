/** Objects, rights and servers that are not as they should be. */
import { deployment, eventually } from '@chancery/testing';
import { expect, test } from 'vitest';
import { DEFAULT_ANNOTATIONS } from '../contract/annotations.ts';
import { MAX_ENTRIES, MAX_ENTRY_STATES, MAX_PROBLEMS } from '../contract/patterns.ts';
import { BY_RESOURCE, workloadSource } from '../sources.ts';
import { deploymentKind } from '../workloads/rolling.ts';
import { APP, AUTO, envFrom, type Reloading, startReloader } from './support/start.ts';

test('a Secret of 1 MiB restarts its workload, and no part of it appears in logs, metrics or Events', async () => {
  const reloader = await startReloader();
  const large = (letter: string) => ({ blob: `hidden-${letter.repeat(700_000)}` });
  await reloader.secret('large', large('a'));
  await reloader.workload('web', { annotations: AUTO, ...envFrom('secret/large') });
  await reloader.recorded('web');

  await reloader.secret('large', large('b'));
  await reloader.rolledOut('web', 1);

  const { log, meter } = reloader.operator;
  const shown = JSON.stringify([log, meter.snapshot(), await reloader.events()]);
  expect(shown).not.toContain('hidden-');
  expect(shown).not.toContain(Buffer.from('hidden-').toString('base64').slice(0, 8));
});

test('missing permissions for one kind of workload do not affect the other kinds', async () => {
  const reloader = await startReloader({
    stopped: true,
    withheld: ({ apiGroups = [] }) => apiGroups.includes('apps'),
  });
  await reloader.env.apply(rightsFor(['deployments', 'daemonsets'], reloader) as never);
  reloader.startOperator();
  await reloader.config('app', { mode: '1' });
  const references = envFrom('configmap/app');
  await reloader.workload('web', { annotations: AUTO, ...references });
  await reloader.workload('agent', { kind: 'DaemonSet', annotations: AUTO, ...references });
  await reloader.recorded('web');
  await reloader.recorded('agent', 'DaemonSet');

  await reloader.config('app', { mode: '2' });

  await eventually(() => reloader.rollouts('web') === 1);
  await eventually(() => reloader.rollouts('agent', 'DaemonSet') === 1);
});

test('until the operator may list Secrets, only workloads with ConfigMaps restart, and no Secret counts as deleted', async () => {
  const isOfResources = ({ resources = [] }: { readonly resources?: readonly string[] }) =>
    resources.includes('secrets');
  const reloader = await startReloader({
    stopped: true,
    args: ['--reload-on-delete=true'],
    withheld: isOfResources,
  });
  await reloader.config('app', { mode: '1' });
  await reloader.secret('key', { mode: '1' });
  await reloader.workload('web', { annotations: AUTO, ...envFrom('configmap/app') });
  const variable = { name: 'STAKATER_KEY_SECRET', value: 'old' };
  const container = { ...APP, env: [variable], envFrom: [{ secretRef: { name: 'key' } }] };
  await reloader.workload('safe', { annotations: AUTO, spec: { containers: [container] } });
  await reloader.env.apply(coreRightsFor(['configmaps'], reloader) as never);
  reloader.startOperator();
  await reloader.recorded('web');

  await reloader.config('app', { mode: '2' });
  await reloader.rolledOut('web', 1);
  expect(await reloader.variables('safe')).toEqual({ STAKATER_KEY_SECRET: 'old' });

  await reloader.env.apply(coreRightsFor(['configmaps', 'secrets'], reloader) as never);

  await eventually(() => reloader.rollouts('safe') === 1);
  expect((await reloader.variables('safe')).STAKATER_KEY_SECRET).toMatch(/^[0-9a-f]{40}$/);
});

test('[reloader R20] [reloader 6] if the first volume of a resource is not mounted, its second volume is used', async () => {
  const reloader = await startReloader();
  await reloader.config('app', { mode: '1' });
  const volume = (name: string) => ({ name, configMap: { name: 'app' } });
  const mount = { name: 'second', mountPath: '/config' };
  const spec = {
    volumes: [volume('first'), volume('second')],
    containers: [APP, { ...APP, name: 'side', volumeMounts: [mount] }],
  };
  await reloader.workload('web', { annotations: AUTO, spec });
  await reloader.recorded('web');

  await reloader.config('app', { mode: '2' });
  await reloader.rolledOut('web', 1);

  expect(Object.keys(await reloader.variables('web', 'side'))).toEqual(['STAKATER_APP_CONFIGMAP']);
});

test('[reloader 5] [reloader R21] annotations of the Pod template take effect, including exclude lists and pause periods', async () => {
  const reloader = await startReloader();
  await reloader.config('app', { mode: '1' });
  await reloader.config('left-out', { mode: '1' });
  const references = envFrom('configmap/app', 'configmap/left-out');
  const templateAnnotations = {
    ...AUTO,
    'configmaps.exclude.reloader.stakater.com/reload': 'left-out',
    'deployment.reloader.stakater.com/pause-period': '1h',
  };
  await reloader.workload('web', { templateAnnotations, ...references });
  const annotations = { 'reloader.stakater.com/auto': 'false' };
  await reloader.workload('off', { annotations, templateAnnotations, ...references });
  expect(Object.keys(await reloader.recorded('web'))).toEqual(['configmap/app']);

  await reloader.config('left-out', { mode: '2' });
  await reloader.config('app', { mode: '2' });
  const web = await reloader.rolledOut('web', 1);
  await reloader.handled();

  expect(Object.keys(await reloader.variables('web'))).toEqual(['STAKATER_APP_CONFIGMAP']);
  expect(web.spec.paused).toBe(true);
  expect((await reloader.live('off')).metadata.annotations).toEqual(annotations);
});

const rightsFor = (resources: readonly string[], reloader: Reloading): readonly object[] =>
  roleFor({ apiGroups: ['apps'], resources }, reloader);

const coreRightsFor = (resources: readonly string[], reloader: Reloading): readonly object[] =>
  roleFor({ apiGroups: [''], resources }, reloader);

function roleFor(rule: object, { namespace }: Reloading): readonly object[] {
  const metadata = { name: 'some', namespace };
  const verbs = ['get', 'list', 'watch', 'patch'];
  const apiVersion = 'rbac.authorization.k8s.io/v1';
  const subjects = [{ kind: 'ServiceAccount', name: 'reloader', namespace: 'test-1' }];
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'some' };
  return [
    { apiVersion, kind: 'Role', metadata, rules: [{ ...rule, verbs }] },
    { apiVersion, kind: 'RoleBinding', metadata, subjects, roleRef },
  ];
}

test('[found 2] if the patterns of a workload are too costly, it gets a Warning with the limit, and other workloads still restart', async () => {
  const reloader = await startReloader();
  await reloader.config('app', { mode: '1' });
  await reloader.config('hostile', { mode: '1' });
  const unicode = Array.from({ length: 200 }, (_, at) => `${'\\pL*\\PN?'.repeat(60)}${at}`);
  const hostile = { 'configmap.reloader.stakater.com/reload': `hostile,${unicode.join(',')}` };
  await reloader.workload('hostile', { annotations: hostile });
  const named = { 'configmap.reloader.stakater.com/reload': 'ap[a-z]' };
  await reloader.workload('web', { annotations: named });
  await reloader.recorded('web');
  await reloader.recorded('hostile');

  await reloader.config('app', { mode: '2' });
  await reloader.config('hostile', { mode: '2' });

  await reloader.rolledOut('web', 1);
  await reloader.rolledOut('hostile', 1); // its entry that is a name counts
  const warnings = (await reloader.events()).filter(({ type }) => type === 'Warning');
  const notes = warnings.map(({ reason, note }) => `${reason} ${note}`);
  expect(notes.length).toBeLessThanOrEqual(MAX_PROBLEMS);
  const key = 'configmap.reloader.stakater.com/reload';
  expect(notes[0]).toMatch(/^ReloadConfigInvalid /);
  expect(notes[0]).toContain(`${key}: has a pattern that repeats too often or has too many`);
  expect(notes[0]).toContain(`states, more than ${MAX_ENTRY_STATES}: "`);
  expect(Math.max(...notes.map((note) => note.length))).toBeLessThan(400);
});

test('[found 2] if an annotation has too many names, only the first names take effect, and their changes restart the workload', async () => {
  const reloader = await startReloader();
  const names = Array.from({ length: 9_000 }, (_, at) => `config-${at}`);
  await reloader.config('config-7', { mode: '1' });
  await reloader.config('config-8999', { mode: '1' });
  await reloader.workload('web', {
    annotations: { 'configmap.reloader.stakater.com/reload': names.join(',') },
  });
  expect(Object.keys(await reloader.recorded('web'))).toEqual(['configmap/config-7']);

  await reloader.config('config-8999', { mode: '2' });
  await reloader.config('config-7', { mode: '2' });

  await reloader.rolledOut('web', 1);
});

test('[found 2] a workload is indexed by a limited number of the names in an annotation', () => {
  const names = Array.from({ length: 20_000 }, (_, at) => `config-${at}`);
  const source = workloadSource(deploymentKind, {
    annotations: DEFAULT_ANNOTATIONS,
    resourceTypes: new Set(['CONFIGMAP'] as const),
  });
  const annotations = { [DEFAULT_ANNOTATIONS.reload.CONFIGMAP]: names.join(',') };
  const workload = deployment('web', { namespace: 'demo', annotations });

  const values = source.indexes?.[BY_RESOURCE]?.(workload as never);

  expect(values).toHaveLength(MAX_ENTRIES);
});
