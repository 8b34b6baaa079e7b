import { DNS_1035_LABEL, invalid, NOT_DNS_1035_LABEL, required } from 'chancery/internal-objects';
import type { FieldError } from '../../failures/invalid.ts';
import type { DefinitionNames } from '../definition.ts';

const LABEL_PATTERN = new RegExp(`^${DNS_1035_LABEL}$`);

/** The reason why a string is not a label that starts with a letter; '' when it is one. */
export function labelProblem(text: string): string {
  const problems = [
    ...(text.length > 63 ? ['must be no more than 63 bytes'] : []),
    ...(LABEL_PATTERN.test(text) ? [] : [NOT_DNS_1035_LABEL]),
  ];
  return problems.join(',');
}

/** The problems of `spec.names`. */
export function nameProblems(names: Partial<DefinitionNames>): readonly FieldError[] {
  const missing = (['plural', 'singular', 'kind', 'listKind'] as const).filter(
    (field) => !names[field],
  );
  return [
    ...missing.map((field) => required(`spec.names.${field}`)),
    ...problemsOfLabel('plural', names.plural),
    ...problemsOfLabel('singular', names.singular),
    ...problemsOfKind('kind', names.kind),
    ...problemsOfKind('listKind', names.listKind),
    ...(names.shortNames ?? []).flatMap((name, at) => problemsOfLabel(`shortNames[${at}]`, name)),
    ...sameKinds(names),
    ...(names.categories ?? []).flatMap((name, at) => problemsOfLabel(`categories[${at}]`, name)),
  ];
}

function problemsOfLabel(field: string, name: string | undefined): readonly FieldError[] {
  const why = name ? labelProblem(name) : '';
  return why === '' ? [] : [invalid(`spec.names.${field}`, name, why)];
}

function problemsOfKind(field: string, kind: string | undefined): readonly FieldError[] {
  const why = kind ? labelProblem(kind.toLowerCase()) : '';
  if (why === '') return [];
  const detail = `may have mixed case, but should otherwise match: ${why}`;
  return [invalid(`spec.names.${field}`, kind, detail)];
}

function sameKinds({ kind, listKind }: Partial<DefinitionNames>): readonly FieldError[] {
  if (!kind || kind !== listKind) return [];
  return [invalid('spec.names.listKind', listKind, 'kind and listKind may not be the same')];
}
