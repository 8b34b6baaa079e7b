/** What a value may be. The schema and the template check it alike, because users can skip the schema. */
export type Kind =
  | { readonly is: 'boolean' }
  | { readonly is: 'integer'; readonly minimum: number; readonly maximum: number }
  | { readonly is: 'choice'; readonly of: readonly (string | boolean)[] }
  | ({ readonly is: 'text' } & TextRule)
  | ({ readonly is: 'texts' } & TextRule)
  /** Names and texts. `pattern` is the values'. */
  | ({ readonly is: 'map'; readonly refused: readonly string[] } & TextRule)
  /** Goes into the Pod as it is. */
  | { readonly is: 'object' }
  | { readonly is: 'resources' }
  /** Goes into the Pod as it is: a list of objects. */
  | { readonly is: 'objects' }
  /** Fields that have only one value. */
  | { readonly is: 'security'; readonly fields: Readonly<Record<string, unknown>> }
  | { readonly is: 'variables'; readonly refused: readonly string[] }
  | { readonly is: 'overrides'; readonly refused: readonly string[] }
  | { readonly is: 'names' };

export interface TextRule {
  /** For RE2 and JavaScript alike, with anchors. */
  readonly pattern: string;
  readonly maxLength: number;
  /** Completes the sentence "… must be". */
  readonly wanted: string;
}

/** One value of a chart. */
export interface Setting {
  /** Names of the keys, with dots between them. */
  readonly path: string;
  /** What it does, for people who read `values.yaml`. */
  readonly comment: string;
  readonly standard: unknown;
  readonly kind: Kind;
}

/** One value. */
export function setting(path: string, standard: unknown, kind: Kind, comment: string): Setting {
  return { path, standard, kind, comment };
}
