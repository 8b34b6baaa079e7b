import { isMapping } from '../../core/mapping.ts';
import { OBJECT_FIELDS, type StructuralSchema } from '../../model/structural-schema.ts';
import { checkedSchema } from '../checked-schema.ts';
import { TooMuchWork, Work } from '../work.ts';
import { sampleProblems } from './sample-problems.ts';
import { sampleText } from './sample-text.ts';
import { sampleValue } from './sample-value.ts';

/** The indices of the alternatives of a schema that are tried after the first alternative. */
const OTHER_BRANCHES = [1, 2, 3];

/**
 * Maximum number of steps to make the values of all candidates for a sample, and to check them. This number
 * suffices for 100,000 plain fields.
 */
const MAX_STEPS = 1_000_000;

/** The names of a sample object. */
export interface SampleNames {
  readonly apiVersion: string;
  readonly kind: string;
  /** The wanted name, used if the schema allows it. */
  readonly name: string;
}

/** An example object of a kind, for people. */
export interface Sample {
  readonly object: object;
  /** Why the API server would refuse the object. Rules in CEL are not evaluated. */
  readonly problems: readonly string[];
}

/**
 * A small object: the first candidate that the schema of its version allows; if it allows none, simply the
 * first candidate. The object has the required fields and the fields with a default. The API server would add
 * the fields with a default anyway; here they show people which fields exist.
 *
 * The work is limited for every schema. If the value of a field would cost too much, the field gets a value
 * that may be invalid. If a sample would cost too much to check, its problems say that it was not checked.
 *
 * @param schema - a schema that may come from any tool, so a keyword may have a value of any type.
 * @throws ConfigurationError `CONFIG` for a schema that the API server could not read, with the path in the
 *   message.
 */
export function sampleObject(
  { apiVersion, kind, name: wanted }: SampleNames,
  given: unknown,
): Sample {
  // Some tools write `properties: null`, which this check removes.
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
    // People look for the spec, even if it is not required.
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
