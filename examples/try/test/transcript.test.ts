import { expect, test } from 'vitest';
import { isLook, missingIn, type Step, stepsIn } from '../transcript.ts';

const README = `# foo

Some text.

    npm run example -- foo

In another:

    $ kubectl apply -f sample/
    $ kubectl get foos
    foo/a   1/1

    second block, of no command

Text that ends the block.

    not output either
`;

test('commands are found with their expected output, and commands for another terminal or folder are skipped', () => {
  expect(stepsIn(README)).toEqual([
    { command: 'kubectl apply -f sample/', expected: [] },
    { command: 'kubectl get foos', expected: ['foo/a   1/1', 'second block, of no command'] },
  ]);
});

test('each piece of the expected output must be in some line, whatever the number of blanks', () => {
  const step: Step = { command: 'x', expected: ['foo/a 1/1', 'foo/b  2/2', 'gone'] };

  expect(missingIn('NAME  READY\nfoo/a     1/1   Running\nmy foo/b 2/2\n', step)).toEqual(['gone']);
  expect(missingIn('', { command: 'x', expected: [] })).toEqual([]);
});

test.each([
  ['kubectl --server=http://127.0.0.1:8080 -n demo get foos,deployments', true],
  ['kubectl --server=http://127.0.0.1:8080 -n demo describe foo get', true],
  ['kubectl -n default get events', true],
  ['kubectl --server=http://127.0.0.1:8080 -n demo delete foo get', false],
  ['kubectl --server=http://127.0.0.1:8080 -n demo apply -f examples/foo/sample/', false],
  ['curl get', false],
])('a read-only command may be repeated until its output matches: %s', (command, looks) => {
  expect(isLook({ command, expected: [] })).toBe(looks);
});
