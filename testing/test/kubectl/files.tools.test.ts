/**
 * Manifests in files, with the oldest and the newest kubectl that is here: versions validate, merge and take over
 * fields in ways of their own, from the documents that the server hands them.
 *
 * @module-tag kubectl
 */
import { describe, expect, test } from 'vitest';
import { KUBECTLS } from '../../../test/proxy/support/kubectls.ts';
import {
  configMap,
  deployment,
  type Outcome,
  Session,
} from '../../../test/tools/kubectl-session.ts';

const LAMPS = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: lamps.light.example }
spec:
  group: light.example
  scope: Namespaced
  names: { kind: Lamp, plural: lamps, singular: lamp }
  versions:
    - name: v1beta2
      served: true
      storage: true
      subresources: { status: {} }
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
              type: object
              properties:
                watts: { type: integer, minimum: 1 }
                free: { type: object, x-kubernetes-preserve-unknown-fields: true }
                maybe: { type: string, nullable: true }
                port: { x-kubernetes-int-or-string: true }
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: blobs.light.example }
spec:
  group: light.example
  scope: Namespaced
  names: { kind: Blob, plural: blobs, singular: blob }
  versions:
    - name: v1
      served: true
      storage: true
      subresources: { status: {} }
      schema: { openAPIV3Schema: { x-kubernetes-preserve-unknown-fields: true } }
`;

const LAMP = `
apiVersion: light.example/v1beta2
kind: Lamp
metadata: { name: desk }
spec: { watts: 7, free: { any: [thing] }, maybe: null, port: 80 }
`;
const BLOB = `
apiVersion: light.example/v1
kind: Blob
metadata: { name: b }
odd: { x: 1 }
`;

const LIST = `
apiVersion: v1
kind: List
items:
  - { apiVersion: v1, kind: ConfigMap, metadata: { name: one }, data: { k: v } }
  - { apiVersion: v1, kind: Service, metadata: { name: two }, spec: { ports: [{ port: 80 }] } }
`;

/** What lies between behaves as one of them: a version takes a minute of a core. */
const OLDEST_AND_NEWEST = KUBECTLS.filter((_, at) => at === 0 || at === KUBECTLS.length - 1);

describe.each(OLDEST_AND_NEWEST)('[found 9] kubectl $name', ({ path }) => {
  const start = (): Promise<Session> => Session.start({}, path);

  async function withLamps(): Promise<Session> {
    const kubectl = await start();
    await kubectl.run(['create', '-f', kubectl.file('lamps.yaml', LAMPS)]);
    for (const name of ['lamps', 'blobs']) {
      await kubectl.run(['wait', '--for=condition=Established', `crd/${name}.light.example`]);
    }
    return kubectl;
  }

  test('`kubectl create` creates objects from a file with one or several documents', async () => {
    const kubectl = await start();
    const file = kubectl.file('one.yaml', deployment('web'));
    const several = kubectl.file(
      'two.yaml',
      `${configMap('a', { k: 'v' })}---${configMap('b', {})}`,
    );

    const one = await kubectl.run(['create', '-f', file]);
    const two = await kubectl.run(['create', '-f', several]);

    expect(one).toBe('deployment.apps/web created\n');
    expect(two).toBe('configmap/a created\nconfigmap/b created\n');
  });

  test('`kubectl apply` accepts a List, and the output of `kubectl get`', async () => {
    const kubectl = await start();

    const applied = await kubectl.run(['apply', '-f', '-'], { input: LIST });
    const printed = await kubectl.run(['get', 'configmap/one', 'service/two', '-o', 'yaml']);
    const again = await kubectl.run(['apply', '-f', '-'], { input: printed });

    expect(applied).toBe('configmap/one created\nservice/two created\n');
    expect(printed).toContain('kind: List');
    expect(again).toMatch(/^configmap\/one \w+\nservice\/two \w+\n$/);
  });

  test('kubectl applies, replaces and edits custom resources with all fields that their schema allows', async () => {
    const kubectl = await withLamps();
    const editor = kubectl.file(
      'editor.sh',
      '#!/bin/sh\nsed -i "s/watts: 7/watts: 9/" "$1"\n',
      0o700,
    );
    const both = `${LAMP}---${BLOB}`;

    const created = await kubectl.run(['apply', '-f', '-'], { input: both });
    const again = await kubectl.run(['apply', '-f', '-'], { input: both });
    const edited = await kubectl.run(['edit', 'lamp/desk'], { env: { KUBE_EDITOR: editor } });
    const replaced = await kubectl.run(['replace', '-f', '-'], {
      input: BLOB.replace('x: 1', 'x: 2'),
    });

    expect(created).toBe('lamp.light.example/desk created\nblob.light.example/b created\n');
    expect(again).toBe('lamp.light.example/desk unchanged\nblob.light.example/b unchanged\n');
    expect(edited).toBe('lamp.light.example/desk edited\n');
    expect(replaced).toBe('blob.light.example/b replaced\n');
    expect(kubectl.server.get('light.example/v1beta2', 'Lamp', 'default', 'desk')).toMatchObject({
      spec: { watts: 9, free: { any: ['thing'] }, port: 80 },
    });
  });

  test('`kubectl edit` edits a built-in kind', async () => {
    const kubectl = await start();
    await kubectl.run(['apply', '-f', '-'], { input: deployment('web') });
    const editor = kubectl.file(
      'editor.sh',
      '#!/bin/sh\nsed -i s/nginx:1.27/nginx:2/ "$1"\n',
      0o700,
    );

    const printed = await kubectl.run(['edit', 'deployment/web'], { env: { KUBE_EDITOR: editor } });

    expect(printed).toBe('deployment.apps/web edited\n');
    expect(kubectl.server.get('apps/v1', 'Deployment', 'default', 'web')).toMatchObject({
      spec: { template: { spec: { containers: [{ image: 'nginx:2' }] } } },
    });
  });

  test('`kubectl explain` explains built-in and custom kinds at any depth', async () => {
    const kubectl = await withLamps();

    const cronJob = await kubectl.run(['explain', 'cronjob', '--recursive']);
    const lamp = await kubectl.run(['explain', 'lamp', '--recursive']);
    const watts = await kubectl.run(['explain', 'lamp.spec.watts']);

    expect(cronJob).toMatch(/concurrencyPolicy\s+<string>/);
    expect(cronJob).toMatch(/terminationGracePeriodSeconds\s+<integer>/);
    expect(lamp).toMatch(/watts\s+<integer>/);
    expect(lamp).toMatch(/managedFields\s+<\[\]ManagedFieldsEntry>/);
    expect(watts).toMatch(/watts\s+<integer>/);
  });

  test('`kubectl diff` prints a change, and `kubectl apply --prune` deletes objects that the files no longer contain', async () => {
    const kubectl = await start();
    const labelled = (name: string): string =>
      configMap(name, { k: 'v' }).replace(`name: ${name}`, `name: ${name}, labels: { set: x }`);
    const apply = (input: string): Promise<string> => {
      const prune = ['--prune', '-l', 'set=x', '--prune-allowlist=core/v1/ConfigMap'];
      return kubectl.run(['apply', ...prune, '-f', '-'], { input });
    };
    await apply(`${labelled('a')}---${labelled('b')}`);

    const pruned = await apply(labelled('a'));
    const same = await kubectl.try(['diff', '-f', '-'], { input: labelled('a') });
    const other = await kubectl.try(['diff', '-f', '-'], {
      input: labelled('a').replace('"v"', '"w"'),
    });

    expect(pruned).toBe('configmap/a unchanged\nconfigmap/b pruned\n');
    expect(same).toMatchObject({ code: 0, stdout: '' });
    expect(other.code).toBe(1);
    expect(other.stdout).toMatch(/^- {2}k: v\n\+ {2}k: w$/m);
  });

  test('kubectl can change from client-side to server-side apply and back without a conflict', async () => {
    const kubectl = await start();
    const apply = (input: string, ...more: string[]): Promise<string> =>
      kubectl.run(['apply', ...more, '-f', '-'], { input });

    await apply(deployment('web', 2));
    const serverSide = await apply(deployment('web', 3, 'nginx:2'), '--server-side');
    const clientSide = await apply(deployment('web', 4, 'nginx:3'));
    const again = await apply(deployment('web', 5, 'nginx:4'), '--server-side');

    expect(serverSide).toBe('deployment.apps/web serverside-applied\n');
    expect(clientSide).toBe('deployment.apps/web configured\n');
    expect(again).toBe('deployment.apps/web serverside-applied\n');
    expect(kubectl.server.get('apps/v1', 'Deployment', 'default', 'web')).toMatchObject({
      spec: { replicas: 5, template: { spec: { containers: [{ image: 'nginx:4' }] } } },
    });
  });

  test.each([
    ['v1', 'Foo'],
    ['light.example/v1', 'Lamp'],
    ['nobody.example/v1', 'Foo'],
  ])('kubectl reports that no %s has the kind %s', async (apiVersion, kind) => {
    const kubectl = await withLamps();
    const input = JSON.stringify({ apiVersion, kind, metadata: { name: 'a' } });
    const said = 'resource mapping not found for name: "a" namespace: "" from "STDIN": ';

    for (const verb of ['create', 'apply']) {
      const { code, stderr } = await kubectl.try([verb, '-f', '-'], { input });

      expect(code).toBe(1);
      expect(stderr).toBe(
        `error: ${said}no matches for kind "${kind}" in version "${apiVersion}"\nensure CRDs are installed first\n`,
      );
    }
  });

  test('`kubectl apply` refuses an unknown field with `--validate=strict`, warns with `warn`, and accepts it with `ignore`', async () => {
    const kubectl = await withLamps();
    const apply = (how: string, input: string): Promise<Outcome> =>
      kubectl.try(['apply', `--validate=${how}`, '-f', '-'], { input });
    const typo = LAMP.replace('watts', 'wats');

    const strict = await apply('strict', deployment('web').replace('replicas', 'replica'));
    const custom = await apply('strict', typo);
    const warned = await apply('warn', typo);
    const ignored = await apply('ignore', typo);

    expect([strict.code, custom.code, warned.code, ignored.code]).toEqual([1, 1, 0, 0]);
    expect(strict.stderr).toContain('strict decoding error: unknown field "spec.replica"');
    expect(custom.stderr).toContain('strict decoding error: unknown field "spec.wats"');
    expect(warned.stderr).toBe('Warning: unknown field "spec.wats"\n');
    expect(ignored.stderr).toBe('');
  });

  test('`kubectl apply` validates the items of a List before it sends any item', async () => {
    const kubectl = await start();
    const input = LIST.replace('ports:', 'portz:');

    const { code, stderr } = await kubectl.try(['apply', '-f', '-'], { input });

    expect(code).toBe(1);
    expect(stderr).toContain('portz');
  });
});
