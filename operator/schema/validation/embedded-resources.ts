import { isMapping } from '../../core/mapping.ts';
import { DNS_1035_LABEL, NOT_DNS_1035_LABEL } from '../../model/dns-name.ts';
import { fieldSchema, type StructuralSchema } from '../../model/structural-schema.ts';
import type { Json } from '../keywords.ts';
import { UNLIMITED, type Work } from '../work.ts';
import { type FieldError, invalid, required } from './field-errors.ts';
import { childPath, joined } from './schema-places.ts';

const LABEL = new RegExp(`^${DNS_1035_LABEL}$`);

/**
 * The embedded objects without a valid apiVersion and kind.
 *
 * @throws TooMuchWork
 */
export function embeddedResourceProblems(
  value: unknown,
  schema: StructuralSchema,
  path: string = '',
  work: Work = UNLIMITED,
): readonly FieldError[] {
  work.spend(1);
  if (Array.isArray(value)) {
    const { items } = schema;
    if (items === undefined) return [];
    return value.flatMap((item, at) =>
      embeddedResourceProblems(item, items, `${path}[${at}]`, work),
    );
  }
  if (!isMapping(value)) return [];
  const embedded = schema['x-kubernetes-embedded-resource'] === true;
  const own = embedded ? typeMetaProblems(value, path) : [];
  const below = Object.keys(value)
    .sort()
    .flatMap((field) => {
      const child = fieldSchema(schema, field);
      if (child === undefined) return [];
      return embeddedResourceProblems(value[field], child, childPath(schema, path, field), work);
    });
  return [...own, ...below];
}

function typeMetaProblems(value: Json, path: string): readonly FieldError[] {
  const problems: FieldError[] = [];
  for (const field of ['apiVersion', 'kind']) {
    const at = joined(path, field);
    const text = value[field];
    if (text === undefined) problems.push(required(at));
    else if (typeof text !== 'string') problems.push(invalid(at, text, 'must be a string'));
    else if (text === '') problems.push(invalid(at, text, 'must not be empty'));
    else if (field === 'kind' && !LABEL.test(text.toLowerCase())) {
      const why = `may have mixed case, but should otherwise match: ${NOT_DNS_1035_LABEL}`;
      problems.push(invalid(at, text, why));
    } else if (field === 'apiVersion' && text.split('/').length > 2) {
      problems.push(invalid(at, text, `unexpected GroupVersion string: ${text}`));
    }
  }
  return problems;
}
