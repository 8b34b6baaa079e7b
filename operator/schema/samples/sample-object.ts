import { isMapping } from '../../core/mapping.ts';
import { OBJECT_FIELDS, type StructuralSchema } from '../../model/structural-schema.ts';
import { checkedSchema } from '../checked-schema.ts';
import { TooMuchWork, Work } from '../work.ts';
import { sampleProblems } from './sample-problems.ts';
import { sampleText } from './sample-text.ts';
import { sampleValue } from './sample-value.ts';

/** Alternatives of a schema that are tried after the first. */
const OTHER_BRANCHES = [1, 2, 3];

/**
 * Steps for the values of all samples that are tried, and as many to check them. They suffice for 100,000 plain fields.
 */
const MAX_STEPS = 1_000_000;

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
 *
 * The work is bounded for every schema. If the value of a field would cost too much, the field gets a value that may be
 * invalid. If a sample would cost too much to check, its problems say that it was not checked.
 *
 * @param schema - from any tool: a keyword may have a value of any type.
 * @throws ConfigurationError `CONFIG` for a schema that the API server could not read, with the path in it.
 */
export function sampleObject(
  { apiVersion, kind, name: wanted }: SampleNames,
  given: unknown,
): Sample {
  // Other tools write `properties: null`.
  const schema = checkedSchema(given) as StructuralSchema;
  const { properties = {}, required = [] } = schema;
  const work = new Work(MAX_STEPS);
  const checking = new Work(MAX_STEPS);
  const name = sampleText(properties.metadata?.properties?.name ?? {}, { wanted, work });
  const isOwn = (field: string): boolean => !OBJECT_FIELDS.has(field);
  const needed = new Set(required);
  const isShown = (field: string): boolean =>
    isOwn(field) && (field !== 'status' || needed.has(field));
  const own = Object.entries(properties).filter(([field]) => isShown(field));
  const fields: StructuralSchema = {
    ...schema,
    properties: Object.fromEntries(own),
    // People look for the spec, also where none is required.
    required: [...required.filter(isOwn), ...(Object.hasOwn(properties, 'spec') ? ['spec'] : [])],
  };
  const tried = (branch: number): Sample => {
    const value = sampleValue(fields, branch, work);
    const object = { apiVersion, kind, metadata: { name }, ...(isMapping(value) ? value : {}) };
    return { object, problems: problemsOf(object, schema, checking) };
  };
  const first = tried(0);
  if (first.problems.length === 0) return first;
  for (const branch of OTHER_BRANCHES) {
    if (work.left <= 0 || checking.left <= 0) break;
    const other = tried(branch);
    if (other.problems.length === 0) return other;
  }
  return first;
}

function problemsOf(object: object, schema: StructuralSchema, work: Work): readonly string[] {
  try {
    return sampleProblems(object, schema, work);
  } catch (error) {
    if (!(error instanceof TooMuchWork)) throw error;
    return [`the sample was not checked: ${error.message}`];
  }
}
