/** What an answer may write. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { answeredFiles, normalPath } from '../../src/kubebuilder/universe.ts';

const NONE: ReadonlySet<string> = new Set();

test.each([
  '../a',
  'a/../../b',
  '/etc/passwd',
  'a//b',
  './a',
  'a/.',
  '',
  'a\\b',
  'C:/a',
  'c:a',
  'a\0b',
  'PROJECT',
  '.git/hooks/pre-commit',
  'node_modules/a.js',
])('[scaffolding 15] an answer with the path %j is refused', (path) => {
  expect(() => answeredFiles(new Map([[path, 'x']]), new Map(), NONE)).toThrow(
    'an answer must not contain the path',
  );
});

test('[scaffolding 15] every path in an answer stays within the project folder', () => {
  const part = fc.constantFrom('..', '.', '', 'a', 'b.yaml', '\\', 'C:', ' ', '...');
  fc.assert(
    fc.property(
      fc.array(part, { minLength: 1, maxLength: 6 }),
      fc.constantFrom('/', '\\'),
      (parts, by) => {
        const path = parts.join(by);
        const normal = normalPath(path);
        if (normal === undefined) return;

        const [answered = ''] = Object.keys(
          answeredFiles(new Map([[normal, 'x']]), new Map(), NONE),
        );

        expect(new URL(`file:///project/${answered}`).pathname.startsWith('/project/')).toBe(true);
        expect(answered.split('/')).not.toContain('..');
        expect(answered).not.toContain('\\');
      },
    ),
  );
});

test('[scaffolding 21] path separators of Windows become slashes', () => {
  expect(normalPath('config\\rbac\\role.yaml')).toBe('config/rbac/role.yaml');
  expect(normalPath('.\\config\\rbac\\role.yaml')).toBe('config/rbac/role.yaml');
  expect(normalPath('..\\config')).toBe(undefined);
  expect(normalPath('\\\\host\\share')).toBe(undefined);
});

test('unchanged files are omitted from the answer, and changed files are sorted', () => {
  const before = new Map([
    ['config/a.yaml', 'a: 1\n'],
    ['config/b.yaml', 'b: 1\n'],
  ]);

  const answered = answeredFiles(
    new Map([
      ['config/c.yaml', 'c: 1\n'],
      ['config/b.yaml', 'b: 2\n'],
      ['config/a.yaml', 'a: 1\n'],
    ]),
    before,
    new Set(before.keys()),
  );

  expect(Object.entries(answered)).toEqual([
    ['config/b.yaml', 'b: 2\n'],
    ['config/c.yaml', 'c: 1\n'],
  ]);
});

test.each([
  ['is not UTF-8', new Map([['config/a.yaml', 'name: \ufffd\n']])],
  ['was too long to be read', new Map<string, string>()],
])('a file that %s is not replaced', (_why, before) => {
  const change = (): unknown =>
    answeredFiles(new Map([['config/a.yaml', 'a: 1\n']]), before, new Set(['config/a.yaml']));

  expect(change).toThrow('config/a.yaml would be changed, and it is no text in UTF-8 or too long');
});
