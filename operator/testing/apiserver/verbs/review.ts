import type { StoredObject } from '../cluster-access.ts';
import { withFields, withMetadata } from '../objects/metadata.ts';
import type { ServedResource } from '../registry/served-resource.ts';
import type { WriteOptions } from '../request/options.ts';
import { canonical } from './canonical.ts';
import { ownersAfter } from './ownership.ts';

/** Rights to everything: the server has no users. */
const EVERYTHING = {
  resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }],
  nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
  incomplete: false,
};

/** The answer to a question about rights; undefined for an object that is no question. */
export function answerReview(
  served: ServedResource,
  body: StoredObject,
  { manager }: WriteOptions,
  time: string,
): StoredObject | undefined {
  if (body.kind === 'SelfSubjectAccessReview') {
    const managedFields = ownersAfter(served, undefined, body, { manager }, time);
    const owned = withMetadata(body, { managedFields });
    return canonical(served, withFields(owned, { status: { allowed: true } }));
  }
  if (body.kind === 'SelfSubjectRulesReview') {
    return canonical(served, withFields(body, { spec: {}, status: EVERYTHING }));
  }
  return undefined;
}
