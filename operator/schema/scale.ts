import type { ScalePaths } from '../model/custom-resource-definition.ts';
import type { StructuralSchema } from '../model/structural-schema.ts';
import { definitionError } from './definition-error.ts';
import { schemaAt, simplePath } from './field-path.ts';
import { type FieldProblem, joined } from './field-problem.ts';
import { isJson } from './keywords.ts';

/** What `/scale` can show: an int32. */
const MAX_REPLICAS = 2_147_483_647;

/** @throws ConfigurationError `CONFIG` for a path that leads to no field, or to one of another type. */
export function scaleOf(scale: ScalePaths, root: StructuralSchema, path: string): ScalePaths {
  const { specReplicasPath, statusReplicasPath, labelSelectorPath } = scale;
  refusePath(specReplicasPath, ['spec'], 'integer', root, `${path}.specReplicasPath`);
  refusePath(statusReplicasPath, ['status'], 'integer', root, `${path}.statusReplicasPath`);
  if (labelSelectorPath === undefined) return { specReplicasPath, statusReplicasPath };
  const own = `${path}.labelSelectorPath`;
  refusePath(labelSelectorPath, ['spec', 'status'], 'string', root, own);
  return { specReplicasPath, statusReplicasPath, labelSelectorPath };
}

function refusePath(
  jsonPath: string,
  under: readonly string[],
  type: 'integer' | 'string',
  root: StructuralSchema,
  path: string,
): void {
  const fields = simplePath(jsonPath) ?? [];
  if (fields.length < 2 || !under.includes(fields[0] ?? '')) {
    const remedy = `write the path of a field, such as .${under[0]}.replicas`;
    throw definitionError(path, `${jsonPath} is not under .${under.join(' or .')}`, remedy);
  }
  const schema = schemaAt(root, fields);
  if (schema?.type === type) return;
  const found = schema === undefined ? 'no schema has it' : `it is ${schema.type ?? 'of no type'}`;
  const text = type === 'string' ? 'Type.String()' : 'Type.Integer()';
  throw definitionError(path, `${jsonPath}: ${found}`, `add the field as ${text}`);
}

/** What `/scale` could not show. */
export function* scaleProblems(value: unknown, scale: ScalePaths): Generator<FieldProblem> {
  for (const jsonPath of [scale.specReplicasPath, scale.statusReplicasPath]) {
    const fields = simplePath(jsonPath) ?? [];
    const replicas = fields.reduce<unknown>(
      (at, field) => (isJson(at) ? at[field] : undefined),
      value,
    );
    if (typeof replicas !== 'number') continue;
    const path = fields.reduce(joined, '');
    if (replicas < 0) yield { path, message: 'should be a non-negative integer' };
    if (replicas > MAX_REPLICAS) {
      yield { path, message: `should be less than or equal to ${MAX_REPLICAS}` };
    }
  }
}
