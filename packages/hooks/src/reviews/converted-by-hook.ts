import { type KubernetesObject, messageOf, OperatorError } from 'chancery';
import {
  abortable,
  boundedText,
  ConversionRefused,
  encodeExact,
  inSlices,
  isMapping,
  type Mapping,
  madeOf,
  visibleText,
} from 'chancery/internal';
import type { ConversionBinding, Hook } from '../hook.ts';
import type { AskReview } from './hook-reviews.ts';
import { badAnswer, responseIn } from './response-file.ts';

/** One conversion that a hook declares. */
export interface ConversionStep {
  readonly hook: Hook;
  readonly binding: ConversionBinding;
  /** The version as the hook wrote it. */
  readonly fromVersion: string;
  readonly toVersion: string;
  /** `fromVersion` without the group. */
  readonly from: string;
  readonly to: string;
}

interface StepParts {
  readonly ask: AskReview;
  readonly group: string;
  /** The uid of the review. */
  readonly uid: string;
  readonly signal: AbortSignal;
}

/**
 * Converts objects of one version by starting a hook once.
 *
 * @throws ConversionRefused when the hook failed, or when it refused the conversion with a message.
 */
export async function convertedByHook(
  objects: readonly KubernetesObject[],
  step: ConversionStep,
  { ask, group, uid, signal }: StepParts,
): Promise<readonly KubernetesObject[]> {
  const { hook, binding, fromVersion, toVersion, to } = step;
  const review = reviewOf(objects, { uid, desired: `${group}/${to}` });
  const item = { type: 'Conversion', binding, fromVersion, toVersion, review } as const;
  try {
    // After an abort, a hook may need seconds to end.
    const { conversion } = await abortable(ask(hook, item, signal), signal);
    return await conversionAnswer(conversion, objects, { hook: hook.name, group, to }, signal);
  } catch (error) {
    throw refusalOf(error, hook.name, signal);
  }
}

/** The error for objects of a resource when no hook has this conversion. */
export function notConverted({
  from,
  to,
  name,
}: {
  readonly from: string;
  readonly to: string;
  readonly name: string;
}): OperatorError {
  const message = `no hook converts ${name} from ${from} to ${to}: add a binding for it, or for a version between them`;
  return new OperatorError(message, { code: 'USER_CODE', layer: 'user-code' });
}

/** The ConversionReview as an API server writes it, in pieces of one object each. */
function* reviewOf(
  objects: readonly KubernetesObject[],
  { uid, desired }: { readonly uid: string; readonly desired: string },
): Generator<string, void, undefined> {
  yield '{"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview","request":{';
  yield `"desiredAPIVersion":${JSON.stringify(desired)},"objects":[`;
  for (const [at, object] of objects.entries()) yield `${at > 0 ? ',' : ''}${encodeExact(object)}`;
  yield `],"uid":${JSON.stringify(uid)}}}`;
}

/**
 * The objects in the file `CONVERSION_RESPONSE_PATH`: `{convertedObjects}`, or `{failedMessage}`.
 *
 * @param objects - the objects before the conversion.
 * @throws HookError when the file does not contain a valid answer, when the number of objects is different,
 * or when the identity of an object has changed; ConversionRefused for a `failedMessage`.
 */
export async function conversionAnswer(
  text: string,
  objects: readonly KubernetesObject[],
  { hook, group, to }: { readonly hook: string; readonly group: string; readonly to: string },
  signal: AbortSignal,
): Promise<readonly KubernetesObject[]> {
  const answer = await responseIn(text, { file: 'CONVERSION_RESPONSE_PATH', hook, signal });
  const { failedMessage, convertedObjects } = answer;
  const failed = failedMessage ?? '';
  if (typeof failed !== 'string') throw badAnswer(hook, 'failedMessage must be a string');
  if (failed !== '') {
    const refusal = boundedText(visibleText(failed));
    throw new ConversionRefused(`${hook} refused a conversion`, refusal, { context: { hook } });
  }
  const made: unknown = convertedObjects ?? [];
  if (!Array.isArray(made)) throw badAnswer(hook, 'convertedObjects must be a list');
  if (made.length !== objects.length) {
    const counts = `${made.length} objects for ${objects.length}`;
    throw badAnswer(hook, `convertedObjects has ${counts}: each must be there, in its order`);
  }
  const apiVersion = `${group}/${to}`;
  return inSlices(objects, (object, at) =>
    convertedObject(made[at] as unknown, object, { hook, apiVersion, at }),
  );
}

function convertedObject(
  made: unknown,
  object: KubernetesObject,
  {
    hook,
    apiVersion,
    at,
  }: { readonly hook: string; readonly apiVersion: string; readonly at: number },
): KubernetesObject {
  const about = `convertedObjects[${at}]`;
  if (!isMapping(made) || made.apiVersion !== apiVersion) {
    throw badAnswer(hook, `${about} must be an object of ${apiVersion}`);
  }
  try {
    const rules = { about, apiVersions: [apiVersion], by: hook };
    const { fields, metadata } = madeOf(withAllTexts(made), object, rules);
    return { apiVersion, kind: object.kind, metadata, ...fields };
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    throw badAnswer(hook, messageOf(error), error);
  }
}

/** Hooks write whole objects, so missing labels and annotations mean that they are removed. */
function withAllTexts(made: Mapping): Mapping {
  const { metadata } = made;
  if (!isMapping(metadata)) return made;
  return {
    ...made,
    metadata: {
      ...metadata,
      labels: metadata.labels ?? {},
      annotations: metadata.annotations ?? {},
    },
  };
}

/**
 * The error for the client of the API server. Its message contains the name of the hook, and
 * nothing else that the hook or the runner wrote.
 */
function refusalOf(error: unknown, hook: string, signal: AbortSignal): unknown {
  if (error instanceof ConversionRefused || !(error instanceof OperatorError)) return error;
  const forClient = `Hook failed: ${hook}, and the operator's log says why`;
  const message = error === signal.reason ? `${hook}: ${error.message}` : error.message;
  return new ConversionRefused(message, forClient, { context: { hook }, cause: error });
}
