/** The questions about rights, asked of an API server on which roles count. */

import { ApiServer, type AuthorizationMode } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import { missingRules, ruleYaml } from '../../operator/access/missing-access.ts';
import type { Placement } from '../../operator/access/placement.ts';
import { rbac } from '../../operator/access/rbac.ts';
import type { Client } from '../../operator/client/client.ts';
import { connect } from '../../operator/client/connection.ts';
import { controller } from '../../operator/controller/controller.ts';
import { source } from '../../operator/controller/source.ts';
import { systemClock } from '../../operator/core/clock.ts';
import { checkAccess } from '../../operator/manager/safety/access-check.ts';
import { configMaps, pods } from '../../operator/model/builtin.ts';
import type { SelfSubjectAccessReview } from '../../operator/model/kubernetes/authorization-v1.ts';
import { nodes } from '../../operator/model/kubernetes/resources.ts';
import type { KubernetesObject } from '../../operator/model/object.ts';
import { binding, role } from '../../testing/test/apiserver/auth/rbac-server.ts';

const USER = 'system:serviceaccount:demo:op';

const hello = controller({
  name: 'hello',
  for: source(configMaps),
  watches: [{ source: source(nodes), map: () => [] }],
  permissions: [{ resource: pods, subresource: 'log', verbs: ['get'], resourceNames: ['web'] }],
  reconcile: async () => {},
});

const placement: Placement = {
  namespaces: ['demo', 'other'],
  leaderElection: { namespace: 'demo' },
};

async function cluster(authorization: AuthorizationMode = 'RBAC') {
  const server = await ApiServer.start({ authorization });
  onTestFinished(() => server.close());
  for (const name of ['demo', 'other']) {
    server.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  }
  const connection = connect(await server.urlFor(USER), { clock: systemClock });
  onTestFinished(() => connection.close());
  const { signal } = new AbortController();
  const client = connection.clientFor('test');
  return {
    server,
    grant(where: Placement = placement): void {
      const serviceAccount = { name: 'op', namespace: 'demo' };
      for (const object of rbac([hello], { ...where, name: 'op', serviceAccount })) {
        server.create(object as unknown as KubernetesObject);
      }
    },
    async check(where: Placement = placement) {
      const report = await checkAccess({ client, declarations: [hello], placement: where, signal });
      return { ...report, texts: missingRules(report.missing).map(({ text }) => text) };
    },
  };
}

const ALL = [
  'get, list, watch configmaps in namespace demo',
  'get, list, watch configmaps in namespace other',
  'get, list, watch nodes in the cluster',
  'get pods/log "web" in namespace demo',
  'get pods/log "web" in namespace other',
  'create, patch events.events.k8s.io in namespace demo',
  'create, patch events.events.k8s.io in namespace other',
  'create, patch events.events.k8s.io in namespace default',
  'create leases.coordination.k8s.io in namespace demo',
  'get, update leases.coordination.k8s.io "hello-leader" in namespace demo',
];

test.each<AuthorizationMode>([
  'RBAC',
  'Webhook,RBAC',
])('if no permission is granted, every permission is missing (%s)', async (mode) => {
  const { check } = await cluster(mode);

  expect((await check()).texts).toEqual(ALL);
});

test.each<AuthorizationMode>([
  'RBAC',
  'Webhook,RBAC',
  'AlwaysAllow',
])('with the generated roles, no permission is missing or excessive (%s)', async (mode) => {
  const { check, grant } = await cluster(mode);
  if (mode !== 'AlwaysAllow') grant();

  const { texts, excess, incomplete } = await check();

  expect(texts).toEqual([]);
  expect(excess.map(({ kind }) => kind)).toEqual(mode === 'AlwaysAllow' ? ['wildcard'] : []);
  expect(incomplete).toBe(
    mode === 'Webhook,RBAC'
      ? 'webhook authorizer does not support user rule resolution'
      : undefined,
  );
});

test.each<AuthorizationMode>([
  'RBAC',
  'Webhook,RBAC',
])('adding each reported rule grants the missing permission (%s)', async (mode) => {
  const { check, server } = await cluster(mode);
  const { missing } = await check();

  for (const [index, { namespace, rule }] of missingRules(missing).entries()) {
    const kind = namespace === undefined ? 'ClusterRole' : 'Role';
    server.create(role(`r${index}`, namespace, rule));
    server.create(binding(`r${index}`, namespace, `${kind}/r${index}`, `User/${USER}`));
  }

  expect((await check()).texts).toEqual([]);
});

test('a permission for all namespaces counts as missing if it is granted only in single namespaces', async () => {
  const { check, grant } = await cluster();
  grant();

  const { texts } = await check({ ...placement, namespaces: undefined });

  expect(texts).toContain('get, list, watch configmaps in all namespaces');
});

test('if a binding refers to a missing role, the list of permissions is incomplete, and each is checked separately', async () => {
  const { check, grant, server } = await cluster();
  grant();
  server.create(binding('to-nothing', 'demo', 'Role/absent', `User/${USER}`));

  const { texts, incomplete } = await check();

  expect([texts, incomplete]).toEqual([[], 'role.rbac.authorization.k8s.io "absent" not found']);
});

test('a permission that is granted but not needed is reported with its rule and its namespace', async () => {
  const { check, grant, server } = await cluster();
  grant();
  const secrets = { verbs: ['get'], apiGroups: [''], resources: ['secrets'] };
  server.create(role('secrets', 'other', secrets));
  server.create(binding('secrets', 'other', 'Role/secrets', `User/${USER}`));
  server.create(binding('all', undefined, 'ClusterRole/cluster-admin', `User/${USER}`));

  const { excess } = await check();

  expect(excess.map(({ namespace, kind, rule }) => [namespace, kind, ruleYaml(rule)])).toEqual([
    [undefined, 'wildcard', '{ apiGroups: ["*"], resources: ["*"], verbs: ["*"] }'],
    ['other', 'secrets', '{ apiGroups: [""], resources: [secrets], verbs: [get] }'],
  ]);
});

test('a permission counts as missing if a webhook denies it, even if the incomplete list of rules contains it', async () => {
  const everything = { verbs: ['*'], apiGroups: ['*'], resources: ['*'] };
  const paths = { verbs: ['*'], nonResourceURLs: ['*'] };
  const asked: unknown[] = [];
  const client: Pick<Client, 'create'> = {
    create: async <T extends KubernetesObject>(_resource: unknown, object: T) => {
      if (object.kind === 'SelfSubjectRulesReview') {
        const lists = { resourceRules: [everything], nonResourceRules: [paths] };
        return { ...object, status: { ...lists, incomplete: true } };
      }
      const { resourceAttributes } = (object as unknown as SelfSubjectAccessReview).spec;
      asked.push(resourceAttributes);
      return { ...object, status: { allowed: resourceAttributes?.resource !== 'nodes' } };
    },
  };

  const { signal } = new AbortController();
  const report = await checkAccess({ client, declarations: [hello], placement, signal });

  expect(missingRules(report.missing).map(({ text }) => text)).toEqual([
    'get, list, watch nodes in the cluster',
  ]);
  expect(asked).toContainEqual({
    verb: 'get',
    group: '',
    version: 'v1',
    resource: 'pods',
    subresource: 'log',
    namespace: 'demo',
    name: 'web',
  });
});
