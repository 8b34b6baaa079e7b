/** A word or a symbol of a selector; the empty string at the end of the selector. */
type Token = string;

const SYMBOLS: ReadonlySet<Token> = new Set(['=', '==', '!=', '!', '<', '>', '(', ')', ',']);

function tokensOf(text: string): readonly Token[] {
  return text.match(/==|!=|[=!<>(),]|[^ \t\r\n=!<>(),]+/g) ?? [];
}

function isWord(token: Token): boolean {
  return token !== '' && !SYMBOLS.has(token);
}

/**
 * The server's error for the first grammar mistake in a label selector; undefined if the grammar is
 * correct. Keys and values are not checked. The messages are from `Parser` in k8s.io/apimachinery,
 * pkg/labels/selector.go.
 */
export function selectorProblem(text: string): string | undefined {
  return new Grammar(tokensOf(text)).problem();
}

class Grammar {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  problem(): string | undefined {
    if (this.#peek() === '') return undefined;
    if (!this.#beginsRequirement()) return this.#found("!, identifier, or 'end of string'");
    for (;;) {
      const problem = this.#requirement();
      if (problem !== undefined) return `unable to parse requirement: ${problem}`;
      if (this.#peek() === '') return undefined;
      if (this.#peek() !== ',') return this.#found("',' or 'end of string'");
      this.#at++;
      if (!this.#beginsRequirement()) return this.#found("identifier after ','");
    }
  }

  #peek(): Token {
    return this.#tokens[this.#at] ?? '';
  }

  #found(expected: string): string {
    return `found '${this.#peek()}', expected: ${expected}`;
  }

  #beginsRequirement(): boolean {
    return isWord(this.#peek()) || this.#peek() === '!';
  }

  #endsRequirement(): boolean {
    return this.#peek() === '' || this.#peek() === ',';
  }

  #requirement(): string | undefined {
    const isAbsence = this.#peek() === '!';
    if (isAbsence) this.#at++;
    if (!isWord(this.#peek())) return this.#found('identifier');
    this.#at++;
    if (isAbsence || this.#endsRequirement()) return undefined;
    const operator = this.#peek();
    if (operator === 'in' || operator === 'notin') {
      this.#at++;
      return this.#values();
    }
    if (!['=', '==', '!=', '<', '>'].includes(operator)) {
      return this.#found('in, notin, =, ==, !=, gt, lt');
    }
    this.#at++;
    if (this.#endsRequirement()) return undefined;
    if (!isWord(this.#peek())) return this.#found('identifier');
    this.#at++;
    return undefined;
  }

  #values(): string | undefined {
    if (this.#peek() !== '(') return `found '${this.#peek()}' expected: '('`;
    this.#at++;
    if (this.#peek() !== ')' && this.#peek() !== ',' && !isWord(this.#peek())) {
      return this.#found("',', ')' or identifier");
    }
    while (this.#peek() !== ')') {
      const isValue = isWord(this.#peek());
      if (!isValue && this.#peek() !== ',') return this.#found("',', or identifier");
      this.#at++;
      if (isValue && this.#peek() !== ')' && this.#peek() !== ',') return this.#found("',' or ')'");
    }
    this.#at++;
    return undefined;
  }
}
