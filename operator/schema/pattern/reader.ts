/** Problems of a pattern, with the messages of Go's package regexp/syntax. */
type Problem =
  | 'expression nests too deeply'
  | 'expression too large'
  | 'invalid character class range'
  | 'invalid escape sequence'
  | 'invalid named capture'
  | 'invalid nested repetition operator'
  | 'invalid or unsupported Perl syntax'
  | 'invalid repeat count'
  | 'missing argument to repetition operator'
  | 'missing closing )'
  | 'missing closing ]'
  | 'trailing backslash at end of expression'
  | 'unexpected )';

/** The error of a pattern that RE2 does not accept, with Go's message. */
export function patternError(problem: Problem, part: string): SyntaxError {
  return new SyntaxError(`error parsing regexp: ${problem}: \`${part}\``);
}

/** A position in the text of a pattern. */
export class PatternReader {
  readonly text: string;
  at = 0;

  constructor(text: string) {
    this.text = text;
  }

  get isAtEnd(): boolean {
    return this.at >= this.text.length;
  }

  startsWith(start: string): boolean {
    return this.text.startsWith(start, this.at);
  }

  /** The text from `start` to the current position. */
  since(start: number): string {
    return this.text.slice(start, this.at);
  }

  /** The next character, which may be two code units. Empty at the end. */
  take(): string {
    if (this.isAtEnd) return '';
    const character = String.fromCodePoint(this.text.codePointAt(this.at) ?? 0);
    this.at += character.length;
    return character;
  }

  /**
   * The match of `expression` at the current position; undefined if there is no match.
   *
   * @param expression - a sticky regular expression.
   */
  takeMatch(expression: RegExp): RegExpExecArray | undefined {
    expression.lastIndex = this.at;
    const found = expression.exec(this.text);
    if (found === null) return undefined;
    this.at = expression.lastIndex;
    return found;
  }

  /** Skips the next character if it is `character`. Returns true if it was skipped. */
  skip(character: string): boolean {
    if (!this.startsWith(character)) return false;
    this.at += character.length;
    return true;
  }
}
