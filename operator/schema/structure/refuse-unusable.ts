import type { StructuralSchema } from '../../model/structural-schema.ts';
import { definitionError } from '../field-path.ts';
import { schemaProblems } from './schema-problems.ts';

/**
 * Refuses what the API server would refuse in the schema of a version: invalid defaults, lists whose items
 * cannot be distinguished, and unusable rules. It checks everything except CEL expressions.
 *
 * @param path - the path of the version in the options of `customResource`. It ends in a dot or is empty.
 * @throws ConfigurationError `CONFIG` with the path in these options and the remedy.
 */
export function refuseUnusable(root: StructuralSchema, path: string): void {
  const [problem] = schemaProblems(root, '');
  if (problem === undefined) return;
  const { steps, keyword } = placeOf(problem.field);
  const isRule = keyword.startsWith(RULES);
  const ofVersion = steps === '' && isRule;
  const at = ofVersion ? `rules${keyword.slice(RULES.length)}` : steps.slice(1);
  const below = isRule && !ofVersion ? keyword : '';
  throw definitionError(
    `${path}${at}${below}`,
    problem.message,
    remedyFor(keyword, problem.message),
  );
}

const RULES = '.x-kubernetes-validations';

/** Splits the path of a field: `.properties[spec].items.nullable` is the keyword `.nullable` at `.spec[]`. */
function placeOf(field: string): { readonly steps: string; readonly keyword: string } {
  const step = /\.properties\[(.+?)\](?=\.|$)|\.(items|additionalProperties)(?=\.|$)/y;
  let steps = '';
  let end = 0;
  for (let found = step.exec(field); found !== null; found = step.exec(field)) {
    const [, name, keyword] = found;
    steps += name === undefined ? IN_LISTS[keyword ?? ''] : `.${name}`;
    end = step.lastIndex;
  }
  return { steps, keyword: field.slice(end) };
}

const IN_LISTS: Readonly<Record<string, string>> = { items: '[]', additionalProperties: '[*]' };

type Remedy = readonly [keyword: RegExp, message: RegExp, remedy: string];

/** The remedies: what to write instead. For a problem, the first entry that matches is used. */
const REMEDIES: readonly Remedy[] = [
  [
    /^\.default$/,
    /in x-kubernetes-list-map-keys/,
    'take Type.Optional(…) away, or give it a default',
  ],
  [/^\.default$/, /unknown fields/, 'leave them out'],
  [/^\.default/, /^/, 'write a default that the schema takes'],
  [/^\.nullable$/, /^/, 'take Nullable(…) away'],
  [/map-keys$/, /names of item properties/, 'add the field to the items'],
  [/map-keys$/, /duplicate/, 'name each key once'],
  [/map-keys$/, /^/, 'name the fields that tell items apart'],
  [/list-type$/, /must be map/, 'write ListMap(…)'],
  [/list-type$/, /^/, 'write ListAtomic(…)'],
  [/map-type$/, /^/, 'write ListMap(…) with the keys, or ListSet(atomic(…))'],
  [/^\.type$/, /scalar/, 'take another field as key'],
  [/^\.type$/, /parent array/, 'write ListMap(Type.Object({ … }), keys), or ListSet(…)'],
  [/^/, /x-kubernetes-embedded-resource/, 'write EmbeddedResource()'],
  [/\.rule$/, /^/, 'write a CEL expression about self'],
  [/\.message$/, /must not contain/, 'write it in one line'],
  [/\.message$/, /must be specified/, 'write one'],
  [/\.message(Expression)?$/, /^/, 'write one, or leave it out'],
  [/\.reason$/, /^/, 'write one of them'],
  [/\.fieldPath$/, /^/, 'write .name for a field below this one'],
];

function remedyFor(keyword: string, message: string): string {
  const found = REMEDIES.find(([of, about]) => of.test(keyword) && about.test(message));
  return found?.[2] ?? 'change it, because the API server takes no such definition';
}
