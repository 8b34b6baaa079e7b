import { codeMask } from './code-mask.ts';

/** A controller that a module lists: its name in the module, and the file that exports it. */
export interface ListedController {
  readonly name: string;
  /** The file as written in the import, such as `./cache.ts`. */
  readonly file: string;
}

/** The text of a module that lists a controller, or the reason why it cannot be changed. */
export type ListedText =
  | { readonly text: string; readonly problem?: undefined }
  | { readonly text?: undefined; readonly problem: string };

/**
 * Adds a controller to a module: an import after the other imports, and its name at the end of the
 * list that the module exports. All other text is unchanged. A module that already has both is
 * returned unchanged.
 *
 * The list must be written as `export default [ … ]`.
 */
export function withController(source: string, controller: ListedController): ListedText {
  const code = codeMask(source);
  if (code === undefined) return { problem: 'a text or a comment in it seems to have no end' };
  const list = listIn(code);
  if (list === undefined) return { problem: 'it has no `export default [ … ];`' };
  const isImported = importsOf(source, code).some(({ from }) => from === controller.file);
  const isListed = hasWord(code.slice(list.start, list.end), controller.name);
  if (isImported && isListed) return { text: source };
  if (isImported) return { problem: `it imports ${controller.file} and does not list it` };
  if (hasWord(code, controller.name)) {
    return { problem: `it uses the name ${controller.name} for something else` };
  }
  const eol = source.includes('\r\n') ? '\r\n' : '\n';
  const listed = withItem(source, code, list, controller.name, eol);
  const text = withImport(listed, source, code, controller, eol);
  return lists(text, controller) ? { text } : { problem: 'its form is not understood' };
}

interface Range {
  /** The position after `[`. */
  readonly start: number;
  /** The position of `]`. */
  readonly end: number;
}

function listIn(code: string): Range | undefined {
  const found = [...code.matchAll(/^export\s+default\s*\[/gm)];
  const [only] = found;
  if (only === undefined || found.length > 1) return undefined;
  const start = only.index + only[0].length;
  let depth = 1;
  for (let at = start; at < code.length; at++) {
    const character = code.charAt(at);
    if ('[({'.includes(character)) depth++;
    if ('])}'.includes(character) && --depth === 0) return { start, end: at };
  }
  return undefined;
}

interface Import {
  readonly from: string;
  /** Position after the line of the import. */
  readonly end: number;
}

function importsOf(source: string, code: string): readonly Import[] {
  const statements = source.matchAll(
    /^import\s(?:[^'";]*?\sfrom\s*)?['"]([^'"\r\n]*)['"][^\r\n]*(?:\r?\n|$)/gm,
  );
  return [...statements]
    .filter(({ index }) => code.startsWith('import', index))
    .map(({ 0: statement, 1: from = '', index }) => ({ from, end: index + statement.length }));
}

function hasWord(code: string, word: string): boolean {
  return new RegExp(`(?<![\\w$.])${word}(?![\\w$])`).test(code);
}

function withItem(source: string, code: string, { start, end }: Range, name: string, eol: string) {
  const items = code.slice(start, end);
  const lastItem = start + items.trimEnd().length;
  const comma = items.trim() === '' || items.trimEnd().endsWith(',') ? '' : ',';
  const lineOfEnd = source.lastIndexOf('\n', end - 1) + 1;
  const isAlone = lineOfEnd > start && source.slice(lineOfEnd, end).trim() === '';
  if (isAlone) {
    const [, indent = '  '] =
      /\n([ \t]+)\S[^\n]*\n[ \t]*$/.exec(source.slice(start - 1, end)) ?? [];
    const before = source.slice(0, lastItem) + comma + source.slice(lastItem, lineOfEnd);
    return `${before}${indent}${name},${eol}${source.slice(lineOfEnd)}`;
  }
  const space = items.trim() === '' ? '' : ' ';
  return `${source.slice(0, lastItem)}${comma}${space}${name}${source.slice(end)}`;
}

/**
 * Inserts the import into `listed`. The text before the list is the same in `listed` and `source`, so
 * positions of imports in `source` are also valid in `listed`.
 */
function withImport(
  listed: string,
  source: string,
  code: string,
  { name, file }: ListedController,
  eol: string,
): string {
  const statement = `import ${name} from '${file}';`;
  const last = importsOf(source, code).at(-1);
  if (last !== undefined) {
    const line = source.charAt(last.end - 1) === '\n' ? '' : eol;
    return `${listed.slice(0, last.end)}${line}${statement}${eol}${listed.slice(last.end)}`;
  }
  const first = code.search(/\S/);
  return `${listed.slice(0, first)}${statement}${eol}${eol}${listed.slice(first)}`;
}

/** Parses the text again, and returns true when it has the import, and the name in its list. */
function lists(text: string, { name, file }: ListedController): boolean {
  const code = codeMask(text) ?? '';
  const list = listIn(code);
  if (list === undefined) return false;
  const isImported = importsOf(text, code).some(({ from }) => from === file);
  return isImported && hasWord(code.slice(list.start, list.end), name);
}
