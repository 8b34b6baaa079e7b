import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { folderWith, start } from './child.ts';
import { invoke } from './invocation.ts';

const TOOLKIT = fileURLToPath(new URL('../../operator/cli/', import.meta.url));

const HEAD = `import { controller, source } from 'chancery';
import { configMaps } from 'chancery/kubernetes';
`;
const HELLO = `
export default controller({ name: 'hello', for: source(configMaps), reconcile: async () => {} });
`;

/** What `chancery run` says about each module, in a real Node: vitest resolves modules by other rules. */
async function refusals(files: Readonly<Record<string, string>>, modules: readonly string[]) {
  const folder = folderWith(files);
  const script = `
    import { loadModule } from ${JSON.stringify(`${TOOLKIT}loading/load-module.ts`)};
    import { resolveToolkit } from ${JSON.stringify(`${TOOLKIT}loading/toolkit-hooks.ts`)};
    resolveToolkit();
    for (const name of ${JSON.stringify(modules)}) {
      const said = await loadModule(${JSON.stringify(`${folder}/`)} + name).then(() => 'loads', (error) => error.message);
      console.log(said.replaceAll(${JSON.stringify(folder)}, 'HERE'));
    }`;
  const child = start(process.execPath, ['--input-type=module', '--eval', script]);
  expect(await child.exit, child.stderr.lines.join('\n')).toBe(0);
  return Object.fromEntries(modules.map((name, at) => [name, child.stdout.lines[at]]));
}

test('[N-1] for a module that Node cannot load, the error gives a remedy', async () => {
  const said = await refusals(
    {
      'package.json': '{ "type": "module" }',
      'require.ts': "const { controller } = require('chancery');\nexport default controller;\n",
      'type.ts': `${HEAD}import { ConfigMap } from 'chancery/kubernetes';\nexport type Mine = ConfigMap;\nconst mine: ConfigMap | undefined = undefined;\nvoid mine;\n${HELLO}`,
      'enum.ts': `${HEAD}enum Size { Small }\n${HELLO}`,
      'namespace.ts': `${HEAD}namespace Sizes { export const small = 1; }\n${HELLO}`,
      'parameter.ts': `${HEAD}class Shop { constructor(private readonly name: string) {} }\n${HELLO}`,
      'sizes.ts': 'export const small = 1;\n',
      'ending.ts': `${HEAD}import { small } from './sizes';\nvoid small;\n${HELLO}`,
      'translated.ts': `${HEAD}import { small } from './sizes.js';\nvoid small;\n${HELLO}`,
      'old.ts': `import { AWAIT_CHANGE } from 'chancery';\n${HEAD}void AWAIT_CHANGE;\n${HELLO}`,
      'moved.ts': `import { Informer } from 'chancery';\n${HEAD}void Informer;\n${HELLO}`,
      'package.ts': `import 'no-such-package-here';\n${HEAD}${HELLO}`,
      'good.ts': `${HEAD}${HELLO}`,
    },
    [
      ...['require.ts', 'type.ts', 'enum.ts', 'namespace.ts', 'parameter.ts', 'ending.ts'],
      ...['translated.ts', 'package.ts', 'old.ts', 'moved.ts', 'good.ts'],
    ],
  );

  expect(said).toEqual({
    'require.ts': expect.stringContaining(
      "require is not defined in ES module scope, you can use import instead. The file is an ES module: write import { controller } from 'chancery' instead of require('chancery')",
    ),
    'type.ts': expect.stringContaining(
      "does not provide an export named 'ConfigMap' at HERE/type.ts:3. If ConfigMap is a type, write import type { ConfigMap } from 'chancery/kubernetes'",
    ),
    'enum.ts': expect.stringMatching(
      /enum is not supported in strip-only mode at HERE\/enum.ts:3\. Node removes types .* write a constant object/,
    ),
    'namespace.ts': expect.stringContaining('write a file of its own with exports'),
    'parameter.ts': expect.stringContaining('write a field that the constructor sets'),
    'ending.ts': expect.stringContaining("Write the ending of the file: './sizes.ts'"),
    'translated.ts': expect.stringContaining("Write the ending of the file: './sizes.ts'"),
    'package.ts': expect.stringContaining('Install it: npm install no-such-package-here'),
    'old.ts': expect.stringContaining(
      'at HERE/old.ts:1. The file was written for an earlier chancery: return nothing instead of AWAIT_CHANGE, and write reconcile(object, context), which gets the key as context.key',
    ),
    'moved.ts': expect.stringContaining(
      'look at the spelling and whether chancery/low-level exports it.',
    ),
    'good.ts': 'loads',
  });
});

test('[N-1] in a CommonJS project, the error says that ES modules are needed, and where to set this', async () => {
  const said = await refusals(
    {
      'package.json': '{ "type": "commonjs" }',
      'operator.ts': `${HEAD}${HELLO}`,
      'operator.cts': `${HEAD}${HELLO}`,
    },
    ['operator.ts', 'operator.cts'],
  );

  expect(said).toEqual({
    'operator.ts': expect.stringContaining(
      'Node takes it for CommonJS: write "type": "module" into HERE/package.json (npm pkg set type=module)',
    ),
    'operator.cts': expect.stringContaining(
      'The name operator.cts makes it CommonJS: name it .ts, .mts',
    ),
  });
});

test('[N-1] if two controllers of a module have the same name, the error contains the locations of both', async () => {
  const folder = folderWith({
    'shop.ts': `${HEAD}
const hello = (name: string) =>
  controller({ name, for: source(configMaps), reconcile: async () => {} });
export default [hello('till'), hello('stock'), hello('till')];
`,
  });
  const path = join(folder, 'shop.ts');

  const { exit, stderr } = invoke(['run', '--check', path]);

  expect(await exit).toBe(2);
  expect(stderr.lines).toEqual([
    `chancery run: two controllers have the same name: controller 1 of ${path} and ` +
      `controller 3 of ${path}; rename one (controller "till")`,
  ]);
});

test('a misspelt option in a JavaScript module is refused at loading', async () => {
  const folder = folderWith({
    'package.json': '{ "type": "module" }',
    'hello.js': `${HEAD}
export default controller({ name: 'hello', for: source(configMaps), maxConcurentReconciles: 2, reconcile: async () => {} });
`,
  });

  const { exit, stderr } = invoke(['run', '--check', join(folder, 'hello.js')]);

  expect(await exit).toBe(2);
  expect(stderr.lines).toEqual([
    expect.stringContaining(
      'unknown option "maxConcurentReconciles" in controller hello; did you mean maxConcurrentReconciles?',
    ),
  ]);
});

test.each(['--version', '-v', 'version'])('the argument %s prints the version', async (word) => {
  const { exit, stdout } = invoke([word]);

  expect(await exit).toBe(0);
  expect(stdout.lines).toEqual([expect.stringMatching(/^\d+\.\d+\.\d+/)]);
});
