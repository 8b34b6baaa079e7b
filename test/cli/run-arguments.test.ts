/** `chancery run MODULE -- ARGS`: who gets which arguments, and what a module makes of them. */
import { describe, expect, test } from 'vitest';
import { runHelp, runModules } from '../../operator/cli/run/run.ts';
import { RUN } from '../../operator/cli/run/table.ts';
import { command } from '../../operator/cli/table-command.ts';
import { folderWith, freePort } from './child.ts';
import { invoke } from './invocation.ts';
import { startServer } from './server.ts';

const HEAD = `import { controller, source, withArguments } from 'chancery';
import { configMaps } from 'chancery/kubernetes';
const named = (name) => controller({ name, for: source(configMaps), reconcile: async () => {} });
`;

/** A module whose controller is named by an argument. */
function moduleNamed(name: string, more = ''): string {
  return `${HEAD}
export default withArguments({
  arguments: {
    ${name}: { type: 'string', default: '${name}', help: 'the name of the controller' },
    both: { type: 'string', default: 'none', help: 'a suffix' },
  },
  ${more}
  create: ({ values }) => ({ controllers: [named(values.${name} + '-' + values.both)] }),
});`;
}

/** The names of the controllers that `chancery run MODULES --check -- ARGS` prints, or its error. */
async function declared(
  modules: readonly string[],
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{
  readonly names: readonly string[];
  readonly errors: readonly string[];
  code: number;
}> {
  const { exit, stdout, stderr } = invoke(['run', ...modules, '--check', '--', ...args], { env });
  const code = await exit;
  const names = stdout.lines.map((line) => JSON.parse(line).controller as string);
  return { names, errors: stderr.lines, code };
}

test('[M-7] a module gets the arguments after `--`, and its controllers may depend on them', async () => {
  const folder = folderWith({ 'one.ts': moduleNamed('one') });

  const { names, errors } = await declared([`${folder}/one.ts`], ['--one=web', '--both', 'x']);

  expect(errors).toEqual([]);
  expect(names).toEqual(['web-x']);
});

test('[M-7] each of several modules gets only the arguments that it declares', async () => {
  const folder = folderWith({
    'one.ts': moduleNamed('one'),
    'two.ts': moduleNamed('two'),
    'none.ts': `${HEAD}export default named('none');`,
  });
  const modules = ['one.ts', 'none.ts', 'two.ts'].map((file) => `${folder}/${file}`);

  const { names, errors } = await declared(modules, ['--two', 'b', '--both=s', '--one=a']);

  expect(errors).toEqual([]);
  expect(names).toEqual(['a-s', 'none', 'b-s']);
});

test('[M-7] an argument may have any name, but must have the same type in all modules', async () => {
  const module = (type: string) =>
    `${HEAD}export default withArguments({
      arguments: { constructor: { type: '${type}', help: 'x' } },
      create: ({ values }) => ({ controllers: [named('x' + values.constructor)] }),
    });`;
  const folder = folderWith({
    'a.ts': module('string'),
    'b.ts': module('string').replace("'x' +", "'y' +"),
    'c.ts': module('boolean'),
  });
  const [a, b, c] = ['a', 'b', 'c'].map((name) => `${folder}/${name}.ts`);

  const agreed = await declared([`${a}`, `${b}`], ['--constructor=1']);
  const differing = await declared([`${a}`, `${c}`], []);

  expect(agreed.names).toEqual(['x1', 'y1']);
  expect(differing.errors).toEqual([
    'chancery run: --constructor is a string of one module and a boolean of another',
  ]);
});

test('[M-7] an argument that no module declares is refused', async () => {
  const folder = folderWith({ 'one.ts': moduleNamed('one'), 'two.ts': moduleNamed('two') });
  const modules = [`${folder}/one.ts`, `${folder}/two.ts`];

  const unknown = await declared(modules, ['--bot=s']);
  const word = await declared(modules, ['s']);

  expect(unknown).toMatchObject({ code: 2, names: [] });
  expect(unknown.errors).toEqual(['chancery run: unknown argument "--bot"; did you mean --both?']);
  expect(word.errors).toEqual(['chancery run: expected arguments that begin with --, got "s"']);
});

test('[M-7] a module that declares no arguments refuses every argument', async () => {
  const folder = folderWith({ 'none.ts': `${HEAD}export default named('none');` });

  const { code, errors } = await declared([`${folder}/none.ts`], ['--all']);

  expect(code).toBe(2);
  expect(errors).toEqual([
    `chancery run: ${folder}/none.ts takes no arguments; got "--all" after --: a module takes what it ` +
      'declares with withArguments({...})',
  ]);
});

test.each([
  ["create: () => { throw new TypeError('no sink'); }", 'cannot create HERE: TypeError: no sink'],
  ['create: () => undefined', 'create of HERE must return { controllers, ... }, got none'],
  [
    'create: () => ({ controllers: [] })',
    'create of HERE makes no controller: expected { controllers: [controller({...})] }, got an empty array',
  ],
  [
    "create: () => ({ controllers: ['x'] })",
    'create of HERE makes no controller: expected { controllers: [controller({...})] }, got an array whose ' +
      'item 0 is string',
  ],
  [
    "create: () => ({ controller: named('x') })",
    'unknown option "controller" in what create of HERE returns; did you mean controllers?',
  ],
  [
    "create: () => ({ controllers: [named('x')], settings: { metricPort: 1 } })",
    'unknown option "metricPort" in settings of HERE; did you mean metricsPort or metricsHost?',
  ],
  [
    "create: () => ({ controllers: [named('x')], metrics: {} })",
    'HERE exports unusable metrics: expected a Registry of prom-client, got object',
  ],
])('[M-7] a module with %j is refused', async (create, message) => {
  const folder = folderWith({
    'bad.ts': `${HEAD}export default withArguments({ arguments: {}, ${create} });`,
  });
  const path = `${folder}/bad.ts`;

  const { code, errors } = await declared([path], []);

  expect(code).toBe(2);
  expect(errors).toEqual([expect.stringContaining(message.replace('HERE', path))]);
});

test("[M-8] a module's settings override the environment, and modules with different settings are refused", async () => {
  const settings = (name: string, text: string) =>
    `${HEAD}export default withArguments({ arguments: {}, create: () => ({ controllers: [named('${name}')], settings: ${text} }) });`;
  const folder = folderWith({
    'one.ts': settings('one', '{ healthPort: 1, namespaces: ["a"] }'),
    'same.ts': settings('same', '{ namespaces: ["a"] }'),
    'other.ts': settings('other', '{ namespaces: undefined }'),
  });
  const [one, same, other] = ['one', 'same', 'other'].map((name) => `${folder}/${name}.ts`);

  const agreed = await declared([`${one}`, `${same}`], []);
  const differing = await declared([`${one}`, `${other}`], []);

  expect(agreed.names).toEqual(['one', 'same']);
  expect(differing.errors).toEqual([
    `chancery run: ${one} and ${other} want different settings: namespaces is ["a"] and undefined`,
  ]);
});

test("[M-8] a module can set the log level, the ports and the API server's URL", async () => {
  const server = await startServer();
  const port = await freePort();
  const folder = folderWith({
    'one.ts': `${HEAD}export default withArguments({
      arguments: {},
      create: () => ({
        controllers: [named('one')],
        settings: { logLevel: 'error', healthPort: ${port}, apiUrl: '${server.url}' },
      }),
    });`,
  });
  const env = {
    CHANCERY_API_URL: 'http://127.0.0.1:1',
    CHANCERY_HEALTH_PORT: '0',
    CHANCERY_METRICS_PORT: '0',
  };
  const operator = invoke(['run', `${folder}/one.ts`], { env });

  await expect.poll(async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200);

  operator.stop();
  expect(await operator.exit).toBe(0);
  expect(operator.stderr.lines).toEqual([]);
});

describe('[M-7] the help for the arguments of a module', () => {
  const HELP = `Usage: chancery run HERE [OPTION...] [-- ARGUMENT...]

Arguments of HERE, after "--":
  --auto             everything
  --kept             kept; default true
  --strategy WORD    how; default env-vars
  --url TEXT         where to
  --names NAMES      which; may be repeated
  --kinds A,B        which kinds; may be repeated; default a,b
  explain KIND/NAME  says why

Environment of HERE:
  ALERT_SINK  slack or teams

"chancery run --help" explains the options before "--", and the variables of every operator.
`;
  const SOURCE = `${HEAD}export default withArguments({
    arguments: {
      auto: { type: 'boolean', help: 'everything' },
      kept: { type: 'boolean', default: true, help: 'kept' },
      strategy: { type: 'string', value: 'WORD', default: 'env-vars', help: 'how' },
      url: { type: 'string', help: 'where to' },
      names: { type: 'list', value: 'NAMES', help: 'which' },
      kinds: { type: 'list', default: ['a', 'b'], help: 'which kinds' },
    },
    positionals: [['explain KIND/NAME', 'says why']],
    environment: [['ALERT_SINK', 'slack or teams']],
    create: () => { throw new Error('help creates nothing'); },
  });`;

  test.each([
    [['run', 'HERE', '--help']],
    [['run', '--check', 'HERE', '-h']],
    [['run', 'HERE', '--', '--auto', '--help']],
    [['run', 'HERE', '--', '-h']],
  ])("`run` with the arguments %j prints the help of the module's arguments", async (args) => {
    const path = `${folderWith({ 'one.ts': SOURCE })}/one.ts`;

    const { exit, stdout, stderr } = invoke(args.map((word) => (word === 'HERE' ? path : word)));

    expect(await exit).toBe(0);
    expect(stdout.lines.join('\n').replaceAll(path, 'HERE')).toBe(HELP.trimEnd());
    expect(stderr.lines).toEqual([]);
  });

  test('the help of a module has lines of at most 100 columns, with an aligned second column', async () => {
    const source = SOURCE.replace("'everything'", `'${'every word counts '.repeat(9)}'`)
      .replace("'which'", `'${'x'.repeat(120)} is a long word'`)
      .replace("'says why'", `'${'why '.repeat(30)}'`);
    const path = `${folderWith({ 'one.ts': source })}/one.ts`;

    const { exit, stdout } = invoke(['run', path, '--help']);

    expect(await exit).toBe(0);
    const rows = stdout.lines.filter((line) => line.startsWith('  '));
    expect(rows.filter((line) => line.length > 100)).toEqual([
      `  --names NAMES      ${'x'.repeat(120)}`,
    ]);
    expect(rows.join('\n')).toContain(
      '  --auto             every word counts every word counts every word counts every word counts every\n' +
        '                     word counts every word counts',
    );
    expect(rows.join('').match(/why/g)).toHaveLength(30);
  });

  test("if a module has no arguments, the command's help is printed; if the module cannot be loaded, the error is reported", async () => {
    const path = `${folderWith({ 'none.ts': `${HEAD}export default named('none');` })}/none.ts`;
    const general = invoke(['run', '--help']);
    const undeclared = invoke(['run', path, '--help']);
    const missing = invoke(['run', 'missing.ts', '--help']);

    expect(await undeclared.exit).toBe(0);
    expect(await general.exit).toBe(0);
    expect(undeclared.stdout.lines).toEqual(general.stdout.lines);
    expect(await missing.exit).toBe(2);
    expect(missing.stderr.lines).toEqual(['chancery run: cannot load missing.ts: no such file']);
  });

  test('if a token is readable, `--help` does not load the module', async () => {
    const folder = folderWith({ 'one.ts': 'throw new Error("loaded");', token: 'secret' });
    const tokenFolders = [folder];
    const commands = [
      command(RUN, async () => (given, io) => runModules(given, io, { tokenFolders }), {
        helpOf: (args, io) => runHelp(args, io, tokenFolders),
      }),
    ];
    const env = { CHANCERY_INSECURE_ALLOW_TOKEN: '' };

    const { exit, stderr } = invoke(['run', `${folder}/one.ts`, '--help'], { commands, env });

    expect(await exit).toBe(3);
    expect(stderr.lines).toEqual([expect.stringContaining(folder)]);
  });
});
