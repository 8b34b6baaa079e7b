import { compiledPolicy, expressionsOf } from '../cel/compiled-policy.ts';
import { failure } from '../failures/failure.ts';
import { valueAt } from '../objects/metadata.ts';
import type { StoredObject } from '../objects/stored-object.ts';
import { invalidValue, type Problem } from './fields/problem.ts';

/**
 * The expressions of a ValidatingAdmissionPolicy that do not compile.
 *
 * @throws ApiError 501 for `paramKind`, which this server does not evaluate.
 */
export function policyProblems(policy: StoredObject): readonly Problem[] {
  if (valueAt(policy, ['spec', 'paramKind']) !== undefined) {
    const message = 'the embedded API server does not evaluate policies with spec.paramKind';
    throw failure({ code: 501, reason: 'NotImplemented', message });
  }
  return expressionsOf(compiledPolicy(policy)).flatMap(({ field, text, program }) =>
    'rejected' in program ? [invalidValue(field, text, program.rejected)] : [],
  );
}
