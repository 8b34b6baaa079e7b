import { GENERATION_ANNOTATION, memberPrefix, SET_LABEL } from 'chancery/internal';
import { allOf, anyOf, literal, metadataOr, SAME_METADATA } from './expressions.ts';
import type { Policy } from './policy.ts';
import type { Written } from './written.ts';

const CREATE = 'CREATE leases.coordination.k8s.io';
const UPDATE = 'UPDATE leases.coordination.k8s.io';

/**
 * Refuses changes of a Lease other than those that leader election makes. If the operator declares
 * a permission for Leases, it may use Leases in any way, so the operations of that permission are
 * not checked.
 */
export function leaseMetadata(written: Written): Policy['validations'] {
  const { elects, free, set } = written;
  if (!elects) return [];
  const judged = [...(set === undefined ? [] : [CREATE]), UPDATE].filter((key) => !free.has(key));
  if (judged.length === 0) return [];
  return [
    {
      expression: anyOf([
        judged.map((key) => `variables.target != ${literal(key)}`).join(' && '),
        set === undefined ? SAME_METADATA : ofSet(set),
      ]),
      message:
        set === undefined
          ? 'the operator renews its Lease, and changes nothing in its metadata'
          : `the operator renews Leases of the set ${set}, and changes nothing else in their metadata`,
    },
  ];
}

/**
 * An expression that is true when a Lease of this set has the label of the set, and nothing else in
 * its metadata changes. If the label was removed or changed before, it is restored.
 */
function ofSet(set: string): string {
  const isSet = (texts: string): string => `${texts}[${literal(SET_LABEL)}] == ${literal(set)}`;
  const [before, labels] = [old('labels', '{}'), metadataOr('object', 'labels', '{}')];
  const isMember = `variables.name.startsWith(${literal(memberPrefix(set))})`;
  const annotations = metadataOr('object', 'annotations', '{}');
  return allOf([
    `${labels}.all(k, k == ${literal(SET_LABEL)} ? ${isSet(labels)} : ${isKept(labels, before)})`,
    `${before}.all(k, k in ${labels})`,
    `${annotations}.all(k, (k == ${literal(GENERATION_ANNOTATION)} && ${isMember}) || (${isKept(annotations, old('annotations', '{}'))}))`,
    `${old('annotations', '{}')}.all(k, k in ${annotations})`,
    `${metadataOr('object', 'finalizers', '[]')} == ${old('finalizers', '[]')}`,
    anyOf([
      `${metadataOr('object', 'ownerReferences', '[]')} == ${old('ownerReferences', '[]')}`,
      allOf(["request.operation == 'CREATE'", isOwnedByPod(set)]),
    ]),
  ]);
}

/**
 * An expression that is true when the only owner is the Pod whose name is in the name of the Lease.
 * The Lease of a replica is deleted with its Pod. No other Lease contains the name of a Pod.
 */
function isOwnedByPod(set: string): string {
  const isPod = "r.apiVersion == 'v1' && r.kind == 'Pod'";
  const isItsOwn = `variables.name == ${literal(memberPrefix(set))} + r.name`;
  const owners = metadataOr('object', 'ownerReferences', '[]');
  return `${owners}.all(r, ${isPod} && ${isItsOwn} && !has(r.controller))`;
}

function isKept(now: string, before: string): string {
  return `k in ${before} && ${before}[k] == ${now}[k]`;
}

/** An expression for a member of the metadata before the request. It is empty for a create. */
function old(member: string, empty: '{}' | '[]'): string {
  return `(request.operation == 'CREATE' ? ${empty} : ${metadataOr('oldObject', member, empty)})`;
}
