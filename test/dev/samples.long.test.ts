/** Samples of `chancery dev`, and the webhooks of the operator. */
import { expect, test } from 'vitest';
import { Project, startDev } from './support/project.ts';

const REVIEWED = `
import { controller, deny, mutatingWebhook, source, validatingWebhook } from 'chancery';
import { customResource, Type } from 'chancery/schema';

const notes = customResource({
  group: 'example.com',
  version: 'v1',
  kind: 'Note',
  spec: Type.Object({ text: Type.String(), language: Type.String() }),
});

export default [
  controller({
    name: 'notes',
    for: source(notes),
    async reconcile({ spec }, { log }) {
      log.info({ word: spec.text + ' ' + spec.language }, 'reconciled');
    },
  }),
  mutatingWebhook({
    name: 'language.notes.example.com',
    resource: notes,
    operations: ['CREATE'],
    mutate: ({ object }) => ({ ...object, spec: { language: 'en', ...object.spec } }),
  }),
  validatingWebhook({
    name: 'text.notes.example.com',
    resource: notes,
    validate: ({ object }) => (object.spec.text === 'bad' ? deny('no bad words') : undefined),
  }),
];
`;

const note = (name: string, text: string): string =>
  `apiVersion: example.com/v1\nkind: Note\nmetadata: { name: ${name}, namespace: demo }\nspec: { text: ${text} }\n`;

test("the operator's webhooks review the samples at startup, and each sample that is saved later", async () => {
  const list = `apiVersion: v1\nkind: List\nitems: [${JSON.stringify({
    apiVersion: 'example.com/v1',
    kind: 'Note',
    metadata: { name: 'listed', namespace: 'demo' },
    spec: { text: 'listed' },
  })}]\n`;
  const files = {
    'package.json': '{ "type": "module" }',
    'operator.ts': REVIEWED,
    'samples/good.yaml': note('good', 'fine'),
    'samples/list.yaml': list,
    'samples/refused.yaml': note('refused', 'bad'),
    'samples/nameless.yaml': 'apiVersion: example.com/v1\nkind: Note\nspec: {}\n',
    'samples/unknown.yaml': 'apiVersion: example.org/v1\nkind: Other\nmetadata: { name: a }\n',
  };
  const project = new Project(files);

  const dev = startDev(project, ['operator.ts', '--samples', 'samples/']);

  await dev.reconciles('fine en');
  await dev.reconciles('listed en');
  expect(await dev.says('cannot apply samples/refused.yaml')).toContain('no bad words');
  await dev.says(
    'cannot apply samples/unknown.yaml: the API server has no kind Other in example.org/v1',
  );
  await dev.says('cannot apply samples/nameless.yaml: a sample needs a metadata.name');

  project.write('samples/good.yaml', note('good', 'bad'));
  expect(await dev.says('cannot apply samples/good.yaml')).toContain('no bad words');
  project.write('samples/refused.yaml', note('refused', 'better'));
  await dev.reconciles('better en');
});
