/**
 * A real kubectl on a server on which Roles count.
 *
 * @module-tag kubectl
 */
import { expect, test } from 'vitest';
import { Session } from '../../../test/tools/kubectl-session.ts';

const POLICY = `
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: { name: reader, namespace: default }
rules:
  - { apiGroups: [""], resources: [configmaps], verbs: [get, list] }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: { name: reader, namespace: default }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: Role, name: reader }
subjects:
  - { kind: User, apiGroup: rbac.authorization.k8s.io, name: jane }
`;

async function start(): Promise<Session> {
  const kubectl = await Session.start({ authorization: 'RBAC' });
  kubectl.server.applyManifest(POLICY);
  return kubectl;
}

test('`kubectl auth can-i` answers according to the Roles, for the user and for other users', async () => {
  const kubectl = await start();
  const jane = `--server=${await kubectl.server.urlFor('jane')}`;
  const canI = async (...args: readonly string[]): Promise<string> =>
    (await kubectl.try(['auth', 'can-i', ...args])).stdout.trim();

  const answers = [
    await canI('list', 'configmaps', jane),
    await canI('delete', 'configmaps', jane),
    await canI('list', 'configmaps', '--namespace=kube-system', jane),
    await canI('get', '/version', jane),
    await canI('list', 'configmaps', '--as=jane'),
    await canI('list', 'configmaps', '--as=system:serviceaccount:default:op'),
    await canI('*', '*'),
  ];

  expect(answers).toEqual(['yes', 'no', 'no', 'yes', 'yes', 'no', 'yes']);
});

test('`kubectl auth can-i --list` prints the rules', async () => {
  const kubectl = await start();

  const printed = await kubectl.run(['auth', 'can-i', '--list', '--as=jane']);

  expect(printed).toMatch(/^configmaps +\[\] +\[\] +\[get list\]$/m);
  expect(printed).toMatch(/^selfsubjectreviews\.authentication\.k8s\.io +\[\] +\[\] +\[create\]$/m);
  expect(printed).toMatch(/^ +\[\/version\] +\[\] +\[get\]$/m);
});

test('`kubectl auth whoami` prints the user and the groups of the user', async () => {
  const kubectl = await start();

  const printed = await kubectl.run(['auth', 'whoami']);
  const other = await kubectl.run(['auth', 'whoami', '--as=jane', '--as-group=team', '--as-uid=7']);

  expect(printed).toMatch(/^Username +kubernetes-admin$/m);
  expect(printed).toMatch(/^Groups +\[system:masters system:authenticated\]$/m);
  expect(other).toMatch(/^Username +jane$/m);
  expect(other).toMatch(/^UID +7$/m);
  expect(other).toMatch(/^Groups +\[team system:authenticated\]$/m);
});

test('kubectl prints the message of the server for a forbidden request', async () => {
  const kubectl = await start();

  const { code, stderr } = await kubectl.try(['get', 'secrets', '--as=jane']);

  expect(code).toBe(1);
  expect(stderr).toBe(
    'Error from server (Forbidden): secrets is forbidden: User "jane" cannot list resource "secrets" in API group "" in the namespace "default"\n',
  );
});

test('`kubectl auth reconcile` adds rules and subjects, and removes no rules or subjects', async () => {
  const kubectl = await start();
  const more = POLICY.replace('[configmaps]', '[pods]')
    .replace('[get, list]', '[get]')
    .replace('name: jane', 'name: joe');

  const printed = await kubectl.run(['auth', 'reconcile', '-f', '-'], { input: more });

  expect(printed).toContain('role.rbac.authorization.k8s.io/reader reconciled');
  expect(printed).toContain('rolebinding.rbac.authorization.k8s.io/reader reconciled');
  expect(
    kubectl.server.get('rbac.authorization.k8s.io/v1', 'Role', 'default', 'reader'),
  ).toMatchObject({ rules: [{ resources: ['configmaps'] }, { resources: ['pods'] }] });
  expect(
    kubectl.server.get('rbac.authorization.k8s.io/v1', 'RoleBinding', 'default', 'reader'),
  ).toMatchObject({ subjects: [{ name: 'jane' }, { name: 'joe' }] });
});

test('`kubectl create token` gets a token of a ServiceAccount', async () => {
  const kubectl = await start();
  await kubectl.run(['create', 'serviceaccount', 'op']);

  const token = (await kubectl.run(['create', 'token', 'op', '--duration=20m'])).trim();
  const answer = await fetch(`${kubectl.server.url}/api/v1/namespaces/default/configmaps`, {
    headers: { authorization: `Bearer ${token}` },
  });

  expect(answer.status).toBe(403);
  expect(await answer.text()).toContain('system:serviceaccount:default:op');
});

test('Roles and bindings that `kubectl create` makes take effect at once', async () => {
  const kubectl = await start();
  await kubectl.run(['create', 'role', 'killer', '--verb=delete', '--resource=pods']);
  await kubectl.run(['create', 'rolebinding', 'k', '--role=killer', '--serviceaccount=default:op']);
  await kubectl.run(['create', 'clusterrolebinding', 'v', '--clusterrole=view', '--group=team']);
  const op = '--as=system:serviceaccount:default:op';

  const answers = await Promise.all([
    kubectl.try(['auth', 'can-i', 'delete', 'pods', op]),
    kubectl.try(['auth', 'can-i', 'delete', 'pods', '--all-namespaces', op]),
    kubectl.try(['auth', 'can-i', 'list', 'pods', '-A', '--as=joe', '--as-group=team']),
    kubectl.try(['auth', 'can-i', 'list', 'secrets', '-A', '--as=joe', '--as-group=team']),
  ]);

  expect(answers.map(({ stdout }) => stdout.trim())).toEqual(['yes', 'no', 'yes', 'no']);
});
