/** What the plugin keeps of a request, and which requests it answers with an error. */
import { expect, test } from 'vitest';
import { SUBCOMMANDS } from '../../src/kubebuilder/protocol.ts';
import { readRequest } from '../../src/kubebuilder/read-request.ts';
import { ask, Kubebuilder } from './support/kubebuilder.ts';

const VALID = { apiVersion: 'v1alpha1', command: 'edit', args: [], universe: {} };

/** A request with a value in which a recursion would exhaust the stack. */
function nested(field: string, before: string): string {
  const deep = `${before}${'['.repeat(200_000)}${']'.repeat(200_000)}${before === '' ? '' : '}'}`;
  return `{"apiVersion":"v1alpha1","command":"edit","${field}":${deep}}`;
}

async function* bytesOf(request: object): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(JSON.stringify(request));
}

test('the plugin keeps only the files that it needs, with normalized paths', async () => {
  const universe = {
    'config/rbac/role.yaml': 'a',
    'config\\manager\\manager.yaml': 'b',
    './PROJECT': 'c',
    'bin/controller-gen': '\ufffd',
    'cmd/main.go': 'd',
    'README.md': 'e',
    '.git/config': 'f',
    'typescript/node_modules/a/package.json': 'g',
    'typescript/src/a.ts': 'h',
    '../outside.yaml': 'i',
    '/etc/config/rbac/role.yaml': 'j',
    'C:\\config\\rbac\\role.yaml': 'k',
    'config/../../x.yaml': 'l',
    'config//a.yaml': 'm',
    'config/big.yaml': 'x'.repeat(3_000_000),
  };

  const request = await readRequest(bytesOf({ ...VALID, universe }));

  expect(Object.fromEntries(request.universe)).toEqual({
    'config/rbac/role.yaml': 'a',
    'config/manager/manager.yaml': 'b',
    PROJECT: 'c',
    'cmd/main.go': 'd',
    'typescript/src/a.ts': 'h',
  });
  expect([...request.paths].sort()).toEqual([
    'PROJECT',
    'README.md',
    'bin/controller-gen',
    'cmd/main.go',
    'config/big.yaml',
    'config/manager/manager.yaml',
    'config/rbac/role.yaml',
    'typescript/src/a.ts',
  ]);
});

test('fields of PROJECT that are null count as absent', async () => {
  const config = { version: null, domain: null, projectName: null, resources: null, layout: null };

  const { errors, written } = await new Kubebuilder(new Map(), config).init([]);

  expect(errors).toEqual([]);
  expect(written['package.json']).toContain('"name"');
});

test('null, absent and unknown fields of a request are accepted', async () => {
  const request = await readRequest(
    bytesOf({
      apiVersion: 'v1alpha1',
      command: 'init',
      args: null,
      universe: null,
      config: null,
      future: [{}],
    }),
  );

  expect(request).toEqual({
    command: 'init',
    args: [],
    pluginChain: [],
    config: undefined,
    universe: new Map(),
    paths: new Set(),
  });
});

test('a request with too many bytes of source files is refused', async () => {
  const big = new Uint8Array(1_900_000).fill(0x78);
  async function* chunks(): AsyncGenerator<Uint8Array> {
    yield new TextEncoder().encode('{"universe":{"README.md":"');
    for (let at = 0; at < 20; at++) {
      yield new TextEncoder().encode(`","config/${at}.yaml":"`);
      yield big;
    }
  }

  await expect(readRequest(chunks())).rejects.toThrow(
    'config/ and the sources have more than 32 MiB of text',
  );
});

test('an unknown field of any size is skipped, and not kept in memory', async () => {
  const piece = new Uint8Array(65_536).fill(0x5b);
  async function* chunks(): AsyncGenerator<Uint8Array> {
    const text = new TextEncoder();
    yield text.encode('{"apiVersion":"v1alpha1","future":');
    for (let at = 0; at < 100; at++) yield piece;
    for (let at = 0; at < 100; at++) yield piece.map(() => 0x5d);
    yield text.encode(',"command":"edit"}');
  }

  expect(await readRequest(chunks())).toMatchObject({ command: 'edit' });
  await expect(readRequest(bytesOf({ config: { a: 'x'.repeat(4_200_000) } }))).rejects.toThrow(
    'a value has more than 4194304 bytes',
  );
});

test('a file with backslashes in its path does not replace the file with slashes in its path', async () => {
  const real = { 'config/rbac/role.yaml': 'real' };
  const other = { 'config\\rbac\\role.yaml': 'other' };

  for (const universe of [
    { ...real, ...other },
    { ...other, ...real },
  ]) {
    const request = await readRequest(bytesOf({ ...VALID, universe }));

    expect([...request.universe]).toEqual([['config/rbac/role.yaml', 'real']]);
  }
});

test.each([
  ['', 'nothing was on stdin'],
  [' \n', 'nothing was on stdin'],
  ['edit', 'no JSON: expected "{" at byte 0, got "e"'],
  ['{"apiVersion":"v1alpha1","command":"edit"', 'no JSON: expected "," or "}"'],
  [`${JSON.stringify(VALID)}{}`, 'no JSON: "{" follows the request'],
  [JSON.stringify({ ...VALID, apiVersion: 'v1' }), 'apiVersion must be v1alpha1, not "v1"'],
  [JSON.stringify({ command: 'edit' }), 'apiVersion must be v1alpha1, not absent'],
  [JSON.stringify({ ...VALID, command: 7 }), 'command must be a string, not 7'],
  [JSON.stringify({ ...VALID, command: 'constructor' }), 'not "constructor": update chancery'],
  [JSON.stringify({ ...VALID, command: 'delete api' }), 'not "delete api": update chancery'],
  [JSON.stringify({ ...VALID, args: ['--a', 1] }), 'args must be a list of texts'],
  [JSON.stringify({ ...VALID, config: [] }), 'config must be a mapping'],
  [JSON.stringify({ ...VALID, universe: [] }), 'universe must be a mapping'],
  [JSON.stringify({ ...VALID, universe: { a: 1 } }), 'no JSON: expected "\\"" at byte'],
  [JSON.stringify({ ...VALID, config: { version: '2' } }), 'PROJECT has version "2"'],
  [JSON.stringify({ ...VALID, command: 'flags' }), 'flags must be asked with one of --init'],
])('[scaffolding 14] the request %s is answered with an error', async (stdin, message) => {
  const { response, told } = await ask(stdin);

  expect(response).toMatchObject({ apiVersion: 'v1alpha1', error: true, universe: {} });
  expect(response.errorMsgs).toHaveLength(1);
  expect(response.errorMsgs?.[0]).toContain(message);
  expect(response.errorMsgs?.[0]).not.toMatch(/\n| at .*\.ts/);
  expect(told).toBe('');
});

test.each([
  ['a PROJECT', nested('config', '{"version":'), 'PROJECT has version "object"'],
  ['an apiVersion', nested('apiVersion', ''), 'apiVersion must be v1alpha1, not a list'],
  [
    'a command',
    JSON.stringify({ ...VALID, command: 'x'.repeat(9_999) }),
    `not "${'x'.repeat(100)}": update`,
  ],
])('[scaffolding 14] a request with %s that is too deep or too long gets a short error', async (_what, stdin, message) => {
  const { response, told } = await ask(stdin);

  expect(response).toMatchObject({ error: true, errorMsgs: [expect.stringContaining(message)] });
  expect(response.errorMsgs?.[0]?.length).toBeLessThan(300);
  expect(told).toBe('');
});

test.each(
  SUBCOMMANDS,
)('[scaffolding 9] the metadata of %s contain a description and examples', async (subcommand) => {
  const request = { ...VALID, command: 'metadata', args: [`--${subcommand}`] };

  const { response } = await ask(JSON.stringify(request));

  expect(Object.keys(response.metadata).sort()).toEqual(['description', 'examples']);
  expect(response.metadata.description).not.toBe('');
  expect(response.metadata.examples).toContain('--plugins');
  expect(response.error).toBe(undefined);
});

/**
 * The flags of kubebuilder and of the plugins that come with it. Before its version 4.13 a flag that two plugins
 * define makes it panic.
 */
const TAKEN = [
  'controller controller-name conversion defaulting defaulting-path domain external-api-domain external-api-module',
  'external-api-path fetch-deps force group help image image-container-command image-container-port kind license',
  'license-file make manifests multigroup namespaced output-dir owner plugins plural programmatic-validation',
  'project-name project-version repo resource run-as-user skip-go-version-check spoke ssa validation-path version',
].flatMap((line) => line.split(' '));

test.each(
  SUBCOMMANDS,
)('[scaffolding 10] each flag of %s has a name, a type, a default and a usage, and no name is already used by kubebuilder', async (subcommand) => {
  const request = { ...VALID, command: 'flags', args: [`--${subcommand}`] };

  const { response } = await ask(JSON.stringify(request));

  const { flags = [] } = response;
  expect(response.error).toBe(undefined);
  expect(flags.length).toBe({ init: 4, api: 4, webhook: 0, edit: 4 }[subcommand]);
  for (const flag of flags) {
    expect(Object.keys(flag)).toEqual(['Name', 'Type', 'Default', 'Usage']);
    expect(['string', 'bool', 'int']).toContain(flag.Type);
    if (flag.Type === 'bool') expect(flag.Default).toBe('false');
    if (flag.Type === 'int') expect(flag.Default).toMatch(/^[0-9]+$/);
  }
  expect(TAKEN.filter((name) => flags.some(({ Name }) => Name === name))).toEqual([]);
});

test('`create webhook` is refused, and the error suggests an alternative', async () => {
  const { errors, written } = await new Kubebuilder().createWebhook(['--kind', 'Cart']);

  expect(written).toEqual({});
  expect(errors).toEqual([
    'there is nothing to do for a webhook here: run the command again with --plugins go.kubebuilder.io/v4, and then ' +
      'kubebuilder edit --plugins chancery.dev/v1',
  ]);
});
