import { isMapping, type Mapping } from '../../../generate/crd-check/schema.ts';
import type { StructuralSchema } from '../../../model/structural-schema.ts';
import type { ExistingKind } from './existing-kind.ts';
import { sampleProblems } from './sample-problems.ts';
import { sampleText, sampleValue } from './sample-value.ts';

/** Alternatives of a schema that are tried. */
const MAX_BRANCHES = 4;

const OF_EVERY_OBJECT = ['apiVersion', 'kind', 'metadata'];

/** A sample object of a kind. */
export interface Sample {
  readonly sample: Mapping;
  /** Why the API server would refuse it; none when the schema allows it. */
  readonly problems: readonly string[];
  /** The schema has CEL rules, which only an API server evaluates. */
  readonly hasRules: boolean;
}

/** A sample for a kind, by its schema: the first that the schema allows. */
export function sampleOf({ names }: Pick<ExistingKind, 'names'>, schema: Mapping): Sample {
  const { apiVersion: _, kind: __, ...own } = propertiesOf(schema);
  const metadata = own.metadata ?? {};
  const nameSchema = propertiesOf(metadata).name;
  const name = sampleText(isMapping(nameSchema) ? nameSchema : {}, `${names.dashed}-sample`);
  const required = Array.isArray(schema.required) ? (schema.required as readonly unknown[]) : [];
  const spec = isMapping(own.spec) && own.spec.type === 'object' ? ['spec'] : [];
  const fields: Mapping = {
    ...schema,
    properties: Object.fromEntries(Object.entries(own).filter(([field]) => field !== 'metadata')),
    // An object without a spec shows nothing, though the schema may allow it.
    required: [...required.filter((field) => !OF_EVERY_OBJECT.includes(`${field}`)), ...spec],
  };
  const samples = Array.from({ length: MAX_BRANCHES }, (_each, branch) => {
    const value = sampleValue(fields, branch);
    const sample = {
      apiVersion: `${names.group}/${names.version}`,
      kind: names.kind,
      metadata: { name },
      ...(isMapping(value) ? value : {}),
    };
    return { sample, problems: sampleProblems(sample, schema as StructuralSchema) };
  });
  const [first] = samples;
  const best = samples.find(({ problems }) => problems.length === 0) ?? first;
  if (best === undefined) throw new Error('no sample was tried');
  return { ...best, hasRules: hasRules(schema) };
}

function propertiesOf(schema: unknown): Mapping {
  return isMapping(schema) && isMapping(schema.properties) ? schema.properties : {};
}

function hasRules(schema: unknown): boolean {
  if (Array.isArray(schema)) return schema.some(hasRules);
  if (!isMapping(schema)) return false;
  const { 'x-kubernetes-validations': rules, default: _, enum: __, ...others } = schema;
  return (Array.isArray(rules) && rules.length > 0) || Object.values(others).some(hasRules);
}
