/** How `chancery create api` adds a controller to a module that people have edited. */
import { expect, test } from 'vitest';
import { codeMask } from '../../operator/cli/create/code-mask.ts';
import { withController } from '../../operator/cli/create/controller-list.ts';

const CACHE = { name: 'cacheController', file: './cache.ts' };

test.each<[string, string, string]>([
  [
    'a list on one line',
    "import a from './a.ts';\n\nexport default [a];\n",
    "import a from './a.ts';\nimport cacheController from './cache.ts';\n\nexport default [a, cacheController];\n",
  ],
  [
    'an empty list without imports, below a comment',
    '// mine\nexport default [];\n',
    "// mine\nimport cacheController from './cache.ts';\n\nexport default [cacheController];\n",
  ],
  [
    'a list on several lines, with a comment after the last item',
    "import a from './a.ts';\nexport default [\n    a, // the first ]\n];\n",
    "import a from './a.ts';\nimport cacheController from './cache.ts';\nexport default [\n    a, // the first ]\n    cacheController,\n];\n",
  ],
  [
    'a list without a comma at its end',
    "import a from './a.ts';\nexport default [\n  a\n];\n",
    "import a from './a.ts';\nimport cacheController from './cache.ts';\nexport default [\n  a,\n  cacheController,\n];\n",
  ],
  [
    'items that are lists and calls',
    "import a from './a.ts';\nexport default [...[a], f({ b: [1] }),] satisfies unknown[];\nfunction f(x: unknown) { return x; }\n",
    "import a from './a.ts';\nimport cacheController from './cache.ts';\nexport default [...[a], f({ b: [1] }), cacheController] satisfies unknown[];\nfunction f(x: unknown) { return x; }\n",
  ],
  [
    'imports of several lines, of types and of packages',
    "import {\n  a,\n} from './a.ts';\nimport type { B } from 'b';\nimport 'c';\nconst text = \"import x from './x.ts'\";\nexport default [a];\n",
    "import {\n  a,\n} from './a.ts';\nimport type { B } from 'b';\nimport 'c';\nimport cacheController from './cache.ts';\nconst text = \"import x from './x.ts'\";\nexport default [a, cacheController];\n",
  ],
  [
    'Windows line breaks',
    "import a from './a.ts';\r\nexport default [\r\n  a,\r\n];\r\n",
    "import a from './a.ts';\r\nimport cacheController from './cache.ts';\r\nexport default [\r\n  a,\r\n  cacheController,\r\n];\r\n",
  ],
  [
    'a name that also occurs in a comment and a string',
    "// cacheController, './cache.ts'\nimport a from './a.ts';\nexport default [a, 'cacheController'];\n",
    "// cacheController, './cache.ts'\nimport a from './a.ts';\nimport cacheController from './cache.ts';\nexport default [a, 'cacheController', cacheController];\n",
  ],
])('a new controller is added to a module with %s', (_, before, after) => {
  expect(withController(before, CACHE)).toEqual({ text: after });
  expect(withController(after, CACHE)).toEqual({ text: after });
});

test.each<[string, string, RegExp]>([
  ['a controller in place of a list', 'export default a;\n', /has no `export default \[ … \];`/],
  [
    'a list in a variable',
    'const all = [];\nexport { all as default };\n',
    /has no `export default/,
  ],
  ['two lists', 'export default [a];\nexport default [b];\n', /has no `export default/],
  ['a list without its end', 'export default [a;\n', /has no `export default/],
  [
    'an import that is not listed',
    "import cacheController from './cache.ts';\nexport default [];\n",
    /imports \.\/cache\.ts and does not list it/,
  ],
  [
    'another value with the same name',
    'const cacheController = 1;\nexport default [];\n',
    /uses the name cacheController for something else/,
  ],
  [
    'a quote in a regular expression',
    "const a = /'/;\nexport default [a];\n",
    /seems to have no end/,
  ],
])('a module with %s is not changed, and the reason is returned', (_, source, problem) => {
  expect(withController(source, CACHE)).toEqual({ problem: expect.stringMatching(problem) });
});

test.each([
  ["a 'b' c // d\ne", 'a """ c     \ne'],
  ['a /* b\nc */ d', 'a     \n     d'],
  ['`a\nb` / c', '""\n"" / c'],
  ['"a\\"b" c', '"""""" c'],
])('codeMask blanks out the strings and comments of %j', (source, masked) => {
  expect(codeMask(source)).toBe(masked);
});

test.each([
  "'a\n'",
  '`a',
  '/* a',
  '/*/ a',
  '"a\\"',
])('codeMask returns undefined for an unterminated string or comment: %j', (source) => {
  expect(codeMask(source)).toBeUndefined();
});
