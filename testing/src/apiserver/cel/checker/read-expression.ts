import type { Call, Expression } from './expression.ts';
import { expandMacro } from './macros.ts';
import { BOOL, INT, NULL, STRING, simple, type Type } from './type.ts';

/** A node of the library's tree, before it is checked. */
export interface ParsedNode {
  readonly op: string;
  readonly args: unknown;
  readonly start: number;
  readonly end: number;
}

/** Operators that do not follow cel-go's naming rule for two operands, `_+_`. */
const OPERATORS: Readonly<Record<string, string>> = {
  '[]': '_[_]',
  '[?]': '_[?_]',
  '?:': '_?_:_',
  in: '@in',
};

/**
 * Characters that may stand between an operand and its operator: spaces, comments, and closing brackets,
 * which are not in the tree.
 */
const FILLER = /(?:[\s)]|\/\/[^\n]*)*/y;

/** Converts the library's tree of one expression. */
export class ExpressionReader {
  readonly #text: string;
  readonly #optionals: ReadonlySet<ParsedNode>;

  /** @param optionals - items and keys that follow a question mark in the source. */
  constructor(text: string, optionals: ReadonlySet<ParsedNode>) {
    this.#text = text;
    this.#optionals = optionals;
  }

  /**
   * The tree as cel-go builds it: with macros expanded, and with the offsets that cel-go's messages
   * use.
   *
   * @throws MacroError for an argument that a macro does not accept.
   */
  read(node: ParsedNode): Expression {
    const { op, args, start } = node;
    switch (op) {
      case 'value':
        return { kind: 'literal', at: start, type: literalType(args), value: args };
      case 'id':
        return { kind: 'identifier', at: start, name: String(args) };
      case 'call': {
        const [name, own] = args as [string, readonly ParsedNode[]];
        const at = this.#behind(start + name.length);
        return this.#call({ name, at, target: undefined, args: this.#all(own) });
      }
      case 'rcall': {
        const [name, receiver, own] = args as [string, ParsedNode, readonly ParsedNode[]];
        const word = this.#text.indexOf(name, this.#behind(receiver.end) + 1);
        const at = this.#behind(word + name.length);
        return this.#call({ name, at, target: this.read(receiver), args: this.#all(own) });
      }
      case '.':
      case '.?': {
        const [operand, field] = args as [ParsedNode, string];
        const form = op === '.' ? 'plain' : 'optional';
        const at = this.#behind(operand.end);
        return { kind: 'select', at, operand: this.read(operand), field, form };
      }
      case 'list': {
        const items = (args as readonly ParsedNode[]).map((item) => ({
          value: this.read(item),
          isOptional: this.#optionals.has(item),
        }));
        return { kind: 'list', at: start, items };
      }
      case 'map':
        return this.#map(args as readonly (readonly [ParsedNode, ParsedNode])[], start);
      case '!_':
      case '-_':
        return this.#unary(node, args as ParsedNode);
      default: {
        const own = args as readonly ParsedNode[];
        const name = OPERATORS[op] ?? `_${op}_`;
        const at = this.#behind(own[0]?.end ?? start);
        return { kind: 'call', at, name, target: undefined, args: this.#all(own) };
      }
    }
  }

  #all(nodes: readonly ParsedNode[]): readonly Expression[] {
    return nodes.map((node) => this.read(node));
  }

  #call({ name, at, target, args }: Omit<Call, 'kind'>): Expression {
    return expandMacro({ name, at, target, args }) ?? { kind: 'call', name, at, target, args };
  }

  #map(entries: readonly (readonly [ParsedNode, ParsedNode])[], at: number): Expression {
    return {
      kind: 'map',
      at,
      entries: entries.map(([key, value]) => ({
        key: this.read(key),
        value: this.read(value),
        isOptional: this.#optionals.has(key),
      })),
    };
  }

  /**
   * Reads an operand with the operator `!` or `-`. A doubled operator (`!!` or `--`) has no effect. A minus
   * before a number becomes part of the number.
   */
  #unary({ op, start }: ParsedNode, operand: ParsedNode): Expression {
    if (operand.op === op) return this.read(operand.args as ParsedNode);
    const below = this.read(operand);
    const isNumber = below.kind === 'literal' && /bigint|number/.test(typeof below.value);
    if (op === '-_' && isNumber) return { ...below, at: start, value: -(below.value as bigint) };
    return { kind: 'call', at: start, name: op, target: undefined, args: [below] };
  }

  #behind(end: number): number {
    FILLER.lastIndex = end;
    return end + (FILLER.exec(this.#text)?.[0].length ?? 0);
  }
}

function literalType(value: unknown): Type {
  switch (typeof value) {
    case 'boolean':
      return BOOL;
    case 'bigint':
      return INT;
    case 'number':
      return simple('double');
    case 'string':
      return STRING;
    default:
      if (value === null) return NULL;
      return simple(value instanceof Uint8Array ? 'bytes' : 'uint');
  }
}
