import { DECORATED_BY } from '../../controller/children/existing-child.ts';
import { OperatorError } from '../../core/errors.ts';
import { inSlices } from '../../core/time-slice.ts';
import type { KubernetesObject } from '../../model/object.ts';
import { type Resource, resourceName } from '../../model/resource.ts';
import type { DesiredChild } from '../child.ts';
import type { ChildType, PlannedChild } from '../engine-options.ts';
import { childIdentity } from '../sync-result.ts';
import type { DecoratorAnswer, DecoratorEngineOptions } from './engine-options.ts';

type Options = Pick<DecoratorEngineOptions, 'attachments' | 'decorator' | 'objects'>;

/**
 * Checks an answer and turns its attachments into a plan. The whole answer is checked before anything is written.
 *
 * @throws OperatorError `USER_CODE` that says which part of the answer is unusable, and why.
 */
export async function planAttachments(
  answer: DecoratorAnswer | undefined,
  object: KubernetesObject,
  options: Options,
): Promise<readonly PlannedChild[]> {
  const attachments: unknown = answer?.attachments;
  if (!Array.isArray(attachments)) {
    throw unusable('the answer of a decorator must have an array "attachments"; [] deletes all');
  }
  requireTexts('labels', answer?.labels);
  requireTexts('annotations', answer?.annotations);
  requireStatus(answer?.status);
  requireDelay(answer?.resyncAfterMs);
  const planned = await inSlices(attachments, (given: unknown, index) =>
    plan(given, index, object, options),
  );
  const seen = new Set<string>();
  for (const { identity } of planned) {
    if (seen.has(identity))
      throw unusable('an attachment is named twice', { attachment: identity });
    seen.add(identity);
  }
  return planned;
}

function plan(
  given: unknown,
  index: number,
  object: KubernetesObject,
  options: Options,
): PlannedChild {
  const { resource, object: wanted } = (given ?? {}) as Partial<DesiredChild>;
  const name = wanted?.metadata?.name;
  if (resource === undefined || typeof name !== 'string' || name === '') {
    throw unusable('an attachment needs a resource and a name', { index });
  }
  const type = typeOf(resource, index, options.attachments);
  const { namespace: named, annotations, ...metadata } = wanted?.metadata ?? { name };
  const namespace = namespaceOf(type.resource, named, object, options.objects.resource, name);
  const placed = {
    ...metadata,
    ...(namespace !== undefined && { namespace }),
    annotations: { ...annotations, [DECORATED_BY]: options.decorator },
  };
  const desired = { ...wanted, metadata: placed };
  return {
    type,
    resource: type.resource,
    object: desired,
    identity: childIdentity(type.resource, { name, namespace }),
  };
}

function typeOf(resource: Resource, index: number, types: readonly ChildType[]): ChildType {
  const name = resourceName(resource);
  const type = types.find((known) => resourceName(known.resource) === name);
  if (type !== undefined) return type;
  throw unusable('an attachment has a resource that is not declared', { index, resource: name });
}

/** The namespace of an attachment. It is dropped at a cluster-scoped one, where the API has no place for it. */
function namespaceOf(
  resource: Resource,
  given: string | undefined,
  object: KubernetesObject,
  objectResource: Resource,
  name: string,
): string | undefined {
  const own = objectResource.namespaced ? object.metadata.namespace : undefined;
  const facts = { resource: resourceName(resource), name };
  if (!resource.namespaced) {
    if (own === undefined) return undefined;
    throw unusable('a namespaced object cannot have a cluster-scoped attachment', facts);
  }
  const namespace = given === undefined || given === '' ? own : given;
  if (namespace === undefined) {
    throw unusable(
      'a namespaced attachment of a cluster-scoped object must name its namespace',
      facts,
    );
  }
  if (own !== undefined && namespace !== own) {
    throw unusable('an object cannot have an attachment in another namespace', {
      ...facts,
      namespace,
    });
  }
  return namespace;
}

function requireTexts(part: 'labels' | 'annotations', texts: unknown): void {
  if (texts === undefined || texts === null) return;
  const isUsable =
    typeof texts === 'object' &&
    !Array.isArray(texts) &&
    Object.values(texts).every((text) => text === null || typeof text === 'string');
  if (!isUsable) throw unusable(`${part} of the answer must be texts, or null to delete one`);
}

function requireStatus(status: unknown): void {
  if (status === undefined || status === null) return;
  if (typeof status === 'object' && !Array.isArray(status)) return;
  throw unusable('the status of the answer must be an object');
}

function requireDelay(ms: unknown): void {
  if (ms === undefined || ms === null || (typeof ms === 'number' && ms >= 0)) return;
  throw unusable('the answer asks to be called again after a time that is below 0 or no number');
}

function unusable(message: string, context: Record<string, string | number> = {}): OperatorError {
  return new OperatorError(message, { code: 'USER_CODE', layer: 'user-code', context });
}
