import { messageOf } from '../errors.ts';
import { DOCUMENT_LIMITS } from '../json/json-limits.ts';
import { duplicateYamlKeys, parseYaml } from '../yaml.ts';

/** A request for the documents of YAML texts. */
export interface YamlRequest {
  readonly texts: readonly string[];
  /**
   * `stream`: each text is split at its markers, and empty documents are omitted. `unique`: each text is one
   * document, and the answer contains the first duplicate key of a mapping. `one`: each text is one document.
   */
  readonly form: 'stream' | 'unique' | 'one';
}

/**
 * The documents of the texts, or the reason why they cannot be read. Except for a duplicate key, a reason
 * does not quote the texts.
 */
export type YamlAnswer =
  | {
      /** Each document as JSON. Integers keep all their digits, and an infinity is written as `1e999`. */
      readonly documents: readonly string[];
      /** The first duplicate key of a mapping. */
      readonly duplicate?: { readonly line: number; readonly key: string };
    }
  | {
      /** Number of the document, from 1. Undefined if it is unknown. */
      readonly document: number | undefined;
      readonly problem: string;
    };

/**
 * Maximum characters of one YAML document. etcd refuses objects of more than 1.5 MiB, and reading YAML is a
 * hundred times slower than reading JSON.
 */
const MAX_YAML_CHARS = 2 * 1024 * 1024;

/**
 * Maximum number of characters of all documents as JSON. It is needed because aliases can multiply a text.
 */
const MAX_JSON_CHARS = 10_000_000;

/** Matches a line that ends a document. In YAML, a line that begins with `---` is never part of a value. */
const MARKER = /^(?:---(?=\s|$)|\.\.\.[ \t]*\r?$)/m;

/** Reads YAML. This may take any amount of time and memory, so it runs in a thread that has limits. */
export function yamlWork({ texts, form }: YamlRequest): YamlAnswer {
  const documents: string[] = [];
  const budget = new Budget();
  try {
    for (const part of form === 'stream' ? texts.flatMap((text) => text.split(MARKER)) : texts) {
      if (part.length > MAX_YAML_CHARS) throw new Problem(tooLong(part));
      const value = parsed(part) ?? null;
      if (value === null && form === 'stream') continue;
      budget.document();
      budget.spend(value, 1);
      documents.push(JSON.stringify(value, exactly));
    }
    const [duplicate] = form === 'unique' ? texts.flatMap(duplicateYamlKeys) : [];
    return { documents, ...(duplicate !== undefined && { duplicate }) };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { document: documents.length + 1, problem: error.message };
  }
}

class Problem extends Error {}

function tooLong({ length }: string): string {
  return `has ${length} characters, more than the ${MAX_YAML_CHARS} of a YAML document: write JSON`;
}

/**
 * Limits the size of the JSON before it is written. A string that does not fit into the heap of a thread
 * would end the whole process.
 */
class Budget {
  #documents = 0;
  #chars = 0;
  #values = 0;

  document(): void {
    const { documents } = DOCUMENT_LIMITS;
    this.#documents += 1;
    if (this.#documents > documents)
      throw new Problem(`is beyond the limit of ${documents} documents`);
  }

  spend(value: unknown, level: number): void {
    const { levels, values } = DOCUMENT_LIMITS;
    if (level > levels) throw new Problem(`has more than ${levels} levels`);
    this.#values += 1;
    this.#chars += typeof value === 'string' ? value.length : 1;
    if (this.#values > values) {
      throw new Problem(`the file has more than ${values} values up to it, with its aliases`);
    }
    if (this.#chars > MAX_JSON_CHARS) {
      throw new Problem(`the file has more than ${MAX_JSON_CHARS} characters, with its aliases`);
    }
    if (typeof value !== 'object' || value === null) return;
    for (const [key, member] of Object.entries(value)) {
      this.#chars += key.length;
      this.spend(member, level + 1);
    }
  }
}

function parsed(part: string): unknown {
  try {
    return parseYaml(part, { exactIntegers: true });
  } catch (error) {
    const message = messageOf(error);
    if (message.includes('call stack')) throw new Problem('has too many levels');
    // The message of the YAML package quotes the text, so only the position is used.
    const position = / at line \d+, column \d+/.exec(message)?.[0];
    throw new Problem(
      `is neither JSON nor YAML${position === undefined ? '' : `,${position} of the document`}`,
    );
  }
}

/** `JSON.rawJSON` is part of every supported Node; TypeScript's library does not declare it yet. */
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };

function exactly(_key: string, value: unknown): unknown {
  if (typeof value === 'bigint') return rawJSON(String(value));
  if (typeof value !== 'number' || Number.isFinite(value)) return value;
  if (Number.isNaN(value)) throw new Problem('has a number that JSON cannot hold');
  return rawJSON(value > 0 ? '1e999' : '-1e999');
}
