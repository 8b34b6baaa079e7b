/** `chancery check`, through an ambassador to an API server on which roles count. */
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AmbassadorFilter } from '@chancery/testing';
import { ApiServer } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import { proxyFilter } from '../../operator/access/filter/proxy-filter.ts';
import { rbac } from '../../operator/access/rbac.ts';
import { runCheck } from '../../operator/cli/check/check.ts';
import { CHECK } from '../../operator/cli/check/table.ts';
import { command } from '../../operator/cli/table-command.ts';
import { controller } from '../../operator/controller/controller.ts';
import { source } from '../../operator/controller/source.ts';
import { configMaps, pods } from '../../operator/model/builtin.ts';
import type { KubernetesObject } from '../../operator/model/object.ts';
import { binding, role } from '../../testing/test/apiserver/auth/rbac-server.ts';
import { startProxy } from '../support/cluster.ts';
import { folderWith } from './child.ts';
import { invoke } from './invocation.ts';

const USER = 'system:serviceaccount:demo:op';

const HELLO = `
import { controller, source } from 'chancery';
import { configMaps, pods } from 'chancery/kubernetes';

export default controller({
  name: 'hello',
  for: source(configMaps),
  permissions: [{ resource: pods, verbs: ['delete'] }],
  reconcile: async () => {},
});`;

/** The same, for what follows from it. */
const hello = controller({
  name: 'hello',
  for: source(configMaps),
  permissions: [{ resource: pods, verbs: ['delete'] }],
  reconcile: async () => {},
});
const PLACEMENT = { namespaces: ['demo'] };
const FILTER = proxyFilter([hello], PLACEMENT);

interface ClusterOptions {
  readonly granted?: boolean;
  readonly filter?: AmbassadorFilter;
}

async function cluster({ granted = false, filter = FILTER }: ClusterOptions = {}) {
  const server = await ApiServer.start({ authorization: 'RBAC' });
  onTestFinished(() => server.close());
  server.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'demo' } });
  const serviceAccount = { name: 'op', namespace: 'demo' };
  if (granted) {
    for (const object of rbac([hello], { ...PLACEMENT, name: 'op', serviceAccount })) {
      server.create(object as unknown as KubernetesObject);
    }
  }
  const proxy = await startProxy(await server.urlFor(USER), filter);
  return { server, url: proxy.url };
}

function check(url: string, args: readonly string[] = [], token?: string) {
  const folder = folderWith({ 'hello.ts': HELLO });
  if (token !== undefined) writeFileSync(join(folder, 'token'), token);
  return invoke(['check', join(folder, 'hello.ts'), ...args], {
    env: {
      CHANCERY_API_URL: url,
      POD_NAMESPACE: 'demo',
      CHANCERY_INSECURE_ALLOW_TOKEN: 'false',
    },
    commands: [
      command(CHECK, async () => (given, io) => runCheck(given, io, { tokenFolders: [folder] })),
    ],
  });
}

test('`check` exits with 0 after three lines if everything is granted', async () => {
  const { url } = await cluster({ granted: true });

  const { exit, stdout, stderr } = check(url);

  expect(await exit).toBe(0);
  expect(stdout.lines).toEqual([
    'filter: closed, it refuses what it must refuse',
    'token: none is visible',
    'rights: every declared right is granted',
  ]);
  expect(stderr.lines).toEqual([]);
});

test('[security 41] `check` prints for each missing permission who needs it, for what, and a rule to add', async () => {
  const { url } = await cluster();

  const { exit, stdout } = check(url);

  expect(await exit).toBe(1);
  expect(stdout.lines).toEqual([
    'filter: closed, it refuses what it must refuse',
    'token: none is visible',
    'rights: 3 rules are missing',
    '',
    'missing: get, list, watch configmaps in namespace demo',
    '  for: controller hello (source)',
    '  add to a Role in namespace demo:',
    '    - { apiGroups: [""], resources: [configmaps], verbs: [get, list, watch] }',
    '',
    'missing: delete pods in namespace demo',
    '  for: controller hello (permission)',
    '  add to a Role in namespace demo:',
    '    - { apiGroups: [""], resources: [pods], verbs: [delete] }',
    '',
    'missing: create, patch events.events.k8s.io in namespace demo',
    '  for: controller hello (events)',
    '  add to a Role in namespace demo:',
    '    - { apiGroups: ["events.k8s.io"], resources: [events], verbs: [create, patch] }',
  ]);
});

test('`check -o json` prints one document, with each permission in a separate entry', async () => {
  const { url } = await cluster();

  const { exit, stdout } = check(url, ['-o', 'json']);

  expect(await exit).toBe(1);
  const report = JSON.parse(stdout.lines.join('\n'));
  expect(report).toMatchObject({ ok: false, filter: { state: 'closed' }, token: null });
  expect(report.missing).toHaveLength(6);
  expect(report.missing[3]).toEqual({
    verb: 'delete',
    group: '',
    resource: 'pods',
    subresource: null,
    name: null,
    namespace: 'demo',
    neededBy: [{ controller: 'hello', reason: 'permission' }],
  });
  expect(report.rules[1]).toEqual({
    kind: 'Role',
    namespace: 'demo',
    rule: { apiGroups: [''], resources: ['pods'], verbs: ['delete'] },
  });
});

test.each([
  [
    'a comma at the end of --accept-paths',
    { ...FILTER, acceptPaths: [...FILTER.acceptPaths, ''] },
    /^filter: open: GET \/chancery-self-test.* a comma at the end is enough/,
  ],
  [
    'an empty list of rejected methods',
    { ...FILTER, rejectMethods: ['^$'] },
    /^filter: open: OPTIONS \/version, a method/,
  ],
  [
    'an empty list of accepted paths',
    { ...FILTER, acceptPaths: [] },
    /^filter: shut: the ambassador refuses every path, even \/version: generate its arguments/,
  ],
])('`check` exits with 1 after it finds %s', async (_, filter, line) => {
  const { url } = await cluster({ granted: true, filter });

  const { exit, stdout } = check(url);

  expect(await exit).toBe(1);
  expect(stdout.lines[0]).toMatch(line);
});

test('`check` exits with 1 after it finds a readable token', async () => {
  const { url } = await cluster({ granted: true });

  const { exit, stdout } = check(url, [], 'eyJ');

  expect(await exit).toBe(1);
  expect(stdout.lines[1]).toMatch(/^token: visible at .*\/token$/);
});

test('`--excess` prints permissions that are granted but not declared, and does not count them as errors', async () => {
  const { server, url } = await cluster({ granted: true });
  const secrets = { verbs: ['get', 'list'], apiGroups: [''], resources: ['secrets'] };
  server.create(role('secrets', 'demo', secrets));
  server.create(binding('secrets', 'demo', 'Role/secrets', `User/${USER}`));
  server.create(binding('all', undefined, 'ClusterRole/cluster-admin', `User/${USER}`));

  const { exit, stdout } = check(url, ['--excess']);

  expect(await exit).toBe(0);
  expect(stdout.lines.slice(3)).toEqual([
    '',
    'beyond the declarations:',
    '  wildcard, everywhere: { apiGroups: ["*"], resources: ["*"], verbs: ["*"] }',
    '  secrets, in namespace demo: { apiGroups: [""], resources: [secrets], verbs: [get] }',
    '  secrets, in namespace demo: { apiGroups: [""], resources: [secrets], verbs: [list] }',
  ]);
});

test('`--namespaces` overrides WATCH_NAMESPACE', async () => {
  const { url } = await cluster({ granted: true });

  const some = check(url, ['--namespaces', 'demo,other']);
  const all = check(url, ['--namespaces', '*']);

  expect([await some.exit, await all.exit]).toEqual([1, 1]);
  expect(some.stdout.lines).toContain('missing: delete pods in namespace other');
  expect(some.stdout.lines).not.toContain('missing: delete pods in namespace demo');
  expect(all.stdout.lines).toContain('missing: delete pods in all namespaces');
});

test('`check` tests the permissions that a folder of hooks needs', async () => {
  const { url } = await cluster();
  const folder = folderWith({
    'tidy.sh': '#!/bin/sh',
    'tidy.sh.yaml': 'configVersion: v1\nkubernetes: [{kind: cm}]',
    'tidy.rights.yaml': 'rules: [{apiGroups: [""], resources: [pods], verbs: [delete]}]',
  });
  chmodSync(join(folder, 'tidy.sh'), 0o755);

  const { exit, stdout } = invoke(['check', '--hooks', folder, '--namespaces', 'demo'], {
    env: { CHANCERY_API_URL: url },
    commands: [
      command(CHECK, async () => (given, io) => runCheck(given, io, { tokenFolders: [] })),
    ],
  });

  expect(await exit).toBe(1);
  expect(stdout.lines.filter((line) => line.startsWith('missing: '))).toEqual([
    'missing: get, list, watch configmaps in namespace demo',
    'missing: delete pods in namespace demo',
    'missing: create, patch events.events.k8s.io in namespace demo',
  ]);
});

test('`check` tests the permissions of hooks in all namespaces, and in a Pod also those for their Lease', async () => {
  const { url } = await cluster();
  const folder = folderWith({
    'tidy.sh': '#!/bin/sh',
    'tidy.sh.yaml': 'configVersion: v1\nkubernetes: [{kind: cm}]',
  });
  chmodSync(join(folder, 'tidy.sh'), 0o755);

  const { exit, stdout } = invoke(['check', '--hooks', folder], {
    env: { CHANCERY_API_URL: url, POD_NAMESPACE: 'demo' },
    commands: [
      command(CHECK, async () => (given, io) => runCheck(given, io, { tokenFolders: [] })),
    ],
  });

  expect(await exit).toBe(1);
  expect(stdout.lines).toContain('missing: get, list, watch configmaps in all namespaces');
  expect(stdout.lines.join()).toContain(
    'leases.coordination.k8s.io "hooks-leader" in namespace demo',
  );
});

test('if no ambassador responds, `check` prints only a one-line error, and exits with 1', async () => {
  const { exit, stdout, stderr } = check('http://127.0.0.1:1');

  expect(await exit).toBe(1);
  expect(stdout.lines).toEqual([]);
  expect(stderr.lines).toEqual([expect.stringMatching(/^chancery check: /)]);
});

test.each([
  [['check'], 'expected at least one MODULE'],
  [['check', 'gone.ts', '--hooks', 'hooks'], '--hooks stands in place of modules'],
  [['check', 'gone.ts'], 'cannot load gone.ts: no such file'],
  [['check', 'gone.ts', '-o', 'yaml'], '--output must be text or json, not "yaml"'],
  [['check', 'gone.ts', '--namespaces', 'a,B'], '--namespaces must be namespaces, as a,b'],
  [['check', 'gone.ts', '--namespaces', ''], '--namespaces must name one'],
  [['check', 'gone.ts', '--name', 'x'], 'did you mean --namespaces?'],
])('the arguments %j are refused in one line, with exit code 2', async (args, message) => {
  const { exit, stderr } = invoke(args);

  expect(await exit).toBe(2);
  expect(stderr.lines).toHaveLength(1);
  expect(stderr.lines[0]).toContain(message);
});
