/** What files of the repository import, as texts. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const root: URL = new URL('../../', import.meta.url);

export function importsIn(
  folder: string,
): readonly { readonly file: string; readonly specifier: string }[] {
  const forms =
    /^(?:import|export)\s[^'";]*?from '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'/gm;
  return filesIn(folder).flatMap((file) =>
    [...read(file).matchAll(forms)].map(([, a, b, c]) => ({ file, specifier: a ?? b ?? c ?? '' })),
  );
}

export function filesIn(folder: string): readonly string[] {
  return readdirSync(fileURLToPath(new URL(folder, root)), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.split('/').includes('node_modules'))
    .map((file) => `${folder}/${file}`);
}

export function read(file: string): string {
  return readFileSync(new URL(file, root), 'utf8');
}
