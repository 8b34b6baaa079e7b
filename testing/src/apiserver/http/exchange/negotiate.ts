import { notAcceptable } from '../../failures/request-failures.ts';

/** The form of an answer. */
export interface Form {
  readonly as: 'object' | 'partial' | 'partial list' | 'table';
  readonly mediaType: 'json' | 'yaml';
}

const AVAILABLE = [
  'application/json',
  'application/yaml',
  'application/vnd.kubernetes.protobuf',
  'application/json;stream=watch',
  'application/vnd.kubernetes.protobuf;stream=watch',
];

/**
 * The first form in `accept` that the server has; the ones it lacks, such as protobuf, are passed
 * over.
 *
 * @throws ApiError 406 when it has none of them.
 */
export function negotiate(accept: string | undefined): Form {
  const form = formAsked(accept);
  if (form === undefined) throw notAcceptable(AVAILABLE);
  return form;
}

/** The same, undefined when the server has none of them. */
export function formAsked(accept: string | undefined): Form | undefined {
  for (const clause of clauses(accept)) {
    const form = formOf(clause);
    if (form !== undefined) return form;
  }
  return undefined;
}

interface Clause {
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly quality: number;
}

/** The clauses of an Accept header, best first. */
export function clauses(accept: string | undefined): readonly Clause[] {
  if (accept === undefined || accept.trim() === '') return [clause('*/*')];
  return accept
    .split(',')
    .map((text) => clause(text))
    .toSorted((a, b) => b.quality - a.quality);
}

function clause(text: string): Clause {
  const [type = '', ...rest] = text.split(';').map((part) => part.trim());
  const parameters = new Map<string, string>();
  for (const parameter of rest) {
    const at = parameter.indexOf('=');
    parameters.set(parameter.slice(0, at), parameter.slice(at + 1));
  }
  return { type, parameters, quality: Number(parameters.get('q') ?? 1) };
}

const MEDIA_TYPES: Readonly<Record<string, Form['mediaType']>> = {
  'application/json': 'json',
  'application/*': 'json',
  '*/*': 'json',
  'application/yaml': 'yaml',
};

const TRANSFORMS: Readonly<Record<string, Form['as']>> = {
  Table: 'table',
  PartialObjectMetadata: 'partial',
  PartialObjectMetadataList: 'partial list',
};

function formOf({ type, parameters }: Clause): Form | undefined {
  const mediaType = MEDIA_TYPES[type];
  if (mediaType === undefined) return undefined;
  const transform = parameters.get('as');
  if (transform === undefined) return { as: 'object', mediaType };
  if (parameters.get('g') !== 'meta.k8s.io' || parameters.get('v') !== 'v1') return undefined;
  const as = TRANSFORMS[transform];
  return as === undefined ? undefined : { as, mediaType };
}
