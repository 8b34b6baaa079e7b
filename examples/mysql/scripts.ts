import { readFileSync } from 'node:fs';

/** A script of the data plane. It gets everything by its environment: nothing is pasted into it. */
export function script(name: 'init' | 'clone' | 'serve' | 'backup' | 'delete'): string {
  return readFileSync(new URL(`./scripts/${name}.sh`, import.meta.url), 'utf8');
}
