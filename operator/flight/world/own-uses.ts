import { sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { getCallSites } from 'node:util';
import type { OwnUse } from './virtual-globals.ts';

/** A use of the clock, of randomness or of the network, past what the toolkit hands over. */
export interface FoundUse {
  readonly what: OwnUse;
  /** Such as `Date.now`. */
  readonly name: string;
  /** `FILE:LINE`. */
  readonly where: string;
}

/** Frames that can be between the code that calls and the function that is replaced. */
const MAX_FRAMES = 24;

/** Remembers who uses what, by file and line. Code of the toolkit and of this package does not count. */
export class OwnUses {
  readonly #findings = new Map<string, FoundUse>();

  get findings(): readonly FoundUse[] {
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

/** Sources and built files of the toolkit: this file is in one of its folders. */
const TOOLKIT = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? '../../' : './', import.meta.url),
);
/** Those of the test kit, in a project that has it installed and in its own repository. */
const TEST_KIT = /[\\/]@chancery[\\/]testing[\\/]|[\\/]testing[\\/](?:src|dist)[\\/]/;

/** Whose code a script is. */
interface Script {
  readonly file: string;
  readonly kind: 'node' | 'ours' | 'library' | 'own';
}

const scripts = new Map<string, Script>();

/** The first code outside of the toolkit; undefined when the toolkit itself is the caller. */
function callerOutside(): string | undefined {
  const frames = getCallSites(MAX_FRAMES);
  // The innermost is here. A function of the replacements may call another one.
  const used = frames.findLastIndex(({ functionName }) => functionName.endsWith('usedInWorld'));
  let inLibrary: string | undefined;
  for (const { scriptName, lineNumber } of frames.slice(used + 1)) {
    const { file, kind } = scriptOf(scriptName);
    if (kind === 'node') continue;
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

function kindOf(file: string): Script['kind'] {
  if (file === '' || file.startsWith('node:')) return 'node';
  if (file.startsWith(TOOLKIT) || TEST_KIT.test(file)) return 'ours';
  return file.includes(`${sep}node_modules${sep}`) ? 'library' : 'own';
}
