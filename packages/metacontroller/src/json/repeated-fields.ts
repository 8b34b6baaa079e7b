import { boundedText } from 'chancery/internal';
import { shownName } from './answer-part.ts';

/** An object or a list that is not closed yet. */
interface Open {
  /** The names of the members that were read so far. Undefined for a list. */
  readonly names: Set<string> | undefined;
  /** The name of the current member, or the index of the current item. */
  at: string | number;
  /** True when the next string is a name. */
  expectsName: boolean;
}

/** Maximum number of repeated fields in a message. More would not help to understand the answer. */
const MAX_NAMED = 8;

/** Number of tokens that are visited in one turn of the event loop. */
const SLICE = 20_000;

const TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]/g;

/**
 * Paths of the fields that an object in `text` contains more than once, at most eight. `text` must
 * be valid JSON. Yields before a turn of the event loop becomes long.
 */
export function* repeatedFields(text: string): Generator<void, readonly string[], undefined> {
  const open: Open[] = [];
  const found: string[] = [];
  let tokens = 0;
  for (const [token] of text.matchAll(TOKEN)) {
    tokens += 1;
    if (tokens % SLICE === 0) yield;
    const level = open.at(-1);
    if (token === '{') open.push({ names: new Set(), at: '', expectsName: true });
    else if (token === '[') open.push({ names: undefined, at: 0, expectsName: false });
    else if (token === '}' || token === ']') open.pop();
    else if (token === ',') next(level);
    else if (token !== ':' && level?.expectsName === true) {
      level.at = JSON.parse(token) as string;
      level.expectsName = false;
      if (level.names?.has(level.at)) found.push(pathTo(open));
      if (found.length === MAX_NAMED) return found;
      level.names?.add(level.at);
    }
  }
  return found;
}

function next(level: Open | undefined): void {
  if (typeof level?.at === 'number') level.at += 1;
  else if (level !== undefined) level.expectsName = true;
}

/** Maximum number of characters of a path in a message. */
const MAX_PATH_CHARS = 1_024;

/** The path, written like `AnswerPart.path`. */
function pathTo(open: readonly Open[]): string {
  const path = open
    .map(({ at }) => {
      if (typeof at === 'number') return `[${at}]`;
      const name = shownName(at);
      return name.startsWith('"') ? `[${name}]` : `.${name}`;
    })
    .join('')
    .replace(/^\./, '');
  return boundedText(path, MAX_PATH_CHARS);
}
