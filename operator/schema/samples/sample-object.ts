import { OBJECT_FIELDS, type StructuralSchema } from '../../model/structural-schema.ts';
import { isJson } from '../keywords.ts';
import { sampleProblems } from './sample-problems.ts';
import { sampleText } from './sample-text.ts';
import { sampleValue } from './sample-value.ts';

/** Alternatives of a schema that are tried after the first. */
const OTHER_BRANCHES = [1, 2, 3];

/** The names of a sample object. */
export interface SampleNames {
  readonly apiVersion: string;
  readonly kind: string;
  /** Taken if the schema allows it. */
  readonly name: string;
}

/** An object that shows people a kind. */
export interface Sample {
  readonly object: object;
  /** Why the API server would refuse it. Rules in CEL are not evaluated. */
  readonly problems: readonly string[];
}

/**
 * A small object: the first that the schema of its version allows, or else the first that was tried. It has the
 * required fields, and those with a default, which change nothing for the API server and show people what there is.
 */
export function sampleObject(
  { apiVersion, kind, name: wanted }: SampleNames,
  schema: StructuralSchema,
): Sample {
  const { properties = {}, required = [] } = schema;
  const name = sampleText(properties.metadata?.properties?.name ?? {}, wanted);
  const isOwn = (field: string): boolean =>
    !OBJECT_FIELDS.has(field) && (field !== 'status' || required.includes(field));
  const own = Object.entries(properties).filter(([field]) => isOwn(field));
  const fields: StructuralSchema = {
    ...schema,
    properties: Object.fromEntries(own),
    // People look for the spec, also where none is required.
    required: [...required.filter(isOwn), ...(Object.hasOwn(properties, 'spec') ? ['spec'] : [])],
  };
  const tried = (branch: number): Sample => {
    const value = sampleValue(fields, branch);
    const object = { apiVersion, kind, metadata: { name }, ...(isJson(value) ? value : {}) };
    return { object, problems: sampleProblems(object, schema) };
  };
  const first = tried(0);
  if (first.problems.length === 0) return first;
  return OTHER_BRANCHES.map(tried).find(({ problems }) => problems.length === 0) ?? first;
}
