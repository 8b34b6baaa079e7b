/**
 * `chancery dev --context` and `chancery proxy` with a real kubectl, in front of an API server that a kubeconfig names.
 *
 * @module-tag kubectl
 */
import { eventually } from '@chancery/testing';
import { expect, test } from 'vitest';
import { invoke } from '../cli/invocation.ts';
import { pathOf } from '../tools/tools.ts';
import { HELLO, PATIENT, Project, startChancery, startDev } from './support/project.ts';

const NOTES = `
import { controller, source } from 'chancery';
import { customResource, Type } from 'chancery/schema';

export const notes = customResource({
  group: 'example.com',
  version: 'v1',
  kind: 'Note',
  plural: 'notes',
  spec: Type.Object({ text: Type.String() }),
});

export default controller({
  name: 'notes',
  for: source(notes),
  async reconcile(note, { log }) {
    log.info({ word: note.spec.text }, 'reconciled');
  },
});
`;

const NOTE = `
apiVersion: example.com/v1
kind: Note
metadata:
  name: sample
spec:
  text: written
`;

/** The URL of an API server, and the file that names it as the context `chancery`. */
async function cluster(project: Project): Promise<{ readonly url: string; readonly file: string }> {
  const file = project.path('kubeconfig');
  const server = invoke(['apiserver', '--port=0', '-n', 'demo', '--kubeconfig-out', file]);
  await server.stdout.until(() => server.stdout.lines.length > 0);
  return { url: server.stdout.lines[0] ?? '', file };
}

test('[DEV-12] [DEV-5] with `--yes` definitions and samples are written to the context, but no roles', async () => {
  const project = new Project({ 'operator.ts': NOTES, 'note.yaml': NOTE });
  const { url, file } = await cluster(project);
  const where = ['--context=chancery', `--kubeconfig=${file}`, '--yes'];
  const dev = startDev(project, ['operator.ts', '--samples=note.yaml', ...where]);
  await dev.reconciles('written');

  project.write(
    'operator.ts',
    NOTES.replace(
      'text: Type.String()',
      'text: Type.String(), more: Type.Optional(Type.String())',
    ).replace('word: note.spec.text', "word: 'changed'"),
  );
  await dev.reconciles('changed');

  expect(await dev.says('dev: API server')).toContain(`${url} (context chancery)`);
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/notes.example.com';
  expect(await (await fetch(`${url}${path}`)).text()).toContain('"more"');
  const note = await fetch(`${url}/apis/example.com/v1/namespaces/demo/notes/sample`);
  expect(note.status).toBe(200);
  const roles = await fetch(`${url}/apis/rbac.authorization.k8s.io/v1/namespaces/demo/roles`);
  expect(await roles.json()).toMatchObject({ items: [] });
});

test('[DEV-12] without `--yes` and without a terminal nothing is written to the context', async () => {
  const project = new Project({ 'operator.ts': NOTES, 'note.yaml': NOTE });
  const { url, file } = await cluster(project);

  const dev = startDev(project, ['operator.ts', '--context=chancery', `--kubeconfig=${file}`]);

  expect(await dev.child.exit).toBe(2);
  expect(dev.lines).toHaveLength(1);
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  expect(await (await fetch(`${url}${path}`)).json()).toMatchObject({ items: [] });
});

test("if the context is missing, `chancery dev` exits with 2, and prints kubectl's message", async () => {
  const project = new Project({ 'operator.ts': NOTES });
  const { file } = await cluster(project);

  const dev = startDev(project, [
    'operator.ts',
    '--context=other',
    `--kubeconfig=${file}`,
    '--yes',
  ]);

  expect(await dev.child.exit).toBe(2);
  expect(dev.lines[0]).toMatch(/^chancery dev: cannot use --context other: .*other.*get-contexts/);
});

test('[DEV-13] `chancery proxy` accepts exactly the requests that the operator needs', async () => {
  const project = new Project(HELLO);
  const { file } = await cluster(project);
  const words = ['proxy', 'src/operator.ts', '-n', 'demo', '--port=0', '--kubeconfig', file];
  const child = startChancery(project, words, { KUBECTL: pathOf('kubectl') });
  const line = await eventually(
    () => child.stdout.lines.find((each) => each.startsWith('Starting to serve on')),
    PATIENT,
  );
  const url = `http://${line.split(' ').at(-1)}/api/v1/namespaces/demo`;

  const opened = await fetch(`${url}/configmaps`);
  const closed = await fetch(`${url}/secrets`);

  expect([opened.status, closed.status]).toEqual([200, 403]);
});
