import type { KubernetesObject } from '../model/object.ts';
import type { Resource } from '../model/resource.ts';
import type { JsonObject } from './answer.ts';
import { formOf, unexpected } from './list-answer.ts';

/**
 * The object that a successful answer carries.
 *
 * @param subresource - an answer about a subresource may be of another kind, such as Scale.
 * @throws ProtocolError `DECODE` when it is of another kind than `resource`, or has no metadata.
 */
export function decodeObject<T extends KubernetesObject>(
  answer: JsonObject,
  resource: Resource<T>,
  subresource?: string,
): T {
  const expected = formOf(resource);
  const { apiVersion, kind, metadata } = answer;
  const isExpected = apiVersion === expected.apiVersion && kind === expected.kind;
  if (subresource === undefined) {
    // A name is not required: a review, such as SelfSubjectAccessReview, is answered without.
    const hasMetadata = typeof metadata === 'object' && metadata !== null;
    if (!isExpected || !hasMetadata) throw unexpected(resource, expected, answer);
  }
  return answer as unknown as T;
}
