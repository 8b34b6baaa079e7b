import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire, stripTypeScriptTypes } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SOURCE = fileURLToPath(new URL('.', import.meta.url));
/** Within `bench`, so that the peers are found from there. */
const BUILT = join(SOURCE, 'dist');
const FOLDERS = ['load', 'subjects'];
const FILES = ['message.ts', 'statistics.ts'];

/**
 * Makes JavaScript of what runs in the processes that are measured: to strip types at run time costs
 * the import of a compiler, and tens of megabytes, which no client has to answer for.
 */
export function buildSubjects(): void {
  rmSync(BUILT, { recursive: true, force: true });
  const files = FOLDERS.flatMap((folder) =>
    readdirSync(join(SOURCE, folder))
      .filter((name) => name.endsWith('.ts'))
      .map((name) => join(folder, name)),
  );
  for (const file of [...files, ...FILES]) {
    const target = join(BUILT, file.replace(/\.ts$/, '.js'));
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, toJavaScript(readFileSync(join(SOURCE, file), 'utf8')));
  }
}

/** The text without types, its relative imports led to what is built. */
export function toJavaScript(text: string): string {
  return stripTypeScriptTypes(text).replace(/(['"])(\.{1,2}\/[^'"\n]+)\.ts\1/g, '$1$2.js$1');
}

/** A file of the built harness, such as `load/main.js`. */
export function built(file: string): string {
  return join(BUILT, file);
}

/** Where the package's own name leads a user: to what `npm run build` has made; undefined before that. */
export function chanceryEntry(
  manifest: URL = new URL('../package.json', import.meta.url),
): string | undefined {
  try {
    return createRequire(manifest).resolve('chancery');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}
