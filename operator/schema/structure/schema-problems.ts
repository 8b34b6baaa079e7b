import type { StructuralSchema } from '../../model/structural-schema.ts';
import type { FieldError } from '../validation/field-errors.ts';
import { OBJECT_STEPS } from '../validation/object-problems.ts';
import { TooMuchWork, Work } from '../work.ts';
import { defaultProblems } from './default-problems.ts';
import { keywordProblems } from './keyword-problems.ts';
import { structuralProblems } from './structural-problems.ts';

/**
 * The causes for which the API server refuses the schema of a version, in the server's order and with the
 * server's messages. Does not check whether the rules compile, because only a library for CEL can.
 *
 * @param root - a schema whose keywords have the types that the API server reads.
 * @param path - the path of the schema in the definition.
 */
export function schemaProblems(root: StructuralSchema, path: string): readonly FieldError[] {
  const structural = structuralProblems(root, path);
  return [
    // Defaults are not checked in a schema that is not structural, because they have no meaning there.
    ...(structural.length > 0 ? structural : boundedDefaultProblems(root, path)),
    ...keywordProblems(root, path),
  ];
}

function boundedDefaultProblems(root: StructuralSchema, path: string): readonly FieldError[] {
  try {
    return defaultProblems(root, path, new Work(OBJECT_STEPS));
  } catch (error) {
    if (!(error instanceof TooMuchWork)) throw error;
    const message = `Internal error: the defaults were not validated: ${error.message}`;
    return [{ field: path, reason: 'InternalError', message }];
  }
}
