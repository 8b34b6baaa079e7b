import { badRequest } from '../failures/failure.ts';
import type { StoredObject } from '../objects/stored-object.ts';
import type { ServedResource } from '../registry/served-resource.ts';

interface Term {
  readonly field: string;
  readonly equal: boolean;
  readonly value: string;
}

export type FieldSelector = readonly Term[];

/**
 * Text → field selector: `a=b`, `a==b` and `a!=b`, joined by commas.
 *
 * @throws ApiError 400 for a field that the resource cannot be selected by.
 */
export function parseFieldSelector(text: string, served: ServedResource): FieldSelector {
  const known = Object.keys(selectableFields(served, EMPTY));
  const terms: Term[] = [];
  for (const part of text.split(/(?<!\\),/).filter((term) => term !== '')) {
    const match = /^([^=!]*)(!=|==|=)(.*)$/.exec(part);
    if (match === null) {
      throw badRequest(`invalid field selector: '${text}'; can't understand '${part}'`);
    }
    const [, field = '', operator, value = ''] = match;
    if (!known.includes(field)) throw badRequest(unknownField(field, served));
    terms.push({ field, equal: operator !== '!=', value: value.replace(/\\([\\,=])/g, '$1') });
  }
  return terms;
}

function unknownField(field: string, served: ServedResource): string {
  const named = Object.keys(served.strategy.selectableFields(EMPTY));
  if (served.custom) return `field label not supported: ${field}`;
  if (named.length > 0) return `field label not supported: ${field}`;
  return `${JSON.stringify(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`;
}

export function matchesFields(
  selector: FieldSelector,
  served: ServedResource,
  object: StoredObject,
): boolean {
  if (selector.length === 0) return true;
  const fields = selectableFields(served, object);
  return selector.every(({ field, equal, value }) => ((fields[field] ?? '') === value) === equal);
}

const EMPTY: StoredObject = { apiVersion: '', kind: '', metadata: { name: '' } };

function selectableFields(
  served: ServedResource,
  object: StoredObject,
): Readonly<Record<string, string>> {
  return {
    'metadata.name': object.metadata.name ?? '',
    ...(served.namespaced || served.custom
      ? { 'metadata.namespace': object.metadata.namespace ?? '' }
      : {}),
    ...served.strategy.selectableFields(object),
  };
}
