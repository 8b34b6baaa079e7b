import { DNS_1035_LABEL, fieldSchema, type StructuralSchema } from 'chancery/internal';
import type { FieldError } from '../failures/invalid.ts';
import { isObject, type Json } from '../objects/metadata.ts';
import { invalid, required } from './field-errors.ts';
import { childPath, join } from './structural-schema.ts';

const LABEL = new RegExp(`^${DNS_1035_LABEL}$`);
const NOT_A_LABEL = `a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '${DNS_1035_LABEL}')`;

/** What is wrong with the objects inside an object: each has to say what it is. */
export function embeddedResourceProblems(
  value: unknown,
  schema: StructuralSchema,
  path = '',
): readonly FieldError[] {
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items === undefined) return [];
    return value.flatMap((item, at) => embeddedResourceProblems(item, items, `${path}[${at}]`));
  }
  if (!isObject(value)) return [];
  const embedded = schema['x-kubernetes-embedded-resource'] === true;
  const own = embedded ? typeMetaProblems(value, path) : [];
  const below = Object.keys(value)
    .sort()
    .flatMap((field) => {
      const child = fieldSchema(schema, field);
      if (child === undefined) return [];
      return embeddedResourceProblems(value[field], child, childPath(schema, path, field));
    });
  return [...own, ...below];
}

function typeMetaProblems(value: Json, path: string): readonly FieldError[] {
  const problems: FieldError[] = [];
  for (const field of ['apiVersion', 'kind']) {
    const at = join(path, field);
    const text = value[field];
    if (text === undefined) problems.push(required(at));
    else if (typeof text !== 'string') problems.push(invalid(at, text, 'must be a string'));
    else if (text === '') problems.push(invalid(at, text, 'must not be empty'));
    else if (field === 'kind' && !LABEL.test(text.toLowerCase())) {
      const why = `may have mixed case, but should otherwise match: ${NOT_A_LABEL}`;
      problems.push(invalid(at, text, why));
    } else if (field === 'apiVersion' && text.split('/').length > 2) {
      problems.push(invalid(at, text, `unexpected GroupVersion string: ${text}`));
    }
  }
  return problems;
}
