import type { DefinitionVersion } from '../model/custom-resource-definition.ts';
import { isDnsSubdomain } from '../model/dns-name.ts';
import { completed } from './completed.ts';
import type { FieldProblem } from './field-problem.ts';
import { isJson } from './keywords.ts';
import { scaleProblems } from './scale.ts';
import { valueProblems } from './value-problems.ts';

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
  if (typeof name === 'string' && isDnsSubdomain(name)) return [];
  return [{ path: 'metadata.name', message: 'must be a lower-case RFC 1123 subdomain' }];
}
