import { parse, parseAllDocuments, stringify } from 'yaml';
import { ConfigurationError, messageOf } from './errors.ts';

/** Aliases a document may expand to; a bomb of nested anchors is refused, as kubectl refuses it. */
const MAX_ALIAS_COUNT = 100;

/**
 * Options that read YAML as kubectl does: of a key that stands twice in one mapping the last wins,
 * and a merge key is an ordinary key.
 */
const READ = { uniqueKeys: false, logLevel: 'silent' } as const;

/**
 * The value of one YAML (or JSON) document.
 *
 * @throws ConfigurationError `CONFIG` with line and column when the text is not YAML.
 */
export function parseYaml(text: string): unknown {
  try {
    return parse(text, { ...READ, maxAliasCount: MAX_ALIAS_COUNT });
  } catch (error) {
    throw new ConfigurationError(`invalid YAML: ${firstLine(messageOf(error))}`, { cause: error });
  }
}

/**
 * The values of all documents of a YAML stream; empty documents are left out.
 *
 * @throws ConfigurationError `CONFIG` with line and column when the text is not YAML.
 */
export function parseYamlDocuments(text: string): readonly unknown[] {
  const documents = parseAllDocuments(text, READ);
  const values: unknown[] = [];
  for (const document of documents) {
    const [problem] = document.errors;
    if (problem) {
      throw new ConfigurationError(`invalid YAML: ${firstLine(problem.message)}`, {
        cause: problem,
      });
    }
    const value: unknown = document.toJS({ maxAliasCount: MAX_ALIAS_COUNT });
    if (value !== null && value !== undefined) values.push(value);
  }
  return values;
}

/** YAML text of a plain value, without anchors, aliases or line folding. */
export function formatYaml(value: unknown): string {
  return stringify(value, { lineWidth: 0, aliasDuplicateObjects: false });
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}
