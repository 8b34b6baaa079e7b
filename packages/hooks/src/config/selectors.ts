import { formatSelector, type LabelSelector, messageOf, selectorFromObject } from 'chancery';
import { Fields, type Item, refuse, textOf } from './fields.ts';

/** The names of `{matchNames: [...]}`, without duplicates. */
export function namesOf(item: Item): readonly string[] {
  const fields = new Fields(item, ['matchNames'], 'a mapping such as {matchNames: [a, b]}');
  return [...new Set(fields.requiredTexts('matchNames'))];
}

/** A label selector as text, such as `app=web`. */
export function labelsOf(item: Item): string {
  return formatSelector(selectorFromObject(labelSelectorOf(item)));
}

/** Checks a label selector, and returns it as an object. An empty selector is refused. */
export function labelSelectorOf(item: Item): LabelSelector {
  const form = 'a mapping such as {matchLabels: {app: web}}';
  const fields = new Fields(item, ['matchLabels', 'matchExpressions'], form);
  const labels = fields.item('matchLabels');
  const matchLabels = labels === undefined ? {} : textsOf(labels);
  const matchExpressions = fields.list('matchExpressions')?.map(expressionOf) ?? [];
  if (Object.keys(matchLabels).length === 0 && matchExpressions.length === 0) {
    refuse(item.path, 'selects nothing in particular: give matchLabels or matchExpressions');
  }
  const selector = {
    ...(Object.keys(matchLabels).length > 0 && { matchLabels }),
    ...(matchExpressions.length > 0 && { matchExpressions }),
  };
  try {
    formatSelector(selectorFromObject(selector));
    return selector;
  } catch (error) {
    return refuse(item.path, messageOf(error));
  }
}

function textsOf({ value, path }: Item): Readonly<Record<string, string>> {
  const names = Object.keys(Object(value));
  const fields = new Fields({ value, path }, names, 'a mapping such as {app: web}');
  return Object.fromEntries(names.map((name) => [name, textOf(fields.item(name) as Item)]));
}

function expressionOf(item: Item) {
  const form = 'a mapping such as {key: app, operator: In, values: [web]}';
  const fields = new Fields(item, ['key', 'operator', 'values'], form);
  const values = fields.list('values', 'a list such as [a, b]')?.map(textOf);
  const operator = fields.oneOf('operator', ['In', 'NotIn', 'Exists', 'DoesNotExist']);
  return {
    key: fields.requiredText('key'),
    operator: operator ?? fields.requiredText('operator'),
    ...(values !== undefined && { values }),
  };
}

const EQUAL = ['=', '==', 'Equals'] as const;
const UNEQUAL = ['!=', 'NotEquals'] as const;

/** A field selector. */
export interface FieldTerms {
  /** The selector as text. Empty when there are no terms. */
  readonly text: string;
  readonly selectsName: boolean;
}

/** A field selector as text. The server compares each term with the whole value of the field. */
export function fieldTermsOf(item: Item): FieldTerms {
  const form =
    'a mapping such as {matchExpressions: [{field: metadata.name, operator: Equals, value: a}]}';
  const fields = new Fields(item, ['matchExpressions'], form);
  const terms = fields.list('matchExpressions', 'a list');
  if (terms === undefined) {
    return refuse(fields.pathOf('matchExpressions'), 'is required, and is not given');
  }
  const read = terms.map(termOf);
  return {
    text: read.map(({ text }) => text).join(','),
    selectsName: read.some(({ field }) => field === 'metadata.name'),
  };
}

function termOf(item: Item): { readonly field: string; readonly text: string } {
  const form = 'a mapping such as {field: metadata.name, operator: Equals, value: a}';
  const fields = new Fields(item, ['field', 'operator', 'value'], form);
  const field = fields.requiredText('field');
  if (!/^[\w.[\]'"/-]+$/.test(field)) refuse(fields.pathOf('field'), 'expected a path of fields');
  const operator =
    fields.oneOf('operator', [...EQUAL, ...UNEQUAL]) ?? fields.requiredText('operator');
  const value = fields.item('value');
  if (value === undefined) return refuse(fields.pathOf('value'), 'is required, and is not given');
  const sign = UNEQUAL.some((each) => each === operator) ? '!=' : '=';
  // Escapes the value like `EscapeValue` in k8s.io/apimachinery, pkg/fields.
  return { field, text: `${field}${sign}${textOf(value).replace(/[\\,=]/g, '\\$&')}` };
}
