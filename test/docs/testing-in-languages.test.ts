/** The pages about tests in other languages: what is not run says so, and what they show exists. */
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { apiserverArguments } from '../../operator/cli/apiserver/arguments.ts';
import { APISERVER } from '../../operator/cli/apiserver/table.ts';
import { parseFlags } from '../../operator/cli/flags.ts';
import { guide } from './guide.ts';
import { blocksOf } from './language-pages.ts';

const folder = fileURLToPath(new URL('../../docs/guides/test/', import.meta.url));
const PAGES = readdirSync(folder)
  .filter((name) => name.startsWith('in-'))
  .map((name) => `guides/test/${name}`);
/** `NAME.tools.test.ts` of each runs its example. */
const RUN = ['guides/test/in-node.md', 'guides/test/in-python.md', 'guides/test/in-shell.md'];
/** Two ways to start the server in Go; none in Node, where it runs inside the test. */
const COMMANDS: Readonly<Record<string, number>> = {
  'guides/test/in-go.md': 2,
  'guides/test/in-node.md': 0,
};

test.each(
  PAGES,
)('%s says that its example is not tested, unless a test runs the example', (page) => {
  const [, first] = guide(page).split('\n\n');

  if (RUN.includes(page))
    expect(blocksOf(page).filter(({ name }) => name === 'run')).toHaveLength(1);
  else expect(first).toMatch(/tests do not run/);
});

test.each(PAGES)('the commands in %s start the server with options that exist', (page) => {
  const code = blocksOf(page)
    .map(({ text }) => text)
    .join('\n');
  // Words of a shell, and strings of the other languages.
  const commands = [
    ...code.matchAll(/(?:npx |")@chancery\/testing"?([\s\S]*?)(?:[>&\])]|\n\n|\.stdout)/g),
  ];

  expect(commands).toHaveLength(COMMANDS[page] ?? 1);
  for (const [, words = ''] of commands) {
    const options = [...words.matchAll(/--[a-z-]+|(?<=["\s])0(?=["\s,])/g)].map(String);
    const args = options.flatMap((word) => (word === '--kubeconfig-out' ? [word, 'x'] : [word]));
    expect(args).toContain('--port');
    expect(() => apiserverArguments(parseFlags(args, APISERVER))).not.toThrow();
  }
});

test.each([
  ...PAGES,
  'guides/test/by-command.md',
])('%s installs and runs only the package @chancery/testing', (page) => {
  const text = guide(page);

  expect(text).toMatch(/@chancery\/testing/);
  expect(text).not.toMatch(/npx chancery|chancery"?,? "?apiserver(?!\.|\)|`\])/);
  const installed = blocksOf(page).flatMap(({ text: lines }) => lines.match(/^npm install .*$/gm));
  for (const line of installed) {
    if (line?.includes('chancery')) {
      expect(line).toBe('npm install --save-dev node@24 @chancery/testing');
    }
  }
});

test('the README of the test kit links every page about tests in other languages', () => {
  const readme = guide('../testing/README.md');

  expect(PAGES.length).toBeGreaterThanOrEqual(6);
  expect(PAGES.filter((page) => !readme.includes(`(../docs/${page})`))).toEqual([]);
});
