/** The sixty-line operator: shown in the README as it is, and tried with the commands that stand there. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const commandsIn = (document: string): readonly string[] =>
  document
    .split('\n')
    .flatMap((line) => (/^ {4}(?=npm |CHANCERY|kubectl )/.test(line) ? line.trim() : []));

const section =
  read('README.md')
    .split(/^## /m)
    .find((each) => each.startsWith('An operator in sixty lines')) ?? '';
const commands = commandsIn(read('examples/website/README.md'));

test('the README shows examples/website/operator.ts as it is', () => {
  const shown = /^```ts\n(.*?)^```/ms.exec(section)?.[1];

  expect(shown).toBe(read('examples/website/operator.ts'));
});

test('the commands of the README are the first ones of the example', () => {
  const shown = commandsIn(section.replace(/^```.*?^```/ms, ''));

  expect(shown).toHaveLength(4);
  expect(shown).toEqual(commands.slice(0, 4));
});
