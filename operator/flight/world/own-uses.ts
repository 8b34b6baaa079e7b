import { sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { getCallSites } from 'node:util';
import type { OwnUse } from './virtual-globals.ts';

/**
 * A place in the code that uses the clock, randomness or the network directly, and not through the toolkit.
 */
export interface FoundUse {
  readonly what: OwnUse;
  /** The name of the function, for example `Date.now`. */
  readonly name: string;
  /** The place of the call, as `FILE:LINE`. */
  readonly where: string;
}

/**
 * A number of stack frames that is large enough to include the replacement functions and the function that
 * calls them.
 */
const FEW_FRAMES = 8;
/**
 * The number of stack frames that are searched for the operator's own code, if a library uses the clock,
 * randomness or the network.
 */
const MANY_FRAMES = 40;

/**
 * Records which code uses clocks, randomness or the network directly, by file and line. The code of the
 * toolkit and of the test kit is ignored.
 */
export class OwnUses {
  readonly #findings = new Map<string, FoundUse>();

  get findings(): readonly FoundUse[] {
    return [...this.#findings.values()];
  }

  /** Records a use. It must be called directly or indirectly by the code that uses `name`. */
  note(what: OwnUse, name: string): void {
    const where = callerOutside();
    if (where === undefined) return;
    const key = `${what} ${name} ${where}`;
    if (!this.#findings.has(key)) this.#findings.set(key, { what, name, where });
  }
}

/** The folder with the sources or built files of the toolkit. This file is in it. */
const TOOLKIT = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? '../../' : './', import.meta.url),
);
/** The files of the test kit, both in a project that has installed it and in its own repository. */
const TEST_KIT = /[\\/]@chancery[\\/]testing[\\/]|[\\/]testing[\\/](?:src|dist)[\\/]/;

/** A script, and who wrote it: Node, the toolkit, a library, or the author of the operator. */
interface Script {
  readonly file: string;
  readonly kind: 'node' | 'ours' | 'library' | 'own';
}

const scripts = new Map<string, Script>();

/** The first calling code outside of the toolkit. Undefined when the toolkit itself is the caller. */
function callerOutside(): string | undefined {
  // Most calls come from the toolkit, so few frames are read first, which is fast.
  if (callers(FEW_FRAMES)[0]?.kind === 'ours') return undefined;
  let inLibrary: string | undefined;
  for (const { file, kind, line } of callers(MANY_FRAMES)) {
    if (kind === 'ours') return inLibrary;
    if (kind === 'own') return `${file}:${line}`;
    inLibrary ??= `${file}:${line}`;
  }
  return inLibrary;
}

/** The callers of the replacement function. The innermost caller comes first. */
function callers(frames: number): readonly (Script & { readonly line: number })[] {
  const sites = getCallSites(frames);
  // The innermost frame is this function. The last frame of a replacement function is searched, because one
  // replacement function may call another.
  const used = sites.findLastIndex(({ functionName }) => functionName.endsWith('usedInWorld'));
  return sites
    .slice(used + 1)
    .map(({ scriptName, lineNumber }) => ({ ...scriptOf(scriptName), line: lineNumber }))
    .filter(({ kind }) => kind !== 'node');
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
