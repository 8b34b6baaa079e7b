import { Ajv, type ValidateFunction } from 'ajv';

/** Tells what a chart's values.schema.json refuses in values: one line for each. */
export type SchemaJudge = (values: object) => readonly string[];

/**
 * A judge by the text of values.schema.json; without one nothing is refused. Helm reads regular expressions as
 * Go does: those that Go cannot read are in `patternProblems`, and are refused whatever the values are.
 */
export function schemaProblems(
  text: string | undefined,
  patternProblems: readonly string[],
): SchemaJudge {
  if (patternProblems.length > 0) return () => patternProblems;
  if (text === undefined) return () => [];
  let validate: ValidateFunction;
  try {
    // Strict: a keyword that is misspelt would check nothing.
    const ajv = new Ajv({
      allErrors: true,
      strict: true,
      allowUnionTypes: true,
      strictRequired: false,
    });
    validate = ajv.compile(JSON.parse(text) as object);
  } catch (error) {
    return () => [`values.schema.json: ${String(error)}`];
  }
  return (values) => {
    if (validate(values)) return [];
    return (validate.errors ?? []).map(
      ({ instancePath, message = '', params }) =>
        `${instancePath === '' ? '(root)' : instancePath.slice(1).replaceAll('/', '.')}: ${message} ${JSON.stringify(params)}`,
    );
  };
}
