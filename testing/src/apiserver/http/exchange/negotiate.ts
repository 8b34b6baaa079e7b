import { noSuchMediaType, notAcceptable } from '../../failures/request-failures.ts';

/** The negotiated format of an answer. */
export interface Form {
  readonly as: 'object' | 'partial' | 'partial list' | 'table';
  readonly mediaType: 'json' | 'yaml';
  /** The API version of a Table or of partial metadata. */
  readonly metaVersion: 'v1' | 'v1beta1';
  /** Whether the answer is indented for people. */
  readonly pretty: boolean;
  /** Whether `metadata.managedFields` is omitted. */
  readonly dropsManagedFields: boolean;
}

/**
 * Whether the server knows the parameter `drop`. If it does not, it ignores this parameter like every unknown
 * parameter.
 */
export interface Known {
  readonly drop: boolean;
}

/** The formats that an endpoint can send. */
export interface Offer {
  /**
   * The media types that a router accepts before the endpoint is called. Absent for an endpoint without a
   * router.
   */
  readonly routed?: readonly string[];
  /** Whether objects can be sent as a Table or as partial metadata. */
  readonly transforms: boolean;
}

const MEDIA_TYPES: readonly string[] = [
  'application/json',
  'application/yaml',
  'application/vnd.kubernetes.protobuf',
];

/** The media types of a watch. */
export const STREAMS: readonly string[] = [
  'application/json;stream=watch',
  'application/vnd.kubernetes.protobuf;stream=watch',
];

/** The formats of the answers to lists and watches of built-in kinds. */
export const COLLECTION: Offer = { routed: [...MEDIA_TYPES, ...STREAMS], transforms: true };
/** The formats of the answers to requests for built-in kinds, except for lists and watches. */
export const OBJECT: Offer = { routed: MEDIA_TYPES, transforms: true };
/**
 * The formats of custom resources. There is no router in front of them, because one handler serves all paths
 * of custom resources.
 */
export const CUSTOM: Offer = { transforms: true };
/** The formats of discovery documents, and of the Status of an error. */
export const PLAIN: Offer = { transforms: false };
export const PLAIN_ROUTE: Offer = { routed: MEDIA_TYPES, transforms: false };
export const JSON_ROUTE: Offer = { routed: ['application/json'], transforms: false };

/**
 * The first format in `accept` that the endpoint can send. Protobuf is skipped, although a real server can
 * send it.
 *
 * @throws ApiError 406 when the endpoint cannot send any of the accepted formats.
 */
export function negotiate(accept: string | undefined, known: Known, offer: Offer): Form {
  if (offer.routed !== undefined && !isRouted(accept, offer.routed)) {
    throw notAcceptable(offer.routed);
  }
  const form = formAsked(accept, known, offer);
  if (form === undefined) throw noSuchMediaType(MEDIA_TYPES);
  return form;
}

/**
 * Like `negotiate`, but without the router's check. Undefined when the endpoint cannot send any of the
 * accepted formats.
 */
export function formAsked(
  accept: string | undefined,
  known: Known,
  offer: Offer,
): Form | undefined {
  for (const clause of clauses(accept)) {
    for (const mediaType of SENT) {
      const form = matches(clause, mediaType) ? formOf(clause, mediaType, known, offer) : undefined;
      if (form !== undefined) return form;
    }
  }
  return undefined;
}

/**
 * Whether a route accepts the request (go-restful, `matchesAccept`). Quality values and parameters are
 * ignored.
 */
function isRouted(accept: string | undefined, produced: readonly string[]): boolean {
  if (accept === undefined || accept === '') return true;
  return accept.split(',').some((part) => {
    const type = trimmed(part.split(';', 1)[0] ?? '');
    return type === '*/*' || produced.includes(type);
  });
}

interface Clause {
  /** A media type such as `application/json`. */
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly quality: number;
}

/** The clauses of an Accept header, best first, parsed like in github.com/munnerz/goautoneg. */
export function clauses(accept: string | undefined): readonly Clause[] {
  if (accept === undefined || accept === '') {
    return [{ type: '*/*', parameters: new Map(), quality: 1 }];
  }
  const parsed = accept.split(',').flatMap((part) => clause(trimmed(part)) ?? []);
  // Go sorts short lists by insertion. The comparison is not transitive, so another sorting algorithm would
  // give other results.
  const sorted: Clause[] = [];
  for (const one of parsed) {
    let at = sorted.length;
    while (at > 0 && isBetter(one, sorted[at - 1] as Clause)) at--;
    sorted.splice(at, 0, one);
  }
  return sorted;
}

function isBetter(one: Clause, other: Clause): boolean {
  if (one.quality > other.quality) return true;
  const [type, subtype] = one.type.split('/');
  const [otherType, otherSubtype] = other.type.split('/');
  if (type !== '*' && otherType === '*') return true;
  return subtype !== '*' && otherSubtype === '*';
}

/** @returns undefined for a clause without a media type. */
function clause(text: string): Clause | undefined {
  const [name = '', ...rest] = text.split(';');
  const [type = '', subtype = '', ...more] = name.split('/').map(trimmed);
  const isAny = type === '*' && subtype === '';
  if (!isAny && (subtype === '' || more.join('') !== '')) return undefined;
  const parameters = new Map<string, string>();
  let quality = 1;
  for (const parameter of rest) {
    const [key = '', value = '', ...others] = parameter.split('=');
    if (value === '' || others.join('') !== '') continue;
    if (trimmed(key) === 'q') quality = /^[0-9.]+$/.test(value) ? Number(value) : 0;
    else parameters.set(trimmed(key), trimmed(value));
  }
  return { type: isAny ? '*/*' : `${type}/${subtype}`, parameters, quality };
}

/** The string without spaces at its beginning and end. Other white space is not removed. */
function trimmed(text: string): string {
  let [start, end] = [0, text.length];
  while (text[start] === ' ') start++;
  while (end > start && text[end - 1] === ' ') end--;
  return text.slice(start, end);
}

/** The formats that this server sends, starting with the preferred format. */
const SENT = ['json', 'yaml'] as const;

function matches({ type }: Clause, mediaType: Form['mediaType']): boolean {
  return type === `application/${mediaType}` || type === 'application/*' || type === '*/*';
}

const TRANSFORMS: Readonly<Record<string, Form['as']>> = {
  Table: 'table',
  PartialObjectMetadata: 'partial',
  PartialObjectMetadataList: 'partial list',
};

/** The only field that can be dropped from answers. */
const DROPPED = 'metadata.managedFields';

/**
 * The format that a clause of the Accept header requests (`acceptMediaTypeOptions` in k8s.io/apiserver
 * pkg/endpoints/handlers/negotiation).
 */
function formOf(
  { parameters }: Clause,
  mediaType: Form['mediaType'],
  known: Known,
  offer: Offer,
): Form | undefined {
  const stream = parameters.get('stream');
  if (stream !== undefined && (mediaType !== 'json' || stream !== 'watch')) return undefined;
  const serverVersion = parameters.get('sv');
  if (serverVersion !== undefined && (!offer.transforms || serverVersion !== 'v1')) {
    return undefined;
  }
  const drop = known.drop ? parameters.get('drop') : undefined;
  if (drop !== undefined && drop !== DROPPED) return undefined;
  const pretty = parameters.get('pretty') === '1';
  const form = { mediaType, pretty, dropsManagedFields: drop !== undefined };
  const [as, group, version] = ['as', 'g', 'v'].map((key) => parameters.get(key));
  if (as === undefined && group === undefined && version === undefined) {
    return { ...form, as: 'object', metaVersion: 'v1' };
  }
  if (!offer.transforms || group !== 'meta.k8s.io') return undefined;
  if (version !== 'v1' && version !== 'v1beta1') return undefined;
  const transform = Object.hasOwn(TRANSFORMS, as ?? '') ? TRANSFORMS[as ?? ''] : undefined;
  return transform === undefined ? undefined : { ...form, as: transform, metaVersion: version };
}
