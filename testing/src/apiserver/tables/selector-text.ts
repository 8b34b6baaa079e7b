import { isObject, type Json } from '../objects/metadata.ts';
import { at } from './cell.ts';
import type { Cell } from './column.ts';

/** A cell for labels, or for a selector that is a plain map: `app=web,tier=front`. */
export function labels(path: string): Cell {
  const read = at(path);
  return (object) =>
    ofMap(read(object))
      .map(([, text]) => text)
      .join(',') || '<none>';
}

/** A cell for a label selector, in the syntax of `kubectl -l`. */
export function selector(path: string, whenEmpty = '<none>'): Cell {
  const read = at(path);
  return (object) => selectorText(read(object)) || whenEmpty;
}

function selectorText(value: unknown): string {
  if (!isObject(value)) return '';
  const expressions = Array.isArray(value.matchExpressions) ? value.matchExpressions : [];
  const requirements = [
    ...ofMap(value.matchLabels),
    ...expressions.filter(isObject).map(({ key, ...rest }) => [key, requirement(key, rest)]),
  ] as (readonly [string, string])[];
  return requirements
    .toSorted(([a], [b]) => (a < b ? -1 : Number(a > b)))
    .map(([, text]) => text)
    .join(',');
}

function requirement(key: unknown, { operator, values }: Json): string {
  const list = Array.isArray(values) ? values.map(String).toSorted().join(',') : '';
  switch (operator) {
    case 'In':
      return `${key} in (${list})`;
    case 'NotIn':
      return `${key} notin (${list})`;
    case 'DoesNotExist':
      return `!${key}`;
    default:
      return String(key);
  }
}

/** The key and value of each label, sorted by key. */
function ofMap(map: unknown): readonly (readonly [string, string])[] {
  if (!isObject(map)) return [];
  return Object.keys(map)
    .toSorted()
    .map((key) => [key, `${key}=${map[key]}`] as const);
}
