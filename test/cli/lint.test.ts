import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { formatYaml } from '../../operator/core/yaml.ts';
import { type Manifests, plain } from '../generate/lint/good.ts';
import { folderWith, start } from './child.ts';
import { invoke } from './invocation.ts';

const yaml = ({ objects }: Manifests): string => objects.map(formatYaml).join('---\n');
const GOOD = yaml(plain());
const hostNetwork = (): Manifests => plain().set('pod.hostNetwork', true);
const WARNED = yaml(plain().remove('pod.enableServiceLinks'));

test('`lint` exits with 0 for correct manifests, and prints a summary', async () => {
  const { exit, stdout, stderr } = invoke(['lint', '-'], { stdin: GOOD });

  expect(await exit).toBe(0);
  expect(stdout.lines).toEqual([]);
  expect(stderr.lines).toEqual(['chancery lint: 0 errors and 0 warnings in 7 objects']);
});

test('`lint` prints an error in one line with object, field, reason, advice and rule, and exits with 1', async () => {
  const { exit, stdout, stderr } = invoke(['lint', '-'], { stdin: yaml(hostNetwork()) });

  expect(await exit).toBe(1);
  expect(stdout.lines).toEqual([
    'error: Deployment/op hostNetwork is true: 127.0.0.1:8001 would be open to every process of ' +
      'the node; leave it out [own-namespaces]',
  ]);
  expect(stderr.lines).toEqual(['chancery lint: 1 error and 0 warnings in 7 objects']);
});

test('`lint` exits with 0 after warnings only', async () => {
  const { exit, stdout, stderr } = invoke(['lint', '-'], { stdin: WARNED });

  expect(await exit).toBe(0);
  expect(stdout.lines).toEqual([expect.stringMatching(/^warning: .* \[service-links\]$/)]);
  expect(stderr.lines).toEqual(['chancery lint: 0 errors and 1 warning in 7 objects']);
});

test('`lint -o json` writes one object per line', async () => {
  const { exit, stdout } = invoke(['lint', '-o', 'json', '-'], { stdin: yaml(hostNetwork()) });

  expect(await exit).toBe(1);
  expect(stdout.records).toEqual([
    {
      rule: 'own-namespaces',
      level: 'error',
      object: 'Deployment/op',
      path: 'hostNetwork',
      message: expect.stringMatching(/^hostNetwork is true: .*; leave it out$/),
    },
  ]);
});

test('`lint` reads all given files and folders together', async () => {
  const { objects } = plain();
  const documents = objects.map(formatYaml);
  const folder = folderWith({ 'a.yaml': documents.slice(0, 3).join('---\n'), 'notes.txt': 'no' });
  const other = folderWith({ 'b.yml': documents.slice(3).join('---\n') });

  const { exit, stderr } = invoke(['lint', folder, join(other, 'b.yml')]);

  expect(await exit).toBe(0);
  expect(stderr.lines).toEqual(['chancery lint: 0 errors and 0 warnings in 7 objects']);
});

test('`lint` reads the items of a List', async () => {
  const list = { apiVersion: 'v1', kind: 'List', items: hostNetwork().objects };

  const { exit, stderr } = invoke(['lint', '-'], { stdin: JSON.stringify(list) });

  expect(await exit).toBe(1);
  expect(stderr.lines).toEqual(['chancery lint: 1 error and 0 warnings in 7 objects']);
});

test('a name in a manifest cannot forge a line or control the terminal', async () => {
  const broken = hostNetwork().set('Deployment.metadata.name', 'a\nerror: b\u001b[2J');

  const { exit, stdout } = invoke(['lint', '-'], { stdin: yaml(broken) });

  expect(await exit).toBe(1);
  expect(stdout.lines).toEqual([expect.stringContaining('error: Deployment/a error: b [2J host')]);
});

test.each<[string, readonly string[], string, RegExp]>([
  ['no file', [], '', /expected a FILE, or "-" for standard input; got none$/],
  ['a file that is not there', ['/nowhere.yaml'], '', /cannot read \/nowhere.yaml: no such file/],
  ['an unknown format', ['-o', 'xml', '-'], GOOD, /--output must be text or json, not "xml"$/],
  ['an unknown option', ['--outptu', 'json'], GOOD, /did you mean --output\?$/],
  ['invalid YAML', ['-'], 'a: [', /standard input: invalid YAML: .* at line 1, column/],
  ['empty input', ['-'], '', /nothing to lint: none of 0 objects has a container/],
  ['no ambassador', ['-'], formatYaml(plain().get('Role')), /nothing to lint: none of 1 objects/],
  ['a document that is not an object', ['-'], 'just text', /document 1 is no object of Kubernetes/],
  [
    'a kustomization that is not rendered',
    ['-'],
    'apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n',
    /standard input is a Kustomization that is not rendered; pipe it: kubectl kustomize/,
  ],
])('`lint` exits with 2 and prints one line for %s', async (_, args, stdin, message) => {
  const { exit, stdout, stderr } = invoke(['lint', ...args], { stdin });

  expect(await exit).toBe(2);
  expect(stdout.lines).toEqual([]);
  expect(stderr.lines).toEqual([expect.stringMatching(message)]);
  expect(stderr.lines[0]).toMatch(/^chancery lint: /);
});

test('the help of `lint` contains the command that checks an overlay', async () => {
  const { exit, stdout } = invoke(['lint', '--help']);

  expect(await exit).toBe(0);
  expect(stdout.lines[0]).toBe('Usage: chancery lint FILE... [--status FILE] [-o text|json]');
  expect(stdout.lines).toContain('  kubectl kustomize overlays/x | chancery lint -');
});

test('`lint -` reads from a pipe, and returns its exit code to a script', async () => {
  const folder = folderWith({ 'bad.yaml': yaml(hostNetwork()) });
  const script = 'cat "$FILE" | "$BIN" lint -; echo "code $?"';

  const shell = start('sh', ['-c', script], { FILE: join(folder, 'bad.yaml') });

  expect(await shell.exit).toBe(0);
  expect(shell.stdout.lines).toEqual([expect.stringContaining('[own-namespaces]'), 'code 1']);
});

const CLI = new URL('../../operator/cli/', import.meta.url);

test('`chancery run` loads neither lint nor the generators of manifests', () => {
  const seen = new Set<string>();
  const load = (file: URL): void => {
    if (seen.has(file.href)) return;
    seen.add(file.href);
    const imports = readFileSync(file, 'utf8').matchAll(
      /^(?:import|export)\s(?!type\b)[^'";]*?from '(\.[^']+)'/gm,
    );
    for (const [, path = ''] of imports) load(new URL(path, file));
  };

  load(new URL('main.ts', CLI));
  load(new URL('run/run.ts', CLI));
  load(new URL('../index.ts', CLI)); // what the modules of an operator import

  const loaded = [...seen].map((file) => file.slice(new URL('..', CLI).href.length));
  expect(loaded.length).toBeGreaterThan(100);
  expect(
    loaded.filter((file) =>
      /^generate\/(?:lint|manifests)\/|^cli\/(?:lint|generate)\/(?!table)/.test(file),
    ),
  ).toEqual([]);
});
