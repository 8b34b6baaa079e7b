import type { DefinitionVersion } from '../model/custom-resource-definition.ts';
import { completed } from './completed.ts';
import type { FieldProblem } from './field-problem.ts';
import { isJson } from './keywords.ts';
import { scaleProblems } from './scale.ts';
import { valueProblems } from './value-problems.ts';

/** A subdomain of RFC 1123: what objects of custom resources are called. */
const NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const MAX_NAME_LENGTH = 253;

/** What the API server would refuse in an object of one version. */
export function objectProblems(
  object: unknown,
  apiVersion: string,
  kind: string,
  version: DefinitionVersion | undefined,
): readonly FieldProblem[] {
  const schema = version?.schema.openAPIV3Schema ?? {};
  if (!isJson(object)) return [{ path: '', message: 'must be of type object' }];
  const value = completed(object, schema, true);
  const scale = version?.subresources?.scale;
  return [
    ...(object.apiVersion === apiVersion
      ? []
      : [{ path: 'apiVersion', message: `must be ${apiVersion}` }]),
    ...(object.kind === kind ? [] : [{ path: 'kind', message: `must be ${kind}` }]),
    ...nameProblems(object.metadata),
    ...valueProblems(value, schema, ''),
    ...(scale === undefined ? [] : scaleProblems(value, scale)),
  ];
}

function nameProblems(metadata: unknown): readonly FieldProblem[] {
  if (!isJson(metadata)) return [{ path: 'metadata', message: 'Required value' }];
  const { name, generateName } = metadata;
  if (name === undefined && typeof generateName === 'string' && generateName !== '') return [];
  const isName = typeof name === 'string' && NAME.test(name) && name.length <= MAX_NAME_LENGTH;
  if (isName) return [];
  return [{ path: 'metadata.name', message: 'must be a lower-case RFC 1123 subdomain' }];
}
