import type { StoredObject } from '../cluster-access.ts';
import { withFields } from '../objects/metadata.ts';

/** Rights to everything: the server has no users. */
const EVERYTHING = {
  resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }],
  nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
  incomplete: false,
};

/** The answer to a question about rights; undefined for an object that is no question. */
export function answerReview(body: StoredObject): StoredObject | undefined {
  if (body.kind === 'SelfSubjectAccessReview') {
    return withFields(body, { status: { allowed: true } });
  }
  if (body.kind === 'SelfSubjectRulesReview') {
    return withFields(body, { spec: {}, status: EVERYTHING });
  }
  return undefined;
}
