import { createRequire } from 'node:module';
import { isDeepStrictEqual } from 'node:util';
import type { DocumentOptions, ParseOptions, ScalarTag, SchemaOptions, YAMLParseError } from 'yaml';
import { ConfigurationError, messageOf } from './errors.ts';

const require = createRequire(import.meta.url);

/**
 * The YAML package. It is loaded when the first document is parsed, so that a program without YAML does not
 * load the seventy files of the package.
 */
const yaml = (): typeof import('yaml') => require('yaml');

/**
 * Maximum number of aliases in a document, where an alias inside of another alias counts each time it is
 * expanded. As in kubectl, the limit prevents nested aliases from expanding without end.
 */
const MAX_ALIAS_COUNT = 100;

/** Words such as `yes` and `off` are booleans, as in kubectl, whose YAML library follows YAML 1.1. */
const BOOLEAN: ScalarTag = {
  tag: 'tag:yaml.org,2002:bool',
  default: true,
  test: /^(?:y|Y|yes|Yes|YES|on|On|ON|n|N|no|No|NO|off|Off|OFF)$/,
  resolve: (text) => /^(?:y|on)/i.test(text),
};

/** A number such as `0644` is octal, as in YAML 1.1 and as people expect of a file mode. */
const INTEGER: ScalarTag = {
  tag: 'tag:yaml.org,2002:int',
  default: true,
  test: /^[-+]?[0-9](?:[0-9_]*|[xX][0-9a-fA-F_]+|[oO][0-7_]+|[bB][01_]+)$/,
  resolve(text) {
    const digits = text.replace(/^[-+]|_/g, '');
    const value = /^0[0-7]+$/.test(digits) ? Number.parseInt(digits, 8) : Number(digits);
    return text.startsWith('-') ? -value : value;
  },
};

/**
 * 64-bit integers that a number cannot represent exactly become bigints. kubectl reads larger integers as
 * floats.
 */
const EXACT_INTEGER: ScalarTag = {
  ...INTEGER,
  resolve(text, onError, options) {
    const value = INTEGER.resolve?.(text, onError, options);
    if (Number.isSafeInteger(value) || !/^[-+]?[1-9][0-9]*$/.test(text)) return value;
    const exact = BigInt(text.replace(/^\+/, ''));
    return BigInt.asIntN(64, exact) === exact ? exact : value;
  },
};

/**
 * Options that read YAML as kubectl does (sigs.k8s.io/yaml): the last of duplicate keys wins, merge keys
 * merge, and unquoted words and numbers have the same meaning.
 */
const READ = {
  uniqueKeys: false,
  merge: true,
  customTags: (tags) => [BOOLEAN, INTEGER, ...tags],
  logLevel: 'error', // with `silent`, `parse` would accept broken text
} as const satisfies ParseOptions & DocumentOptions & SchemaOptions;

const EXACT_TAGS: typeof READ.customTags = (tags) => [BOOLEAN, EXACT_INTEGER, ...tags];

/**
 * The value of one YAML (or JSON) document.
 *
 * @param options.exactIntegers - integers that a number cannot represent exactly become bigints. Default:
 *   false.
 * @throws ConfigurationError `CONFIG` when `text` is not YAML, with line and column; or, without them, when
 *   its aliases do not resolve or expand too far.
 */
export function parseYaml(
  text: string,
  { exactIntegers = false }: { readonly exactIntegers?: boolean } = {},
): unknown {
  try {
    const value: unknown = yaml().parse(text, {
      ...READ,
      ...(exactIntegers ? { customTags: EXACT_TAGS } : {}),
      maxAliasCount: MAX_ALIAS_COUNT,
    });
    refuseCycle(value);
    return value;
  } catch (error) {
    throw invalid(error);
  }
}

/** A key as the text contains it. The package reports only where the key begins. */
const KEY = /^(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*'|[^:\r\n]*)/;

/**
 * Duplicate keys in the mappings of a YAML document, each with the line of its second occurrence. `parseYaml`
 * ignores them. The result is empty if `text` is not YAML.
 */
export function duplicateYamlKeys(
  text: string,
): readonly { readonly line: number; readonly key: string }[] {
  const { errors } = yaml().parseDocument(text, { ...READ, uniqueKeys: true, prettyErrors: false });
  return errors
    .filter(({ code }) => code === 'DUPLICATE_KEY')
    .map(({ pos: [start] }) => ({
      line: text.slice(0, start).split('\n').length,
      key: String(parseYaml(KEY.exec(text.slice(start))?.[0] ?? '')),
    }));
}

/**
 * The values of all documents in a YAML stream, without empty documents.
 *
 * @throws ConfigurationError `CONFIG` when `text` is not YAML, with line and column; or, without them, when
 *   its aliases do not resolve or expand too far.
 */
export function parseYamlDocuments(text: string): readonly unknown[] {
  try {
    return yaml()
      .parseAllDocuments(text, READ)
      .map((document): unknown => {
        const [problem] = document.errors;
        if (problem) throw problem;
        const value: unknown = document.toJS({ maxAliasCount: MAX_ALIAS_COUNT });
        refuseCycle(value);
        return value;
      })
      .filter((value) => value !== null && value !== undefined);
  } catch (error) {
    throw invalid(error);
  }
}

/**
 * Refuses a value that contains itself: an alias inside of the value to which the alias refers. JSON cannot
 * express such a value, and kubectl refuses it as well.
 *
 * @throws Error
 */
function refuseCycle(value: unknown): void {
  const open = new Set<object>();
  const done = new Set<object>();
  const visit = (part: unknown): void => {
    if (typeof part !== 'object' || part === null || done.has(part)) return;
    if (open.has(part)) throw new Error('an anchor contains itself');
    open.add(part);
    for (const each of Object.values(part)) visit(each);
    open.delete(part);
    done.add(part);
  };
  visit(value);
}

/**
 * Formats a plain value as YAML, without anchors, aliases or line folding. A string that `parseYaml` or an
 * older parser would read as another type, such as `yes` or `0O7`, is quoted.
 */
export function formatYaml(value: unknown): string {
  return yaml().stringify(value, {
    lineWidth: 0,
    aliasDuplicateObjects: false,
    compat: 'yaml-1.1',
    customTags: READ.customTags,
  });
}

/**
 * `text`, which is YAML, with another value at `path`. Comments and the notation of everything else are kept.
 *
 * @throws ConfigurationError `CONFIG` when `text` is not YAML.
 */
export function changedYaml(
  text: string,
  path: readonly (string | number)[],
  value: unknown,
): string {
  const document = yaml().parseDocument(text, READ);
  const [problem] = document.errors;
  if (problem !== undefined) throw invalid(problem);
  document.setIn(path, document.createNode(value));
  return document.toString({ lineWidth: 0, flowCollectionPadding: false });
}

/**
 * `text`, which is YAML, with one more item in a list of strings at a top-level key. Everything else is kept
 * as written, even where comments look like YAML. If the list already has the item, nothing changes.
 *
 * @param comment - a line to put before a new list.
 * @throws ConfigurationError `CONFIG` when `text` is not YAML, or is not a mapping, or has no list at the
 *   key.
 */
export function yamlWithItem(text: string, key: string, item: string, comment: string): string {
  const document = yaml().parseDocument(text, READ);
  const [problem] = document.errors;
  if (problem !== undefined) throw invalid(problem);
  const before = (parseYaml(text) ?? {}) as Readonly<Record<string, unknown>>;
  const list = before[key] ?? [];
  if (typeof before !== 'object' || Array.isArray(before) || !Array.isArray(list)) {
    throw new ConfigurationError(`it must be a mapping, with a list as ${key}`);
  }
  if (list.includes(item)) return text;
  const newline = text.includes('\r\n') ? '\r\n' : '\n';
  const node: unknown = document.get(key, true);
  const candidate =
    yaml().isSeq(node) && node.items.length > 0
      ? withLineAfter(text, node.items.at(-1), item, newline)
      : withListAtEnd(
          text,
          key,
          `${newline}${comment}${newline}${key}:${newline}- ${item}${newline}`,
        );
  const expected = { ...before, [key]: [...list, item] };
  const isAsMeant = candidate !== undefined && isDeepStrictEqual(tried(candidate), expected);
  return isAsMeant ? candidate : changedYaml(text, [key], expected[key]);
}

/**
 * `text` with a new list at its end. Undefined if the key already exists, because a duplicate key would
 * replace the existing value.
 */
function withListAtEnd(text: string, key: string, lines: string): string | undefined {
  if (new RegExp(`^["']?${key}["']?[ \\t]*:`, 'm').test(text)) return undefined;
  const newline = /\r?\n/.exec(lines)?.[0] ?? '';
  return `${text}${text === '' || text.endsWith('\n') ? '' : newline}${lines}`;
}

/** `text` with one more line after the last item of a list. Undefined if the whole list is on one line. */
function withLineAfter(
  text: string,
  last: unknown,
  item: string,
  newline: string,
): string | undefined {
  const { range } = last as { readonly range?: readonly [number, number, number] | null };
  const [start = 0, end = 0] = range ?? [];
  const line = text.slice(text.lastIndexOf('\n', start - 1) + 1, start);
  const [, indent] = /^([ \t]*)- +["']?$/.exec(line) ?? [];
  if (indent === undefined) return undefined;
  const at = text.indexOf('\n', end - 1);
  if (at < 0) return `${text}${newline}${indent}- ${item}${newline}`;
  return `${text.slice(0, at + 1)}${indent}- ${item}${newline}${text.slice(at + 1)}`;
}

function tried(text: string): unknown {
  try {
    return parseYaml(text);
  } catch {
    return undefined;
  }
}

/** Matches text of the document that some messages of the package quote without a colon before it. */
const QUOTED =
  /(?<=^(?:Invalid escape sequence|Unsupported YAML version|Unknown directive|Verbatim tags) ).*|(?<=^The ).*(?= tag has no suffix$)/;

/**
 * The error contains the broken rule and the position, but does not quote the document, because the author of
 * the document and the reader of the message may be different people. For the same reason the error has no
 * cause: the message of the package contains the line.
 */
function invalid(error: unknown): ConfigurationError {
  const [firstLine = ''] = messageOf(error).split('\n', 1);
  const [rule = ''] = firstLine.split(/: | at line /, 1);
  const { linePos: [at] = [] } = error as Partial<Pick<YAMLParseError, 'linePos'>>;
  const place = at === undefined ? '' : ` at line ${at.line}, column ${at.col}`;
  return new ConfigurationError(`invalid YAML: ${rule.replace(QUOTED, '…')}${place}`);
}
