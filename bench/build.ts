import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
/**
 * Inside of `bench`, so that the packages of the peers are found. Each file keeps its path relative to the
 * root of the repository: relative imports between built files stay valid.
 */
const BUILT = join(ROOT, 'bench/dist');
const FOLDERS = ['bench/subjects', 'test/support/load'];
const FILES = ['bench/load-server.ts', 'bench/message.ts', 'bench/statistics.ts'];

/**
 * Builds JavaScript from the files that run in measured processes. Type stripping at run time imports a
 * compiler and takes tens of megabytes, which would be counted as the client's.
 */
export function buildSubjects(): void {
  rmSync(BUILT, { recursive: true, force: true });
  const files = FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder))
      .filter((name) => name.endsWith('.ts'))
      .map((name) => join(folder, name)),
  );
  for (const file of [...files, ...FILES]) {
    const target = join(BUILT, file.replace(/\.ts$/, '.js'));
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, toJavaScript(readFileSync(join(ROOT, file), 'utf8')));
  }
}

/** Removes the types, and changes relative imports to the built files. */
export function toJavaScript(text: string): string {
  return stripTypeScriptTypes(text).replace(/(['"])(\.{1,2}\/[^'"\n]+)\.ts\1/g, '$1$2.js$1');
}

/** The path of a file of the built harness, such as `load-server.js`. */
export function built(file: string): string {
  return join(BUILT, 'bench', file);
}

/** The package's entry in the output of `npm run build`; undefined before the build. */
export function chanceryEntry(
  manifest: URL = new URL('../package.json', import.meta.url),
): string | undefined {
  const { exports } = JSON.parse(readFileSync(manifest, 'utf8')) as {
    readonly exports: { readonly '.': { readonly default: string } };
  };
  const entry = fileURLToPath(new URL(exports['.'].default, manifest));
  return existsSync(entry) ? entry : undefined;
}
