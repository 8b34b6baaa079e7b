import { NEVER_ABORTED } from '../core/abort.ts';
import { type ErrorContext, messageOf, OperatorError, ProtocolError } from '../core/errors.ts';
import { isMapping } from '../core/mapping.ts';
import { boundedText, visibleText } from '../core/text/visible-text.ts';
import { inSlices } from '../core/time-slice.ts';
import type { ConvertAll, DefinedResource } from '../model/custom-resource-definition.ts';
import type { KubernetesObject } from '../model/object.ts';

/**
 * Maximum number of objects in one review. An API server requests the conversion of a single object, or of a
 * page of a list, which has 500 objects by default.
 */
const MAX_OBJECTS = 10_000;

/** The answer to a ConversionReview of `apiextensions.k8s.io/v1`. */
interface ConversionAnswer {
  readonly apiVersion: 'apiextensions.k8s.io/v1';
  readonly kind: 'ConversionReview';
  readonly response: {
    /** The uid of the request. */
    readonly uid: string;
    /** The converted objects, in the order of the objects in the request. Empty after a failure. */
    readonly convertedObjects: readonly KubernetesObject[];
    readonly result: {
      readonly status: 'Success' | 'Failure';
      /** A message for the client of the API server. It contains no data of an object except its name. */
      readonly message?: string;
    };
  };
}

/** Options of `answerConversion`. */
interface AnswerConversionOptions {
  /** Aborts when the answer is no longer needed. The conversion then ends with a failure. Default: never. */
  readonly signal?: AbortSignal;
  /** Receives the error of a failed review, for the log. If a function threw, that error is the cause. */
  readonly onFailure?: (error: OperatorError) => void;
}

/**
 * Answers a ConversionReview of the API server with all objects of the review, or with a failure. Objects are
 * not validated, because they may have been stored before the current rules of the schema. Long lists do not
 * block the event loop: the conversion yields to it every 10 ms.
 *
 * @param resources - the resources whose objects can be converted. Resources without `convert` and
 *   `convertAll` are ignored.
 * @param review - the parsed body of the request. It is not changed. Integers beyond ±2^53 that are `bigint`
 *   stay exact.
 * @throws ProtocolError `DECODE` when `review` is not a ConversionReview of version v1 with a uid, which
 *   makes an answer impossible.
 */
export async function answerConversion(
  resources: readonly DefinedResource[],
  review: unknown,
  { onFailure = () => {}, signal = NEVER_ABORTED }: AnswerConversionOptions = {},
): Promise<ConversionAnswer> {
  const { uid, desired, objects } = requestIn(review);
  const answered = (response: Omit<ConversionAnswer['response'], 'uid'>): ConversionAnswer => ({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'ConversionReview',
    response: { uid, ...response },
  });
  try {
    if (objects.length > MAX_OBJECTS) {
      throw failure(`a review of ${objects.length} objects has more than ${MAX_OBJECTS}`);
    }
    const convertedObjects = await allConverted(resources, objects, { desired, uid, signal });
    return answered({ convertedObjects, result: { status: 'Success' } });
  } catch (error) {
    // Any other error is a bug of the toolkit, and its message might quote an object.
    const failed = error instanceof OperatorError ? error : failure('the conversion failed', error);
    onFailure(failed);
    const message = failed instanceof ConversionRefused ? failed.forClient : messageOf(failed);
    return answered({ convertedObjects: [], result: { status: 'Failure', message } });
  }
}

/**
 * A failed conversion whose message for the client of the API server differs from the message in
 * the log.
 */
export class ConversionRefused extends OperatorError {
  override readonly name = 'ConversionRefused';
  /** The message for the client. It may quote an object, because it comes from a hook. */
  readonly forClient: string;

  constructor(
    message: string,
    forClient: string,
    options: ErrorOptions & { readonly context: ErrorContext },
  ) {
    super(message, { ...options, code: 'USER_CODE', layer: 'user-code' });
    this.forClient = forClient;
  }
}

/** The request of a review. */
interface ConversionRequest {
  readonly uid: string;
  /** The group and version to which the objects must be converted. */
  readonly desired: string;
  readonly objects: readonly unknown[];
}

function requestIn(review: unknown): ConversionRequest {
  const { apiVersion, kind, request } = isMapping(review) ? review : {};
  if (apiVersion !== 'apiextensions.k8s.io/v1' || kind !== 'ConversionReview') {
    throw notReadable('the body is no ConversionReview of apiextensions.k8s.io/v1');
  }
  const { uid, desiredAPIVersion, objects } = isMapping(request) ? request : {};
  if (typeof uid !== 'string' || uid === '') throw notReadable('the ConversionReview has no uid');
  if (typeof desiredAPIVersion !== 'string' || !Array.isArray(objects)) {
    throw notReadable('the ConversionReview has no desiredAPIVersion, or no list of objects');
  }
  return { uid, desired: desiredAPIVersion, objects };
}

/** Creates an error whose message reaches users of kubectl. */
function failure(message: string, cause?: unknown): OperatorError {
  const options = { code: 'USER_CODE', layer: 'user-code' } as const;
  return new OperatorError(message, cause === undefined ? options : { ...options, cause });
}

function notReadable(message: string): ProtocolError {
  return new ProtocolError(message, { code: 'DECODE' });
}

/** An object that a program converts together with other objects, and its position in the list. */
interface Waiting {
  readonly object: KubernetesObject;
  readonly at: number;
}

async function allConverted(
  resources: readonly DefinedResource[],
  objects: readonly unknown[],
  { desired, ...asked }: Parameters<ConvertAll>[2] & { readonly desired: string },
): Promise<readonly KubernetesObject[]> {
  const [, version = ''] = split(desired);
  const waiting = new Map<ConvertAll, Waiting[]>();
  const results = await inSlices(objects, (object, at) => {
    asked.signal.throwIfAborted();
    if (!isObject(object)) throw failure(`objects[${at}] has no apiVersion, kind or metadata`);
    if (object.apiVersion === desired) return object;
    const { convert, convertAll } = converterOf(resources, object, { desired, at });
    if (convert !== undefined) return convert(object, version);
    const batch = waiting.get(convertAll) ?? [];
    waiting.set(convertAll, batch);
    batch.push({ object, at });
    return object;
  });
  const all = [...results];
  for (const [convertAll, batch] of waiting) {
    const converted = await convertAll(
      batch.map(({ object }) => object),
      version,
      asked,
    );
    for (const [index, { at }] of batch.entries()) {
      const object = converted[index];
      if (object === undefined) throw failure(`objects[${at}] was not converted`);
      all[at] = object;
    }
  }
  return all;
}

/** One of the two functions by which a resource can convert objects. */
type Converter =
  | { readonly convert: NonNullable<DefinedResource['convert']>; readonly convertAll?: undefined }
  | { readonly convert?: undefined; readonly convertAll: ConvertAll };

function converterOf(
  resources: readonly DefinedResource[],
  object: KubernetesObject,
  { desired, at }: { readonly desired: string; readonly at: number },
): Converter {
  const [group] = split(desired);
  const [from] = split(object.apiVersion);
  const { convert, convertAll } =
    resources.find((each) => each.group === from && each.kind === object.kind) ?? {};
  if (convert !== undefined && from === group) return { convert };
  if (convertAll !== undefined && from === group) return { convertAll };
  const what = visibleText(boundedText(`${object.apiVersion} ${object.kind}`, NAME_CHARS));
  const wanted = visibleText(boundedText(desired, NAME_CHARS));
  throw failure(`objects[${at}]: this operator does not convert ${what} to ${wanted}`);
}

/** Maximum characters of a name in a message. */
const NAME_CHARS = 600;

function isObject(value: unknown): value is KubernetesObject {
  return (
    isMapping(value) &&
    typeof value.apiVersion === 'string' &&
    typeof value.kind === 'string' &&
    isMapping(value.metadata)
  );
}

/** Splits an apiVersion into group and version. */
function split(apiVersion: string): readonly [group: string, version?: string] {
  const slash = apiVersion.indexOf('/');
  return slash < 0 ? [''] : [apiVersion.slice(0, slash), apiVersion.slice(slash + 1)];
}
