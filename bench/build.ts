import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
/**
 * Within `bench`, so that the peers are found from there. Each file has the path there that it has
 * below the root of the repository: a relative import leads from built file to built file.
 */
const BUILT = join(ROOT, 'bench/dist');
const FOLDERS = ['bench/subjects', 'test/support/load'];
const FILES = ['bench/load-server.ts', 'bench/message.ts', 'bench/statistics.ts'];

/**
 * Makes JavaScript of what runs in the processes that are measured: to strip types at run time costs
 * the import of a compiler, and tens of megabytes, which no client has to answer for.
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

/** The text without types, its relative imports led to what is built. */
export function toJavaScript(text: string): string {
  return stripTypeScriptTypes(text).replace(/(['"])(\.{1,2}\/[^'"\n]+)\.ts\1/g, '$1$2.js$1');
}

/** A file of the built harness, such as `load-server.js`. */
export function built(file: string): string {
  return join(BUILT, 'bench', file);
}

/** What `npm run build` has made of the package's entry; undefined before that. */
export function chanceryEntry(
  manifest: URL = new URL('../package.json', import.meta.url),
): string | undefined {
  const { exports } = JSON.parse(readFileSync(manifest, 'utf8')) as {
    readonly exports: { readonly '.': { readonly default: string } };
  };
  const entry = fileURLToPath(new URL(exports['.'].default, manifest));
  return existsSync(entry) ? entry : undefined;
}
