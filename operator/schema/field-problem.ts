/** What is wrong with one field of an object. */
export interface FieldProblem {
  /** As the API server writes it: `spec.ports[0].name`. */
  readonly path: string;
  /** What the API server says of it. */
  readonly message: string;
}

export function joined(path: string, field: string): string {
  return path === '' ? field : `${path}.${field}`;
}
