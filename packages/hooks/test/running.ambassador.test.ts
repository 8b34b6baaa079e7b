import { eventually } from '@chancery/testing';
import { expect, test } from 'vitest';
import { rbac } from '../../../operator/low-level.ts';
import { CROPS, field } from './support/farm.ts';
import { inShort, LANGUAGES, startHooks } from './support/place.ts';

const CONFIG = `configVersion: v1\nkubernetes:${CROPS}`;

test('[hooks 25] a hook that copies Secrets needs permissions for Namespaces and Secrets, and for nothing else', async () => {
  const config = `
configVersion: v1
kubernetes:
- name: originals
  kind: Secret
  labelSelector: { matchLabels: { copy: 'yes' } }
- name: targets
  kind: Namespace
  labelSelector: { matchLabels: { wants: secrets } }`;
  const rights = `
rules:
- apiGroups: ['']
  resources: [secrets]
  verbs: [create, get, update]
`;
  const place = await startHooks({
    recorders: { 'copy.sh': config },
    files: { 'copy.sh.rights.yaml': rights },
    allNamespaces: true,
    stopped: true,
  });
  const hook = place.hook('copy.sh');
  const copy = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'copy', namespace: place.namespace },
    data: { key: 'dmFsdWU=' },
  };
  await hook.answer({ patches: [{ operation: 'CreateOrUpdate', object: copy }] });
  place.startOperator();
  await hook.started(2);

  const secret = await eventually(() => place.env.get('v1', 'Secret', place.namespace, 'copy'));
  const { declarations } = place;
  const rules = rbac(declarations, {
    namespaces: undefined,
    name: 'hooks',
    serviceAccount: { name: 'hooks', namespace: 'default' },
  }).flatMap((object) => ('rules' in object ? object.rules : []));

  expect(secret).toMatchObject({ data: { key: 'dmFsdWU=' } });
  expect(place.refusals()).toEqual([]);
  expect(rules).toEqual([
    { apiGroups: [''], resources: ['namespaces'], verbs: ['get', 'list', 'watch'] },
    {
      apiGroups: [''],
      resources: ['secrets'],
      verbs: ['get', 'list', 'watch', 'create', 'update'],
    },
    { apiGroups: ['events.k8s.io'], resources: ['events'], verbs: ['create', 'patch'] },
  ]);
});

test.each(
  LANGUAGES,
)('[hooks 1] a %s hook gets the existing objects, and then each change', async (language) => {
  const place = await startHooks({ language, recorders: { 'crops.sh': CONFIG }, stopped: true });
  await place.apply(field('north', '1'));
  place.startOperator();
  const hook = place.hook('crops.sh');
  await hook.started(1);

  await place.apply(field('south', '2'));
  await hook.contexts(2);
  await place.apply(field('south', '3'));
  await hook.contexts(3);
  await place.env.delete('v1', 'ConfigMap', place.namespace, 'south');
  const all = await hook.contexts(4);

  expect(all.map(inShort)).toEqual([
    'crops Synchronization north',
    'crops Event Added south',
    'crops Event Modified south',
    'crops Event Deleted south',
  ]);
  expect(all[2]?.object?.data).toEqual({ trees: '3' });
});

test('[hooks 4] the contexts of a binding can include the snapshot of another binding that never starts a run itself', async () => {
  const config = `
configVersion: v1
kubernetes:
- name: sheds
  kind: Secret
  executeHookOnEvent: []
  executeHookOnSynchronization: false
${CROPS.trim()}
  includeSnapshotsFrom: [sheds]`;
  const place = await startHooks({ recorders: { 'a.sh': config } });
  const hook = place.hook('a.sh');
  await hook.started(1);
  const name = { name: 'key', namespace: place.namespace };

  await place.env.create({ apiVersion: 'v1', kind: 'Secret', metadata: name });
  await eventually(() =>
    hookSources(place).some(({ resource, objects }) => resource === 'secrets' && objects > 0),
  );
  await place.apply(field('north', '1'));
  const all = await hook.contexts(2);

  expect(all.map(inShort)).toEqual(['crops Synchronization', 'crops Event Added north']);
  expect(all[0]?.snapshots).toEqual({ sheds: [] });
  expect(all[1]?.snapshots?.sheds?.map(({ object }) => object?.metadata.name)).toEqual(['key']);
});

test('[hooks 5] five changes of a group during a run start one more run, with one context', async () => {
  const config = `
configVersion: v1
schedule:
- { name: hourly, crontab: '0 * * * *', group: yard }
kubernetes:
${CROPS.trim()}
  group: yard
- name: sheds
  kind: Secret
  group: yard`;
  const place = await startHooks({ recorders: { 'a.sh': config }, stopped: true });
  const hook = place.hook('a.sh');
  const release = await hook.hold(1);
  place.startOperator();
  await hook.started(1);

  for (let at = 1; at <= 5; at++) await place.apply(field(`field-${at}`, '1'));
  await eventually(() => hookSources(place).some(({ objects }) => objects === 5));
  await release();
  await hook.started(2);
  await place.operator.stop();
  const runs = await hook.runs();

  expect(runs.map((contexts) => contexts.map(inShort))).toEqual([['sheds Group'], ['crops Group']]);
  expect(runs[1]?.[0]?.snapshots?.crops).toHaveLength(5);
});

test('[hooks 24] [hooks S1] when the leader is killed during a run, the standby begins with the Synchronization', async () => {
  const place = await startHooks({
    recorders: { 'a.sh': CONFIG },
    files: { 'a.sh.rights.yaml': MAY_CREATE },
    leaderElection: true,
    environment: {
      CHANCERY_LEASE_DURATION: '3',
      CHANCERY_LEASE_RENEW_DEADLINE: '2',
      CHANCERY_LEASE_RETRY_PERIOD: '1',
    },
    stopped: true,
  });
  const hook = place.hook('a.sh');
  const created = (name: string) => ({
    operation: 'Create',
    object: field(name, '1', { crop: 'pear', namespace: place.namespace }),
  });
  await hook.answer({ patches: [created('by-the-dead')] }, 1);
  await hook.answer({ patches: [created('by-the-standby')] }, 2);
  const release = await hook.hold(1);
  const leader = place.startOperator();
  await hook.started(1);
  const standby = place.startOperator();
  await eventually(() => standby.ready);

  await leader.kill();
  await hook.started(2);
  await release();
  await eventually(() => place.env.get('v1', 'ConfigMap', place.namespace, 'by-the-standby'));
  const runs = await hook.runs();

  expect(runs.map((contexts) => contexts.map(inShort))).toEqual([
    ['crops Synchronization'],
    ['crops Synchronization'],
  ]);
  const names = (await place.env.list('v1', 'ConfigMap', place.namespace)).map(
    ({ metadata }) => metadata.name,
  );
  expect(names).not.toContain('by-the-dead');
});

test('[hooks 21] an omitted hook appears on the status page and in a metric', async () => {
  const place = await startHooks({
    recorders: { 'a.sh': CONFIG },
    files: { 'b.sh': '#!/bin/sh\nexit 3\n' },
    options: { skipBroken: true },
  });
  await place.hook('a.sh').started(1);

  const { meter, status } = place.operator;
  expect(meter.value('shell_operator_hook_left_out', { hook: 'b.sh' })).toBe(1);
  expect(status.runnables).toMatchObject([
    { state: { leftOut: [{ hook: 'b.sh', message: '--config ended with exit code 3' }] } },
  ]);
});

const MAY_CREATE = `
rules:
- apiGroups: ['']
  resources: [configmaps]
  verbs: [create]
`;

/** The lists and watches of the hooks. */
function hookSources(place: Awaited<ReturnType<typeof startHooks>>) {
  return place.operator.status.sources;
}
