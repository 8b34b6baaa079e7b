/** How the output of commands is compared with what a page shows. */
import { expect, test } from 'vitest';
import { blocksOf } from './blocks.ts';
import { missingLine } from './expected-output.ts';

test.each([
  ['NAME   AGE\nhello  12s', 'NAME      AGE\nhello     3m5s\n'],
  ['✔ it is refused (75ms)\nℹ pass 2', '✔ it is refused (1075.3ms)\nℹ tests 2\nℹ pass 2'],
  ['hello-6c8f7d9b54-x2x7q   1/1', 'hello-5f-abcde   1/1'],
  ['10:20:31.114 info  seen\n…\nend', '23:00:00.000 info  seen\nsomething else\nend'],
  ['uid: 123e4567-e89b-12d3-a456-426614174000', 'uid: 00000000-0000-4000-8000-000000000001'],
])('the expected output %j matches the printed output %j', (shown, printed) => {
  expect(missingLine(shown, printed)).toBeUndefined();
});

test.each([
  ['hello  2/2', 'hello  1/2', 'hello 2/2'],
  ['a\nb', 'b\na', 'b'],
  ['replicas=1', 'replicas=10', 'replicas=1'],
  ['127.0.0.1:80', '127.0.0.2:80', '127.0.0.1:80'],
])('the expected output %j does not match the printed output %j', (shown, printed, missing) => {
  expect(missingLine(shown, printed)?.replaceAll(/\s+/g, ' ')).toBe(missing);
});

test('a code block of an unknown kind on a page of the tutorial is an error', () => {
  expect(blocksOf('```ts a/b.ts\nx\n```\n\n```sh fails\na\nb\n```\n')).toEqual([
    { kind: 'file', path: 'a/b.ts', text: 'x\n' },
    { kind: 'commands', lines: ['a', 'b'], fails: true },
  ]);
  expect(() => blocksOf('```ts\nx\n```\n')).toThrow('nobody knows what to do with a block "ts "');
});
