import type { StructuralSchema } from '../model/structural-schema.ts';
import { definitionError } from './definition-error.ts';
import { schemaAt, simplePath } from './field-path.ts';

/** As many as the API server takes. */
const MAX_SELECTABLE_FIELDS = 8;

const SCALARS: readonly (string | undefined)[] = ['string', 'boolean', 'integer'];

/** @throws ConfigurationError `CONFIG` for a field that cannot be selected by. */
export function selectableFieldsOf(
  paths: readonly string[],
  root: StructuralSchema,
  path: string,
): readonly { readonly jsonPath: string }[] {
  if (paths.length > MAX_SELECTABLE_FIELDS) {
    const remedy = 'leave some out, and select these by labels';
    throw definitionError(path, `more than ${MAX_SELECTABLE_FIELDS} fields`, remedy);
  }
  return paths.map((jsonPath, at) => {
    const own = `${path}[${at}]`;
    const fields = simplePath(jsonPath);
    const [first] = fields ?? [];
    if (fields === undefined || (first !== 'spec' && first !== 'status')) {
      const problem = `${JSON.stringify(jsonPath)} is no path of a field`;
      throw definitionError(own, problem, 'write it as .spec.name, without lists');
    }
    const schema = schemaAt(root, fields);
    if (schema === undefined) {
      const remedy = 'write the path of a field of spec or status';
      throw definitionError(own, `no schema has a field ${jsonPath}`, remedy);
    }
    if (!SCALARS.includes(schema.type)) {
      const remedy = 'select by a string, a boolean or an integer';
      throw definitionError(own, `${jsonPath} is ${schema.type ?? 'of no type'}`, remedy);
    }
    if (paths.indexOf(jsonPath) < at) {
      throw definitionError(own, `${jsonPath} stands there twice`, 'leave one out');
    }
    return { jsonPath };
  });
}
