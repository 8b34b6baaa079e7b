/** docs/guides/operate/troubleshooting.md has every line that the toolkit logs as a warning or an error. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { guide } from './guide.ts';
import { root } from './readme.ts';

/** The constant texts that are logged as warnings and errors. A text that is put together is not among them. */
function loggedIn(code: string): readonly string[] {
  const calls = code.matchAll(/\blog\??\.(?:warn|error)\((.*?)\);$/gms);
  return [...calls].flatMap(([, args = '']) => {
    const [, single, double] = /(?:'([^'\n]+)'|"([^"\n]+)"),?\s*$/.exec(args) ?? [];
    return single ?? double ?? [];
  });
}

test.each([
  ["log.warn({ a }, 'one');", ['one']],
  ["this.#options.log?.error(\n  { err, text: 'no' },\n  'two, three',\n);", ['two, three']],
  [`log.error({}, "a plug's name");`, ["a plug's name"]],
  ["log.info({}, 'not this');\nlog.warn(facts, message);", []],
])('the search in the code %s finds the log messages %j', (code, texts) => {
  expect(loggedIn(code)).toEqual(texts);
});

test('every message that is logged as a warning or an error is in troubleshooting.md', () => {
  const page = guide('guides/operate/troubleshooting.md');
  const files = globSync('operator/**/*.ts', { cwd: root });

  const logged = files.flatMap((file) => loggedIn(readFileSync(join(root, file), 'utf8')));

  expect(new Set(logged).size).toBeGreaterThan(50);
  expect([...new Set(logged)].filter((text) => !page.includes(`\`${text.split(':')[0]}`))).toEqual(
    [],
  );
});
