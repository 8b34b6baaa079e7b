import { formatYaml } from 'chancery/low-level';
import { escaped, expressionOf, hasPlaceholder, include } from './expressions.ts';
import { NAME } from './placeholders.ts';
import type { Condition, Field, Item, More, Tree } from './tree.ts';

/** The values that are needed to print a chart. */
export interface PrintOptions {
  /** The name of the chart. The names of its templates begin with it. */
  readonly chart: string;
  /** The expression for the namespace of a Role. */
  readonly watched?: string;
}

/** Prints a tree as the text of a template. */
export function printTree(tree: Tree, options: PrintOptions, indent: number = 0): string {
  return new Printer(options).block(tree, indent);
}

/** Prints a tree as lines of a template, each field or item under its conditions. */
class Printer {
  readonly #options: PrintOptions;

  constructor(options: PrintOptions) {
    this.#options = options;
  }

  /** The lines of a tree, indented by `indent` spaces. */
  block(tree: Tree, indent: number): string {
    const selector = this.#selector(tree);
    if (selector !== undefined) return this.#given(selector, indent);
    switch (tree.is) {
      case 'mapping':
        return this.#parts(tree.fields, indent, (each) => this.#field(each, indent));
      case 'sequence':
        return this.#parts(tree.items, indent, (each) => this.#item(each, indent));
      case 'lines':
        return this.#given(tree.expression, indent);
      default:
        return `${' '.repeat(indent)}${this.#scalar(tree)}\n`;
    }
  }

  /** Prints fields or items. Adjacent fields or items with the same conditions share one `if`. */
  #parts<T extends Field | Item | More>(
    parts: readonly T[],
    indent: number,
    print: (part: T) => string,
  ): string {
    const groups: { readonly test: string; text: string }[] = [];
    for (const part of parts) {
      const test = testOf(part.when);
      const last = groups.at(-1);
      if (last?.test === test) last.text += print(part);
      else groups.push({ test, text: print(part) });
    }
    const space = ' '.repeat(indent);
    return groups
      .map(({ test, text }) =>
        test === '' ? text : `${space}{{- if ${test} }}\n${text}${space}{{- end }}\n`,
      )
      .join('');
  }

  #field(each: Field | More, indent: number): string {
    if ('more' in each) return this.#given(each.more, indent);
    return `${' '.repeat(indent)}${this.#entry(each, indent)}`;
  }

  #entry({ key, tree }: Field, indent: number): string {
    const name = this.#scalar({ is: 'constant', value: key });
    if (this.#isScalar(tree)) return `${name}: ${this.#scalar(tree)}\n`;
    return `${name}:\n${this.block(tree, indent + 2)}`;
  }

  #item(each: Item | More, indent: number): string {
    if ('more' in each) return this.#given(each.more, indent);
    const dash = `${' '.repeat(indent)}-`;
    if (this.#isScalar(each.tree)) return `${dash} ${this.#scalar(each.tree)}\n`;
    const body = this.block(each.tree, indent + 2);
    const isInline = !body.trimStart().startsWith('{{');
    return isInline ? `${dash} ${body.trimStart()}` : `${dash}\n${body}`;
  }

  /**
   * Prints the lines that an expression renders. An empty result leaves an empty line, which YAML
   * ignores.
   */
  #given(expression: string, indent: number): string {
    const piped = expression.startsWith('include ') ? expression : `(${expression})`;
    return `${' '.repeat(indent)}{{- ${piped} | nindent ${indent} }}\n`;
  }

  #isScalar(tree: Tree): boolean {
    return tree.is === 'constant' || tree.is === 'inline';
  }

  #scalar(tree: Tree): string {
    if (tree.is === 'inline') return `{{ ${tree.expression} }}`;
    if (tree.is !== 'constant') throw new Error('a scalar is expected');
    const { value } = tree;
    if (typeof value !== 'string') return formatYaml(value).trimEnd();
    const { chart, watched } = this.#options;
    if (hasPlaceholder(value)) return `{{ ${expressionOf(chart, value, watched)} }}`;
    return escaped(value.includes('\n') ? JSON.stringify(value) : formatYaml(value).trimEnd());
  }

  /**
   * The expression for the labels that select the operator's Pods. Undefined for a tree that is no
   * such selector.
   */
  #selector(tree: Tree): string | undefined {
    if (tree.is !== 'mapping' || tree.fields.length !== 1) return undefined;
    const [only] = tree.fields;
    if (only === undefined || 'more' in only || only.key !== 'app.kubernetes.io/name')
      return undefined;
    if (only.tree.is !== 'constant' || only.tree.value !== NAME) return undefined;
    return include(this.#options.chart, 'selectorLabels');
  }
}

/** The conditions as one expression. Empty without conditions. */
function testOf(conditions: readonly Condition[]): string {
  const [first = '', ...others] = conditions;
  if (others.length === 0) return first;
  return `and ${conditions.map((each) => `(${each})`).join(' ')}`;
}
