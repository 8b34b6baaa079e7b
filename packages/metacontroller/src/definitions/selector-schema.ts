import type { StructuralSchema } from 'chancery/internal';
import { fields, listOf, TEXT, TEXTS } from './schema-parts.ts';

const ATOMIC_LIST = { 'x-kubernetes-list-type': 'atomic' } as const;

const REQUIREMENTS: StructuralSchema = listOf(
  fields({ key: TEXT, operator: TEXT, values: { ...TEXTS, ...ATOMIC_LIST } }, ['key', 'operator']),
);

const VALUES: StructuralSchema = { type: 'object', additionalProperties: TEXT };

/** `metav1.LabelSelector`. Server-side apply replaces it as a whole. */
export const LABEL_SELECTOR: StructuralSchema = {
  ...fields({ matchLabels: VALUES, matchExpressions: { ...REQUIREMENTS, ...ATOMIC_LIST } }),
  'x-kubernetes-map-type': 'atomic',
};

/** A selector for annotations, like a label selector. Server-side apply merges its fields. */
export const ANNOTATION_SELECTOR: StructuralSchema = fields({
  matchAnnotations: VALUES,
  matchExpressions: REQUIREMENTS,
});
