/**
 * `npm run build`: makes the `dist/` of every package, or of those whose folders are named.
 *
 *     node build/main.ts [--image] [--out-dir DIR] [FOLDER]...
 *
 * `--out-dir` is another place for the `dist/` of the one folder that is named. With `--image` there are no types,
 * and nothing for the benchmarks: an image only runs what is built.
 */
import { globSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { buildPackage } from './build-package.ts';

const ROOT = fileURLToPath(new URL('../', import.meta.url));

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    image: { type: 'boolean', default: false },
    'out-dir': { type: 'string' },
  },
});
const { image, 'out-dir': outDir } = values;
if (outDir !== undefined && positionals.length !== 1) {
  throw new Error('--out-dir is for one package: name its folder, such as "."');
}
for (const folder of positionals.length === 0 ? allPackages() : positionals) {
  const dist = resolve(outDir ?? join(ROOT, folder, 'dist'));
  await buildPackage(resolve(ROOT, folder), dist, { image });
}

/** The folders of the root and of its workspaces that are packages; the site in docs/ is none. */
function allPackages(): readonly string[] {
  const { workspaces } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    readonly workspaces: readonly string[];
  };
  const isPackage = (folder: string): boolean =>
    JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8')).private !== true;
  return [
    '.',
    ...globSync([...workspaces], { cwd: ROOT })
      .toSorted()
      .filter(isPackage),
  ];
}
