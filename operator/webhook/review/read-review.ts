import { ProtocolError } from '../../core/errors.ts';
import { JSON_LIMITS, JsonTextError } from '../../core/json/json-limits.ts';
import { JsonSyntaxError } from '../../core/json/parse-in-pieces.ts';
import { readJsonValue } from '../../core/json/read-json.ts';
import { isMapping, type Mapping } from '../../core/mapping.ts';
import { runInSlices } from '../../core/time-slice.ts';
import type { KubernetesObject } from '../../model/object.ts';
import { apiVersionOf, type Resource, resourceName } from '../../model/resource.ts';
import { deepFreeze } from '../../store/freeze.ts';
import type { Webhook } from '../webhook.ts';
import type { WebhookSubject } from '../webhook-options.ts';
import type { AdmissionOperation, AdmissionRequest, AdmissionUser } from './admission-request.ts';

/** The API version of reviews. */
export const REVIEW_VERSION = 'admission.k8s.io/v1';

/** A review request of the API server, with the uid that the answer must repeat. */
export interface Review {
  readonly uid: string;
  readonly request: AdmissionRequest;
  /** The body of the request. */
  readonly text: string;
}

/** Maximum number of characters of a uid. No API server sends a longer uid: a UUID has 36 characters. */
const MAX_UID_CHARS = 253;

/**
 * Reads the review in the body of a request for `webhook`. Everything in the result is frozen. Integers that
 * a number cannot represent exactly are bigints. The function yields to the event loop, so that even a review
 * of 8 MiB does not delay a probe.
 *
 * @throws ProtocolError `DECODE` for a text that is not a review within `JSON_LIMITS`, for a review of
 *   another resource, subresource or operation, and for a review without the objects that its operation
 *   requires. The message contains the invalid field, but no data of an object.
 * @throws `signal.reason` when aborted.
 */
export async function readReview(
  text: string,
  webhook: Webhook,
  signal: AbortSignal,
): Promise<Review> {
  const review = await readReviewText(text, `webhook ${webhook.name}`, signal);
  const part: Parts = new Parts(webhook);
  part.require(isMapping(review), 'the body must be an object');
  const { apiVersion, kind } = review;
  part.require(
    apiVersion === REVIEW_VERSION && kind === 'AdmissionReview',
    `apiVersion and kind must be ${REVIEW_VERSION} AdmissionReview`,
  );
  const { request } = review;
  part.require(isMapping(request), 'request must be an object');
  const { uid } = request;
  const isUid = typeof uid === 'string' && uid !== '' && uid.length <= MAX_UID_CHARS;
  part.require(isUid, `request.uid must be a string of 1 to ${MAX_UID_CHARS} characters`);
  const subject = part.subject(request);
  const asked = {
    name: part.text(request, 'name'),
    namespace: part.text(request, 'namespace'),
    resource: subject.resource,
    subresource: subject.subresource,
    user: part.user(request.userInfo),
    dryRun: part.dryRun(request),
    options: part.map(request, 'options') ?? {},
    ...part.objects(request, subject),
  } as AdmissionRequest;
  deepFreeze(asked);
  return { uid, request: asked, text };
}

/**
 * Parses the body of a request, for any kind of review.
 *
 * @param of - the name of the endpoint in the error.
 * @throws ProtocolError `DECODE` for a text that is not JSON within `JSON_LIMITS`; `signal.reason` when
 * aborted.
 */
export async function readReviewText(
  text: string,
  of: string,
  signal: AbortSignal,
): Promise<unknown> {
  try {
    return (await runInSlices(readJsonValue(text, JSON_LIMITS), signal)).value;
  } catch (error) {
    if (!(error instanceof JsonTextError || error instanceof JsonSyntaxError)) throw error;
    throw unusable(of, `the body ${error.message}`, error);
  }
}

function unusable(of: string, problem: string, cause?: unknown): ProtocolError {
  return new ProtocolError(`a review for ${of} is unusable: ${problem}`, { code: 'DECODE', cause });
}

/** Reads the fields of a review, and checks the type of each. */
class Parts {
  readonly #webhook: Webhook;

  constructor(webhook: Webhook) {
    this.#webhook = webhook;
  }

  require(holds: boolean, problem: string): asserts holds {
    if (!holds) throw unusable(`webhook ${this.#webhook.name}`, problem);
  }

  /**
   * The subject of the webhook to which the request belongs. There must be one, because the API server has
   * already converted objects of other versions.
   */
  subject(request: Mapping): WebhookSubject {
    const { subjects } = this.#webhook;
    const asked = this.map(request, 'resource') ?? {};
    const ofResource = subjects.filter(({ resource }) => isResource(asked, resource));
    const resources = subjects.map(
      ({ resource }) => `${resourceName(resource)} of version ${resource.version}`,
    );
    this.require(ofResource.length > 0, `request.resource must be ${oneOf(resources)}`);
    const subresource = this.text(request, 'subResource');
    const alike = ofResource.filter((subject) => subject.subresource === subresource);
    const subresources = ofResource.map((subject) =>
      subject.subresource === undefined ? 'empty' : JSON.stringify(subject.subresource),
    );
    this.require(alike.length > 0, `request.subResource must be ${oneOf(subresources)}`);
    const { operation } = request;
    const found = alike.find(({ operations }) =>
      operations.includes(operation as AdmissionOperation),
    );
    const operations = oneOf(alike.flatMap((subject) => subject.operations));
    this.require(found !== undefined, `request.operation must be ${operations}`);
    return found;
  }

  /** The value of a string. Undefined for an empty string, which Go writes if the value is missing. */
  text(of: Mapping, name: string): string | undefined {
    const value = of[name] ?? '';
    this.require(typeof value === 'string', `request.${name} must be a string`);
    return value === '' ? undefined : value;
  }

  map(of: Mapping, name: string): Mapping | undefined {
    const value = of[name] ?? undefined;
    this.require(value === undefined || isMapping(value), `request.${name} must be an object`);
    return value as Mapping | undefined;
  }

  dryRun({ dryRun = false }: Mapping): boolean {
    const value = dryRun ?? false;
    this.require(typeof value === 'boolean', 'request.dryRun must be true or false');
    return value;
  }

  user(info: unknown): AdmissionUser {
    const { username = '', uid = '', groups, extra } = isMapping(info) ? info : {};
    const isUser =
      typeof username === 'string' &&
      typeof uid === 'string' &&
      isTexts(groups ?? []) &&
      isMapping(extra ?? {}) &&
      Object.values(extra ?? {}).every(isTexts);
    this.require(isUser, 'request.userInfo must have the types of a UserInfo');
    return {
      username,
      uid: uid === '' ? undefined : uid,
      groups: (groups ?? []) as readonly string[],
      extra: (extra ?? {}) as AdmissionUser['extra'],
    };
  }

  objects(request: Mapping, subject: WebhookSubject): Partial<AdmissionRequest> {
    const operation = request.operation as AdmissionOperation;
    if (operation === 'CONNECT') {
      return { operation, object: this.map(request, 'object'), oldObject: undefined };
    }
    const hasNew = operation !== 'DELETE';
    const hasOld = operation !== 'CREATE';
    const object = hasNew ? this.#object(request, 'object', subject) : undefined;
    const oldObject = hasOld ? this.#object(request, 'oldObject', subject) : undefined;
    return { operation, object, oldObject } as Partial<AdmissionRequest>;
  }

  /**
   * The new or the old object. It must have the kind of the resource, except for a subresource such as
   * `scale`, whose objects have another kind.
   */
  #object(
    request: Mapping,
    name: 'object' | 'oldObject',
    { resource, subresource }: WebhookSubject,
  ): KubernetesObject {
    const value = request[name];
    this.require(isMapping(value), `request.${name} must be an object, as the operation says`);
    const { apiVersion, kind, metadata } = value;
    const isOwn = apiVersion === apiVersionOf(resource) && kind === resource.kind;
    const isNamed = typeof apiVersion === 'string' && typeof kind === 'string';
    this.require(
      subresource === undefined ? isOwn : isNamed,
      `request.${name} must be ${apiVersionOf(resource)} ${resource.kind}`,
    );
    this.require(isMapping(metadata), `request.${name}.metadata must be an object`);
    return value as unknown as KubernetesObject;
  }
}

function isResource(asked: Mapping, { group, version, plural }: Resource): boolean {
  return asked.group === group && asked.version === version && asked.resource === plural;
}

function oneOf(words: readonly string[]): string {
  return [...new Set(words)].join(' or ');
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}
