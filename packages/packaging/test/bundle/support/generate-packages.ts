/**
 * Writes chart and bundle of every example into the folder of its argument, by the words that write its manifests.
 * Prints what was refused, by example. A program, so that one process loads all examples.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { TREES } from '../../../../../examples/trees.ts';
import type { Io } from '../../../../../operator/cli/command.ts';
import { generate } from '../../../../../operator/cli/generate/generate.ts';
import { GENERATE } from '../../../../../operator/cli/generate/table.ts';
import { command } from '../../../../../operator/cli/table-command.ts';

process.chdir(fileURLToPath(new URL('../../../../../', import.meta.url)));
const [folder = ''] = process.argv.slice(2);
const metadata = join(folder, 'metadata.yaml');
writeFileSync(
  metadata,
  'displayName: Example\nmaintainers:\n  - name: Eve\n    email: eve@examples.example\n',
);

/** Definitions that the tree for kustomize has as resources: no declaration brings them. */
const MORE: Readonly<Record<string, readonly string[]>> = {
  'config-restart': ['--crd', 'examples/config-restart/crds'],
};

const refused: Record<string, string> = {};
for (const [name, words] of Object.entries(TREES)) {
  for (const what of ['chart', 'bundle']) {
    const [own, after] = split([...(MORE[name] ?? []), ...words]);
    const output = ['-o', join(folder, name, what), '--version', '1.2.3', '--metadata', metadata];
    const said: string[] = [];
    try {
      const code = await command(GENERATE, async () => generate).run(
        [what, ...own, ...output, ...after],
        ioInto(said),
      );
      if (code !== 0) refused[`${name} ${what}`] = said.join('');
    } catch (error) {
      refused[`${name} ${what}`] = String(error);
    }
  }
}
process.stdout.write(`${JSON.stringify(refused)}\n`);

/** Without what only a tree for kustomize has, and the words after `--` apart. */
function split(words: readonly string[]): readonly [readonly string[], readonly string[]] {
  const dashes = words.indexOf('--');
  const end = dashes === -1 ? words.length : dashes;
  const isLeftOut = (word: string | undefined): boolean =>
    ['-o', '--components', '--resource'].includes(word ?? '');
  const own = words.slice(0, end);
  return [own.filter((word, at) => !isLeftOut(word) && !isLeftOut(own[at - 1])), words.slice(end)];
}

function ioInto(said: string[]): Io {
  const collect = (): Writable =>
    new Writable({
      write(chunk, _encoding, done) {
        said.push(String(chunk));
        done();
      },
    });
  return {
    stdin: process.stdin,
    stdout: collect(),
    stderr: collect(),
    env: {},
    signal: new AbortController().signal,
    exitWithin() {},
    saveMemory() {},
    exitWithParent() {},
  };
}
