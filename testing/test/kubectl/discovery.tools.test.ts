/**
 * @module-tag kubectl
 */
import { describe, expect, test } from 'vitest';
import { Session } from '../../../test/tools/kubectl-session.ts';

const WIDGETS = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: widgets.example.dev }
spec:
  group: example.dev
  scope: Namespaced
  names: { kind: Widget, plural: widgets, singular: widget, shortNames: [wd], categories: [all] }
  versions:
    - name: v1
      served: true
      storage: true
      subresources: { status: {}, scale: { specReplicasPath: .spec.size, statusReplicasPath: .status.size } }
      additionalPrinterColumns: [{ name: Size, type: integer, jsonPath: .spec.size }]
      schema:
        openAPIV3Schema:
          type: object
          properties:
            spec:
              type: object
              required: [size]
              properties:
                size: { type: integer, minimum: 1, default: 3 }
                colour: { type: string, enum: [red, blue] }
            status:
              type: object
              properties: { size: { type: integer } }
`;

async function withWidgets(): Promise<Session> {
  const kubectl = await Session.start();
  await kubectl.run(['apply', '-f', '-'], { input: WIDGETS });
  await kubectl.run(['wait', '--for=condition=Established', 'crd/widgets.example.dev']);
  return kubectl;
}

function widget(name: string, spec: object): string {
  return JSON.stringify({ apiVersion: 'example.dev/v1', kind: 'Widget', metadata: { name }, spec });
}

test('[F-13] `kubectl api-resources` and `kubectl api-versions` list built-in and custom resources', async () => {
  const kubectl = await withWidgets();

  const resources = await kubectl.run(['api-resources']);
  const namespaced = await kubectl.run(['api-resources', '--namespaced=false', '-o', 'name']);
  const versions = await kubectl.run(['api-versions']);

  expect(resources).toMatch(/^configmaps +cm +v1 +true +ConfigMap$/m);
  expect(resources).toMatch(/^deployments +deploy +apps\/v1 +true +Deployment$/m);
  expect(resources).toMatch(/^widgets +wd +example.dev\/v1 +true +Widget$/m);
  expect(namespaced.split('\n')).toContain('nodes');
  expect(namespaced.split('\n')).not.toContain('pods');
  expect(versions.split('\n')).toEqual(
    expect.arrayContaining(['v1', 'apps/v1', 'batch/v1', 'example.dev/v1']),
  );
});

describe('[F-13] `kubectl explain`', () => {
  test('`kubectl explain` prints the fields of a built-in kind at any depth', async () => {
    const kubectl = await Session.start();

    const pod = await kubectl.run(['explain', 'pod.spec.containers']);
    const all = await kubectl.run(['explain', 'deployment', '--recursive']);

    expect(pod).toContain('FIELD: containers <[]Container>');
    expect(pod).toMatch(/^ {2}image\t<string>$/m);
    expect(pod).toMatch(/^ {2}name\t<string> -required-$/m);
    expect(all).toMatch(/maxUnavailable\t<IntOrString>/);
  });

  test('`kubectl explain` prints the fields of a custom resource', async () => {
    const kubectl = await withWidgets();

    const printed = await kubectl.run(['explain', 'widget.spec']);

    expect(printed).toContain('KIND:       Widget');
    expect(printed).toMatch(/^ {2}size\t<integer> -required-$/m);
    expect(printed).toMatch(/^ {2}colour\t<string>\n {2}enum: red, blue$/m);
  });
});

test('kubectl supports the columns, defaults, validation and scale of a custom resource', async () => {
  const kubectl = await withWidgets();
  await kubectl.run(['apply', '-f', '-'], { input: widget('one', { colour: 'red' }) });

  const table = await kubectl.run(['get', 'wd']);
  const wrong = await kubectl.try(['apply', '-f', '-'], {
    input: widget('two', { size: 0, colour: 'green' }),
  });
  await kubectl.run(['scale', 'widget/one', '--replicas=5']);

  expect(table).toMatch(/^NAME +SIZE\none +3\n$/);
  expect(wrong.code).toBe(1);
  expect(wrong.stderr).toContain('spec.size: Invalid value: 0');
  expect(wrong.stderr).toContain('spec.colour: Unsupported value: "green"');
  expect(kubectl.server.get('example.dev/v1', 'Widget', 'default', 'one')).toMatchObject({
    spec: { size: 5, colour: 'red' },
  });
});

test('`kubectl get all` lists custom resources of the category `all`', async () => {
  const kubectl = await withWidgets();
  await kubectl.run(['apply', '-f', '-'], { input: widget('one', { size: 1 }) });

  const printed = await kubectl.run(['get', 'all']);

  expect(printed).toContain('widget.example.dev/one');
});

test('`kubectl auth can-i` gets its answer from the server', async () => {
  const kubectl = await Session.start();

  const answer = await kubectl.run(['auth', 'can-i', 'create', 'deployments']);
  const rules = await kubectl.run(['auth', 'can-i', '--list']);

  expect(answer).toBe('yes\n');
  expect(rules).toMatch(/^Resources +Non-Resource URLs +Resource Names +Verbs\n/);
});

test('`kubectl version` and `kubectl get --raw` get answers from the server', async () => {
  const kubectl = await Session.start();

  const version = await kubectl.run(['version', '-o', 'json']);
  const raw = await kubectl.run(['get', '--raw', '/readyz']);

  expect(JSON.parse(version)).toMatchObject({ serverVersion: { major: '1', minor: '36' } });
  expect(raw).toBe('ok');
});
