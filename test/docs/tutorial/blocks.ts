/** The blocks of a page, in the order in which a reader follows them. */

/** What stands between two fences. The words after its language say what to do with it. */
export type Block =
  /** A file to save: ```ts src/website.ts */
  | { readonly kind: 'file'; readonly path: string; readonly text: string }
  /** Commands, one a line: ```sh, or ```sh fails when the last of them is refused. */
  | { readonly kind: 'commands'; readonly lines: readonly string[]; readonly fails: boolean }
  /** A command that goes on in a terminal of its own: ```sh terminal 1 */
  | { readonly kind: 'terminal'; readonly terminal: string; readonly line: string }
  /** What the commands before it print: ```text. Or what a terminal shows: ```text terminal 1 */
  | { readonly kind: 'output'; readonly terminal: string | undefined; readonly text: string };

/** @throws Error for a block of which no rule says what a reader does with it. */
export function blocksOf(page: string): readonly Block[] {
  const fences = page.matchAll(/^```(\S+)[ \t]*([^\n]*)\n(.*?)^```$/gms);
  return [...fences].map(([, language = '', words = '', text = '']) =>
    blockOf(language, words.trim(), text),
  );
}

function blockOf(language: string, words: string, text: string): Block {
  const terminal = /^terminal (\d)$/.exec(words)?.[1];
  const lines = text.split('\n').filter((line) => line !== '');
  if (language === 'text' && (words === '' || terminal !== undefined)) {
    return { kind: 'output', terminal, text };
  }
  if (language === 'sh' && terminal !== undefined && lines.length === 1) {
    return { kind: 'terminal', terminal, line: lines[0] ?? '' };
  }
  if (language === 'sh' && (words === '' || words === 'fails')) {
    return { kind: 'commands', lines, fails: words === 'fails' };
  }
  if (/^[\w./-]+\.\w+$/.test(words)) return { kind: 'file', path: words, text };
  throw new Error(`nobody knows what to do with a block "${language} ${words}":\n${text}`);
}
