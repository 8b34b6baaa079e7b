/**
 * The kind of a value. The schema and the template check the same rules, because users can skip the
 * schema.
 */
export type Kind =
  | { readonly is: 'boolean' }
  | { readonly is: 'integer'; readonly minimum: number; readonly maximum: number }
  | { readonly is: 'choice'; readonly of: readonly (string | boolean)[] }
  | ({ readonly is: 'text' } & TextRule)
  | ({ readonly is: 'texts' } & TextRule)
  /** A map from names to strings. `pattern` applies to the strings. */
  | ({ readonly is: 'map'; readonly refused: readonly string[] } & TextRule)
  /** An object that is copied unchanged into the Pod. */
  | { readonly is: 'object' }
  | { readonly is: 'resources' }
  /** A list of objects that is copied unchanged into the Pod. */
  | { readonly is: 'objects' }
  /** Fields that have only one allowed value each. */
  | { readonly is: 'security'; readonly fields: Readonly<Record<string, unknown>> }
  | { readonly is: 'variables'; readonly refused: readonly string[] }
  | { readonly is: 'overrides'; readonly refused: readonly string[] }
  | { readonly is: 'names' };

export interface TextRule {
  /** A pattern for RE2 and JavaScript, with anchors. */
  readonly pattern: string;
  readonly maxLength: number;
  /** The text that follows "must be" in the error message. */
  readonly wanted: string;
}

/** One value of a chart. */
export interface Setting {
  /** Names of the keys, joined by dots. */
  readonly path: string;
  /** A description for readers of `values.yaml`. */
  readonly comment: string;
  readonly standard: unknown;
  readonly kind: Kind;
}

/** Creates the declaration of one value. */
export function setting(path: string, standard: unknown, kind: Kind, comment: string): Setting {
  return { path, standard, kind, comment };
}
