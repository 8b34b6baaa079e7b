/** `chancery check` with controllers from a file, through an ambassador to an API server on which roles count. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ApiServer } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import { runCheck } from '../../../../operator/cli/check/check.ts';
import { CHECK } from '../../../../operator/cli/check/table.ts';
import { command } from '../../../../operator/cli/table-command.ts';
import { parseYamlDocuments } from '../../../../operator/core/yaml.ts';
import type { KubernetesObject } from '../../../../operator/model/object.ts';
import { folderWith } from '../../../../test/cli/child.ts';
import { invoke } from '../../../../test/cli/invocation.ts';
import { startProxy } from '../../../../test/support/cluster.ts';

const USER = 'system:serviceaccount:demo:op';

/** The machine of the test may have a token. */
const COMMANDS = {
  commands: [command(CHECK, async () => (given, io) => runCheck(given, io, { tokenFolders: [] }))],
};

const CONTROLLER = `
apiVersion: metacontroller.k8s.io/v1alpha1
kind: DecoratorController
metadata: {name: rings}
spec:
  resources: [{apiVersion: v1, resource: services}]
  attachments: [{apiVersion: v1, resource: endpoints, updateStrategy: {method: InPlace}}]
  hooks: {sync: {webhook: {url: http://rings.example/sync}}}
`;

/** Behind the filter and with the roles that `generate` makes of the file, but for what `lacks` names. */
async function place(lacks: string | undefined) {
  const file = join(folderWith({}), 'rings.yaml');
  writeFileSync(file, CONTROLLER);
  const from = ['--from-metacontroller', file];
  const generated = async (...words: readonly string[]) => {
    const { exit, stdout } = invoke(['generate', ...words, ...from]);
    expect(await exit).toBe(0);
    return stdout.lines;
  };
  const server = await ApiServer.start({ authorization: 'RBAC' });
  onTestFinished(() => server.close());
  server.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'demo' } });
  const roles = await generated(
    'rbac',
    '--name',
    'op',
    '--namespace',
    'demo',
    '--no-leader-election',
  );
  const text = roles.join('\n').replaceAll(`- ${lacks}\n`, '- podtemplates\n');
  for (const object of parseYamlDocuments(text)) server.create(object as KubernetesObject);
  const flags = await generated('proxy', '--no-leader-election');
  const [acceptPaths = [], rejectPaths = [], rejectMethods = []] = flags.map((flag) =>
    flag.replace(/^--[a-z-]+=/, '').split(','),
  );
  const filter = { acceptPaths, rejectPaths, rejectMethods };
  const proxy = await startProxy(await server.urlFor(USER), filter);
  return { args: ['check', ...from, '--server', proxy.url] };
}

test('with the generated roles, `check` finds that the controllers have every permission', async () => {
  const { args } = await place(undefined);

  const { exit, stdout } = invoke(args, COMMANDS);

  expect(await exit).toBe(0);
  expect(stdout.lines).toContain('rights: every declared right is granted');
});

test('[metacontroller M11] if a permission is missing, `check` prints the rule and the controller that needs it', async () => {
  const { args } = await place('services');

  const { exit, stdout } = invoke(args, COMMANDS);

  expect(await exit).toBe(1);
  expect(stdout.lines).toContain('missing: get, list, watch, patch services in all namespaces');
  expect(stdout.lines).toContain(
    '  for: controller decoratorcontroller/rings (source, permission)',
  );
  expect(stdout.lines).toContain(
    '    - { apiGroups: [""], resources: [services], verbs: [get, list, watch, patch] }',
  );
});
