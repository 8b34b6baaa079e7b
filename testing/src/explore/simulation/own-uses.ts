import { realpathSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { getCallSites } from 'node:util';
import type { Finding } from '../scenario/scenario.ts';
import type { OwnUse } from './virtual-globals.ts';

/** Frames of the functions that stand in for the real ones, and the one that calls them. */
const FEW_FRAMES = 6;
/** Frames of a library that can be between the operator's own code and such a call. */
const MANY_FRAMES = 40;

/** Remembers who uses what, by file and line. Code of the toolkit and of this package does not count. */
export class OwnUses {
  readonly #findings = new Map<string, Finding>();

  get findings(): readonly Finding[] {
    return [...this.#findings.values()];
  }

  /** Call it on the stack of the code that uses `name`. */
  note(what: OwnUse, name: string): void {
    const where = callerOutside();
    if (where === undefined) return;
    const key = `${what} ${name} ${where}`;
    if (!this.#findings.has(key)) this.#findings.set(key, { what, name, where });
  }
}

/** Sources and built files of the toolkit and of this package. */
const OURS = ownFolders();

function ownFolders(): readonly string[] {
  const here = fileURLToPath(new URL('../../', import.meta.url));
  try {
    const manifest = createRequire(import.meta.url).resolve('chancery/package.json');
    const root = dirname(realpathSync(manifest));
    return [here, `${root}${sep}operator${sep}`, `${root}${sep}dist${sep}`];
  } catch {
    return [here];
  }
}

/** Whose code a script is. */
interface Script {
  readonly file: string;
  readonly kind: 'node' | 'replacement' | 'ours' | 'library' | 'own';
}

const scripts = new Map<string, Script>();

/** The first code outside of the toolkit; undefined when the toolkit itself is the caller. */
function callerOutside(): string | undefined {
  // Most calls come from the toolkit, and few frames cost little.
  for (const { scriptName } of getCallSites(FEW_FRAMES)) {
    const { kind } = scriptOf(scriptName);
    if (kind === 'ours') return undefined;
    if (kind === 'library' || kind === 'own') break;
  }
  let inLibrary: string | undefined;
  for (const { scriptName, lineNumber } of getCallSites(MANY_FRAMES)) {
    const { file, kind } = scriptOf(scriptName);
    if (kind === 'node' || kind === 'replacement') continue;
    if (kind === 'ours') return inLibrary;
    if (kind === 'own') return `${file}:${lineNumber}`;
    inLibrary ??= `${file}:${lineNumber}`;
  }
  return inLibrary;
}

function scriptOf(name: string): Script {
  let script = scripts.get(name);
  if (script === undefined) {
    const file = name.startsWith('file:') ? fileURLToPath(name) : name;
    script = { file, kind: kindOf(file) };
    scripts.set(name, script);
  }
  return script;
}

/** The frames of the functions that stand in for the real ones. */
const REPLACEMENT = /[\\/]simulation[\\/](?:virtual-globals|own-uses|simulation)\.[jt]s$/;

function kindOf(file: string): Script['kind'] {
  if (file === '' || file.startsWith('node:')) return 'node';
  const isOurs = OURS.some((folder) => file.startsWith(folder));
  if (isOurs) return REPLACEMENT.test(file) ? 'replacement' : 'ours';
  return file.includes(`${sep}node_modules${sep}`) ? 'library' : 'own';
}
