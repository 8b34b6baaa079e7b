/** `chancery dev` from the first start to Ctrl-C, behind the stand-in and behind a real `kubectl proxy`. */
import { eventually } from '@chancery/testing';
import { parseYaml } from 'chancery/low-level';
import { expect, test } from 'vitest';
import {
  allGone,
  HELLO,
  OPERATOR,
  PATIENT,
  Project,
  SAMPLE,
  startDev,
  word,
} from './support/project.ts';

test('[DEV-1] [DEV-8] [DEV-9] `chancery dev` starts all processes, prints their addresses, and stops at SIGINT', async () => {
  const project = new Project(HELLO);
  const args = ['--samples', 'samples/', '--inspect=0', '--kubeconfig-out', 'dev.kubeconfig'];
  const dev = startDev(project, args, { CHANCERY_HEALTH_PORT: '', CHANCERY_METRICS_PORT: '' });
  await dev.reconciles('one');

  const api = await dev.url('API server');
  expect(await dev.says('dev: API server')).toContain(
    'kubectl --kubeconfig=dev.kubeconfig get all',
  );
  expect(parseYaml(project.read('dev.kubeconfig'))).toMatchObject({
    'current-context': 'chancery',
    clusters: [{ name: 'chancery', cluster: { server: api } }],
    contexts: [{ name: 'chancery', context: { cluster: 'chancery', namespace: 'demo' } }],
  });
  const found = await fetch(`${api}/api/v1/namespaces/demo/configmaps/sample`);
  expect(found.status).toBe(200);
  const statusPage = await dev.url('status page');
  expect(statusPage).toMatch(/^http:\/\/127\.0\.0\.1:[0-9]+\/status$/);
  expect((await fetch(statusPage)).status).toBe(200);
  expect(await (await fetch(`${statusPage}.json`)).text()).toContain('hello');
  expect((await fetch(await dev.url('metrics'))).status).toBe(200);
  const ambassador = await dev.url('ambassador');
  expect((await fetch(`${ambassador}/api/v1/namespaces/demo/secrets`)).status).toBe(403);
  expect(await dev.says('dev: ambassador')).toMatch(
    process.env.CHANCERY_TEST_AMBASSADOR === 'kubectl'
      ? /\(kubectl proxy v1\.[0-9.]+\)$/
      : /\(a stand-in for kubectl proxy: KUBECTL names .*no-kubectl/,
  );
  expect(
    dev.lines.filter((line) => line.startsWith('Debugger listening on ws://127.0.0.1:')),
  ).toHaveLength(1);
  const children = dev.descendants();
  expect(children.length).toBeGreaterThanOrEqual(2);

  dev.child.kill('SIGINT');

  expect(await dev.child.exit).toBe(0);
  expect(dev.logged('stopped')).toHaveLength(1);
  await allGone(children);
});

test('[M-7] modules get the arguments after `--`, and roles and filter fit these arguments', async () => {
  const project = new Project({ ...HELLO, 'src/operator.ts': WITH_ARGUMENTS });
  const dev = startDev(project, ['--samples', 'samples/', '--', '--word=said', '--secrets']);

  await dev.reconciles('said 0');

  dev.child.kill('SIGINT');
  expect(await dev.child.exit).toBe(0);
});

test('[DEV-2] [DEV-4] saving an imported file restarts the operator; twenty quick saves restart it once', async () => {
  const project = new Project(HELLO);
  const dev = startDev(project, ['--samples', 'samples/']);
  await dev.reconciles('one');

  project.write('src/word.ts', word('two'));
  await dev.reconciles('two');
  project.write('src/unused.ts', 'not imported');
  project.replace(
    'src/operator.ts',
    OPERATOR.replace('info({ word }', "info({ word: '4 '.concat(word) }"),
  );
  await dev.reconciles('4 two');
  for (let at = 1; at <= 20; at++) {
    const save = at % 2 === 0 ? project.write : project.replace;
    save.call(project, 'src/word.ts', word(`save ${at}`));
  }
  await dev.reconciles('4 save 20');
  project.write('src/word.ts', word('later'));
  await dev.reconciles('4 later');

  const words = new Set(dev.logged('reconciled').map((line) => line.word));
  expect([...words]).toEqual(['one', 'two', '4 two', '4 save 20', '4 later']);
  expect(dev.said.filter((line) => line.endsWith('the operator starts again'))).toEqual([
    'src/word.ts changed; the operator starts again',
    'src/operator.ts changed; the operator starts again',
    'src/word.ts changed; the operator starts again',
    'src/word.ts changed; the operator starts again',
  ]);
});

test('[DEV-3] after a syntax error, which is printed with its line, the operator starts at the next save', async () => {
  const project = new Project(HELLO);
  const dev = startDev(project, ['--samples', 'samples/']);
  await dev.reconciles('one');
  const pid = Number(/pid ([0-9]+)/.exec(await dev.says('the operator runs'))?.[1]);

  project.write('src/word.ts', '\nexport const word = ;\n');
  await dev.says('it starts again after the next save');

  expect(dev.lines.find((line) => line.includes('SyntaxError'))).toContain(
    `${project.path('src/word.ts')}:2`,
  );
  await allGone([pid]);
  project.write('src/operator.ts', OPERATOR.replace('./word.ts', './new.ts'));
  await eventually(() => dev.lines.some((line) => line.includes('new.ts')), PATIENT);
  project.write('src/new.ts', word('repaired'));
  await dev.reconciles('repaired');
});

const TYPED = `
import { controller, source } from 'chancery';
import { configMaps, secrets } from 'chancery/kubernetes';
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
  reads: [source(configMaps)],
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

test('[DEV-5] when a file with another schema or other permissions is saved, definition, roles and filter change', async () => {
  const project = new Project({ 'operator.ts': TYPED, 'note.yaml': NOTE, 'config.yaml': SAMPLE });
  const args = ['operator.ts', '-n', 'demo', '--samples', 'note.yaml', '--samples', 'config.yaml'];
  const dev = startDev(project, args);
  await dev.reconciles('written');
  const api = await dev.url('API server');
  const ambassador = await dev.url('ambassador');
  const secrets = `${ambassador}/api/v1/namespaces/demo/secrets`;
  expect((await fetch(secrets)).status).toBe(403);

  project.write(
    'operator.ts',
    TYPED.replace('text: Type.String()', 'text: Type.String(), more: Type.Optional(Type.String())')
      .replace('source(configMaps)', 'source(secrets)')
      .replace('word: note.spec.text', "word: 'changed'"),
  );
  await dev.reconciles('changed');

  for (const what of ['definitions', 'roles', 'filter']) await dev.says(`dev: the ${what} changed`);
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/notes.example.com';
  expect(await (await fetch(`${api}${path}`)).text()).toContain('"more"');
  const roles = '/apis/rbac.authorization.k8s.io/v1/namespaces/demo/roles/notes';
  const role = await (await fetch(`${api}${roles}`)).text();
  expect(role).toContain('secrets');
  expect(role).not.toContain('configmaps');
  const now = dev.lastUrl('ambassador');
  expect((await fetch(`${now}/api/v1/namespaces/demo/secrets`)).status).toBe(200);
});

test('a field that the definition lacks is reported, and the sample is applied once the definition has the field', async () => {
  const note = `${NOTE}  more: words\n`;
  const project = new Project({ 'operator.ts': TYPED, 'note.yaml': note });
  const dev = startDev(project, ['operator.ts', '-n', 'demo', '--samples', 'note.yaml']);
  expect(await dev.says('cannot apply note.yaml')).toContain('.spec.more');

  project.write(
    'operator.ts',
    TYPED.replace('text: Type.String()', 'text: Type.String(), more: Type.String()').replace(
      'word: note.spec.text',
      'word: note.spec.more',
    ),
  );

  await dev.reconciles('words');
});

const CONVERTED = `
import { controller, source } from 'chancery';
import { conversion, customResource, Type } from 'chancery/schema';

const v1 = { version: 'v1', spec: Type.Object({ text: Type.String() }) };
const v2 = { version: 'v2', spec: Type.Object({ words: Type.String() }) };

export const notes = customResource({
  group: 'example.com',
  kind: 'Note',
  ...v2,
  otherVersions: [v1],
  convert: [
    conversion(v1, v2, {
      up: ({ spec }) => ({ spec: { words: spec.text } }),
      down: ({ spec }) => ({ spec: { text: spec.words } }),
    }),
  ],
});

export default controller({
  name: 'notes',
  for: source(notes),
  async reconcile(note, { log }) {
    log.info({ word: note.spec.words }, 'reconciled');
  },
});
`;

test('the operator converts the objects of a resource with two versions', async () => {
  const note = NOTE.replace('v1', 'v2').replace('text', 'words');
  const project = new Project({ 'operator.ts': CONVERTED, 'note.yaml': note });
  const args = ['operator.ts', '-n', 'demo', '--samples', 'note.yaml'];
  const dev = startDev(project, args);

  await dev.reconciles('written');
  const api = await dev.url('API server');
  const path = '/apis/example.com/v1/namespaces/demo/notes/sample';
  const old = await (await fetch(`${api}${path}`)).json();

  expect(old).toMatchObject({ apiVersion: 'example.com/v1', spec: { text: 'written' } });
});

test('[DEV-6] in `chancery dev` a request without a declared permission is refused, as in a cluster', async () => {
  const project = new Project({
    ...HELLO,
    'src/operator.ts': OPERATOR.replace('configMaps }', 'configMaps, pods }').replace(
      'async reconcile(configMap, { key, log }) {',
      `async reconcile(configMap, { key, log, client }) {
    await client.get(pods, { namespace: 'demo', name: 'any' });`,
    ),
  });
  const dev = startDev(project, ['--samples', 'samples/']);

  const line = await eventually(
    () => dev.lines.find((each) => each.includes('"failed') || each.includes('reconcile failed')),
    PATIENT,
  );

  expect(line).toMatch(/refused|forbidden|filter/i);
});

test('[DEV-7] after a crash the operator restarts, each time after a longer delay', async () => {
  const project = new Project({
    ...HELLO,
    // It exits before `chancery dev` sends the message `go`, so that message is written to a closed channel.
    'src/word.ts': `${word('one')}\nsetTimeout(() => process.exit(7), 0);\n`,
  });
  const dev = startDev(project, ['--samples', 'samples/']);

  await dev.says('ended with code 7; it starts again in 1 s');
  await dev.says('ended with code 7; it starts again in 2 s');
  project.write('src/word.ts', word('two'));
  await dev.reconciles('two');
});

test('[DEV-9] in an npm script one Ctrl-C, which arrives twice, stops everything in order', async () => {
  const dev = startDev(new Project(HELLO), ['--samples', 'samples/'], {
    npm_lifecycle_event: 'dev',
  });
  await dev.reconciles('one');
  const children = dev.descendants();

  dev.child.kill('SIGINT');
  dev.child.kill('SIGINT');

  expect(await dev.child.exit).toBe(0);
  expect(dev.logged('stopped')).toHaveLength(1);
  await allGone(children);
});

/** An operator whose event loop never turns again. */
const STUCK = OPERATOR.replace(
  "'reconciled');",
  "'reconciled');\n    if (key.endsWith('/sample')) for (;;);",
);

test('[DEV-9] a second SIGINT ends all processes at once, even if the operator blocks its event loop', async () => {
  const project = new Project({ ...HELLO, 'src/operator.ts': STUCK });
  const dev = startDev(project, ['--samples', 'samples/']);
  await dev.reconciles('one');
  const children = dev.descendants();

  dev.child.kill('SIGINT');
  dev.child.kill('SIGINT');

  expect([0, 1]).toContain(await dev.child.exit);
  await allGone(children);
});

test('[DEV-10] after `kill -9` all child processes end, even if the operator blocks its event loop', async () => {
  const project = new Project({ ...HELLO, 'src/operator.ts': STUCK });
  const dev = startDev(project, ['--samples', 'samples/']);
  await dev.reconciles('one');
  const children = dev.descendants();
  expect(children.length).toBeGreaterThanOrEqual(2);

  dev.child.kill('SIGKILL');

  expect(await dev.child.exit).toBe('SIGKILL');
  await allGone(children);
});

test('[DEV-11] type errors are printed, and do not stop the operator', async () => {
  const project = new Project({
    ...HELLO,
    'tsconfig.json': '{ "files": ["src/word.ts"], "compilerOptions": { "strict": true } }',
    'src/word.ts': "export const word: string = 'one';\nexport const wrong: number = 'text';\n",
  });
  project.installTypeScript();
  const dev = startDev(project, ['--samples', 'samples/']);
  await dev.reconciles('one');
  await dev.says('error TS2322');

  project.write('src/word.ts', word('two'));
  await dev.reconciles('two');

  await expect(dev.says('dev: no type errors any more')).resolves.toBeDefined();
});

/** Logs the word that it is told, and how many Secrets there are: without the right to list them it waits. */
const WITH_ARGUMENTS = `
import { controller, source, withArguments } from 'chancery';
import { configMaps, secrets } from 'chancery/kubernetes';

const all = source(secrets);

export default withArguments({
  arguments: {
    word: { type: 'string', help: 'what to say' },
    secrets: { type: 'boolean', help: 'count Secrets' },
  },
  create: ({ values }) => ({
    controllers: [
      controller({
        name: 'hello',
        for: source(configMaps),
        reads: values.secrets ? [all] : [],
        async reconcile(configMap, { key, log, store }) {
          const count = store(all).list().length;
          if (key.endsWith('/sample')) log.info({ word: values.word + ' ' + count }, 'reconciled');
        },
      }),
    ],
  }),
});
`;

test('[found 15] a new or saved sample is applied while the operator runs, without a restart', async () => {
  const everyKey = OPERATOR.replace("if (key.endsWith('/sample')) ", '');
  const project = new Project({ ...HELLO, 'src/operator.ts': everyKey });
  const dev = startDev(project, ['--samples', 'samples/']);
  await dev.says('the operator runs');
  await dev.reconciles('one');
  const sample = (name: string, text: string): string =>
    `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: ${name}, namespace: demo }\ndata: { text: ${text} }\n`;
  const reconciled = (): number => dev.logged('reconciled').length;

  const before = reconciled();
  project.write('samples/later.yaml', sample('later', 'first'));
  await dev.says('samples/later.yaml changed; it is applied');
  await eventually(() => reconciled() > before, PATIENT);
  const between = reconciled();
  project.write('samples/later.yaml', sample('later', 'second'));
  await eventually(() => reconciled() > between, PATIENT);
  project.write('samples/wrong.yaml', 'a: [');
  await dev.says('wrong.yaml: invalid YAML');

  expect(dev.said.filter((line) => line.includes('starts again'))).toEqual([]);
});
