import { resourceName } from 'chancery';
import type { ParentWrites } from 'chancery/internal';
import {
  allOf,
  anyOf,
  byOperator,
  literal,
  RESOURCE,
  rulesFor,
  SAME_METADATA,
  sameContent,
  sameFinalizersBut,
  sameMember,
} from './expressions.ts';
import type { Policy } from './policy.ts';
import { keyOf, type Written } from './written.ts';

/**
 * Refuses changes of parents that the operator must not make: to their spec, their labels, and the
 * finalizers of other controllers. Undefined when no parents are checked.
 */
export function parents(written: Written): Policy | undefined {
  const names = [...new Set(written.parents.map(({ resource }) => resourceName(resource)))].sort();
  const made = new Set(written.children.map(({ resource }) => resourceName(resource)));
  const judged = names
    .filter((name) => !made.has(name)) // the rule for children checks these
    .map((name) => ({ name, parts: partsOf(name, written) }))
    .filter(({ parts }) => parts.length > 0);
  const statuses = written.targets.filter(
    ({ operation, subresource }) => operation === 'UPDATE' && subresource === 'status',
  );
  if (judged.length === 0 && statuses.length === 0) return undefined;
  return {
    rule: 'parents',
    about:
      'In objects that the operator did not make it changes its own parts: a status, its finalizers.',
    resourceRules: [
      ...rulesFor(
        judged.flatMap(({ parts }) => parts.slice(0, 1)),
        ['UPDATE'],
      ),
      ...rulesFor(statuses, ['UPDATE'], '/status'),
    ],
    matches: [byOperator(written)],
    variables: [
      RESOURCE,
      {
        name: 'isStatus',
        expression: "has(request.subResource) && request.subResource == 'status'",
      },
    ],
    validations: [
      ...(statuses.length > 0 ? [STATUS_ONLY] : []),
      ...judged.map(({ name, parts }) => ({
        expression: anyOf([
          `variables.isStatus || variables.resource != ${literal(name)}`,
          ownPartsOnly(parts),
        ]),
        message: `the operator changes nothing in ${name} but ${wordsOf(parts)}`,
      })),
    ],
    leftToRbac: names
      .filter((name) => written.free.has(`UPDATE ${name}`) && !made.has(name))
      .map((name) => `UPDATE ${name}: declared as a permission, for any object and field`),
  };
}

/**
 * The declared changes of objects of a resource. Empty when the operator does not change them, or
 * when only a permission allows it.
 */
export function partsOf(name: string, written: Written): readonly ParentWrites[] {
  const key = `UPDATE ${name}`;
  if (written.free.has(key) || !written.targets.some((target) => keyOf(target) === key)) return [];
  return written.parents.filter(
    (part) =>
      resourceName(part.resource) === name &&
      (part.finalizers.length > 0 || part.texts === true || part.status === true),
  );
}

/** An expression that is true when a write changes only fields that the operator may change. */
export function ownPartsOnly(parts: readonly ParentWrites[]): string {
  const finalizers = parts.flatMap((part) => part.finalizers);
  const changesTexts = parts.some(({ texts }) => texts === true);
  const changesStatus = parts.some(({ status }) => status === true);
  return allOf([
    sameContent(changesStatus ? ['metadata', 'status'] : ['metadata']),
    ...(changesTexts ? [] : [sameMember('labels', '{}'), sameMember('annotations', '{}')]),
    sameMember('ownerReferences', '[]'),
    sameFinalizersBut(finalizers),
  ]);
}

function wordsOf(parts: readonly ParentWrites[]): string {
  const finalizers = [...new Set(parts.flatMap((part) => part.finalizers))].sort();
  return [
    ...(finalizers.length > 0 ? [`the finalizers ${finalizers.join(', ')}`] : []),
    ...(parts.some(({ texts }) => texts === true) ? ['labels and annotations'] : []),
    ...(parts.some(({ status }) => status === true) ? ['the status'] : []),
  ].join(' and ');
}

const STATUS_ONLY = {
  expression: anyOf([
    '!variables.isStatus',
    allOf([sameContent(['metadata', 'status']), SAME_METADATA]),
  ]),
  message: 'a write of a status changes nothing but the status',
} as const;
