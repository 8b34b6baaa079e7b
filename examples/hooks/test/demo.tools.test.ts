/**
 * A small form of `npm run prove -- hooks`.
 *
 * @module-tag bash
 * @module-tag jq
 * @module-tag kubectl
 */
import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const MAIN = fileURLToPath(new URL('../demo/main.ts', import.meta.url));

test('if proxy, API server and leader are killed while hooks run, no change is missed, and no effect is doubled or unexplained', {
  timeout: 100_000,
}, async () => {
  const words = ['--changes', '120', '--objects', '10', '--runs', '3'];
  const args = ['--conditions=chancery-source', MAIN, ...words];

  const { stdout } = await promisify(execFile)(process.execPath, args).catch(
    (error: { readonly stdout: string; readonly stderr: string }) => {
      throw new Error(`${error.stdout}${error.stderr}`);
    },
  );

  expect(figuresIn(stdout), stdout).toMatchObject({
    'changes made': '120',
    'missed final states': '0',
    unexplained: '0',
    'effects doubled in the cluster': '0',
    tokens: '0',
  });
});

function figuresIn(text: string): Readonly<Record<string, string>> {
  const rows = [...text.matchAll(/^ *([a-z][^:\n]*?) {2,}(\d+)/gm)];
  return Object.fromEntries(rows.map(([, name = '', value = '']) => [name, value]));
}
